"""The funnel: in the pool, first, resolved right, and what is lost on the way (chapter 18, section 3)."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from memlab.charts.bars import Graded, named
from memlab.charts.provenance import subtitle
from memlab.charts.shares import shares

STAGES: Final = {
    "in_pool": "gold in the first 50",
    "first": "gold first",
    "handed over": "gold resolved or handed back",
    "resolved_right": "gold resolved",
}


def funnel_data(graded: Graded) -> pl.DataFrame:
    """Return how many answerable questions reach each stage.

    Returns
    -------
    polars.DataFrame
        ``setting`` · ``stage`` · ``count`` · ``n`` · ``share`` · ``low`` · ``high`` (Wilson 95 %).
    """
    from memlab.exam.study.base import shares as with_intervals

    rows = []
    for name, one in named(graded).items():
        counts = one.counts()
        reached = counts | {"handed over": counts["resolved_right"] + counts["choose_has_gold"]}
        rows += [
            {"setting": name, "stage": label, "count": reached[stage], "n": counts["n_answerable"]}
            for stage, label in STAGES.items()
        ]
    return with_intervals(rows)


def funnel(graded: Graded, width: int = 420) -> alt.Chart | alt.FacetChart | alt.LayerChart:
    """Draw how many answerable questions reach each stage, for one or more settings.

    Parameters
    ----------
    graded : Outcomes, or a sequence or mapping of them
    width : int
        In pixels.
    """
    several = named(graded)
    return shares(
        funnel_data(graded),
        y="stage",
        color="setting" if len(several) > 1 else None,
        title="From the pool to one node",
        subtitle=[subtitle(next(iter(several.values())))],
        x_title="share of answerable questions",
        width=width,
    )
