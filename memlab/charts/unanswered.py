"""What becomes of questions without an answer, each kind of them apart (chapter 18, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASET: Final = "unanswerable"
STATES: Final = {"resolved": theme.WRONG, "choose": theme.CHOOSE_WITHOUT, "none": theme.NONE}
_NAMES: Final = {"resolved": "resolved, wrong", "choose": "choose, no gold", "none": "none"}
_COLUMNS: Final = ("unanswerable", "state", "count", "n", "share", "low", "high")
_TITLE: Final = "Questions without an answer"


def unanswerable_data(table: pl.DataFrame) -> pl.DataFrame:
    """Return the segments of the bars in their places.

    Returns
    -------
    polars.DataFrame
        The table's columns · ``row`` (kind, with n) · ``label`` · ``start`` and ``end`` (cumulative
        share).
    """
    held = frame_with(table, _COLUMNS, "table", "study.findings['unanswerable'].tables['unanswerable']")
    return (
        held.filter(pl.col("n") > 0)
        .with_columns(
            row=pl.format("{} (n = {})", "unanswerable", "n"),
            label=pl.col("state").cast(pl.String).replace(_NAMES),
            end=pl.col("share").cum_sum().over("unanswerable"),
        )
        .with_columns(start=pl.col("end") - pl.col("share"))
    )


def unanswerable(
    table: pl.DataFrame, title: str = _TITLE, subtitle: Sequence[str] = (), width: int = 460
) -> alt.Chart | alt.LayerChart:
    """Draw what became of each kind of question without an answer.

    Parameters
    ----------
    table : polars.DataFrame
        ``unanswerable`` (the kind) · ``state`` · ``count`` · ``n`` · ``share`` · ``low`` and ``high``
        (95 %): the table of that name of the finding ``unanswerable``.
    title : str
    subtitle : sequence of str
        The number of questions when left out.
    width : int
        In pixels.

    Raises
    ------
    InputError
        If it is no such table.
    """
    data = unanswerable_data(table)
    told = list(subtitle) or [f"n = {data['count'].sum()} questions without an answer"]
    if data.is_empty():
        return nothing(title, told, "no question is without an answer", width)
    colours = {_NAMES[state]: colour for state, colour in STATES.items()}
    axis = alt.Axis(labelLimit=220, domain=False, ticks=False, labelPadding=8)
    base = alt.Chart(theme.rows(data, DATASET)).encode(
        y=alt.Y("row:N", title=None, axis=axis, sort=data["row"].unique(maintain_order=True).to_list())
    )
    bars = base.transform_filter("datum.count > 0").mark_bar(height=26, x2Offset=-1).encode(
        x=alt.X("start:Q", title="share of questions", scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", tickCount=5)),
        x2="end:Q",
        color=alt.Color("label:N", title=None, scale=theme.palette(colours),
                        legend=alt.Legend(orient="bottom", symbolType="square")),
        tooltip=[
            alt.Tooltip("unanswerable:N", title="questions"),
            alt.Tooltip("label:N", title="outcome"),
            alt.Tooltip("count:Q", title="count"),
            alt.Tooltip("n:Q", title="of"),
            alt.Tooltip("share:Q", title="share", format=".3f"),
            alt.Tooltip("low:Q", title="95 % from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
        ],
    )  # fmt: skip
    inside = (
        base.transform_filter("datum.share > 0.05")
        .transform_calculate(middle="(datum.start + datum.end) / 2")
        .mark_text(color=theme.INK_ON_COLOUR)
        .encode(x="middle:Q", text="count:Q")
    )
    wrong = (
        base.transform_filter("datum.state == 'resolved'")
        .transform_calculate(told="datum.count + ' wrong'")
        .mark_text(align="left", x="width", dx=8, fontSize=11, opacity=0.8)
        .encode(text="told:N")
    )
    chart: Any = alt.layer(bars, inside, wrong).properties(
        width=width, height=alt.Step(40), title=alt.TitleParams(title, subtitle=told)
    )
    styled: alt.LayerChart = theme.styled(chart)
    return styled
