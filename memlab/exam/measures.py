"""Measures of graded questions: counts, shares and their intervals."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from memlab.exam.intervals import wilson

OUTCOMES: Final = (
    "resolved_right",
    "confident_wrong",
    "choose",
    "none",
    "unanswerable_resolved",
    "unanswerable_choose",
    "unanswerable_none",
)
OUTCOME: Final = pl.Enum(OUTCOMES)
TABLE: Final = pl.Schema(
    {"group": pl.String, "measure": pl.String, "count": pl.Int64, "n": pl.Int64, "share": pl.Float64,
     "low": pl.Float64, "high": pl.Float64}
)  # fmt: skip


def counts(rows: pl.DataFrame) -> dict[str, int]:
    """Count the outcomes of graded rows, by name."""
    outcome = pl.col("outcome").cast(pl.String)
    names = {name: (outcome == name).sum() for name in OUTCOMES}
    found: dict[str, Any] = rows.select(
        n_answerable=pl.col("answerable").sum(),
        in_pool=pl.col("in_pool").sum(),
        first=pl.col("first_right").sum(),
        resolved_right=names["resolved_right"],
        confident_wrong=names["confident_wrong"],
        choose=names["choose"],
        choose_has_gold=pl.col("choose_has_gold").sum(),
        none=names["none"],
        n_unanswerable=(~pl.col("answerable")).sum(),
        unanswerable_resolved=names["unanswerable_resolved"],
        unanswerable_choose=names["unanswerable_choose"],
        unanswerable_none=names["unanswerable_none"],
    ).row(0, named=True)
    return {name: int(value) for name, value in found.items()}


def lines(found: dict[str, int]) -> list[dict[str, Any]]:
    """Return every measure of some counts with its n, share and Wilson 95 % interval."""
    answerable, unanswerable = found["n_answerable"], found["n_unanswerable"]
    wrong = found["confident_wrong"] + found["unanswerable_resolved"]
    measures = [
        ("in_pool", found["in_pool"], answerable),
        ("first", found["first"], answerable),
        ("resolved_right", found["resolved_right"], answerable),
        ("confident_wrong", found["confident_wrong"], answerable),
        ("risk", wrong, wrong + found["resolved_right"]),
        ("choose", found["choose"], answerable),
        ("choose_has_gold", found["choose_has_gold"], found["choose"]),
        ("none", found["none"], answerable),
        ("unanswerable_resolved", found["unanswerable_resolved"], unanswerable),
        ("unanswerable_choose", found["unanswerable_choose"], unanswerable),
        ("unanswerable_none", found["unanswerable_none"], unanswerable),
    ]
    return [share(measure, count, n) for measure, count, n in measures]


def share(measure: str, count: int, n: int) -> dict[str, Any]:
    """Return one share with its Wilson 95 % interval; null where there was nothing to count."""
    low, high = wilson(count, n)
    return {"measure": measure, "count": count, "n": n, "share": count / n if n else None, "low": low, "high": high}
