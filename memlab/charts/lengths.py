"""Title length by kind: a longer title meets more of other people's questions (chapter 18, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with
from memlab.charts.nothing import nothing

DATASET: Final = "lengths"
_COLUMNS: Final = ("kind", "n", "q25", "median", "q75", "longest")
_TITLE: Final = "How long titles are, by kind"


def title_lengths_data(lengths: pl.DataFrame) -> pl.DataFrame:
    """Return the rows in the order of the kinds, each with what it is called by.

    Returns
    -------
    polars.DataFrame
        ``kind`` · ``n`` (nodes) · ``q25`` · ``median`` · ``q75`` · ``longest`` (words) · ``label``.
    """
    held = frame_with(lengths, _COLUMNS, "lengths", "study.findings['titles'].tables['lengths']")
    order = {kind: number for number, kind in enumerate(theme.KINDS)}
    kind = pl.col("kind").cast(pl.String)
    return (
        held.select(kind, *_COLUMNS[1:])
        .with_columns(label=pl.format("{} (n = {})", kind, "n"))
        .sort(kind.replace_strict(order, default=len(order), return_dtype=pl.Int64), kind)
    )


def title_lengths(
    lengths: pl.DataFrame, title: str = _TITLE, subtitle: Sequence[str] = (), width: int = 420
) -> alt.Chart | alt.LayerChart:
    """Draw how many words a title has, by kind.

    Parameters
    ----------
    lengths : polars.DataFrame
        ``kind`` · ``n`` · ``q25`` · ``median`` · ``q75`` · ``longest``: the table ``lengths`` of the
        finding ``titles``.
    title : str
    subtitle : sequence of str
        The number of nodes when left out.
    width : int
        In pixels.

    Returns
    -------
    altair.LayerChart
        The sign is the median, the thick line the middle half, the thin line reaches to the longest.

    Raises
    ------
    InputError
        If it is no such table.
    """
    data = title_lengths_data(lengths)
    legend = "sign: median · thick line: middle half · thin line: up to the longest"
    told = [*(subtitle or [f"n = {data['n'].sum()} nodes"]), legend]
    if data.is_empty():
        return nothing(title, told[:-1], "the store has no nodes", width)
    labels = data["label"].to_list()
    kinds = data["kind"].to_list()
    colours = {kind: theme.KINDS.get(kind, (theme.SERIES[4], "cross")) for kind in kinds}
    scale = alt.Scale(domain=kinds, range=[colours[kind][0] for kind in kinds])
    shapes = alt.Scale(domain=kinds, range=[colours[kind][1] for kind in kinds])
    axis = alt.Axis(domain=False, ticks=False, grid=False, labelPadding=8)
    base = alt.Chart().encode(y=alt.Y("label:N", sort=labels, title=None, axis=axis))
    colour = alt.Color("kind:N", scale=scale, legend=None)
    tooltip = [
        alt.Tooltip("kind:N", title="kind"),
        alt.Tooltip("n:Q", title="nodes"),
        alt.Tooltip("q25:Q", title="a quarter has at most", format=".1~f"),
        alt.Tooltip("median:Q", title="median", format=".1~f"),
        alt.Tooltip("q75:Q", title="three quarters have at most", format=".1~f"),
        alt.Tooltip("longest:Q", title="longest"),
    ]
    x = alt.X("median:Q", title="words of a title", scale=alt.Scale(zero=True, nice=True),
              axis=alt.Axis(format="d", tickMinStep=1))  # fmt: skip
    thin = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(x=alt.X("q25:Q"), x2="longest:Q", color=colour)
    thick = base.mark_rule(strokeWidth=9, opacity=0.45).encode(x=alt.X("q25:Q"), x2="q75:Q", color=colour)
    sign = base.mark_point(filled=True, size=130, opacity=1).encode(
        x=x, color=colour, shape=alt.Shape("kind:N", scale=shapes, legend=None), tooltip=tooltip
    )
    longest = base.mark_text(align="left", dx=5, fontSize=11, opacity=0.8).encode(x="longest:Q", text="longest:Q")
    median = base.mark_text(dy=-15, fontSize=12).encode(x=x, text=alt.Text("median:Q", format=".1~f"))
    chart: Any = alt.layer(thin, thick, sign, longest, median, data=theme.rows(data, DATASET)).properties(
        width=width, height=alt.Step(44), title=alt.TitleParams(title, subtitle=told)
    )
    styled: alt.LayerChart = theme.styled(chart)
    return styled
