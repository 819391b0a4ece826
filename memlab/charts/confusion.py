"""Kind confusion: which kind stands first on whose questions (chapter 18, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASET: Final = "won"
NOTHING: Final = "nothing"
_UNKNOWN: Final = "unknown"
_TITLE: Final = "Which kind stands first on whose questions"
_STEP: Final = 76


def kind_confusion_data(won: pl.DataFrame) -> pl.DataFrame:
    """Return the cells, those that are empty too.

    Returns
    -------
    polars.DataFrame
        ``gold_kind`` (asked for) · ``first_kind`` (stands first; ``nothing`` where the pool is empty)
        · ``count`` · ``right`` (the gold itself) · ``n`` (of the row) · ``share`` · ``same``.
    """
    held = frame_with(won, ("gold_kind", "first_kind", "count", "right", "n"), "won",
                      "study.findings['titles'].tables['won']")  # fmt: skip
    told = held.with_columns(
        pl.col("first_kind").cast(pl.String).fill_null(NOTHING), pl.col("gold_kind").cast(pl.String).fill_null(_UNKNOWN)
    )
    kinds = [kind for kind in theme.KINDS if kind in {*told["gold_kind"], *told["first_kind"]}]
    kinds += sorted({*told["gold_kind"], *told["first_kind"]} - {*kinds, NOTHING, _UNKNOWN})
    asked = [*kinds, _UNKNOWN] if _UNKNOWN in told["gold_kind"] else kinds
    first = [*kinds, NOTHING] if NOTHING in told["first_kind"] else kinds
    rows = told.group_by("gold_kind", maintain_order=True).agg(pl.col("n").first())
    rows_of = pl.DataFrame({"gold_kind": asked}, schema={"gold_kind": pl.String}).join(
        rows, on="gold_kind", maintain_order="left"
    )
    cells = rows_of.join(pl.DataFrame({"first_kind": first}, schema={"first_kind": pl.String}), how="cross")
    filled = cells.join(told.drop("n"), on=["gold_kind", "first_kind"], how="left", maintain_order="left")
    return filled.with_columns(pl.col("count", "right").fill_null(0)).select(
        "gold_kind", "first_kind", "count", "right", "n",
        share=pl.col("count") / pl.col("n"), same=pl.col("gold_kind") == pl.col("first_kind"),
    )  # fmt: skip


def kind_confusion(won: pl.DataFrame, title: str = _TITLE, subtitle: Sequence[str] = ()) -> alt.Chart | alt.LayerChart:
    """Draw which kind of memory stands first, by the kind that was asked for.

    Parameters
    ----------
    won : polars.DataFrame
        ``gold_kind`` · ``first_kind`` · ``count`` · ``right`` · ``n``: the table ``won`` of the
        finding ``titles``.
    title : str
    subtitle : sequence of str
        The number of questions when left out.

    Returns
    -------
    altair.LayerChart
        A cell for each pair of kinds, shaded by its share of the row; the same kind is framed.

    Raises
    ------
    InputError
        If it is no such table.
    """
    data = kind_confusion_data(won)
    told = [*(subtitle or [f"n = {data['count'].sum()} answerable questions"]), "framed: the kind that was asked for"]
    if data.is_empty():
        return nothing(title, told[:-1], "no question has an answer, so no kind was asked for")
    rows, columns = (data[name].unique(maintain_order=True).to_list() for name in ("gold_kind", "first_kind"))
    counts = dict(data.select("gold_kind", "n").iter_rows())
    names = {kind: f"{kind} (n = {counts[kind]})" for kind in rows}
    drawn = data.with_columns(asked=pl.col("gold_kind").replace_strict(names, return_dtype=pl.String))
    axis = alt.Axis(domain=False, ticks=False, grid=False, labelAngle=0, labelPadding=8)
    base = alt.Chart(theme.rows(drawn, DATASET)).encode(
        x=alt.X("first_kind:N", title="kind that stands first", sort=columns, axis=axis),
        y=alt.Y("asked:N", title="kind that was asked for", sort=list(names.values()), axis=axis),
    )
    cells = base.mark_rect(stroke="#888888", strokeOpacity=0.3).encode(
        color=alt.Color(
            "share:Q",
            title="share of the row",
            scale=alt.Scale(domain=[0, 1], range=["#F4F8FC", "#08519C"]),
            legend=alt.Legend(orient="bottom", format=".1f", gradientLength=160, tickCount=5),
        ),
        tooltip=[
            alt.Tooltip("gold_kind:N", title="asked for"),
            alt.Tooltip("first_kind:N", title="stands first"),
            alt.Tooltip("count:Q", title="questions"),
            alt.Tooltip("n:Q", title="of"),
            alt.Tooltip("share:Q", title="share", format=".3f"),
            alt.Tooltip("right:Q", title="the gold itself"),
        ],
    )
    frames = base.transform_filter("datum.same").mark_rect(
        fillOpacity=0, stroke=theme.SERIES[1], strokeWidth=2.5, tooltip=None
    )
    text = base.mark_text(fontSize=13).encode(
        text="count:Q", color=alt.condition("datum.share > 0.5", alt.value("white"), alt.value(theme.INK_ON_COLOUR))
    )
    chart: Any = alt.layer(cells, frames, text).properties(
        width=alt.Step(_STEP), height=alt.Step(44), title=alt.TitleParams(title, subtitle=told)
    )
    styled: alt.LayerChart = theme.styled(chart)
    return styled
