"""Raw similarity against the gap: which of them tells a right first candidate (chapter 18, section 4)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.exam.study.base import FAILS, FEW, HOLDS, OPEN, RESAMPLES, Bench, Finding, said

SIGNALS: Final = {"similarity": "semantic_similarity", "gap": "semantic_gap"}
CLASSES: Final = ("first is right", "first is wrong", "unanswerable")
_BINS: Final = 40
_QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
# What "separates cleanly" would have to mean at least.
CLEAN: Final = 0.9


def signals(bench: Bench) -> Finding:
    """How far similarity and gap tell a right first by meaning from a wrong one."""
    firsts = firsts_by_meaning(bench)
    right = (firsts["class"].cast(pl.String) == CLASSES[0]).to_numpy()
    rows: list[dict[str, Any]] = []
    drawn: dict[str, NDArray[np.float64]] = {}
    for name in SIGNALS:
        values = firsts[name].to_numpy()
        area, low, high, drawn[name] = _area(values, right, bench.seed)
        rows.append({"signal": name, "auc": area, "low": low, "high": high, "overlap": _overlap(values, right),
                     "right": int(right.sum()), "not_right": int((~right).sum())})  # fmt: skip
    table = pl.DataFrame(rows)
    both = min(int(right.sum()), int((~right).sum()))
    if both < FEW:
        verdict, here = OPEN, f"Only {int(right.sum())} firsts by meaning are right and {int((~right).sum())} are not."
    else:
        ahead = drawn["gap"] - drawn["similarity"]
        low, high = np.quantile(ahead, [0.025, 0.975])
        by_gap, by_near = rows[1]["auc"], rows[0]["auc"]
        verdict = HOLDS if low > 0 else FAILS if high < 0 else OPEN
        clean = "" if rows[1]["low"] >= CLEAN else f" It does not separate cleanly: the area stays under {CLEAN}."
        ahead_by = said((float(by_gap - by_near), float(low), float(high)))
        here = (
            f"Over {len(firsts)} questions with a first by meaning, the area under the ROC curve is {by_near:.3f} for"
            f" raw similarity and {by_gap:.3f} for the gap: {ahead_by}. Right and other firsts overlap by"
            f" {rows[0]['overlap']:.2f} in similarity and {rows[1]['overlap']:.2f} in gap.{clean}"
        )
    note = "not right: the first by meaning is wrong, or the question has no answer"
    tables = {"signals": table, "quantiles": _quantiles(firsts), "questions": firsts}
    return Finding("signals", here, verdict, tables, (note,))


def firsts_by_meaning(bench: Bench) -> pl.DataFrame:
    """The semantic arm's first of each question: ``question_id`` · ``class`` · ``similarity`` · ``gap`` (cosine)."""
    best = (
        bench.evidence.frame.filter(pl.col("semantic_rank") == 1)
        .sort("question_id", "semantic_similarity", "node_id", descending=[False, True, False])
        .group_by("question_id", maintain_order=True)
        .first()
    )
    asked = bench.exam.questions.select("question_id", "gold", "answerable")
    label = (
        pl.when(~pl.col("answerable"))
        .then(pl.lit(CLASSES[2]))
        .when(pl.col("gold").list.contains(pl.col("node_id")))
        .then(pl.lit(CLASSES[0]))
        .otherwise(pl.lit(CLASSES[1]))
    )
    return (
        asked.join(best, on="question_id", how="inner", maintain_order="left")
        .with_columns(label.cast(pl.Enum(list(CLASSES))).alias("class"))
        .select("question_id", "class", **{name: pl.col(column) for name, column in SIGNALS.items()})
        .drop_nulls()
        .sort("question_id")
    )


def _area(
    values: NDArray[np.float64], right: NDArray[np.bool_], seed: int
) -> tuple[float | None, float | None, float | None, NDArray[np.float64]]:
    """AUC with a bootstrap interval that draws within both classes, the same draws for every signal."""
    from sklearn.metrics import roc_auc_score

    if right.all() or not right.any():
        return None, None, None, np.empty(0)
    area = float(roc_auc_score(right, values))
    rng = np.random.default_rng(seed)
    yes, no = np.flatnonzero(right), np.flatnonzero(~right)
    drawn = np.array([
        _rank_area(values[rng.choice(yes, len(yes))], values[rng.choice(no, len(no))]) for _ in range(RESAMPLES // 4)
    ])  # fmt: skip
    low, high = np.quantile(drawn, [0.025, 0.975])
    return area, float(low), float(high), drawn


def _rank_area(yes: NDArray[np.float64], no: NDArray[np.float64]) -> float:
    """AUC by the Mann-Whitney count; ties count half."""
    ordered = np.sort(no)
    below, upto = np.searchsorted(ordered, yes), np.searchsorted(ordered, yes, side="right")
    return float((below + upto).sum() / (2 * len(yes) * len(no)))


def _overlap(values: NDArray[np.float64], right: NDArray[np.bool_]) -> float | None:
    """Share that two histograms have in common (Weitzman's overlapping coefficient): 1 where nothing is told apart."""
    if right.all() or not right.any():
        return None
    edges = np.histogram_bin_edges(values, bins=_BINS)
    yes, no = (np.histogram(values[part], bins=edges)[0] / part.sum() for part in (right, ~right))
    return float(np.minimum(yes, no).sum())


def _quantiles(firsts: pl.DataFrame) -> pl.DataFrame:
    parts = [
        firsts.group_by("class").agg(
            pl.lit(name).alias("signal"), pl.len().alias("n"),
            *(pl.col(name).quantile(q, "linear").alias(f"q{round(q * 100):02d}") for q in _QUANTILES),
        )
        for name in SIGNALS
    ]  # fmt: skip
    return pl.concat(parts).sort("signal", "class")
