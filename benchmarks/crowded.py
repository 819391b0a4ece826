"""A made-up exam with crowded pools, by formula and seed: what re-deciding and repainting are measured on."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl

from memlab.arms import Gathering
from memlab.encoders import EncoderInfo
from memlab.exam import Exam
from memlab.pool import Evidence

SEED = 18


def crowded(questions: int, candidates: int = 100, title: str = "제목") -> tuple[Evidence, Exam]:
    """Return evidence of three arms and the exam it belongs to.

    Parameters
    ----------
    questions, candidates : int
        Candidates a question: half from the semantic arm, most from the title arm too, some from the graph.
    title : str
        What every title begins with; a long one shows what long titles cost.
    """
    chance = np.random.default_rng(SEED)
    shape = (questions, candidates)
    gap = np.abs(chance.normal(0, 0.08, questions)).clip(max=0.4).round(6)
    place = np.tile(np.arange(candidates), (questions, 1))
    words = np.where(place == 0, chance.integers(0, 4, shape), np.minimum(chance.geometric(0.7, shape) - 1, 2))
    near = chance.uniform(0.35, 0.9, (questions, 1))
    similarity = np.where(place == 0, near, near - gap[:, None] - place * 0.002)
    pieces = np.where(chance.random(shape) < 0.2, chance.integers(1, 6, shape), 0)
    semantic = place < candidates // 2 + 1
    by_meaning = place == 0
    by_title = (words == words.max(axis=1, keepdims=True)) & (words > 0)
    by_title &= by_title.sum(axis=1, keepdims=True) == 1
    by_graph = (pieces == pieces.max(axis=1, keepdims=True)) & (pieces > 0)
    by_graph &= by_graph.sum(axis=1, keepdims=True) == 1
    flat = {"place": place, "title_words": words, "title_size": np.maximum(words, 1) + chance.integers(0, 5, shape),
            "graph_pieces": pieces, "semantic": semantic, "similarity": similarity, "m": by_meaning, "t": by_title,
            "g": by_graph, "ended": chance.random(shape) < 0.12}  # fmt: skip
    frame = pl.DataFrame({name: values.ravel() for name, values in flat.items()}).with_columns(
        q=np.repeat(np.arange(questions), candidates), gap=np.repeat(gap, candidates)
    )
    counts = ("title_words", "title_size", "graph_pieces")
    name = pl.format("{}-{}", "q", "place")
    rank = pl.col("title_words").rank("min", descending=True).over("q")
    frame = frame.select(
        pl.format("q{}", "q").alias("question_id"),
        pl.format("n{}", name).alias("node_id"),
        pl.lit("Concept").alias("kind"),
        pl.format(title.replace("{", "").replace("}", "") + " {}", name).alias("title"),
        pl.format("{}", name).alias("title_key"),
        pl.when("ended").then(pl.lit("retired")).otherwise(pl.lit("current"))
        .cast(pl.Enum(["current", "retired", "future"])).alias("validity"),
        *(pl.col(count).cast(pl.UInt32) for count in counts),
        *(pl.lit(value, pl.UInt32).alias(count) for count, value in
          {"title_beyond": 0, "title_leftover": 1, "question_leftover": 1}.items()),
        *(pl.lit(False).alias(flag) for flag in
          ("whole_title", "named_inside", "number_differs", "name_differs", "one_for_one", "concept_differs")),
        pl.when(pl.col("title_words") > 0).then(rank).cast(pl.UInt32).alias("title_rank"),
        pl.when("semantic").then(pl.col("place") + 1).cast(pl.UInt32).alias("semantic_rank"),
        pl.when("semantic").then("similarity").alias("semantic_similarity"),
        pl.col("gap").alias("semantic_gap"),
        pl.when(pl.col("graph_pieces") > 0).then(pl.col("graph_pieces").rank("min", descending=True).over("q"))
        .cast(pl.UInt32).alias("graph_rank"),
        pl.concat_list(
            *(pl.when(flag).then(pl.lit(arm)) for flag, arm in (("g", "graph"), ("m", "semantic"), ("t", "title")))
        ).list.drop_nulls().alias("first_by"),
        pl.lit(True).alias("leftover_touched"),
        pl.lit([], pl.List(pl.String)).alias("successors"),
        pl.int_range(pl.len(), dtype=pl.UInt32).alias("content_rank"),
    )  # fmt: skip
    asked = pl.DataFrame(
        {
            "question_id": [f"q{q}" for q in range(questions)],
            "question": [f"왜 {q}번째 질문인가?" for q in range(questions)],
        }
    ).with_columns(
        lang=pl.lit("ko"), as_of=pl.lit(datetime(2026, 1, 1, tzinfo=UTC)), include_retired=False,
        content_words=pl.lit(4, pl.UInt32),
    )  # fmt: skip
    first = chance.random(questions) < 0.45 + 5 * gap
    other = chance.integers(1, candidates, questions)
    rows = [
        {"id": f"q{q}", "question": f"왜 {q}번째 질문인가?", "lang": "ko",
         "gold": [f"n{q}-{0 if first[q] else other[q]}"] if q % 4 != 3 else [], "answerable": q % 4 != 3,
         "written_by": "a made-up author"}
        for q in range(questions)
    ]  # fmt: skip
    evidence = Evidence(frame, asked, (EncoderInfo("made-up", "1", 3),), "0" * 64, Gathering())
    return evidence, Exam.from_rows(rows, name="a made-up exam")
