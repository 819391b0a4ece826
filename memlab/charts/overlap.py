"""Overlap of the arms as an UpSet chart (Lex et al., IEEE TVCG 2014; chapter 18, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASETS: Final = ("sets", "arms")
_TITLE: Final = "Which arms bring the gold"
_STEP: Final = 58
_ROW: Final = 28


def arm_overlap_data(sets: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the bars and the dots of the chart.

    Returns
    -------
    tuple of polars.DataFrame
        ``set`` (the arms that bring it, or ``no arm``) · ``count``, the most first; and a row for each
        set and arm: ``set`` · ``arm`` · ``inside`` · ``total`` (of the arm) · ``label``.
    """
    held = frame_with(sets, ("count",), "sets", "study.findings['arms'].tables['sets']")
    arms = [name for name in held.columns if name != "count"]
    parts: list[pl.Expr] = [pl.when(pl.col(arm)).then(pl.lit(arm)).otherwise(None) for arm in arms]
    parts = parts or [pl.lit(None, pl.String)]
    named = (
        held.with_columns(pl.concat_str(parts, separator=" + ", ignore_nulls=True).alias("set"))
        .with_columns(pl.col("set").replace("", "no arm").fill_null("no arm"))
        .sort(pl.col("count"), pl.col("set"), descending=[True, False])
    )
    dots = named.unpivot(on=arms, index=["set", "count"], variable_name="arm", value_name="inside")
    dots = dots.with_columns(pl.col("inside").cast(pl.Boolean).fill_null(False)).with_columns(
        total=(pl.col("count") * pl.col("inside")).sum().over("arm")
    )
    dots = dots.with_columns(label=pl.format("{} ({})", "arm", "total")).select(
        "set", "arm", "inside", "total", "label"
    )
    return named.select("set", "count"), dots


def arm_overlap(sets: pl.DataFrame, title: str = _TITLE, subtitle: Sequence[str] = ()) -> alt.Chart | alt.VConcatChart:
    """Draw which sets of arms bring the gold.

    Parameters
    ----------
    sets : polars.DataFrame
        A boolean column an arm and ``count`` (questions): the table ``sets`` of the finding ``arms``.
    title : str
    subtitle : sequence of str
        The number of questions when left out.

    Returns
    -------
    altair.VConcatChart
        Bars count the questions of each set; the dots below say which arms are in it. The count behind
        an arm is of all sets that it is in.

    Raises
    ------
    InputError
        If it is no such table.
    """
    bars, dots = arm_overlap_data(sets)
    total = int(bars["count"].sum())
    told = list(subtitle) or [f"n = {total} answerable questions"]
    if dots.is_empty() or not total:
        return nothing(title, told, "no arm was asked, or no question has an answer")
    order = bars["set"].to_list()
    labels = dots["label"].unique(maintain_order=True).to_list()
    # Lanes under a few sets leave room for the axis title beside them.
    x = alt.X("set:N", sort=order, axis=None, scale=alt.Scale(paddingOuter=0.1))
    base = alt.Chart(theme.rows(bars.with_columns(share=pl.col("count") / total), DATASETS[0])).encode(x=x)
    y = alt.Y("count:Q", title="questions whose gold they bring", axis=alt.Axis(tickCount=4, format="d"))
    tooltip = [
        alt.Tooltip("set:N", title="brought by"),
        alt.Tooltip("count:Q", title="questions"),
        alt.Tooltip("share:Q", title="share of answerable", format=".3f"),
    ]
    up = alt.layer(
        base.mark_bar(width=28, color=theme.SERIES[0]).encode(y=y, tooltip=tooltip),
        base.mark_text(dy=-8).encode(y=y, text="count:Q"),
    ).properties(width=alt.Step(_STEP), height=170)
    lane = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(domain=False, ticks=False, grid=False))
    rows = alt.Chart(theme.rows(dots, DATASETS[1])).encode(x=x, y=lane)
    empty = rows.transform_filter("!datum.inside").mark_point(filled=True, size=130, opacity=0.25, color="#888888")
    inside = rows.transform_filter("datum.inside")
    full = inside.mark_point(filled=True, size=150, opacity=1, color=theme.SERIES[0]).encode(
        tooltip=[alt.Tooltip("arm:N", title="arm"), alt.Tooltip("total:Q", title="questions in all")]
    )
    joined = inside.mark_line(color=theme.SERIES[0], strokeWidth=2.5).encode(detail="set:N")
    down = alt.layer(empty, joined, full).properties(width=alt.Step(_STEP), height=_ROW * len(labels))
    chart: Any = alt.vconcat(up, down, spacing=6).resolve_scale(x="shared")
    styled: alt.VConcatChart = theme.styled(chart.properties(title=alt.TitleParams(title, subtitle=told)))
    return styled
