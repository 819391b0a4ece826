"""A made-up exam with its evidence, by formula and seed: what charts and widgets need, and no store."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import polars as pl

from memlab.arms import Gathering
from memlab.encoders import EncoderInfo
from memlab.exam import Exam
from memlab.pool import Evidence

ENCODER_SCALE = 0.08


def evidence_frame(questions: int, seed: int = 0, title: str = "제목") -> pl.DataFrame:
    """Five candidates a question; the first is more often gold where its gap is wide."""
    chance = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for q in range(questions):
        gap = round(min(0.4, abs(chance.gauss(0, ENCODER_SCALE))), 6)
        words = chance.choice([0, 1, 1, 2, 3])
        best = round(chance.uniform(0.35, 0.9), 6)
        for place in range(5):
            leads = place == 0
            rows.append(
                {
                    "question_id": f"q{q}",
                    "node_id": f"n{q}-{place}",
                    "kind": "Concept",
                    "title": f"<b>{title}</b> {q}-{place}",
                    "title_key": f"제목 {q}-{place}",
                    "validity": "retired" if place == 4 else "current",
                    "title_words": words if leads else 0,
                    "title_beyond": 0,
                    "title_size": 3,
                    "title_leftover": 1,
                    "question_leftover": 1,
                    "whole_title": False,
                    "named_inside": False,
                    "number_differs": False,
                    "name_differs": False,
                    "one_for_one": False,
                    "title_rank": 1 if leads and words else None,
                    "semantic_rank": place + 1,
                    "semantic_similarity": round(best - (0 if leads else gap + place * 0.01), 6),
                    "semantic_gap": gap,
                    "graph_rank": None,
                    "graph_pieces": 0,
                    "first_by": (["semantic", "title"] if words else ["semantic"]) if leads else [],
                    "leftover_touched": True,
                    "concept_differs": False,
                    "successors": [],
                    "content_rank": q * 5 + place,
                }
            )
    counts = ("title_words", "title_beyond", "title_size", "title_rank", "semantic_rank", "graph_rank", "graph_pieces",
              "title_leftover", "question_leftover")  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        *(pl.col(c).cast(pl.UInt32) for c in (*counts, "content_rank")),
        pl.col("validity").cast(pl.Enum(["current", "retired", "future"])),
        pl.col("first_by", "successors").cast(pl.List(pl.String)),
    )


def question_frame(questions: int) -> pl.DataFrame:
    """One row a question, as evidence carries it."""
    return pl.DataFrame(
        {
            "question_id": [f"q{q}" for q in range(questions)],
            "question": [f"왜 {q}번째 질문인가?" for q in range(questions)],
            "lang": ["ko"] * questions,
            "as_of": [datetime(2026, 1, 1, tzinfo=UTC)] * questions,
            "include_retired": [False] * questions,
            "content_words": pl.Series([4] * questions, dtype=pl.UInt32),
        }
    )


def exam_rows(questions: int, seed: int = 0) -> list[dict[str, Any]]:
    """Three in four are answerable; of those the first candidate is gold more often where its gap is wide."""
    chance = random.Random(seed + 1)
    gaps = evidence_frame(questions, seed).group_by("question_id", maintain_order=True).first()["semantic_gap"]
    rows: list[dict[str, Any]] = []
    for q in range(questions):
        answerable = q % 4 != 3
        first = chance.random() < 0.45 + 5 * gaps[q]
        rows.append(
            {
                "id": f"q{q}",
                "question": f"왜 {q}번째 질문인가?",
                "lang": "ko",
                "gold": [f"n{q}-{0 if first else chance.choice([1, 2, 9])}"] if answerable else [],
                "answerable": answerable,
                "written_by": "a made-up author",
            }
        )
    return rows


def made_up(questions: int, seed: int = 0, title: str = "제목") -> tuple[Evidence, Exam]:
    """Return evidence, whose titles all say the same, and the exam it belongs to."""
    encoder = EncoderInfo("made-up", "1", 3)
    evidence = Evidence(
        evidence_frame(questions, seed, title), question_frame(questions), (encoder,), "0" * 64, Gathering()
    )
    return evidence, Exam.from_rows(exam_rows(questions, seed), name="지어낸 <i>시험</i>")
