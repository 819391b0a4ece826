"""Outcomes by group: language pair, kind, author, tag."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from memlab.charts.given import given
from memlab.charts.provenance import subtitle
from memlab.charts.shares import shares
from memlab.errors import InputError
from memlab.exam import Outcomes
from memlab.exam.grade import GROUPS

# What is told of each group, and what it is a share of.
MEASURES: Final = {
    "in_pool": "gold in the first 50, of answerable",
    "first": "gold first, of answerable",
    "resolved_right": "resolved right, of answerable",
    "risk": "wrong, of resolved",
}
_TITLES: Final = {
    "lang": "By language of the question", "kind": "By kind of the gold", "pair": "By language and script of the title",
    "author": "By author", "tag": "By tag", "unanswerable": "By kind of question without an answer",
    "standing": "By standing",
}  # fmt: skip


def groups_data(outcomes: Outcomes, by: str) -> pl.DataFrame:
    """Return the measures that are drawn, as :meth:`memlab.Outcomes.table` gives them.

    Raises
    ------
    InputError
        If these are no outcomes, or they cannot be grouped by that.
    """
    outcomes = given(outcomes, Outcomes, "outcomes", "what ml.grade(...) returned")
    if by not in GROUPS:
        raise InputError(f"nothing is grouped by {by}; there are {', '.join(GROUPS)}", field="by")
    table = outcomes.table(by).filter(pl.col("measure").is_in(list(MEASURES)), pl.col("n") > 0)
    return table.with_columns(pl.col("measure").replace(MEASURES).cast(pl.Enum(list(MEASURES.values())))).sort(
        "measure", "group"
    )


def groups(outcomes: Outcomes, by: str, width: int = 460) -> alt.Chart | alt.FacetChart | alt.LayerChart:
    """Draw how the outcomes differ by group, with intervals.

    Parameters
    ----------
    outcomes : Outcomes
    by : str
        As for :meth:`memlab.Outcomes.table`.
    width : int
        Of a panel, in pixels.
    """
    data = groups_data(outcomes, by).with_columns(pl.col("measure").cast(pl.String))
    return shares(
        data, y="group", panel="measure", title=_TITLES.get(by, f"By {by}"), subtitle=[subtitle(outcomes)], width=width,
        x_title="share",
    )  # fmt: skip
