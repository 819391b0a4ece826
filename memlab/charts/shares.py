"""Shares with their intervals, side by side: the chart of every comparison of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASET: Final = "shares"
_ROW: Final = 26
_STEP: Final = 15
_AXIS: Final = alt.Axis(labelLimit=230, labelPadding=9, domain=False, ticks=False, grid=True)


def shares(
    data: pl.DataFrame,
    *,
    y: str,
    title: str,
    subtitle: Sequence[str] = (),
    color: str | None = None,
    panel: str | None = None,
    y_title: str | None = None,
    x_title: str = "share of questions",
    width: int = 420,
) -> alt.Chart | alt.FacetChart | alt.LayerChart:
    """Draw shares as points with their 95 % intervals.

    Parameters
    ----------
    data : polars.DataFrame
        ``share`` · ``low`` · ``high`` · ``count`` · ``n``, and the columns named below; rows without a
        share (nothing to count) are left out.
    y : str
        Column of the rows, in the order in which its values first stand.
    title : str
    subtitle : sequence of str
    color : str, optional
        Column of the conditions compared; they also differ in shape.
    panel : str, optional
        Column that makes a panel each.
    y_title, x_title : str
    width : int
        Of a panel, in pixels.
    """
    needed = tuple(c for c in (y, color, panel, "share", "low", "high", "count", "n") if c)
    shown = frame_with(data, needed, "data", "a frame of shares with their intervals").filter(
        pl.col("share").is_not_null() & pl.col("share").is_not_nan()
    )
    if shown.is_empty():
        return nothing(title, subtitle, "nothing was counted, so there is no share to draw", width)
    place = alt.Y(f"{y}:N", sort=_values(shown, y), title=y_title, axis=_AXIS)
    tooltip = [alt.Tooltip(f"{c}:N", title=c.replace("_", " ")) for c in (panel, y, color) if c]
    tooltip += [
        alt.Tooltip("count:Q", title="count"),
        alt.Tooltip("n:Q", title="of"),
        alt.Tooltip("share:Q", title="share", format=".3f"),
        alt.Tooltip("low:Q", title="95 % from", format=".3f"),
        alt.Tooltip("high:Q", title="to", format=".3f"),
    ]
    base = alt.Chart().encode(y=place)
    shape: alt.Shape | alt.ShapeValue = alt.ShapeValue("circle")
    colour: alt.Color | alt.ColorValue = alt.ColorValue(theme.SERIES[0])
    if color:
        domain, name = _values(shown, color), color.replace("_", " ")
        base = base.encode(yOffset=alt.YOffset(f"{color}:N", sort=domain))
        legend = alt.Legend(orient="bottom", symbolOpacity=1)
        colour = alt.Color(f"{color}:N", title=name, legend=legend, scale=_cycle(domain, theme.SERIES))
        shape = alt.Shape(f"{color}:N", title=name, legend=legend, scale=_cycle(domain, theme.SHAPES))
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".1f", tickCount=5)
    rules = base.mark_rule(strokeWidth=2, opacity=0.65).encode(
        x=alt.X("low:Q", title=x_title, scale=scale, axis=axis), x2="high:Q", color=colour
    )
    points = base.mark_point(filled=True, size=75, opacity=1).encode(
        x=alt.X("share:Q", title=x_title, scale=scale, axis=axis), color=colour, shape=shape, tooltip=tooltip
    )
    counts = (
        base.transform_calculate(told="datum.count + ' of ' + datum.n")
        .mark_text(align="left", x="width", dx=8, fontSize=11, opacity=0.8)
        .encode(text="told:N")
    )
    step = alt.Step(_STEP, **{"for": "offset"}) if color else alt.Step(_ROW)
    layers = alt.layer(rules, points, counts).properties(width=width, height=step)
    drawn = theme.rows(shown, DATASET)
    whole: alt.FacetChart | alt.LayerChart = layers.properties(data=drawn)
    if panel:
        header = alt.Header(labelOrient="top", labelAnchor="start", title=None)
        row = alt.Row(f"{panel}:N", sort=_values(shown, panel), header=header)
        layers.data = alt.Undefined
        whole = layers.facet(row=row, data=drawn, spacing=14).resolve_scale(y="independent")
    return theme.styled(whole.properties(title=alt.TitleParams(title, subtitle=list(subtitle))))


def _values(data: pl.DataFrame, column: str) -> list[str]:
    return [str(value) for value in data[column].unique(maintain_order=True)]


def _cycle(domain: Sequence[str], values: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=list(domain), range=[values[number % len(values)] for number in range(len(domain))])
