"""The bar for confidence: its steps, and whether bar, order and gap pay only together (chapter 18, section 4)."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.exam.compare import compare
from memlab.exam.study.base import FAILS, HOLDS, OPEN, Bench, Finding, Verdict, mean_with_interval, said, shares
from memlab.rules import PRESETS, Settings
from memlab.rules.weigh import ordered

STEPS: Final = ("one_word", "two_words", "two_words_and_gap")
FACTORS: Final = ("bar", "order", "gap")
# What a wrong answer costs in right ones, in the score that the effects are told of.
COSTS: Final = (0, 1, 4)


def bar(bench: Bench) -> Finding:
    """What each step of the bar buys: one word, two words, the gap as well, and everything that ships."""
    steps = {name: PRESETS[name] for name in STEPS} | {"as set": bench.settings}
    graded = {name: bench.graded(settings) for name, settings in steps.items()}
    rows = []
    for name, one in graded.items():
        counts = one.counts()
        wrong = counts["confident_wrong"] + counts["unanswerable_resolved"]
        resolved = wrong + counts["resolved_right"]
        rows += [
            {"step": name, "measure": "resolved right", "count": counts["resolved_right"], "n": counts["n_answerable"]},
            {"step": name, "measure": "wrong of resolved", "count": wrong, "n": resolved},
            {"step": name, "measure": "handed back", "count": counts["choose"], "n": counts["n_answerable"]},
        ]
    compared = compare(graded["one_word"], graded["as set"], seed=bench.seed)
    line = compared.table.filter(pl.col("measure") == "wrong").row(0, named=True)
    became = compared.flips.filter(pl.col("before").is_in(["confident_wrong", "unanswerable_resolved"]))
    lists = int(became["after"].str.contains("choose").sum())
    right = int((became["after"] == "resolved_right").sum())
    verdict: Verdict = OPEN
    if line["only_before"] + line["only_after"]:
        falls = line["p"] < 0.05 and line["after"] < line["before"]
        verdict = HOLDS if falls and lists > became.height / 2 else FAILS if line["p"] < 0.05 else OPEN
    by_step = " → ".join(f"{r['count']} of {r['n']}" for r in rows if r["measure"] == "wrong of resolved")
    here = (
        f"Wrong of resolved, step by step ({', '.join(steps)}): {by_step}. Of {became.height} questions that the first"
        f" step answers wrongly and the last does not, {lists} became lists and {right} right answers (McNemar"
        f" p = {line['p']:.2g})."
    )
    return Finding("bar", here, verdict, {"bar": shares(rows), "flips": compared.flips})


def factorial(bench: Bench) -> Finding:
    """Every combination of bar, order and gap by the chapter's plain rule: the first candidate, if it passes.

    The plain rule resolves the first of the ordered pool when it has as many title words as the bar
    asks for (one, two) and, with the gap, when it is also the semantic arm's first by that gap. The
    order is by title words alone, or by how many arms agree first.
    """
    gold = bench.exam.questions.select("question_id", "gold")
    cells, scores = [], {}
    for high, agreeing, gap in product((False, True), repeat=3):
        told = gold.join(_plain(bench, 2 if high else 1, agreeing, bench.settings.gap if gap else None),
                         on="question_id", how="left", maintain_order="left")  # fmt: skip
        right = _flags(told, pl.col("resolved") & pl.col("gold").list.contains(pl.col("first")))
        wrong = _flags(told, pl.col("resolved")) & ~right
        first = _flags(told, pl.col("gold").list.contains(pl.col("first")))
        cells.append({"bar": 2 if high else 1, "order": "agreement" if agreeing else "words",
                      "gap": "gap" if gap else "none", "right": int(right.sum()), "wrong": int(wrong.sum()),
                      "first": int(first.sum()), "n": len(right)})  # fmt: skip
        for cost in COSTS:
            scores[cost, high, agreeing, gap] = right.astype(float) - cost * wrong.astype(float)
    effects = pl.DataFrame([row for cost in COSTS for row in _effects(scores, cost, bench.seed)])
    alone = {row["effect"]: row for row in effects.filter(pl.col("cost") == 1).iter_rows(named=True)}
    singles = [alone[f"{name} alone"] for name in ("bar", "gap")]
    both = alone["all together"]
    verdict: Verdict = OPEN
    if any(row["low"] > 0 for row in singles) or both["high"] < 0:
        verdict = FAILS
    elif both["low"] > 0:
        verdict = HOLDS
    told_of = "; ".join(
        f"{name} {said((alone[name]['score'], alone[name]['low'], alone[name]['high']))}"
        for name in ("bar alone", "order alone", "gap alone", "all together", "bar × gap")
    )
    few = effects.filter(pl.col("cost") == 0, pl.col("effect") == "bar alone").row(0, named=True)
    here = (
        f"Change of right minus wrong, a question: {told_of}. By right answers alone the bar alone changes"
        f" {said((few['score'], few['low'], few['high']))}."
    )
    notes = (
        "by the chapter's plain rule, without whole titles, substitution, veto and ties, so that each part shows",
        f"gap: {bench.settings.gap:g} in cosine of the first encoder; × is an interaction: what two bring together"
        " beyond what each brings alone",
    )
    return Finding("factorial", here, verdict, {"cells": pl.DataFrame(cells), "effects": effects}, notes)


def _plain(bench: Bench, words: int, agreeing: bool, gap: float | None) -> pl.DataFrame:
    """``question_id`` · ``first`` · ``resolved`` by the plain rule."""
    evidence = bench.evidence
    if not agreeing:
        empty = pl.Series("first_by", [[]], dtype=evidence.frame.schema["first_by"])
        evidence = replace(evidence, frame=evidence.frame.with_columns(first_by=pl.lit(empty.first())))
    pool = ordered(evidence.frame, evidence.questions, Settings(encoder=bench.settings.encoder))
    first = pool.filter("visible").group_by("query", maintain_order=True).first()
    passes = pl.col("title_words") >= words
    if gap is not None:
        passes = passes & (pl.col("semantic_rank") == 1) & (pl.col("semantic_gap") >= gap)
    ids = evidence.questions.select("question_id").with_row_index("query").select(pl.col("query"), "question_id")
    return first.join(ids.with_columns(pl.col("query").cast(first.schema["query"])), on="query").select(
        "question_id", first=pl.col("node_id"), resolved=passes.fill_null(False)
    )


def _flags(frame: pl.DataFrame, flag: pl.Expr) -> NDArray[np.bool_]:
    return np.asarray(frame.select(flag=flag.fill_null(False))["flag"].to_numpy(), dtype=bool)


def _effects(scores: dict[Any, NDArray[np.float64]], cost: int, seed: int) -> list[dict[str, Any]]:
    """Effects of each factor alone, of each pair together, and their interactions."""

    def cell(on: tuple[str, ...]) -> NDArray[np.float64]:
        return scores[cost, *(name in on for name in FACTORS)]

    none = cell(())
    made = {f"{name} alone": cell((name,)) - none for name in FACTORS}
    for pair in combinations(FACTORS, 2):
        made[" and ".join(pair)] = cell(pair) - none
        made[" × ".join(pair)] = cell(pair) - cell(pair[:1]) - cell(pair[1:]) + none
    made["all together"] = cell(FACTORS) - none
    rows = []
    for name, values in made.items():
        score, low, high = mean_with_interval(values, seed)
        rows.append({"cost": cost, "effect": name, "score": score, "low": low, "high": high, "n": len(values)})
    return rows
