"""The charts of the chapter's experiments: each finding (``memlab.exam.study``) drawn by the function for its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import altair as alt

from memlab.charts import theme
from memlab.charts.confusion import kind_confusion
from memlab.charts.depth import pool_depth
from memlab.charts.factorial import factorial
from memlab.charts.given import given
from memlab.charts.languages import languages
from memlab.charts.lengths import title_lengths
from memlab.charts.overlap import arm_overlap
from memlab.charts.shares import shares
from memlab.charts.similarity import similarity_gap
from memlab.charts.unanswered import unanswerable
from memlab.exam.study import Finding

Chart = alt.TopLevelMixin
_WIDTH: Final = 460


def draw(finding: Finding, subtitle: Sequence[str] = ()) -> Chart | None:
    """Draw a finding; None where it has nothing to draw.

    Parameters
    ----------
    finding : Finding
    subtitle : sequence of str
        Where the figures come from: n, the exam, and who wrote it.

    Raises
    ------
    InputError
        If it is no finding.
    """
    given(finding, Finding, "finding", "one of study.findings")
    table = next(iter(finding.tables.values()))
    if table.is_empty() or not table.width:
        return None
    return _CHARTS[finding.name](finding, [*subtitle])


def _shares(y: str, color: str | None, panel: str | None, **more: Any) -> Callable[[Finding, list[str]], Chart]:
    def drawn(finding: Finding, subtitle: list[str]) -> Chart:
        table = next(iter(finding.tables.values()))
        return shares(
            table, y=y, color=color, panel=panel, title=finding.claim.title, subtitle=subtitle, width=_WIDTH, **more
        )

    return drawn


def _depth(finding: Finding, subtitle: list[str]) -> Chart:
    return pool_depth(finding.tables["depth"], finding.claim.title, subtitle)


def _arms(finding: Finding, subtitle: list[str]) -> Chart:
    return arm_overlap(finding.tables["sets"], finding.claim.title, subtitle)


def _signals(finding: Finding, subtitle: list[str]) -> Chart:
    tables = finding.tables
    return similarity_gap(tables["questions"], tables["signals"], title=finding.claim.title, subtitle=subtitle)


def _titles(finding: Finding, subtitle: list[str]) -> Chart:
    lengths, won = title_lengths(finding.tables["lengths"], width=300), kind_confusion(finding.tables["won"])
    return theme.beside(lengths, won, columns=2, title=finding.claim.title, subtitle=subtitle)


def _factorial(finding: Finding, subtitle: list[str]) -> Chart:
    tables = finding.tables
    return factorial(tables["cells"], tables["effects"], title=finding.claim.title, subtitle=subtitle)


def _language(finding: Finding, subtitle: list[str]) -> Chart:
    return languages(finding.tables["language"], finding.claim.title, subtitle)


def _unanswerable(finding: Finding, subtitle: list[str]) -> Chart:
    return unanswerable(finding.tables["unanswerable"], finding.claim.title, subtitle)


_CHARTS: Final[dict[str, Callable[[Finding, list[str]], Chart]]] = {
    "depth": _depth,
    "arms": _arms,
    "kinds": _shares("gold_kind", "episodes", "measure", y_title="kind asked for"),
    "signals": _signals,
    "titles": _titles,
    "length": _shares("gold_kind", "counted", "measure", y_title="kind asked for"),
    "bar": _shares("step", None, "measure"),
    "factorial": _factorial,
    "encoder": _shares("measure", "encoder", "arms"),
    "language": _language,
    "pieces": _shares("measure", "pieces", None),
    "unanswerable": _unanswerable,
    "gate": _shares("questions", "gate", None),
    "validity": _shares("measure", "filter", None),
}
