"""Decide: evidence and settings in, one decision a question out.

The verdict is reached on the full pool, hidden nodes included; the filter acts only afterwards
(chapter 18, section 8). So what resolves with the filter on resolves to the same node with it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import polars as pl

from memlab.rules.order import WHOLE, fused, nearest_rank, sort_keys, standing
from memlab.rules.packing import sorted_by
from memlab.rules.reasons import CHOOSE, NONE, REASON, STATE
from memlab.rules.settings import ARMS, Settings
from memlab.rules.thresholds import settings_of

SHOWN_POOL = 50
SHOWN_HIDDEN = 5


class EvidenceLike(Protocol):
    """What the rules need of evidence: its frame and its questions."""

    @property
    def frame(self) -> pl.DataFrame:
        """One row a question and node of the pool."""

    @property
    def questions(self) -> pl.DataFrame:
        """One row a question."""


def decide(evidence: EvidenceLike, settings: Settings | None = None) -> pl.DataFrame:
    """Decide every question of the evidence.

    Parameters
    ----------
    evidence : Evidence
        What was gathered (``docs/architecture.md`` names the columns).
    settings : Settings, optional
        When left out, the defaults for the evidence's first encoder: careful ones where nobody measured it.

    Returns
    -------
    polars.DataFrame
        One row a question, in the order of ``evidence.questions``: ``question_id``, ``state``,
        ``node_id`` (resolved only), ``candidates`` (at most ``limit``), ``reason``, ``reasons`` (all
        that apply), ``gap`` and ``similarity`` of the first by meaning (raw cosine), ``hidden``
        (the first nodes of the pool that the filter hid), ``first`` and ``pool`` (the ordered
        pool's first visible node, and its first 50).
    """
    settings = settings or settings_of(evidence)
    pool = _ordered(evidence, settings)
    questions = evidence.questions.select("question_id", "content_words").with_row_index("query")
    frame = questions
    for part in (*_facts(pool), *_lists(pool, settings)):
        frame = frame.join(part, on="query", how="left", maintain_order="left")
    asked = pl.col("n_pool").is_not_null()
    return _verdict(
        frame.with_columns(
            # What nothing of a pool shows is a count of none; of no pool at all, nothing is known.
            *(pl.when(asked).then(pl.col(c).fill_null(0)) for c in ("leaders", "leaders_visible")),
            *(
                pl.when(asked).then(pl.col(c).fill_null(False))
                for c in ("number_differs", "name_differs", "nearest_differs")
            ),
            pl.col("candidates").fill_null(pl.lit([], pl.List(pl.String))),
        ),
        settings,
    )


def _ordered(evidence: EvidenceLike, settings: Settings) -> pl.DataFrame:
    """The pool under the settings: arms that count, what is visible, best first."""
    arms = _arms(evidence.frame, settings)
    ranks = [f"{arm}_rank" for arm in arms]
    frame = _numbered(evidence.frame.select(list(dict.fromkeys((*_USED, *ranks)))), evidence.questions)
    frame = frame.filter(pl.any_horizontal(pl.col(rank).is_not_null() for rank in ranks))
    if "title" not in settings.arms:
        frame = frame.with_columns(
            pl.lit(0, pl.UInt32).alias("title_words"),
            *(pl.lit(False).alias(c) for c in ("whole_title", "named_inside", "number_differs", "name_differs")),
        )
    if "semantic" not in arms:
        frame = frame.with_columns(
            pl.lit(None, pl.UInt32).alias("semantic_rank"),
            pl.lit(None, pl.Float64).alias("semantic_similarity"),
            pl.lit(None, pl.Float64).alias("semantic_gap"),
        )
    if "graph" not in arms:
        frame = frame.with_columns(
            pl.lit(None, pl.UInt32).alias("graph_rank"), pl.lit(0, pl.UInt32).alias("graph_pieces")
        )
    shown = pl.lit(settings.include_retired) | pl.col("include_retired")
    frame = frame.with_columns(
        standing(),
        fused(ranks),
        _agree(frame["first_by"], arms),
        nearest_rank=nearest_rank(),
        visible=(pl.col("validity") == "current") | (shown & (pl.col("validity") == "retired")),
    )
    keys, falls = sort_keys(settings.order)
    return sorted_by(frame, ["query", *keys], [False, *falls]).with_columns(pl.col("query").set_sorted())


# Columns that the rules read; the others would only be carried along.
_USED = (
    "question_id", "node_id", "validity", "title_words", "title_beyond", "number_differs", "name_differs",
    "whole_title", "named_inside", "semantic_rank", "semantic_similarity", "semantic_gap", "graph_rank",
    "graph_pieces", "first_by", "leftover_touched", "content_rank",
)  # fmt: skip


def _numbered(frame: pl.DataFrame, questions: pl.DataFrame) -> pl.DataFrame:
    """Add ``query``, the row number of the question, and whether it asks for what has ended."""
    # Equal ids stand in runs, so that a run is looked up and not every row.
    runs = frame["question_id"].rle().struct.unnest()
    known = questions.with_row_index("query").select("question_id", "query", "include_retired")
    of_run = runs.join(known, left_on="value", right_on="question_id", how="left", maintain_order="left")
    row = np.repeat(np.arange(runs.height), runs["len"].to_numpy())
    return frame.drop("question_id").hstack(of_run.select("query", "include_retired")[row]).drop_nulls("query")


def _agree(first_by: pl.Series, arms: Sequence[str]) -> pl.Series:
    """How many of the arms put each node alone in first place."""
    # Hardly any node is first by anything; list operations are for those alone.
    some = (first_by.list.len() > 0).arg_true()
    shared = pl.col("first_by").list.set_intersection(pl.lit(list(arms))).list.len()
    counts = np.zeros(len(first_by), dtype=np.uint32)
    counts[some.to_numpy()] = first_by.gather(some).to_frame("first_by").select(shared).to_series().to_numpy()
    return pl.Series("agree", counts)


def _arms(frame: pl.DataFrame, settings: Settings) -> list[str]:
    """Arms of the evidence that count; a second encoder's arm goes with ``semantic``."""
    there = [c.removesuffix("_rank") for c in frame.columns if c.endswith("_rank") and c != "content_rank"]
    return [
        arm
        for arm in there
        if arm in settings.arms
        or (arm.startswith("semantic") and "semantic" in settings.arms)
        or (arm not in ARMS and not arm.startswith("semantic"))
    ]


def _facts(pool: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """What the pool of each question says, by ``query``, over hidden and visible alike."""
    c = pl.col
    whole = pool.group_by("query", maintain_order=True).agg(
        c("standing").max().alias("best"),
        c("title_beyond").first().alias("beyond"),
        c("semantic_gap").first().alias("gap"),
        c("semantic_similarity").max().alias("similarity"),
        c("visible").sum().alias("n_visible"),
        pl.len().alias("n_pool"),
        ((c("title_words") >= 2) | c("whole_title")).any().alias("two_words"),
        c("semantic_rank").is_not_null().any().alias("by_meaning"),
    )
    # The few rows that lead are taken out first: a filter within each group would be slow.
    best = np.repeat(whole["best"].to_numpy(), whole["n_pool"].to_numpy())
    tops = pool.filter((c("standing") == pl.Series(best)) & (c("standing") > 0))
    near = pool.filter((c("semantic_rank") == 1) & (c("semantic_gap") > 0))
    told = pool.filter(c("graph_rank") == 1).filter(c("first_by").list.contains("graph"))
    leaders = tops.group_by("query", maintain_order=True).agg(
        pl.len().alias("leaders"),
        c("visible").sum().alias("leaders_visible"),
        c("node_id").first().alias("leader"),
        c("title_words").first().alias("leader_words"),
        c("visible").first().alias("leader_visible"),
        c("graph_pieces").first().alias("leader_pieces"),
        c("number_differs").any(),
        c("name_differs").any(),
        c("leftover_touched").first().alias("leader_touched"),
    )
    nearest = near.group_by("query", maintain_order=True).agg(
        c("node_id").first().alias("nearest"),
        c("visible").first().alias("nearest_visible"),
        c("graph_pieces").first().alias("nearest_pieces"),
        c("leftover_touched").first().alias("nearest_touched"),
        (c("number_differs") | c("name_differs")).any().alias("nearest_differs"),
    )
    by_graph = told.group_by("query", maintain_order=True).agg(
        c("node_id").first().alias("told"), c("graph_pieces").first().alias("told_pieces")
    )
    return whole, leaders, nearest, by_graph


def _lists(pool: pl.DataFrame, settings: Settings) -> tuple[pl.DataFrame, ...]:
    """The first nodes of each pool by ``query``: of all, of the visible and of the hidden."""
    rows = pool.select("query", "node_id", "visible")

    def heads(part: pl.DataFrame, most: int, name: str) -> pl.DataFrame:
        query = part["query"].to_numpy()
        place = np.arange(part.height) - np.searchsorted(query, query)
        return part.filter(pl.Series(place < most)).group_by("query", maintain_order=True).agg(
            pl.col("node_id").alias(name)
        )  # fmt: skip

    candidates = heads(rows.filter("visible"), settings.limit, "candidates")
    return (
        candidates.with_columns(first=pl.col("candidates").list.first()),
        heads(rows.filter(~pl.col("visible")), SHOWN_HIDDEN, "hidden"),
        heads(rows, SHOWN_POOL, "pool"),
    )


def _verdict(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    c = pl.col
    semantic_on = c("by_meaning").fill_null(False)
    gap = c("gap").fill_null(0.0)
    strict = (c("leaders") == 1) & (c("best") > 2 * c("beyond").cast(pl.Int32))
    whole_on_top = c("best") >= 2 * WHOLE
    differs = (c("number_differs") | c("name_differs")) & settings.substitution
    agreed = (c("leader") == c("nearest")).fill_null(False)

    # Held as columns: an expression used again is worked out again, the deeper the dearer.
    frame, semantic_on, gap, strict, whole_on_top, differs, agreed = _hold(
        frame,
        semantic_on=semantic_on,
        gap=gap,
        strict=strict,
        whole_on_top=whole_on_top,
        differs=differs,
        agreed=agreed,
    )
    whole = settings.whole_title & whole_on_top & (c("leaders") == 1)
    lead = strict & ~differs & (c("leader_words") >= settings.min_words)
    if settings.whole_title:
        # Several whole titles are a tie, which no other ground may settle.
        lead = lead & ~whole_on_top
    frame, whole, lead = _hold(frame, whole=whole, lead=lead)
    with_gap = lead & semantic_on & agreed & (gap >= settings.gap)
    by_words = lead & (~semantic_on if settings.title_needs_gap else pl.lit(True))
    alone = c("nearest").is_not_null() & (gap >= settings.gap_alone) & (c("similarity") >= settings.floor)
    if settings.whole_title:
        alone = alone & ~whole_on_top
    nearest_differs = c("nearest_differs") & settings.substitution
    alone = alone & ~nearest_differs

    frame, with_gap, by_words, alone = _hold(frame, with_gap=with_gap, by_words=by_words, alone=alone)
    by_title = whole | with_gap | by_words
    picked = pl.when(by_title).then(c("leader")).when(alone).then(c("nearest"))
    why = (
        pl.when(whole).then(pl.lit("whole_title"))
        .when(with_gap).then(pl.lit("title_and_gap"))
        .when(by_words).then(pl.lit("title_lead"))
        .when(alone).then(pl.lit("semantic_gap"))
    )  # fmt: skip
    touched = pl.when(by_title).then(c("leader_touched")).otherwise(c("nearest_touched"))
    seen = pl.when(by_title).then(c("leader_visible")).otherwise(c("nearest_visible"))

    frame, picked, touched, seen = _hold(frame, picked=picked, touched=touched, seen=seen)
    title_stands = strict & (c("leader_words") >= settings.veto_words)
    meaning_stands = c("nearest").is_not_null() & (gap >= settings.veto_gap)
    graph_stands = c("told").is_not_null() & (c("told_pieces") >= settings.veto_pieces)
    disagree = (
        (title_stands & meaning_stands & ~agreed)
        | (graph_stands & title_stands & (c("told") != c("leader")) & (c("leader_pieces") == 0))
        | (graph_stands & meaning_stands & (c("told") != c("nearest")) & (c("nearest_pieces") == 0))
    )
    disagree = disagree.fill_null(False)
    frame, disagree = _hold(frame, disagree=disagree)
    vetoed = disagree & ~whole & settings.veto
    gated = picked.is_not_null() & ~touched.fill_null(True) & ~whole & settings.gate

    frame, vetoed, gated = _hold(frame, vetoed=vetoed, gated=gated)
    empty = c("n_pool").is_null()
    far = semantic_on & (c("similarity") < settings.floor) & ~c("two_words")
    none_flags = {
        "empty_question": empty & (c("content_words") == 0),
        "empty_pool": empty & (c("content_words") > 0),
        "all_retired": ~empty & (c("n_visible") == 0),
        "below_floor": ~empty & far,
    }
    is_none = pl.any_horizontal(*none_flags.values()).fill_null(False)
    frame, is_none = _hold(frame, is_none=is_none)
    # A lead that dropped names may share is a tie too.
    tied = (c("best") > 0) & ((c("leaders") > 1) | ~strict)
    hidden_leads = (c("leaders_visible") < c("leaders")) & (c("best") > 0)
    meaning_hidden = c("nearest").is_not_null() & ~c("nearest_visible").fill_null(True) & (gap > 0)
    choose_flags = {
        "tie": (tied & ((c("leaders_visible") > 1) | (c("leaders") == 1)))
        | ((c("best") == 0) & semantic_on & (gap == 0)),
        "retired_rival": hidden_leads | meaning_hidden,
        "number_differs": c("number_differs") & settings.substitution & ~whole,
        "name_differs": c("name_differs") & settings.substitution & ~whole,
        "arms_disagree": disagree | (strict & semantic_on & c("nearest").is_not_null() & ~agreed),
        "one_word": (c("best") > 0) & ~(whole_on_top & settings.whole_title) & (c("leader_words") < settings.min_words),
        "small_gap": semantic_on & (gap < pl.when(lead & agreed).then(settings.gap).otherwise(settings.gap_alone)),
        "graph_only": (c("best") == 0) & ~semantic_on,
        "gate": gated,
    }
    resolved = picked.is_not_null() & seen.fill_null(False) & ~vetoed & ~gated & ~is_none
    frame, resolved = _hold(frame, resolved=resolved)
    state = pl.when(is_none).then(pl.lit("none")).when(resolved).then(pl.lit("resolved")).otherwise(pl.lit("choose"))
    reasons = (
        pl.when(is_none).then(_named(none_flags, NONE))
        .when(resolved).then(pl.concat_list(why))
        .otherwise(_named(choose_flags, CHOOSE))
    )  # fmt: skip
    out = frame.select(
        "question_id",
        state.cast(STATE).alias("state"),
        pl.when(resolved).then(picked).alias("node_id"),
        # The node of a resolved answer stands first among what is handed back.
        pl.when(is_none).then(pl.lit([], pl.List(pl.String)))
        .when(resolved)
        .then(pl.concat_list(picked, c("candidates")).list.unique(maintain_order=True))
        .otherwise(c("candidates")).alias("candidates"),
        reasons.alias("reasons"),
        "gap",
        "similarity",
        c("hidden").fill_null(pl.lit([], pl.List(pl.String))),
        "first",
        c("pool").fill_null(pl.lit([], pl.List(pl.String))),
    )  # fmt: skip
    return out.with_columns(
        pl.col("candidates").list.head(settings.limit),
        pl.col("reasons").list.first().cast(REASON).alias("reason"),
        pl.col("reasons").cast(pl.List(REASON)),
    ).select("question_id", "state", "node_id", "candidates", "reason", "reasons", "gap", "similarity",
             "hidden", "first", "pool")  # fmt: skip


def _hold(frame: pl.DataFrame, **parts: pl.Expr) -> tuple[Any, ...]:
    """Work expressions out once: the frame with them as columns, and a reference to each."""
    held = frame.with_columns(part.alias(f"_{name}") for name, part in parts.items())
    return held, *(pl.col(f"_{name}") for name in parts)


def _named(flags: dict[str, pl.Expr], order: dict[str, str]) -> pl.Expr:
    """The names of the flags that hold, in the closed list's order; the last but one word if none."""
    named = [pl.when(flags[name].fill_null(False)).then(pl.lit(name)) for name in order]
    found = pl.concat_list(named).list.drop_nulls()
    return pl.when(found.list.len() > 0).then(found).otherwise(pl.concat_list(pl.lit("small_gap")))
