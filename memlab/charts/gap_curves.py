"""The gap as lines: smooth densities, and the share of a class that has at least a gap."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.kernel import densities
from memlab.charts.signs import CLASSES, DASHES, GAP, GAPS, rules

# Name of the data of the smooth curves.
DENSITY: Final = "gap_density"


def density(data: pl.DataFrame, end: float, width: int) -> alt.LayerChart | None:
    """Draw the density of each class; None where no class has one.

    Parameters
    ----------
    data : polars.DataFrame
        What :func:`memlab.charts.gaps_data` returned.
    end : float
        Where the axis ends, in cosine.
    width : int
        In pixels.
    """
    smooth = densities(data, "gap", "class", 0.0, end, folded=True)
    if smooth.is_empty():
        return None
    counts = data.group_by("class", maintain_order=True).agg(pl.col("n").first())
    told = smooth.join(counts.with_columns(pl.col("class").cast(pl.String)), on="class", how="left")
    base = alt.Chart().encode(
        x=_gap("at:Q", end),
        y=alt.Y("density:Q", title="density (share of class per cosine)", stack=None,
                axis=alt.Axis(tickCount=4, format="~s")),
        color=_colour(),
        tooltip=[
            alt.Tooltip("class:N", title="class"),
            alt.Tooltip("n:Q", title="questions"),
            alt.Tooltip("at:Q", title="gap", format=".3~f"),
            alt.Tooltip("density:Q", title="density", format=".2~f"),
        ],
    )  # fmt: skip
    layers = (base.mark_area(opacity=0.16), base.mark_line(strokeWidth=2.5).encode(strokeDash=_dash()), *rules())
    chart: Any = alt.layer(*layers, data=theme.rows(told, DENSITY)).properties(width=width, height=280)
    drawn: alt.LayerChart = chart
    return drawn


def at_least(data: pl.DataFrame, end: float, width: int) -> alt.LayerChart | None:
    """Draw the share of each class whose gap is at least that wide; None where there is no gap.

    Parameters are those of :func:`density`.
    """
    if data.is_empty():
        return None
    lines = (
        alt.Chart()
        .transform_window(
            reached="sum(count)", sort=[alt.SortField("gap", order="descending")], groupby=["class"], frame=[None, 0]
        )
        .transform_calculate(share="datum.reached / datum.n")
        .mark_line(interpolate="step-before", strokeWidth=2.5)
        .encode(
            x=_gap("gap:Q", end),
            y=alt.Y("share:Q", title="share of class with at least this gap", scale=alt.Scale(domain=[0, 1]),
                    axis=alt.Axis(format=".1f", tickCount=5)),
            color=_colour(),
            strokeDash=_dash(),
            tooltip=[
                alt.Tooltip("class:N", title="class"),
                alt.Tooltip("gap:Q", title="gap", format=".3~f"),
                alt.Tooltip("reached:Q", title="questions with at least this gap"),
                alt.Tooltip("n:Q", title="of"),
                alt.Tooltip("share:Q", title="share", format=".3~f"),
            ],
        )
    )  # fmt: skip
    layers = (lines.properties(name="gap_lines"), *rules())
    chart: Any = alt.layer(*layers, data=theme.rows(data, GAPS)).properties(width=width, height=280)
    drawn: alt.LayerChart = chart
    return drawn


def _gap(field: str, end: float) -> alt.X:
    return alt.X(field, title=GAP, scale=alt.Scale(domain=[0, end], nice=False), axis=alt.Axis(format=".3~f"))


def _colour() -> alt.Color:
    legend = alt.Legend(
        orient="bottom", symbolOpacity=1, symbolType="stroke", symbolSize=220, symbolFillColor="transparent"
    )
    return alt.Color("class:N", scale=theme.palette(CLASSES), title=None, legend=legend)


def _dash() -> alt.StrokeDash:
    scale = alt.Scale(domain=list(CLASSES), range=list(DASHES.values()))
    return alt.StrokeDash("class:N", scale=scale, title=None, legend=None)
