"""Language, and the words of the title: which of them decides (chapter 18, section 7)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl

from memlab.arms import ask, questions_frame
from memlab.exam.study.base import FAILS, FEW, HOLDS, OPEN, Bench, Finding, Verdict, shares
from memlab.indexes.match import best_names, match_names

# Share of a title's content words that the question carries.
REUSE: Final = ("none", "under half", "half or more")
HALF: Final = 0.5
_MEASURES: Final = {"gold in the first 50": "in_pool", "first is gold": "first_right"}


def language(bench: Bench) -> Finding:
    """Questions that cross scripts against those that do not, with the reuse of title words held fixed."""
    rows = bench.outcomes.rows.filter("answerable", pl.col("crosses").is_not_null())
    rows = rows.join(_reuse(bench), on="question_id", how="left", maintain_order="left").with_columns(
        pl.col("reuse").fill_null(REUSE[0])
    )
    told = []
    for reuse in ("all", *REUSE):
        for crosses in (False, True):
            part = rows.filter(pl.col("crosses") == crosses, (pl.col("reuse") == reuse) | (pl.lit(reuse) == "all"))
            for measure, column in _MEASURES.items():
                told.append({"reuse": reuse, "question and title": "other script" if crosses else "same script",
                             "measure": measure, "count": int(part[column].sum()), "n": part.height})  # fmt: skip
    pairs = shares([
        {"pair": pair, "reuse": reuse, "measure": measure, "count": int(part[column].sum()), "n": part.height}
        for (pair, reuse), part in sorted(rows.group_by("pair", "reuse"), key=lambda item: str(item[0]))
        for measure, column in _MEASURES.items()
    ]) if rows.height else pl.DataFrame()  # fmt: skip
    odds, verdict, here = _judged(rows)
    notes = (
        "a script, not a language: English and German titles are both Latin; reuse is by the gold's best name",
        "questions count one by one: the same sentence in two languages counts twice",
    )
    return Finding("language", here, verdict, {"language": shares(told), "odds": odds, "pairs": pairs}, notes)


def _judged(rows: pl.DataFrame) -> tuple[pl.DataFrame, Verdict, str]:
    """Odds of gold standing first when scripts are crossed: on the whole, and within each stratum of reuse."""
    from statsmodels.stats.contingency_tables import StratifiedTable, Table2x2

    n_cross, n_same = int(rows["crosses"].sum()), int((~rows["crosses"]).sum())
    lines: list[dict[str, Any]] = []
    if min(n_cross, n_same) < FEW:
        return (
            pl.DataFrame(schema={"odds": pl.String, "ratio": pl.Float64, "low": pl.Float64, "high": pl.Float64}),
            OPEN,
            f"{n_cross} questions cross scripts and {n_same} do not: too few to compare.",
        )
    # Half a question in every cell keeps an empty one from making the odds infinite (Haldane).
    whole = Table2x2(_cells(rows) + 0.5)
    low, high = whole.oddsratio_confint()
    lines.append({"odds": "on the whole", "ratio": float(whole.oddsratio), "low": float(low), "high": float(high)})
    strata = [_cells(part) for _, part in sorted(rows.group_by("reuse"), key=lambda item: str(item[0]))]
    strata = [cells for cells in strata if (cells.sum(axis=1) > 0).all()]
    lower = high < 1
    if not strata:
        return pl.DataFrame(lines), OPEN, "No stratum of reuse holds questions of both sorts."
    held = StratifiedTable([cells + 0.5 for cells in strata])
    low, high = held.oddsratio_pooled_confint()
    pooled = float(held.oddsratio_pooled)
    lines.append({"odds": "with reuse held fixed", "ratio": pooled, "low": float(low), "high": float(high)})
    same = low <= 1 <= high
    # How much of the disadvantage is left, on the scale of log odds; negative where it has turned round.
    left = np.log(pooled) / np.log(whole.oddsratio) if lower else np.nan
    verdict: Verdict = FAILS if not same else HOLDS if lower and left <= HALF else OPEN
    first, second = lines
    n = int(sum(cells.sum() for cells in strata))
    here = (
        f"{n_cross} questions cross scripts, {n_same} do not. Odds of gold standing first when they cross:"
        f" {first['ratio']:.2f} (95 % {first['low']:.3f} to {first['high']:.3f}) on the whole, {pooled:.2f}"
        f" ({second['low']:.3f} to {second['high']:.3f}) with the reuse of title words held fixed ({n} questions in"
        " strata that have both sorts)."
    )
    return pl.DataFrame(lines), verdict, here


def _cells(rows: pl.DataFrame) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Two by two: crossing and not, against first is gold and not."""
    made = [
        [float((part["first_right"] == right).sum()) for right in (True, False)]
        for part in (rows.filter("crosses"), rows.filter(~pl.col("crosses")))
    ]
    return np.array(made)


def _reuse(bench: Bench) -> pl.DataFrame:
    """How much of its gold's title each question carries: ``question_id`` · ``reuse``."""
    lab = bench.lab
    asked = ask(questions_frame(bench.exam.questions, bench.now), lab.store.nodes, ())
    ids = asked.questions.with_row_index("query").select("query", "question_id")
    nodes = lab.store.nodes.with_row_index("node").select("node", node_id="id")
    pairs = bench.gold.join(nodes, on="node_id").join(ids, on="question_id")
    matched = match_names(pairs.select("query", "node"), asked.wording, lab.indexes.names)
    carried = (
        best_names(matched, lab.indexes.names)
        .with_columns(share=pl.col("title_words") / pl.max_horizontal("title_size", 1))
        .group_by("query")
        .agg(pl.col("share").max())
    )
    reuse = (
        pl.when(pl.col("share") <= 0).then(pl.lit(REUSE[0])).when(pl.col("share") < 0.5).then(pl.lit(REUSE[1]))
        .otherwise(pl.lit(REUSE[2]))
    )  # fmt: skip
    return carried.join(ids, on="query").select("question_id", reuse=reuse)
