"""Weigh: what the pool of each question says, hidden nodes included, before any verdict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from memlab.errors import InputError
from memlab.rules.order import fused, nearest_rank, sort_keys, standing
from memlab.rules.packing import sorted_by
from memlab.rules.settings import ARMS, Settings
from memlab.rules.succession import UNSETTLED, settle

SHOWN_POOL = 50
# The most that a limit can ask for.
SHOWN_CANDIDATES = 5
SHOWN_HIDDEN = 5


def ordered(frame: pl.DataFrame, questions: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """The pool under the settings: arms that count, what is visible, best first."""
    arms = _arms(frame, settings)
    if not arms:
        told = ", ".join(settings.arms)
        raise InputError(
            f"none of {told} is in the evidence; gather it with one of them", part="settings", field="arms"
        )
    ranks = [f"{arm}_rank" for arm in arms]
    used = (*_USED, "title_key") if settings.succession else _USED
    frame = _numbered(frame.select(list(dict.fromkeys((*used, *ranks)))), questions)
    frame = frame.filter(pl.any_horizontal(pl.col(rank).is_not_null() for rank in ranks))
    if "title" not in settings.arms:
        frame = frame.with_columns(
            pl.lit(0, pl.UInt32).alias("title_words"),
            *(
                pl.lit(False).alias(c)
                for c in ("whole_title", "named_inside", "number_differs", "name_differs", "one_for_one")
            ),
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
        standing(by_share=settings.normalise_length),
        fused(ranks),
        _agree(frame["first_by"], arms),
        nearest_rank=nearest_rank(),
        visible=(pl.col("validity") == "current") | (shown & (pl.col("validity") == "retired")),
    )
    keys, falls = sort_keys(settings.order)
    return sorted_by(frame, ["query", *keys], [False, *falls]).with_columns(pl.col("query").set_sorted())


_TITLE_FLAGS = ("whole_title", "named_inside", "number_differs", "name_differs", "one_for_one")
# Columns that the rules read; the others would only be carried along.
_USED = (
    "question_id", "node_id", "validity", "title_words", "title_beyond", "number_differs", "name_differs",
    "whole_title", "named_inside", "semantic_rank", "semantic_similarity", "semantic_gap", "graph_rank",
    "graph_pieces", "first_by", "leftover_touched", "content_rank", "title_size", "title_leftover",
    "question_leftover", "one_for_one", "concept_differs", "successors",
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


def facts(pool: pl.DataFrame, settings: Settings, background: float) -> tuple[pl.DataFrame, ...]:
    """What the pool of each question says, by ``query``, over hidden and visible alike.

    ``leaders`` stand highest by title, ``nearest`` is alone in first place by meaning, ``told`` is what
    the pieces put alone in first place.
    """
    c = pl.col
    settled = settle(pool, settings, background)
    rivals = pool if settled is None else settled.rivals
    whole = rivals.group_by("query", maintain_order=True).agg(
        c("standing").max().alias("best"),
        c("title_beyond").first().alias("beyond"),
        c("semantic_gap").first().alias("gap"),
        c("semantic_similarity").max().alias("similarity"),
        pl.len().alias("n_rivals"),
        ((c("title_words") >= 2) | c("whole_title")).any().alias("two_words"),
        c("semantic_rank").is_not_null().any().alias("by_meaning"),
    )
    counts = pool.group_by("query", maintain_order=True).agg(
        c("visible").sum().alias("n_visible"), pl.len().alias("n_pool")
    )
    # The few rows that lead are taken out first: a filter within each group would be slow.
    best = np.repeat(whole["best"].to_numpy(), whole["n_rivals"].to_numpy())
    tops = rivals.filter((c("standing") == pl.Series(best)) & (c("standing") > 0))
    near = rivals.filter((c("semantic_rank") == 1) & (c("semantic_gap") > 0))
    told = pool.filter(c("graph_rank") == 1).filter(c("first_by").list.contains("graph"))
    leaders = tops.group_by("query", maintain_order=True).agg(
        pl.len().alias("leaders"),
        c("visible").sum().alias("leaders_visible"),
        c("number_differs").any(),
        c("name_differs").any(),
        *(c(name).first().alias(f"leader_{name}") for name in _OF_ONE),
        c("node_id").first().alias("leader"),
        c("title_words").first().alias("leader_words"),
        (c("title_words") / c("title_size")).first().alias("leader_share"),
    )
    nearest = near.group_by("query", maintain_order=True).agg(
        (c("number_differs") | c("name_differs")).any().alias("nearest_differs"),
        *(c(name).first().alias(f"nearest_{name}") for name in _OF_ONE),
        c("node_id").first().alias("nearest"),
    )
    by_graph = told.group_by("query", maintain_order=True).agg(
        c("node_id").first().alias("told"),
        c("graph_pieces").first().alias("told_pieces"),
        c("successors").first().alias("told_successors"),
    )
    unsettled = UNSETTLED.to_frame() if settled is None else settled.unsettled(leaders, nearest)
    return counts, whole, leaders, nearest, by_graph, _matched_now(pool, tops), _rivals(tops, near), unsettled


# What is kept of the one node that leads, and of the one that is nearest.
_OF_ONE = (
    "visible", "graph_pieces", "one_for_one", "leftover_touched", "concept_differs", "question_leftover",
    "title_leftover",
)  # fmt: skip


def _matched_now(pool: pl.DataFrame, tops: pl.DataFrame) -> pl.DataFrame:
    """Questions for which something visible matches: it shares a word, or follows what leads."""
    c = pl.col
    worded = pool.filter(c("visible") & (c("title_words") > 0)).select("query").unique()
    follow = tops.filter(c("successors").list.len() > 0).select("query", node_id="successors").explode("node_id")
    followed = pool.filter("visible").join(follow, on=["query", "node_id"], how="semi").select("query").unique()
    return pl.concat([worded, followed]).unique().with_columns(matched_now=pl.lit(True))


def _rivals(tops: pl.DataFrame, near: pl.DataFrame) -> pl.DataFrame:
    """What the filter hid of those that lead."""
    hidden = pl.concat(
        [part.filter(~pl.col("visible")).select("query", "node_id", "content_rank") for part in (tops, near)]
    )
    return (
        hidden.unique(["query", "node_id"]).sort("query", "content_rank")
        .group_by("query", maintain_order=True).agg(rivals=pl.col("node_id").head(SHOWN_HIDDEN))
    )  # fmt: skip


def lists(pool: pl.DataFrame) -> tuple[pl.DataFrame, ...]:
    """The first nodes of each pool by ``query``: of all, of the visible and of the hidden."""
    rows = pool.select("query", "node_id", "visible")

    def heads(part: pl.DataFrame, most: int, name: str) -> pl.DataFrame:
        query = part["query"].to_numpy()
        place = np.arange(part.height) - np.searchsorted(query, query)
        return part.filter(pl.Series(place < most)).group_by("query", maintain_order=True).agg(
            pl.col("node_id").alias(name)
        )  # fmt: skip

    candidates = heads(rows.filter("visible"), SHOWN_CANDIDATES, "candidates")
    return (
        candidates.with_columns(first=pl.col("candidates").list.first()),
        heads(rows.filter(~pl.col("visible")), SHOWN_HIDDEN, "hidden"),
        heads(rows, SHOWN_POOL, "pool"),
    )
