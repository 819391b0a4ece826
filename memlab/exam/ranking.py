"""Ranking measures of the ordered pool, by ir-measures: what a retrieval paper would report."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from memlab.exam.grade import Outcomes
from memlab.exam.intervals import SEED

MEASURES: Final = ("Success@1", "Success@5", "RR@10", "nDCG@10", "R@50")
RESAMPLES: Final = 2000


def ranked() -> pl.Expr:
    """Return the nodes of each question in our order: a resolved node, then the ordered pool."""
    return pl.concat_list("node_id", "pool").list.drop_nulls().list.unique(maintain_order=True).alias("ranked")


def ranking(outcomes: Outcomes, *, seed: int = SEED) -> pl.DataFrame:
    """Measure our order on the answerable questions: a resolved node, then the first 50 of the pool.

    Returns
    -------
    polars.DataFrame
        ``measure`` (as ir-measures names it) · ``n`` · ``mean`` · ``low`` · ``high`` (bootstrap 95 % over
        questions). A question without candidates counts 0.
    """
    import ir_measures

    rows = outcomes.rows.filter("answerable").sort("question_id")
    if rows.is_empty():
        schema = {"measure": pl.String, "n": pl.Int64, "mean": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(schema=schema)
    pairs = rows.select("question_id", "gold", ranked())
    qrels = {question: dict.fromkeys(gold, 1) for question, gold, _ in pairs.iter_rows()}
    run = {
        question: {node: float(len(nodes) - place) for place, node in enumerate(nodes)}
        for question, _, nodes in pairs.iter_rows()
    }
    wanted = [ir_measures.parse_measure(name) for name in MEASURES]
    values: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
    for one in ir_measures.iter_calc(wanted, qrels, run):
        values[str(one.measure)][str(one.query_id)] = float(one.value)
    n = rows.height
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    made = []
    for name in MEASURES:
        held = np.array([values[name].get(question, 0.0) for question in pairs["question_id"]])
        low, high = np.quantile(drawn @ held / n, [0.025, 0.975])
        made.append({"measure": name, "n": n, "mean": float(held.mean()), "low": float(low), "high": float(high)})
    return pl.DataFrame(made)
