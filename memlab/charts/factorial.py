"""The factorial of bar, order and gap, with its interactions (chapter 18, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASETS: Final = ("cells", "effects")
_TITLE: Final = "Bar, order and gap: alone and together"
_SIGNED: Final = "datum.value == 0 ? '0' : format(datum.value, '+.2~f')"
_BARS: Final = {1: "one word", 2: "two words"}


def factorial_data(cells: pl.DataFrame, effects: pl.DataFrame, cost: int = 1) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the eight cells and the effects as they are drawn.

    Returns
    -------
    tuple of polars.DataFrame
        ``bar`` · ``order`` · ``gap`` · ``right`` · ``wrong`` · ``first`` · ``n`` · ``net`` (right minus
        ``cost`` times wrong, a question); and ``effect`` · ``score`` · ``low`` · ``high`` (95 %) · ``n`` · ``kind``
        (``alone``, ``together``, ``interaction``).
    """
    how = "study.findings['factorial'].tables['cells'] and ['effects']"
    held = frame_with(cells, ("bar", "order", "gap", "right", "wrong", "first", "n"), "cells", how)
    told = frame_with(effects, ("cost", "effect", "score", "low", "high", "n"), "effects", how)
    drawn = held.filter(pl.col("n") > 0).with_columns(
        net=(pl.col("right") - cost * pl.col("wrong")) / pl.col("n"),
        bar=pl.col("bar").replace_strict(_BARS, default=pl.col("bar").cast(pl.String), return_dtype=pl.String),
    )
    kind = (
        pl.when(pl.col("effect").str.contains("×", literal=True))
        .then(pl.lit("interaction"))
        .when(pl.col("effect").str.ends_with("alone"))
        .then(pl.lit("alone"))
        .otherwise(pl.lit("together"))
    )
    one = told.filter(pl.col("cost") == cost, pl.col("score").is_not_nan()).with_columns(kind=kind)
    order = {"alone": 0, "together": 1, "interaction": 2}
    return drawn, one.sort(pl.col("kind").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)


def factorial(
    cells: pl.DataFrame, effects: pl.DataFrame, cost: int = 1, title: str = _TITLE, subtitle: Sequence[str] = ()
) -> alt.Chart | alt.HConcatChart:
    """Draw every combination of bar, order and gap, and what each part changes.

    Parameters
    ----------
    cells, effects : polars.DataFrame
        The tables of those names of the finding ``factorial``.
    cost : int
        What a wrong answer costs in right ones; one of those in ``effects``.
    title : str
    subtitle : sequence of str
        The number of questions when left out.

    Returns
    -------
    altair.HConcatChart
        Left the cells; right the effects with 95 % intervals. A × is an interaction: what two bring
        together beyond what each brings alone.

    Raises
    ------
    InputError
        If these are no such tables.
    """
    held, told_of = factorial_data(cells, effects, cost)
    told = list(subtitle) or [f"n = {held['n'].max() or 0!s} questions"]
    net = "right minus wrong" if cost == 1 else f"right minus {cost} × wrong"
    if held.is_empty() or told_of.is_empty():
        return nothing(title, told, "no question was asked, or no effect is of this cost")
    domain = list(_BARS.values())
    legend = alt.Legend(orient="bottom", symbolOpacity=1)
    base = alt.Chart().encode(
        x=alt.X("gap:N", sort=["none", "gap"], title="gap asked for", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("net:Q", title=f"{net}, a question", axis=alt.Axis(format=".2~f", tickCount=6)),
        color=alt.Color("bar:N", title="bar", legend=legend,
                        scale=alt.Scale(domain=domain, range=list(theme.SERIES[:2]))),
    )  # fmt: skip
    tooltip = [
        alt.Tooltip("bar:N", title="bar"),
        alt.Tooltip("order:N", title="order"),
        alt.Tooltip("gap:N", title="gap"),
        alt.Tooltip("right:Q", title="right"),
        alt.Tooltip("wrong:Q", title="wrong"),
        alt.Tooltip("n:Q", title="of questions"),
        alt.Tooltip("net:Q", title=f"{net}, a question", format="+.3f"),
    ]
    shape = alt.Shape("bar:N", title="bar", legend=legend,
                      scale=alt.Scale(domain=domain, range=list(theme.SHAPES[:2])))  # fmt: skip
    left = (
        alt.layer(
            base.mark_line(strokeWidth=2),
            base.mark_point(filled=True, size=90, opacity=1).encode(shape=shape, tooltip=tooltip),
        )
        .properties(width=130, height=240)
        .facet(
            column=alt.Column("order:N", title=None, header=alt.Header(labelExpr="'order: ' + datum.value")),
            data=theme.rows(held, DATASETS[0]),
            spacing=14,
        )
    )
    whole: alt.HConcatChart = theme.styled(
        alt.hconcat(left, _forest(told_of, net), spacing=34)
        .resolve_scale(color="independent", shape="independent")
        .properties(title=alt.TitleParams(title, subtitle=told))
    )
    return whole


def _forest(effects: pl.DataFrame, net: str) -> alt.LayerChart:
    order = effects["effect"].to_list()
    kinds = {"alone": theme.SERIES[0], "together": theme.SERIES[1], "interaction": theme.SERIES[2]}
    axis = alt.Axis(domain=False, ticks=False, labelPadding=8, grid=True)
    rows = alt.Chart(theme.rows(effects, DATASETS[1])).encode(y=alt.Y("effect:N", sort=order, title=None, axis=axis))
    legend = alt.Legend(orient="bottom", symbolOpacity=1)
    colour = alt.Color("kind:N", title=None, scale=theme.palette(kinds), legend=legend)
    shape = alt.Shape("kind:N", title=None, legend=legend,
                      scale=alt.Scale(domain=list(kinds), range=["circle", "square", "diamond"]))  # fmt: skip
    x = alt.X(
        "score:Q",
        title=f"change of {net}, a question",
        axis=alt.Axis(labelExpr=_SIGNED, tickCount=6),
    )
    tooltip = [
        alt.Tooltip("effect:N", title="effect"),
        alt.Tooltip("score:Q", title="change", format="+.3f"),
        alt.Tooltip("low:Q", title="95 % from", format="+.3f"),
        alt.Tooltip("high:Q", title="to", format="+.3f"),
        alt.Tooltip("n:Q", title="questions"),
    ]
    zero = rows.transform_aggregate(rows="count()").transform_calculate(zero="0").mark_rule(opacity=0.6)
    forest: Any = alt.layer(
        # A line of its own data row would bring an axis row of its own.
        zero.encode(x=alt.X("zero:Q"), y=alt.value(0), y2=alt.value("height")),
        rows.mark_rule(strokeWidth=2.5, opacity=0.65).encode(x=alt.X("low:Q"), x2="high:Q", color=colour),
        rows.mark_point(filled=True, size=80, opacity=1).encode(x=x, color=colour, shape=shape, tooltip=tooltip),
    ).properties(width=270, height=240)
    chart: alt.LayerChart = forest
    return chart
