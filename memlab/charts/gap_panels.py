"""The gap as bars: a panel a class, and what of it passes each line."""

from __future__ import annotations

from math import ceil
from typing import Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.signs import CLASSES, GAP, GAPS, rules

_BINS: Final = 40
_NARROW: Final = 400
_WIDTHS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


def _bin_width(end: float) -> float:
    """Return the narrowest round width that needs no more than 40 bins."""
    return next((width for width in _WIDTHS if end / width <= _BINS), _WIDTHS[-1])


def _counted(*, narrow: bool) -> str:
    """What passes each line, as an expression; in a narrow panel it has to stand beside the class's name."""
    share, reach = ("", " ≥ ") if narrow else (" + ' (' + format(datum.over / datum.n, '.2f') + ')'", " reach ")
    return (
        f"datum.over + ' of ' + datum.n{share} + '{reach}' + format(threshold, '.3f') + (isValid(threshold_alone) ?"
        f" ' · ' + datum.over_alone + '{reach}' + format(threshold_alone, '.3f') : '')"
    )


def panels(data: pl.DataFrame, end: float, width: int) -> alt.FacetChart:
    """Draw what :func:`memlab.charts.gaps_data` returned.

    Parameters
    ----------
    data : polars.DataFrame
    end : float
        Where the axis ends, in cosine.
    width : int
        In pixels.
    """
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
                title=GAP,
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
        .transform_calculate(text=_counted(narrow=width < _NARROW))
        .mark_text(align="right", x="width", y=-9, fontSize=11.5)
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
        alt.layer(bars.properties(name="gap_bars"), *rules(), names, passing)
        .properties(width=width, height=84)
        .facet(
            row=alt.Row("class:N", sort=list(CLASSES), header=None),
            data=theme.rows(data, GAPS),
            spacing=12,
        )
    )
