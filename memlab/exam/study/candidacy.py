"""The pool is the ceiling: depth, arms, and which kinds may be candidates (chapter 18, section 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.arms import Gathering
from memlab.exam.study.base import FAILS, HOLDS, OPEN, Bench, Finding, Verdict, difference, flags, of, said, shares
from memlab.exam.study.rows import kept
from memlab.pool import Evidence
from memlab.rules import ARMS

# A change of the ceiling smaller than this is "barely".
BARELY: Final = 0.05
# Questions without a single loss that rule out a loss of more than that (Wilson, 95 %).
ENOUGH: Final = 73
_SCALES: Final = (0.25, 0.5, 1.0, 2.0, 4.0)


def depth(bench: Bench) -> Finding:
    """How much a deeper pool raises the ceiling."""
    ids = bench.exam.questions.filter("answerable")["question_id"]
    rows, found = [], {}
    sizes: dict[float, float] = {}
    for scale in _SCALES:
        way = _scaled(bench.lab.gathering, scale)
        evidence = bench.gather(way)
        for arms in (("title",), ARMS):
            reached = _reached(bench, evidence, arms)
            found[arms, scale] = flags(reached, "reached", ids)
            # All arms come last, so their pool is the one that is kept.
            sizes[scale] = _pool_size(evidence, arms, bench.exam.questions.height)
            rows.append(
                {"arms": "title alone" if len(arms) == 1 else "all arms", "depth": way.depth, "pieces": way.pieces,
                 "times": scale, "pool": sizes[scale],
                 "count": int(found[arms, scale].sum()), "n": len(ids)}
            )  # fmt: skip
    gain = difference(found[ARMS, 1.0], found[ARMS, 4.0], bench.seed)
    by_title = difference(found[("title",), 1.0], found[("title",), 4.0], bench.seed)
    widened = difference(found[("title",), 1.0], found[ARMS, 1.0], bench.seed)
    base, four = int(found[ARMS, 1.0].sum()), int(found[ARMS, 4.0].sum())
    verdict: Verdict = HOLDS if gain[2] < BARELY else FAILS if gain[1] > BARELY else OPEN
    # Where the pool holds the store already, a deeper one could not show anything.
    if sizes[4.0] <= sizes[1.0] * 1.1 or (found[ARMS, 1.0].all() and len(ids) < ENOUGH):
        verdict = OPEN
    here = (
        f"Gold is anywhere in the pool on {of(base, len(ids))}, and four times deeper on {four}: {said(gain)}."
        f" By the title arm alone, four times deeper changes {said(by_title)}; asking the other arms as well, at the"
        f" same depth, {said(widened)}."
    )
    note = (
        "depth, title cap and pieces read by the graph arm are scaled together; the whole pool counts, not its first 50"
    )
    return Finding("depth", here, verdict if len(ids) else OPEN, {"depth": shares(rows)}, (note,))


def arms(bench: Bench) -> Finding:
    """Which arms bring the gold, alone and together."""
    ids = bench.exam.questions.filter("answerable")["question_id"]
    evidence, names = bench.evidence, [arm for arm in ARMS if arm in bench.settings.arms]
    by_arm = {arm: flags(_reached(bench, evidence, (arm,)), "reached", ids) for arm in names}
    whole = np.any(list(by_arm.values()), axis=0) if names else np.zeros(len(ids), dtype=bool)
    rows = []
    for arm in names:
        rest = np.any([by_arm[other] for other in names if other != arm] or [np.zeros(len(ids), dtype=bool)], axis=0)
        rows.append({"arm": arm, "count": int(by_arm[arm].sum()), "n": len(ids),
                     "only_by_it": int((by_arm[arm] & ~rest).sum()), "without_it": int(rest.sum())})  # fmt: skip
    sets = pl.DataFrame({arm: by_arm[arm] for arm in names}).group_by(names).len("count").sort(
        ["count", *names], descending=[True, *([True] * len(names))]
    ) if names else pl.DataFrame()  # fmt: skip
    title = by_arm.get("title", np.zeros(len(ids), dtype=bool))
    widened = difference(title, whole, bench.seed)
    deeper = flags(_reached(bench, bench.gather(_scaled(bench.lab.gathering, 4.0)), ("title",)), "reached", ids)
    more = difference(deeper, whole, bench.seed)
    kinds = _by_kind(bench, {"title": title, "all arms": whole}, ids)
    verdict: Verdict = HOLDS if more[1] > 0 else FAILS if more[2] < 0 else OPEN
    each = ", ".join(f"{row['arm']} {row['count']} (alone {row['only_by_it']})" for row in rows)
    here = (
        f"Of {len(ids)} answerable questions the gold comes by: {each}; by any arm {of(int(whole.sum()), len(ids))}."
        f" All arms against the title arm alone {said(widened)}, and against the title arm at four times its depth"
        f" {said(more)}."
    )
    return Finding("arms", here, verdict, {"sets": sets, "arms": shares(rows), "by kind": kinds})


def kinds(bench: Bench) -> Finding:
    """What Episodes in the pool give their own questions and take from others."""
    without = kept(bench.evidence, pl.col("kind").cast(pl.String) != "Episode")
    inside, outside = bench.outcomes, bench.graded(bench.settings, without)
    rows, lost = [], {}
    for kind in sorted(bench.outcomes.rows["gold_kind"].drop_nulls().unique()):
        of_kind = [one.rows.filter(pl.col("gold_kind") == kind) for one in (outside, inside)]
        for measure, column in (("gold in the first 50", "in_pool"), ("first is gold", "first_right")):
            out, into = (rows_.sort("question_id")[column] for rows_ in of_kind)
            lost[kind, measure] = int((out & ~into).sum())
            for label, flag in (("out", out), ("in", into)):
                rows.append({"gold_kind": kind, "measure": measure, "episodes": label, "count": int(flag.sum()),
                             "n": len(flag), "lost": lost[kind, measure] if label == "in" else 0})  # fmt: skip
    episodes = int((bench.lab.store.nodes["kind"].cast(pl.String) == "Episode").sum())
    others = {key: n for key, n in lost.items() if key[0] != "Episode"}
    pool_lost = sum(n for (_, measure), n in others.items() if measure.startswith("gold"))
    first_lost = sum(n for (_, measure), n in others.items() if measure.startswith("first"))
    asked = inside.rows.filter(pl.col("gold_kind") == "Episode").height
    total = inside.rows.filter("answerable").height - asked
    if not episodes or not total:
        verdict, here = OPEN, f"The store has {episodes} Episodes and {total} questions after other kinds."
    else:
        verdict = FAILS if pool_lost + first_lost else HOLDS if total >= ENOUGH else OPEN
        here = (
            f"The store has {episodes} Episodes; {asked} questions are after one. With Episodes in the pool, of {total}"
            f" questions after other kinds {pool_lost} lose their gold from the first 50 and {first_lost} from first"
            " place."
        )
    note = "out: Episodes are taken from the evidence, as if they could not be candidates"
    return Finding("kinds", here, verdict, {"kinds": shares(rows) if rows else pl.DataFrame()}, (note,))


def _scaled(way: Gathering, scale: float) -> Gathering:
    return replace(
        way,
        depth=max(1, round(way.depth * scale)),
        title_cap=max(1, round(way.title_cap * scale)),
        pieces=max(1, round(way.pieces * scale)),
    )


def _reached(bench: Bench, evidence: Evidence, arms: tuple[str, ...]) -> pl.DataFrame:
    """Questions whose gold some of the arms brought: ``question_id`` · ``reached``."""
    brought = pl.any_horizontal(pl.col(f"{arm}_rank").is_not_null() for arm in arms)
    found = evidence.frame.filter(brought).join(bench.gold, on=["question_id", "node_id"], how="semi")
    return found.select("question_id").unique().with_columns(reached=pl.lit(True))


def _pool_size(evidence: Evidence, arms: tuple[str, ...], n: int) -> float:
    brought = pl.any_horizontal(pl.col(f"{arm}_rank").is_not_null() for arm in arms)
    return round(evidence.frame.filter(brought).height / n, 1) if n else 0.0


def _by_kind(bench: Bench, reached: dict[str, NDArray[np.bool_]], ids: pl.Series) -> pl.DataFrame:
    told = bench.outcomes.rows.select("question_id", "gold_kind")
    frame = ids.alias("question_id").to_frame().join(told, on="question_id", how="left", maintain_order="left")
    rows = []
    for (kind,), part in sorted(frame.with_row_index("at").group_by("gold_kind"), key=lambda item: str(item[0][0])):
        for name, flag in reached.items():
            rows.append(
                {"gold_kind": kind, "arms": name, "count": int(flag[part["at"].to_numpy()].sum()), "n": part.height}
            )
    return shares(rows) if rows else pl.DataFrame()
