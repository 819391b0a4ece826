"""The gap by outcome: whether a wide gap tells a right first candidate from a wrong one (chapter 18, section 4)."""

from __future__ import annotations

from math import ceil
from typing import Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.provenance import subtitle
from memlab.exam import Outcomes

CLASSES: Final = {
    "first is right": theme.RIGHT,
    "first is wrong": theme.WRONG,
    "unanswerable": theme.UNANSWERABLE,
}
# Gaps are drawn on a grid this fine, in cosine; sliders move on the same grid, so counts stay exact.
GRID: Final = 0.001
_BINS: Final = 40
_WIDTHS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
DATASET: Final = "gaps"
_GAP: Final = "gap: first minus second similarity (cosine)"


def gaps_data(outcomes: Outcomes) -> pl.DataFrame:
    """Count questions by class and gap.

    Parameters
    ----------
    outcomes : Outcomes
        Uses ``answerable``, ``first_right`` and ``gap`` (cosine) of its rows. The class is by whether
        the first of the ordered pool is gold, whatever the state.

    Returns
    -------
    polars.DataFrame
        ``class`` · ``gap`` (cosine, rounded down to 0.001) · ``count`` · ``n`` (questions of the class
        with a gap) · ``missing`` (those without: no semantic arm, or an empty pool), by class and gap.
    """
    answerable, right = pl.col("answerable"), pl.col("first_right").fill_null(False)
    label = (
        pl.when(~answerable)
        .then(pl.lit("unanswerable"))
        .when(right)
        .then(pl.lit("first is right"))
        .otherwise(pl.lit("first is wrong"))
    )
    classed = outcomes.rows.select(label.cast(pl.Enum(list(CLASSES))).alias("class"), "gap").with_columns(
        pl.col("gap").is_not_null().sum().over("class").alias("n"),
        pl.col("gap").is_null().sum().over("class").alias("missing"),
    )
    # The small addend keeps a gap of 0.050 at 0.050: floor(0.05 / 0.001) may fall just short of 50.
    steps = (pl.col("gap") / GRID + 1e-6).floor()
    counted: pl.DataFrame = (
        classed.drop_nulls("gap")
        .with_columns((steps * GRID).round(3).alias("gap"))
        .group_by("class", "gap", "n", "missing")
        .agg(pl.len().alias("count"))
        .select("class", "gap", "count", "n", "missing")
        .sort("class", "gap")
    )
    return counted


def gaps(
    outcomes: Outcomes,
    threshold: float | None = None,
    alone: float | None = None,
    cumulative: bool = False,
    width: int = 500,
) -> alt.FacetChart | alt.LayerChart:
    """Draw the gap of right, wrong and unanswerable questions, with the threshold as a line.

    Parameters
    ----------
    outcomes : Outcomes
        A graded exam.
    threshold : float, optional
        Gap, in cosine, where the solid line stands; it is the chart's parameter ``threshold``.
    alone : float, optional
        A second gap, where the dashed line stands; the parameter ``threshold_alone``.
    cumulative : bool
        Draw the share of each class whose gap is at least that wide, all in one panel.
    width : int
        Of the panels, in pixels.

    Returns
    -------
    altair.FacetChart or altair.LayerChart
        One panel a class: bars are shares of the class, the text counts what passes each line.
    """
    data = gaps_data(outcomes)
    missing = outcomes.rows["gap"].null_count()
    note = [f"left out, having no gap: {missing} of {outcomes.rows.height}"] if missing else []
    lines = gap_lines(threshold, alone)
    if alone is not None:
        note.append("solid line: gap with a title lead · dashed line: gap alone")
    end = _reach(data, *lines.values())
    drawn = _passing(data, end, width) if cumulative else _panels(data, end, width)
    title = alt.TitleParams(
        "How far the first candidate stands in front of the second",
        subtitle=[subtitle(outcomes), *note],
    )
    return theme.styled(
        drawn.properties(title=title).add_params(*(alt.param(name=n, value=v) for n, v in lines.items()))
    )


def gap_lines(threshold: float | None, alone: float | None = None) -> dict[str, float | None]:
    """Return the values of the chart's parameters: where its lines stand, in cosine."""
    # A gap of two cosines or more is out of reach: that is how a ground is turned off, and no line to draw.
    given = {"threshold": threshold, "threshold_alone": alone}
    return {name: None if gap is None or gap >= 2 else round(gap, 3) for name, gap in given.items()}


def _reach(data: pl.DataFrame, *lines: float | None) -> float:
    """Return where the axis ends, in cosine: past the widest gap and past every line, so that it stands still."""
    widest = data["gap"].max()
    seen = [float(widest)] if isinstance(widest, float) else []
    return max([GRID, *seen, *(line for line in lines if line is not None)]) + 2 * GRID


def _bin_width(end: float) -> float:
    """Return the narrowest round width that needs no more than 40 bins."""
    return next((width for width in _WIDTHS if end / width <= _BINS), _WIDTHS[-1])


def _rule(name: str, dash: list[int]) -> alt.Chart:
    # One row a panel, or every row of the data would draw its own line.
    rule: alt.Chart = (
        alt.Chart()
        .transform_filter(f"isValid({name})")
        .transform_aggregate(rows="count()", groupby=["class"])
        .transform_calculate(at=name)
        .mark_rule(strokeWidth=1.5, strokeDash=dash, clip=True)
        .encode(x="at:Q")
    )
    return rule


def _rules() -> tuple[alt.Chart, alt.Chart]:
    return _rule("threshold", [1, 0]), _rule("threshold_alone", [5, 4])


def _panels(data: pl.DataFrame, end: float, width: int) -> alt.FacetChart:
    step = _bin_width(end)
    # The last bin is drawn whole.
    axis_end = ceil(end / step) * step
    colour = alt.Color("class:N", scale=theme.palette(CLASSES), legend=None)
    bars = (
        alt.Chart()
        .transform_calculate(low=f"floor(datum.gap / {step} + 1e-6) * {step}")
        .transform_aggregate(count="sum(count)", n="max(n)", groupby=["class", "low"])
        .transform_calculate(share="datum.count / datum.n", high=f"datum.low + {step}")
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title=_GAP,
                axis=alt.Axis(grid=False, format=".3~f"),
                scale=alt.Scale(domain=[0, axis_end], nice=False),
            ),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of class", axis=alt.Axis(format=".2~f", tickCount=3)),
            color=colour,
            tooltip=[
                alt.Tooltip("class:N", title="class"),
                alt.Tooltip("low:Q", title="gap from", format=".3~f"),
                alt.Tooltip("high:Q", title="to below", format=".3~f"),
                alt.Tooltip("count:Q", title="questions"),
                alt.Tooltip("share:Q", title="share of class", format=".3~f"),
            ],
        )
    )
    passing = (
        alt.Chart()
        .transform_filter("isValid(threshold)")
        .transform_calculate(
            over="datum.gap >= threshold - 1e-9 ? datum.count : 0",
            over_alone="isValid(threshold_alone) && datum.gap >= threshold_alone - 1e-9 ? datum.count : 0",
        )
        .transform_aggregate(over="sum(over)", over_alone="sum(over_alone)", n="max(n)", groupby=["class"])
        .transform_calculate(
            text="datum.over + ' of ' + datum.n + ' (' + format(datum.over / datum.n, '.2f') + ') reach '"
            " + format(threshold, '.3f') + (isValid(threshold_alone) ?"
            " '  ·  ' + datum.over_alone + ' reach ' + format(threshold_alone, '.3f') : '')"
        )
        .mark_text(align="right", x="width", y=-9)
        .encode(text="text:N")
    )
    # The panel's name is a mark, as a facet header would take a line of its own above the counts.
    names = (
        alt.Chart()
        .transform_aggregate(n="max(n)", groupby=["class"])
        .mark_text(align="left", x=0, y=-9, fontSize=13)
        .encode(text="class:N")
    )
    return (
        alt.layer(bars.properties(name="gap_bars"), *_rules(), names, passing)
        .properties(width=width, height=84)
        .facet(
            row=alt.Row("class:N", sort=list(CLASSES), header=None),
            data=theme.rows(data, DATASET),
            spacing=12,
        )
    )


def _passing(data: pl.DataFrame, end: float, width: int) -> alt.LayerChart | alt.FacetChart:
    lines = (
        alt.Chart()
        .transform_window(
            reached="sum(count)", sort=[alt.SortField("gap", order="descending")], groupby=["class"], frame=[None, 0]
        )
        .transform_calculate(share="datum.reached / datum.n")
        .mark_line(interpolate="step-before", strokeWidth=2.5)
        .encode(
            x=alt.X("gap:Q", title=_GAP, scale=alt.Scale(domain=[0, end], nice=False)),
            y=alt.Y("share:Q", title="share of class with at least this gap", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("class:N", scale=theme.palette(CLASSES), title=None),
            strokeDash=alt.StrokeDash(
                "class:N", scale=alt.Scale(domain=list(CLASSES), range=[[1, 0], [6, 3], [2, 2]]), title=None
            ),
            tooltip=[
                alt.Tooltip("class:N", title="class"),
                alt.Tooltip("gap:Q", title="gap", format=".3~f"),
                alt.Tooltip("reached:Q", title="questions with at least this gap"),
                alt.Tooltip("n:Q", title="of"),
                alt.Tooltip("share:Q", title="share", format=".3~f"),
            ],
        )
    )
    layers = (lines.properties(name="gap_lines"), *_rules())
    return alt.layer(*layers, data=theme.rows(data, DATASET)).properties(width=width, height=300)
