"""What one switch changes: pieces by vectors, the gates, the filter on what holds now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import polars as pl

from memlab.exam.compare import compare
from memlab.exam.grade import Outcomes
from memlab.exam.intervals import wilson
from memlab.exam.study.base import FAILS, FEW, HOLDS, NOTHING, OPEN, Bench, Finding, Verdict, measured, of, said, shares
from memlab.exam.study.rows import kept
from memlab.pool import Evidence
from memlab.rules import decide

# What the chapter's system resolved of the questions without an answer.
RESOLVED_THERE: Final = 0.14
_GATES: Final = {"off-subject gate": "gate", "other-Concept gate": "concept_gate"}


def pieces(bench: Bench) -> Finding:
    """Pieces found by words and vectors, by words alone, and no pieces at all."""
    way = bench.lab.gathering
    others = tuple(arm for arm in bench.settings.arms if arm != "graph")
    no_graph = bench.settings.but(arms=others) if others else None
    graded = {
        "words alone": bench.graded(bench.settings, bench.gather(replace(way, piece_vectors=False))),
        "words and vectors": bench.graded(bench.settings, bench.gather(replace(way, piece_vectors=True))),
        "no pieces": bench.graded(no_graph) if no_graph is not None else None,
    }
    told = {name: one for name, one in graded.items() if one is not None}
    words, both = told["words alone"], told["words and vectors"]
    lines = {row["measure"]: row for row in compare(words, both, seed=bench.seed).table.iter_rows(named=True)}
    verdict: Verdict = OPEN
    if not bench.lab.store.pieces.height:
        here = "The store has no pieces."
    elif "first" not in lines:
        here = "No question has an answer."
    else:
        two = [lines["first"], lines["resolved_right"]]
        verdict = HOLDS if all(r["low"] > -NOTHING and r["high"] < NOTHING for r in two) else OPEN
        if any(r["low"] > 0 or r["high"] < 0 for r in two) and verdict != HOLDS:
            verdict = FAILS
        pool, first, right = lines["in_pool"], *two
        here = (
            f"With vectors over {bench.lab.store.pieces.height} pieces, beside words: gold in the first 50"
            f" {pool['before']} → {pool['after']}, first {first['before']} → {first['after']}"
            f" ({said((first['difference'], first['low'], first['high']))}), resolved right {right['before']} →"
            f" {right['after']} of {right['n']}."
        )
    return Finding("pieces", here, verdict, {"pieces": _measured(told, "pieces")})


def gate(bench: Bench) -> Finding:
    """Each gate turned on by name, over every kind of question without an answer."""
    off = bench.settings.but(gate=False, concept_gate=False)
    rows: list[dict[str, Any]] = []
    right: dict[str, int] = {}
    stopped: dict[str, tuple[int, int]] = {}
    for name, field in {"no gate": None, **_GATES}.items():
        settings = off if field is None else off.but(**{field: True})
        counts = bench.graded(settings).counts()
        right[name] = counts["resolved_right"]
        rows.append({"gate": name, "questions": "answerable, resolved right", "count": right[name],
                     "n": counts["n_answerable"]})  # fmt: skip
        told = bench.unanswerable(settings)
        stopped[name] = int((told["state"] == "resolved").sum()), told.height
        for (kind,), part in sorted(told.group_by("unanswerable"), key=lambda item: str(item[0][0])):
            resolved = int((part["state"] == "resolved").sum())
            rows.append({"gate": name, "questions": f"{kind}, resolved", "count": resolved, "n": part.height})
    (before, n), (after, _) = stopped["no gate"], stopped["off-subject gate"]
    cost = right["no gate"] - right["off-subject gate"]
    verdict: Verdict = OPEN
    if before and n >= FEW and right["no gate"] >= FEW:
        cheap = cost <= NOTHING * max(right["no gate"], 1)
        verdict = HOLDS if after == 0 and cheap else FAILS
    here = (
        f"Without a gate {of(before, n)} of the questions without an answer are resolved, with the off-subject gate"
        f" {after}, with the other-Concept gate {stopped['other-Concept gate'][0]}. Right answers: {right['no gate']}"
        f" without, {right['off-subject gate']} and {right['other-Concept gate']} with."
    )
    by = ", ".join(off.gate_by) or "nobody knows whom"
    note = f"the gates stay off unless turned on by name: they were looked at on exams by {by}"
    return Finding("gate", here, verdict, {"gate": shares(rows)}, (note,))


def validity(bench: Bench) -> Finding:
    """The filter on what holds now: on, off, and as it would be if it acted before the tie-break."""
    settings = bench.settings.but(include_retired=False)
    on, off = (_asked(bench.evidence, retired) for retired in (False, True))
    early = kept(on, pl.col("validity").cast(pl.String) == "current")
    graded = {
        "filter on": bench.graded(settings, on),
        "filter off": bench.graded(settings, off),
        "filter before the tie-break": bench.graded(settings, early),
    }
    resolved = {name: _resolved(decide(e, settings)) for name, e in
                {"on": on, "off": off, "early": early}.items()}  # fmt: skip
    both = resolved["on"].join(resolved["off"], on="question_id", how="left", suffix="_off")
    broken = both.filter(pl.col("node_id").ne_missing(pl.col("node_id_off"))).height
    promoted = resolved["early"].join(resolved["on"], on="question_id", how="anti")
    rows = graded["filter before the tie-break"].rows.join(promoted, on="question_id", how="semi")
    bad = int((~rows["outcome"].cast(pl.String).is_in(["resolved_right"])).sum())
    rival = int((graded["filter on"].rows["reason"].cast(pl.String) == "retired_rival").sum())
    hidden = int((on.frame["validity"].cast(pl.String) != "current").sum())
    asked = bench.exam.questions.filter(pl.col("as_of").is_not_null()).height
    few = resolved["on"].height < FEW or not promoted.height
    verdict: Verdict = OPEN if not hidden else FAILS if broken else OPEN if few else HOLDS
    here = (
        f"{hidden} candidates of {len(bench.exam)} questions do not hold at their instant ({asked} questions name one)."
        f" Of {resolved['on'].height} resolved with the filter on, {broken} resolve otherwise with it off; {rival} are"
        f" handed back because what has ended is a rival. Answers that a filter before the tie-break"
        f" would promote: {promoted.height}, {bad} of them wrong."
    )
    notes = ("both ways are asked of every question, whatever the exam says of include_retired",)
    return Finding("validity", here, verdict, {"validity": _measured(graded, "filter")}, notes)


def unanswerable(bench: Bench) -> Finding:
    """What becomes of questions without an answer, each kind apart."""
    told = bench.unanswerable(bench.settings)
    rows = [
        {"unanswerable": kind, "state": state, "count": int((part["state"] == state).sum()), "n": part.height}
        for (kind,), part in sorted(told.group_by("unanswerable"), key=lambda item: str(item[0][0]))
        for state in ("resolved", "choose", "none")
    ]
    frame = shares(rows) if rows else pl.DataFrame()
    by_kind = {row["unanswerable"]: row for row in rows if row["state"] == "resolved"}
    close = [row for kind, row in by_kind.items() if kind != "off subject"]
    count, n = sum(row["count"] for row in close), sum(row["n"] for row in close)
    low, high = wilson(count, n)
    verdict: Verdict = OPEN
    if n >= FEW and low is not None and high is not None:
        verdict = HOLDS if low <= RESOLVED_THERE <= high else FAILS
    each = "; ".join(f"{kind}: {of(row['count'], row['n'])}" for kind, row in by_kind.items())
    here = "The exam has no question without an answer."
    if each:
        here = f"Resolved, and so wrong: {each}. Off-subject questions apart: {of(count, n)}."
    notes = ("gold removed: the question stays, its gold nodes are gone",) if "gold removed" in by_kind else ()
    return Finding("unanswerable", here, verdict, {"unanswerable": frame}, notes)


def _measured(graded: dict[str, Outcomes], name: str) -> pl.DataFrame:
    return shares([{name: label} | row for label, one in graded.items() for row in measured(one)])


def _asked(evidence: Evidence, include_retired: bool) -> Evidence:
    return replace(evidence, questions=evidence.questions.with_columns(include_retired=pl.lit(include_retired)))


def _resolved(decisions: pl.DataFrame) -> pl.DataFrame:
    return decisions.filter(pl.col("state").cast(pl.String) == "resolved").select("question_id", "node_id")
