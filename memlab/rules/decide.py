"""Decide: evidence and settings in, one decision a question out.

The verdict is reached on the full pool, hidden nodes included; the filter acts only afterwards
(chapter 18, section 8). So what resolves with the filter on resolves to the same node with it off.
"""

from __future__ import annotations

from typing import Protocol

import polars as pl

from memlab.rules.order import WHOLE, fused, nearest_rank, sort_keys, standing
from memlab.rules.reasons import CHOOSE, NONE, REASON, STATE
from memlab.rules.settings import ARMS, Settings

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
        The defaults when left out.

    Returns
    -------
    polars.DataFrame
        One row a question, in the order of ``evidence.questions``: ``question_id``, ``state``,
        ``node_id`` (resolved only), ``candidates`` (at most ``limit``), ``reason``, ``reasons`` (all
        that apply), ``gap`` and ``similarity`` of the first by meaning (raw cosine), ``hidden``
        (the first nodes of the pool that the filter hid), ``first`` and ``pool`` (the ordered
        pool's first visible node, and its first 50).
    """
    settings = settings or Settings()
    pool = _ordered(evidence, settings)
    facts = _facts(pool, settings)
    lists = _lists(pool, settings)
    questions = evidence.questions.select("question_id", "content_words")
    frame = questions.join(facts, on="question_id", how="left", maintain_order="left").join(
        lists, on="question_id", how="left", maintain_order="left"
    )
    return _verdict(frame, settings)


def _ordered(evidence: EvidenceLike, settings: Settings) -> pl.DataFrame:
    """The pool under the settings: arms that count, what is visible, best first."""
    frame = evidence.frame
    arms = _arms(frame, settings)
    ranks = [f"{arm}_rank" for arm in arms]
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
    frame = frame.join(evidence.questions.select("question_id", "include_retired"), on="question_id").with_columns(
        standing(),
        fused(ranks),
        agree=pl.col("first_by").list.set_intersection(pl.lit(list(arms))).list.len(),
        nearest_rank=nearest_rank(),
        visible=(pl.col("validity") == "current") | (shown & (pl.col("validity") == "retired")),
    )
    keys, falls = sort_keys(settings.order)
    return frame.sort(["question_id", *keys], descending=[False, *falls])


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


def _facts(pool: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """What the pool of each question says, one row a question, over hidden and visible alike."""
    top = pl.col("standing") == pl.col("standing").max()
    titled = pl.col("standing") > 0
    by_meaning = (pl.col("semantic_rank") == 1) & (pl.col("semantic_gap") > 0)
    by_graph = (pl.col("graph_rank") == 1) & pl.col("first_by").list.contains("graph")

    def one(condition: pl.Expr, column: str) -> pl.Expr:
        return pl.col(column).filter(condition).first()

    return pool.group_by("question_id", maintain_order=True).agg(
        pl.col("standing").max().alias("best"),
        (top & titled).sum().alias("leaders"),
        (top & titled & pl.col("visible")).sum().alias("leaders_visible"),
        pl.col("title_beyond").first().alias("beyond"),
        one(top & titled, "node_id").alias("leader"),
        one(top & titled, "title_words").alias("leader_words"),
        one(top & titled, "visible").alias("leader_visible"),
        one(top & titled, "graph_pieces").alias("leader_pieces"),
        (top & titled & pl.col("number_differs")).any().alias("number_differs"),
        (top & titled & pl.col("name_differs")).any().alias("name_differs"),
        one(top & titled, "leftover_touched").alias("leader_touched"),
        one(by_meaning, "node_id").alias("nearest"),
        one(by_meaning, "visible").alias("nearest_visible"),
        one(by_meaning, "graph_pieces").alias("nearest_pieces"),
        one(by_meaning, "title_words").alias("nearest_words"),
        one(by_meaning, "leftover_touched").alias("nearest_touched"),
        (by_meaning & (pl.col("number_differs") | pl.col("name_differs"))).any().alias("nearest_differs"),
        pl.col("semantic_gap").first().alias("gap"),
        pl.col("semantic_similarity").max().alias("similarity"),
        one(by_graph, "node_id").alias("told"),
        one(by_graph, "graph_pieces").alias("told_pieces"),
        pl.col("visible").sum().alias("n_visible"),
        pl.len().alias("n_pool"),
        ((pl.col("title_words") >= 2) | pl.col("whole_title")).any().alias("two_words"),
        pl.col("semantic_rank").is_not_null().any().alias("by_meaning"),
    )


def _lists(pool: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    visible = pl.col("visible")
    node = pl.col("node_id")
    return pool.group_by("question_id", maintain_order=True).agg(
        node.filter(visible).head(settings.limit).alias("candidates"),
        node.filter(visible).first().alias("first"),
        node.filter(~visible).head(SHOWN_HIDDEN).alias("hidden"),
        node.head(SHOWN_POOL).alias("pool"),
    )


def _verdict(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    c = pl.col
    semantic_on = c("by_meaning").fill_null(False)
    gap = c("gap").fill_null(0.0)
    strict = (c("leaders") == 1) & (c("best") > 2 * c("beyond").cast(pl.Int32))
    whole_on_top = c("best") >= 2 * WHOLE
    differs = (c("number_differs") | c("name_differs")) & settings.substitution
    agreed = (c("leader") == c("nearest")).fill_null(False)

    whole = settings.whole_title & whole_on_top & (c("leaders") == 1)
    lead = strict & ~differs & (c("leader_words") >= settings.min_words)
    if settings.whole_title:
        # Several whole titles are a tie, which no other ground may settle.
        lead = lead & ~whole_on_top
    with_gap = lead & semantic_on & agreed & (gap >= settings.gap)
    by_words = lead & (~semantic_on if settings.title_needs_gap else pl.lit(True))
    alone = c("nearest").is_not_null() & (gap >= settings.gap_alone) & (c("similarity") >= settings.floor)
    if settings.whole_title:
        alone = alone & ~whole_on_top
    nearest_differs = c("nearest_differs") & settings.substitution
    alone = alone & ~nearest_differs

    picked = pl.when(whole | with_gap | by_words).then(c("leader")).when(alone).then(c("nearest"))
    why = (
        pl.when(whole).then(pl.lit("whole_title"))
        .when(with_gap).then(pl.lit("title_and_gap"))
        .when(by_words).then(pl.lit("title_lead"))
        .when(alone).then(pl.lit("semantic_gap"))
    )  # fmt: skip
    touched = pl.when(whole | with_gap | by_words).then(c("leader_touched")).otherwise(c("nearest_touched"))
    seen = pl.when(whole | with_gap | by_words).then(c("leader_visible")).otherwise(c("nearest_visible"))

    title_stands = strict & (c("leader_words") >= settings.veto_words)
    meaning_stands = c("nearest").is_not_null() & (gap >= settings.veto_gap)
    graph_stands = c("told").is_not_null() & (c("told_pieces") >= settings.veto_pieces)
    disagree = (
        (title_stands & meaning_stands & ~agreed)
        | (graph_stands & title_stands & (c("told") != c("leader")) & (c("leader_pieces") == 0))
        | (graph_stands & meaning_stands & (c("told") != c("nearest")) & (c("nearest_pieces") == 0))
    )
    disagree = disagree.fill_null(False)
    vetoed = disagree & ~whole & settings.veto
    gated = picked.is_not_null() & ~touched.fill_null(True) & ~whole & settings.gate

    empty = c("n_pool").is_null()
    far = semantic_on & (c("similarity") < settings.floor) & ~c("two_words")
    none_flags = {
        "empty_question": empty & (c("content_words") == 0),
        "empty_pool": empty & (c("content_words") > 0),
        "all_retired": ~empty & (c("n_visible") == 0),
        "below_floor": ~empty & far,
    }
    is_none = pl.any_horizontal(*none_flags.values()).fill_null(False)
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
        "one_word": (c("best") > 0) & ~whole_on_top & (c("leader_words") < settings.min_words),
        "small_gap": semantic_on & (gap < pl.when(lead & agreed).then(settings.gap).otherwise(settings.gap_alone)),
        "graph_only": (c("best") == 0) & ~semantic_on,
        "gate": gated,
    }
    resolved = picked.is_not_null() & seen.fill_null(False) & ~vetoed & ~gated & ~is_none
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
        .then(pl.concat_list(picked, c("candidates").list.set_difference(pl.concat_list(picked))))
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


def _named(flags: dict[str, pl.Expr], order: dict[str, str]) -> pl.Expr:
    """The names of the flags that hold, in the closed list's order; the last but one word if none."""
    named = [pl.when(flags[name].fill_null(False)).then(pl.lit(name)) for name in order]
    found = pl.concat_list(named).list.drop_nulls()
    return pl.when(found.list.len() > 0).then(found).otherwise(pl.concat_list(pl.lit("small_gap")))
