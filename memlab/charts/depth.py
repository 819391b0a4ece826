"""Pool depth: how much a deeper pool raises the ceiling (chapter 18, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASET: Final = "depth"
_COLUMNS: Final = ("arms", "depth", "pool", "count", "n", "share", "low", "high")
_TITLE: Final = "How deep the pool has to be"


def pool_depth(
    table: pl.DataFrame, title: str = _TITLE, subtitle: Sequence[str] = (), width: int = 460
) -> alt.Chart | alt.LayerChart:
    """Draw how many questions have their gold in the pool, by how many nodes each arm puts forward.

    Parameters
    ----------
    table : polars.DataFrame
        ``arms`` · ``depth`` · ``pool`` (candidates a question) · ``count`` · ``n`` · ``share`` ·
        ``low`` and ``high`` (95 %): the table ``depth`` of the finding of that name.
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
    held = frame_with(table, _COLUMNS, "table", "study.findings['depth'].tables['depth']")
    told = list(subtitle) or [f"n = {held['n'].max() or 0!s} answerable questions"]
    held = held.drop_nulls("share").filter(pl.col("share").is_not_nan())
    if held.is_empty():
        return nothing(title, told, "no question has an answer, so no gold can be in a pool", width)
    names = [str(name) for name in held["arms"].unique(maintain_order=True)]
    names.sort(key=lambda name: name != "all arms")
    legend = alt.Legend(orient="bottom", symbolOpacity=1)
    scale = alt.Scale(domain=names, range=[theme.SERIES[i % 5] for i in range(len(names))])
    shapes = alt.Scale(domain=names, range=[theme.SHAPES[i % 5] for i in range(len(names))])
    base = alt.Chart().encode(
        x=alt.X(
            "depth:Q",
            title="nodes that each arm puts forward (log scale)",
            scale=alt.Scale(type="log", base=2, padding=18),
            axis=alt.Axis(values=sorted(held["depth"].unique().to_list()), grid=False),
        ),
    )
    colour = alt.Color("arms:N", title=None, scale=scale, legend=legend)
    tooltip = [
        alt.Tooltip("arms:N", title="arms"),
        alt.Tooltip("depth:Q", title="depth"),
        alt.Tooltip("pool:Q", title="candidates a question", format=".1f"),
        alt.Tooltip("count:Q", title="gold in the pool"),
        alt.Tooltip("n:Q", title="of"),
        alt.Tooltip("share:Q", title="share", format=".3f"),
        alt.Tooltip("low:Q", title="95 % from", format=".3f"),
        alt.Tooltip("high:Q", title="to", format=".3f"),
    ]
    y = alt.Y("share:Q", title="gold in the pool (share of answerable)", scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(format=".1f", tickCount=5))  # fmt: skip
    band = base.mark_area(opacity=0.13).encode(y=alt.Y("low:Q"), y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2).encode(y=y, color=colour)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        y=y, color=colour, tooltip=tooltip, shape=alt.Shape("arms:N", title=None, scale=shapes, legend=legend)
    )
    # Counts of the first stand above their points, of the others below, so that near lines do not overprint.
    first = f"datum.arms == {theme.quoted(names[0])}"
    above = base.transform_filter(first).mark_text(dy=-12, fontSize=11).encode(y=y, text="count:Q")
    below = base.transform_filter(f"!({first})").mark_text(dy=15, fontSize=11).encode(y=y, text="count:Q")
    chart: Any = alt.layer(band, line, points, above, below, data=theme.rows(held, DATASET)).properties(
        width=width, height=260, title=alt.TitleParams(title, subtitle=told)
    )
    styled: alt.LayerChart = theme.styled(chart)
    return styled
