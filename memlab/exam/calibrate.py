"""Calibrate: thresholds whose risk is bounded, by Learn-then-Test (Angelopoulos et al. 2021, arXiv:2110.01052)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from memlab.errors import InputError
from memlab.exam.certify import certified, enough, least, p_value, upper_bound
from memlab.exam.grade import grade
from memlab.exam.path import MOVED, Step, path
from memlab.exam.provenance import fitted_on
from memlab.exam.questions import Exam
from memlab.exam.split import Groups
from memlab.pool import Evidence
from memlab.rules import Settings, decide
from memlab.rules.thresholds import settings_of

_SCHEMA = pl.Schema(
    {
        "factor": pl.Float64,
        "min_words": pl.Int64,
        "gap": pl.Float64,
        "gap_alone": pl.Float64,
        "resolved": pl.Int64,
        "wrong": pl.Int64,
        "p_value": pl.Float64,
        "bound": pl.Float64,
    }
)


@dataclass(frozen=True, eq=False)
class Calibration:
    """What a calibration found, and what it tried.

    Attributes
    ----------
    settings : Settings or None
        The loosest settings certified; None where nothing could be.
    risk, confidence : float
        What was asked for: with this confidence the risk of :attr:`settings` is at most this.
    questions : int
        Questions that were calibrated on.
    resolved, wrong : int
        Of the settings found, or of those that came nearest to it.
    bound : float
        Upper bound of their risk by themselves, at the confidence (Clopper-Pearson).
    table : polars.DataFrame
        A row for each of the settings tried, strict to loose: ``factor`` (on the gaps; null on a path of one's
        own) · ``min_words`` · ``gap`` · ``gap_alone`` · ``resolved`` · ``wrong`` · ``p_value`` · ``bound`` ·
        ``tested`` · ``certified``.
    row : int or None
        The row of the settings found, or of those that came nearest; None where nothing resolved.
    groups : int or None
        Groups that the resolved questions come from, where groups were given.
    least : int
        Resolved questions, none of them wrong, without which nothing can be certified.
    resolved_needed, questions_needed : int or None
        About how many resolved, and how many questions of such an exam to calibrate on, would certify what
        came nearest; None where it is certified, or where no number would do.
    """

    settings: Settings | None
    risk: float
    confidence: float
    questions: int
    resolved: int
    wrong: int
    bound: float
    table: pl.DataFrame
    row: int | None
    groups: int | None
    least: int
    resolved_needed: int | None
    questions_needed: int | None

    @property
    def certified(self) -> bool:
        """Whether any settings were certified."""
        return self.settings is not None

    def why(self) -> str:
        """Say in words what was found, or why nothing was."""
        asked = f"a risk of at most {_share(self.risk)} with {_share(self.confidence)} confidence"
        seen = f"{self.wrong} of {self.resolved} resolved were wrong"
        if self.certified:
            return f"certified: {asked}; {seen}, of {self.questions} questions"
        if self.row is None:
            return f"not certified: nothing resolved, so these {self.questions} questions say nothing about {asked}"
        most = max(self.table["resolved"].to_list())
        least = f"{self.least} resolved with none wrong are the least for {asked}"
        if most < self.least:
            why = f"the exam is too small: {least}, and of these {self.questions} questions at most {most} are resolved"
        elif self.wrong / self.resolved >= self.risk:
            why = f"too many are wrong for {asked}: at best {seen}"
        else:
            why = f"the exam is too small: at best {seen}, which may be luck; {least}"
        return f"not certified: {why}. {self._needed()}"

    def _needed(self) -> str:
        if self.resolved_needed is None:
            return (
                "More such questions would not help: the share of wrong ones seen is not below the target, or too near"
            )
        if self.resolved_needed <= self.resolved:
            return (
                "Those settings would pass if they were the only ones tried, but stricter ones failed before them;"
                " try them alone on other questions"
            )
        if_so = "no more than that share of them is" if self.wrong else "none of them is"
        return (
            f"About {self.resolved_needed} resolved would do if {if_so} wrong:"
            f" about {self.questions_needed} such questions to calibrate on"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "certified": self.certified,
            "why": self.why(),
            "risk": self.risk,
            "confidence": self.confidence,
            "questions": self.questions,
            "resolved": self.resolved,
            "wrong": self.wrong,
            "bound": round(self.bound, 6),
            "groups": self.groups,
            "least_resolved": self.least,
            "resolved_needed": self.resolved_needed,
            "questions_needed": self.questions_needed,
            "settings": self.settings.as_dict() if self.settings else None,
            "tried": self.table.to_dicts(),
        }

    def _repr_html_(self) -> str:
        from html import escape

        with pl.Config(tbl_rows=-1, float_precision=3, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True):
            return f"<div>{escape(self.why())}</div>" + self.table._repr_html_()


def calibrate(
    evidence: Evidence,
    exam: Exam,
    base: Settings | None = None,
    *,
    risk: float = 0.05,
    confidence: float = 0.9,
    candidates: Sequence[Settings] | None = None,
    groups: Groups | None = None,
) -> Calibration:
    """Find the loosest settings whose risk is bounded, by Learn-then-Test with a fixed sequence.

    With probability ``confidence`` over the questions, the risk (confident wrong over resolved, answerable
    and unanswerable together) of the settings found is at most ``risk`` on questions like these. What was
    calibrated on says nothing more about them: grade them on other questions (:func:`memlab.exam.split`).

    Parameters
    ----------
    evidence : Evidence
        Gathered for the exam; may hold more questions.
    exam : Exam
        The questions to calibrate on.
    base : Settings, optional
        What the path goes around; the defaults of the evidence's encoder when left out. Gates and switches
        stay as they are.
    risk, confidence : float
        Both more than 0 and less than 1.
    candidates : sequence of Settings, optional
        A path of one's own, strict to loose, chosen without these questions.
    groups : Groups, optional
        Of the split, to count how many the resolved questions come from.

    Raises
    ------
    InputError
        If a value is out of range, a question was not gathered, or a candidate does not resolve all that
        the stricter one before it does.

    Notes
    -----
    The candidates are tested from strict to loose, each by its exact binomial p-value, until one fails;
    so the error of all tests together is that of one. Candidates that resolve too few to certify anything are
    passed over by their number alone (``docs/decisions/0013-calibration.md``).
    """
    check_share("risk", risk)
    check_share("confidence", confidence)
    held = _gathered(evidence, exam)
    base = settings_of(evidence) if base is None else base
    if not isinstance(base, Settings):
        raise InputError(f"give Settings, such as lab.settings, not {type(base).__name__}", field="base")
    steps = path(base, semantic=bool(evidence.encoders)) if candidates is None else [Step(None, s) for s in candidates]
    if not steps or not all(isinstance(step.settings, Settings) for step in steps):
        raise InputError("give one or more settings, strict to loose", field="candidates")
    resolved = _resolved(held, exam, steps)
    counts = [(len(rows), sum(not right for right in rows.values())) for rows in resolved]
    # The settings in use are the latest start, as whoever chose them thought their risk low enough.
    in_use = next((number for number, step in enumerate(steps) if step.settings == base), None)
    tested, passed = certified(counts, risk, confidence, latest=in_use)
    table = _table(steps, counts, risk, confidence).with_columns(
        tested=pl.Series([row in tested for row in range(len(steps))]),
        certified=pl.Series([row in passed for row in range(len(steps))]),
    )
    row = _loosest(passed, counts) if passed else _nearest(counts, risk, confidence)
    n, wrong = (0, 0) if row is None else counts[row]
    needed = None if passed or row is None else enough(wrong / n, risk, confidence)
    named = dict(groups.rows.select("question_id", "group").iter_rows()) if groups else {}
    return Calibration(
        settings=fitted_on(steps[row].settings, exam, MOVED) if passed and row is not None else None,
        risk=risk,
        confidence=confidence,
        questions=len(exam),
        resolved=n,
        wrong=wrong,
        bound=upper_bound(wrong, n, confidence),
        table=table,
        row=row,
        groups=None if groups is None or row is None else len({named.get(name, name) for name in resolved[row]}),
        least=least(risk, confidence),
        resolved_needed=needed,
        questions_needed=None if needed is None else -(-needed * len(exam) // n),
    )


# Closer to 0 or 1 no exam will ever come, and floating point no longer tells shares apart.
_EDGE = 1e-9


def check_share(name: str, value: object) -> None:
    """Refuse what is no share between 0 and 1, or too near to either to mean anything."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _EDGE <= value <= 1 - _EDGE:
        raise InputError(f"must be more than 0 and less than 1, such as 0.05 or 0.9, not {value!r}", field=name)


def _gathered(evidence: Evidence, exam: Exam) -> Evidence:
    ids = exam.questions["question_id"].to_list()
    missing = set(ids) - set(evidence.questions["question_id"])
    if missing or not ids:
        problem = f"{min(missing)!r} was not gathered" if missing else "holds no questions"
        raise InputError(f"{problem}; gather the exam that is calibrated on", field="exam")
    return evidence.only(ids)


def _resolved(evidence: Evidence, exam: Exam, steps: Sequence[Step]) -> list[dict[str, bool]]:
    """What each candidate resolves, and whether it is right; each holds all that the stricter ones do."""
    found: list[dict[str, bool]] = []
    for number, step in enumerate(steps, 1):
        rows = grade(decide(evidence, step.settings), exam).rows.filter(pl.col("state").cast(pl.String) == "resolved")
        right = pl.col("outcome").cast(pl.String) == "resolved_right"
        found.append(dict(rows.select("question_id", right).iter_rows()))
        lost = set(found[-2]) - set(found[-1]) if number > 1 else set()
        if lost:
            raise InputError(
                f"candidate {number} does not resolve {min(lost)!r}, which the one before it does;"
                " order them from strict to loose",
                field="candidates",
            )
    return found


def _table(steps: Sequence[Step], counts: Sequence[tuple[int, int]], risk: float, confidence: float) -> pl.DataFrame:
    rows = [
        (factor, s.min_words, s.gap, s.gap_alone, n, wrong, p_value(wrong, n, risk), upper_bound(wrong, n, confidence))
        for (factor, s), (n, wrong) in zip(steps, counts, strict=True)
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _loosest(passed: Sequence[int], counts: Sequence[tuple[int, int]]) -> int:
    """The certified candidate that resolves most; of several that resolve the same, the strictest."""
    most = max(counts[number][0] for number in passed)
    return next(number for number in passed if counts[number][0] == most)


def _nearest(counts: Sequence[tuple[int, int]], risk: float, confidence: float) -> int | None:
    """The candidate that needs the fewest questions more, or else the one with the smallest share of wrong ones."""

    def distance(number: int) -> tuple[float, float, int]:
        n, wrong = counts[number]
        needed = enough(wrong / n, risk, confidence)
        return (float("inf") if needed is None else needed / n, wrong / n, number)

    return min((number for number, (n, _) in enumerate(counts) if n), key=distance, default=None)


def _share(value: float) -> str:
    return f"{value * 100:.10g} %"
