"""The language axis: crossing scripts, with the reuse of title words held fixed (chapter 18, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import polars as pl

from memlab.charts.given import frame_with
from memlab.charts.shares import shares

_TITLE: Final = "Language, or reuse of the title's words"
_COLUMNS: Final = ("reuse", "question and title", "measure", "count", "n", "share", "low", "high")


def languages(
    table: pl.DataFrame, title: str = _TITLE, subtitle: Sequence[str] = (), width: int = 460
) -> alt.Chart | alt.FacetChart | alt.LayerChart:
    """Draw questions that cross scripts beside those that do not, by how many title words they reuse.

    Parameters
    ----------
    table : polars.DataFrame
        ``reuse`` · ``question and title`` (same or other script) · ``measure`` · ``count`` · ``n`` ·
        ``share`` · ``low`` and ``high`` (95 %): the table ``language`` of the finding of that name.
    title : str
    subtitle : sequence of str
        The number of questions when left out.
    width : int
        Of a panel, in pixels.

    Raises
    ------
    InputError
        If it is no such table.
    """
    held = frame_with(table, _COLUMNS, "table", "study.findings['language'].tables['language']")
    whole = held.filter(pl.col("reuse") == "all").group_by("measure", maintain_order=True).agg(pl.col("n").sum())
    told = list(subtitle) or [f"n = {whole['n'].max() or 0!s} answerable questions"]
    return shares(
        held, y="reuse", color="question and title", panel="measure", title=title, subtitle=told, width=width,
        y_title="title words reused", x_title="share of answerable questions",
    )  # fmt: skip
