"""A chart of nothing: where there is nothing to draw, it says so and why."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from memlab.charts import theme


def nothing(title: str, subtitle: Sequence[str], why: str, width: int = 460) -> alt.Chart:
    """Return a chart that says that there is nothing to draw.

    Parameters
    ----------
    title : str
        What would have been drawn.
    subtitle : sequence of str
    why : str
        Why there is nothing.
    width : int
        In pixels.
    """
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(name="nothing", values=[{"why": why}]))
        .mark_text(align="left", x=0, fontSize=13)
        .encode(text="why:N")
        .properties(width=width, height=60, title=alt.TitleParams(title, subtitle=list(subtitle)))
    )
    return theme.styled(chart)
