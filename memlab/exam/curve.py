"""Risk against coverage: what a stricter or looser bar would cost (selective prediction).

Coverage is the share of all questions that are answered with one node, risk the share of those answers
that are wrong; an answer to an unanswerable question is always wrong. The curve orders questions by
confidence; questions of equal confidence are one point, as no order among them could be defended.
AURC is the area under it (Geifman, Uziel and El-Yaniv, ICLR 2019). AUGRC is the area under the
generalised risk, wrong answers over all questions, which does not let the few most confident questions
weigh most (Traub et al., NeurIPS 2024). Lower is better for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.exam.intervals import SEED, wilson
from memlab.exam.questions import Exam
from memlab.rules import Settings
from memlab.rules.decide import Decider, EvidenceLike

# The gaps of the settings are multiplied by these: from no bar at all to one that only whole titles pass.
STRICTNESS: Final = (0.0, *(round(float(x), 4) for x in np.geomspace(0.05, 20.0, 60)))
COVERAGES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
RESAMPLES: Final = 1000
_POINTS: Final = pl.Schema(
    {"confidence": pl.Float64, "answered": pl.Int64, "wrong": pl.Int64, "n": pl.Int64, "coverage": pl.Float64,
     "risk": pl.Float64, "low": pl.Float64, "high": pl.Float64, "generalised_risk": pl.Float64}
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Curve:
    """Risk by coverage.

    Attributes
    ----------
    points : polars.DataFrame
        ``confidence`` (falling) · ``answered`` · ``wrong`` · ``n`` · ``coverage`` · ``risk`` · ``low``
        and ``high`` (Wilson 95 %) · ``generalised_risk``; a row for each distinct confidence.
    aurc, augrc : float
        Areas; NaN where no question was asked.
    aurc_interval, augrc_interval : tuple of float
        Bootstrap 95 % intervals over questions.
    """

    points: pl.DataFrame
    aurc: float
    augrc: float
    aurc_interval: tuple[float, float]
    augrc_interval: tuple[float, float]

    def selective(self, coverages: Sequence[float] = COVERAGES) -> pl.DataFrame:
        """Return the accuracy of what is answered at each coverage.

        Returns
        -------
        polars.DataFrame
            ``wanted`` (coverage) · ``coverage`` (that of the first point that reaches it: ties are
            answered together) · ``right`` · ``answered`` · ``accuracy`` · ``low`` · ``high`` (Wilson 95 %).
        """
        rows = []
        for wanted in coverages:
            reached = self.points.filter(pl.col("coverage") >= wanted - 1e-12).head(1)
            for point in reached.iter_rows(named=True):
                right, answered = point["answered"] - point["wrong"], point["answered"]
                low, high = wilson(right, answered)
                rows.append((wanted, point["coverage"], right, answered, right / answered, low, high))
        schema = {"wanted": pl.Float64, "coverage": pl.Float64, "right": pl.Int64, "answered": pl.Int64,
                  "accuracy": pl.Float64, "low": pl.Float64, "high": pl.Float64}  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def at_risk(self, risk: float) -> float:
        """Return the widest coverage whose risk is no higher; 0 where there is none. Not a guarantee."""
        passed = self.points.filter(pl.col("risk") <= risk + 1e-12)["coverage"].max()
        return float(passed) if isinstance(passed, float) else 0.0


def risk_coverage(
    confidence: Sequence[float] | pl.Series,
    right: Sequence[bool] | pl.Series,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Curve:
    """Draw risk against coverage from a confidence and a verdict for each question.

    Parameters
    ----------
    confidence : sequence of float, n
        Higher is surer. Null or NaN is the least of all: answered last.
    right : sequence of bool, n
        Whether the node that would be answered is gold.
    seed, resamples : int
        Of the bootstrap; without resamples the areas have no interval (NaN).
    """
    sure = _as_floats(confidence)
    good = np.asarray(pl.Series(right).fill_null(False).to_numpy(), dtype=bool)
    if len(sure) != len(good):
        raise ValueError(f"{len(sure)} confidences and {len(good)} verdicts; give one of each for a question")
    if not len(sure):
        nothing = (float("nan"), float("nan"))
        return Curve(pl.DataFrame(schema=_POINTS), float("nan"), float("nan"), nothing, nothing)
    # In order of content, so that the draws of the bootstrap do not hang on the order of the questions.
    order = np.lexsort((good, sure))
    sure, good = sure[order], good[order]
    levels, answered, wrong = _accumulated(sure, good)
    n = len(sure)
    aurc, augrc = _areas(answered, wrong, n)
    drawn = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    areas = [_areas(*_accumulated(sure[rows], good[rows])[1:], n) for rows in drawn]
    low, high = np.quantile(areas or [(np.nan, np.nan)], [0.025, 0.975], axis=0)
    bounds = [wilson(int(w), int(a)) for w, a in zip(wrong, answered, strict=True)]
    points = pl.DataFrame(
        {
            "confidence": levels, "answered": answered, "wrong": wrong, "n": np.full(len(levels), n),
            "coverage": answered / n, "risk": wrong / answered, "low": [b[0] for b in bounds],
            "high": [b[1] for b in bounds], "generalised_risk": wrong / n,
        },
        schema=_POINTS,
    )  # fmt: skip
    return Curve(points, aurc, augrc, (float(low[0]), float(high[0])), (float(low[1]), float(high[1])))


def confidence_of(evidence: EvidenceLike, exam: Exam, settings: Settings) -> pl.DataFrame:
    """Say how sure the rules are of each question: how strict the gaps may be until they let go of it.

    Both gaps of the settings are multiplied by ``STRICTNESS``; a question's confidence is the highest
    factor under which one node is still resolved, 1 being the settings themselves, and infinite where
    no gap is asked for. What is never resolved comes after, by its gap as a negative number, as if the
    first candidate were taken; what has no candidate comes last.

    Returns
    -------
    polars.DataFrame
        ``question_id`` · ``confidence`` · ``node_id`` (what would be answered) · ``right`` ·
        ``resolved`` (under the settings as they are), in the order of the exam.
    """
    *_, last = confidence_in_steps(Decider(evidence), exam, settings)
    return last


def confidence_in_steps(decider: Decider, exam: Exam, settings: Settings) -> Iterator[pl.DataFrame]:
    """Find how sure the rules are, one pass of the rules a step; the last step has what :func:`confidence_of` returns.

    Where somebody waits for other things between the steps, nobody waits for all of them at once. Every step
    but the last yields what is known so far: ``question_id`` · ``confidence`` · ``node_id``.
    """
    sure = pl.DataFrame(schema={"question_id": pl.String, "confidence": pl.Float64, "node_id": pl.String})
    last = max(STRICTNESS)
    decided = decider.decide(settings)
    now = _resolved(decided)
    for factor in sorted({*STRICTNESS, 1.0}, reverse=True):
        found = now if factor == 1.0 else _resolved(_verdicts(decider.judge(stricter(settings, factor))))
        told = found.select(
            "question_id", confidence=pl.lit(float("inf") if factor == last else factor), node_id="node_id"
        )
        sure = pl.concat([sure, told.join(sure, on="question_id", how="anti")])
        yield sure
    # A gap is at most 2 in cosine, so what is never resolved stays below every factor.
    rest = decided.select(
        "question_id", confidence=pl.col("gap").fill_null(-1.0) - 4.0, node_id=pl.col("first")
    ).with_columns(confidence=pl.when(pl.col("node_id").is_null()).then(float("-inf")).otherwise("confidence"))
    told = pl.concat([sure, rest.join(sure, on="question_id", how="anti")])
    yield (
        exam.questions.select("question_id", "gold")
        .join(told, on="question_id", how="inner", maintain_order="left")
        .select(
            "question_id",
            "confidence",
            "node_id",
            right=pl.col("gold").list.contains(pl.col("node_id")).fill_null(False),
            resolved=pl.col("question_id").is_in(now["question_id"].implode()),
        )
    )


def _verdicts(judged: pl.DataFrame) -> pl.DataFrame:
    return judged.select("question_id", "state", node_id="picked")


def stricter(settings: Settings, factor: float) -> Settings:
    """Return settings with both gaps multiplied; one that is off stays off.

    Parameters
    ----------
    settings : Settings
    factor : float
        Above 1 is stricter. A curve's ``confidence`` is such a factor (:func:`confidence_of`).
    """
    alone = settings.gap_alone if settings.gap_alone > 2 else min(settings.gap_alone * factor, 10.0)
    return settings.but(gap=min(settings.gap * factor, 10.0), gap_alone=alone)


def _resolved(decisions: pl.DataFrame) -> pl.DataFrame:
    return decisions.filter(pl.col("state").cast(pl.String) == "resolved")


def _as_floats(values: Sequence[float] | pl.Series) -> NDArray[np.float64]:
    series = pl.Series(values, dtype=pl.Float64) if not isinstance(values, pl.Series) else values.cast(pl.Float64)
    return np.asarray(series.fill_null(float("-inf")).fill_nan(float("-inf")).to_numpy(), dtype=np.float64)


def _accumulated(sure: NDArray[np.float64], good: NDArray[np.bool_]) -> tuple[Any, Any, Any]:
    """Return each distinct confidence, falling, with how many are answered and wrong down to it."""
    levels, place = np.unique(-sure, return_inverse=True)
    answered = np.bincount(place, minlength=len(levels)).cumsum()
    wrong = np.bincount(place, weights=~good, minlength=len(levels)).cumsum().astype(np.int64)
    return -levels, answered, wrong


def _areas(answered: NDArray[np.int64], wrong: NDArray[np.int64], n: int) -> tuple[float, float]:
    """AURC and AUGRC by trapezoids; up to the first point the risk is that of the first point."""
    coverage, risk = np.concatenate([[0.0], answered / n]), wrong / answered
    return (
        float(np.trapezoid(np.concatenate([[risk[0]], risk]), coverage)),
        float(np.trapezoid(np.concatenate([[0.0], wrong / n]), coverage)),
    )
