"""Exams: how they are read, what is counted, and the first real ones."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tiny import NOW, OVER, lab_of, node

import memlab as ml
from memlab.errors import InputError
from memlab.exam import wilson

LAB = [node("loom", "Loom"), node("warp", "Warp", "Record"), node("old", "Shuttle", "Decision", **OVER)]
ROWS: list[dict[str, Any]] = [
    {"id": "right", "question": "what is a loom?", "lang": "en", "gold": ["loom"], "tags": ["easy", "short"]},
    {"id": "wrong", "question": "what is a warp?", "lang": "en", "gold": ["loom"], "written_by": "Ada"},
    {"id": "choose", "question": "베틀 loom warp", "lang": "ko", "gold": ["warp"]},
    {"id": "none", "question": "shuttle", "gold": ["old"]},
    {"id": "asked", "question": "shuttle", "gold": ["old"], "include_retired": True},
    {"id": "then", "question": "shuttle", "gold": ["old"], "as_of": "2015-01-01"},
    {"id": "trap", "question": "loom", "gold": [], "answerable": False},
    {"id": "trap2", "question": "velvet", "gold": [], "answerable": False},
]


def graded(rows: list[dict[str, Any]] = ROWS) -> ml.Outcomes:
    lab = lab_of(LAB, semantic=False)
    exam = ml.Exam.from_rows(rows, name="tiny").for_store(lab.store)
    return ml.grade(ml.decide(lab.gather(exam, now=NOW)), exam, kinds=lab.store.nodes)


def test_every_question_has_one_outcome() -> None:
    outcomes = dict(graded().rows.select("question_id", "outcome").iter_rows())
    assert outcomes == {
        "right": "resolved_right",
        "wrong": "confident_wrong",
        "choose": "choose",
        "none": "none",
        "asked": "resolved_right",
        "then": "resolved_right",
        "trap": "unanswerable_resolved",
        "trap2": "unanswerable_none",
    }


def test_the_counts_add_up() -> None:
    counts = graded().counts()
    assert counts["n_answerable"] == 6
    assert sum(counts[k] for k in ("resolved_right", "confident_wrong", "choose", "none")) == counts["n_answerable"]
    unanswerable = ("unanswerable_resolved", "unanswerable_choose", "unanswerable_none")
    assert sum(counts[k] for k in unanswerable) == counts["n_unanswerable"] == 2
    # What is hidden stands in the ordered pool and is not the first that is shown.
    assert (counts["in_pool"], counts["first"], counts["choose_has_gold"]) == (5, 3, 1)


def test_risk_is_the_wrong_of_all_that_resolved() -> None:
    assert graded().risk == pytest.approx(2 / 5)
    assert graded([{"id": "a", "question": "velvet", "answerable": False}]).risk is None


def test_the_table_names_groups_with_their_n() -> None:
    table = graded().table("lang")
    n = {(r["group"], r["measure"]): r["n"] for r in table.iter_rows(named=True)}
    assert (n["en", "first"], n["ko", "first"], n["–", "first"]) == (2, 1, 3)
    assert set(graded().table("kind")["group"]) == {"Concept", "Record", "Decision", "no answer"}
    assert {"easy", "short"} <= set(graded().table("tag")["group"])
    assert set(graded().table("author")["group"]) == {"Ada", "unknown"}
    with pytest.raises(ValueError, match="by: one of"):
        graded().table("colour")


def test_an_interval_holds_its_share_and_none_is_none() -> None:
    low, high = wilson(9, 10)
    assert (low, high) == (pytest.approx(0.5958, abs=1e-3), pytest.approx(0.9821, abs=1e-3))
    assert wilson(0, 0) == (None, None)
    assert wilson(0, 5)[0] == pytest.approx(0)


def test_grading_is_pure() -> None:
    lab = lab_of(LAB, semantic=False)
    exam = ml.Exam.from_rows(ROWS).for_store(lab.store)
    evidence = lab.gather(exam, now=NOW)
    before = evidence.frame.clone()
    assert ml.grade(ml.decide(evidence), exam).rows.equals(ml.grade(ml.decide(evidence), exam).rows)
    assert evidence.frame.equals(before)


def test_strict_gold_is_asked_of_the_questions_that_have_it() -> None:
    rows = [
        {"id": "a", "question": "loom", "gold": ["loom", "warp"], "gold_strict": ["loom"]},
        {"id": "b", "question": "warp", "gold": ["warp"], "gold_strict": []},
    ]
    strict = ml.Exam.from_rows(rows).strict()
    assert dict(strict.questions.select("question_id", "gold").iter_rows()) == {"a": ["loom"]}


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ({"question": "x", "gold": ["a"]}, "exam row 2 id"),
        ({"id": "b", "gold": ["a"]}, "exam row 2 question"),
        ({"id": "b", "question": "x", "gold": "a"}, "exam row 2 gold"),
        ({"id": "b", "question": "x", "gold": [1]}, "exam row 2 gold"),
        ({"id": "b", "question": "x", "answerable": True}, "exam row 2 gold"),
        ({"id": "b", "question": "x", "gold": ["a"], "answerable": False}, "exam row 2 gold"),
        ({"id": "b", "question": "x", "gold": ["a"], "answerable": "no"}, "exam row 2 answerable"),
        ({"id": "b", "question": "x", "gold": ["a"], "as_of": "soon"}, "exam row 2 as_of"),
        ({"id": "b", "question": "x", "gold": ["a"], "as_of": 2020}, "exam row 2 as_of"),
        ({"id": "b", "question": "x", "gold": ["a"], "include_retired": 1}, "exam row 2 include_retired"),
        ({"id": "b", "question": "x", "gold": ["a"], "tags": "t"}, "exam row 2 tags"),
        ({"id": "b", "question": "x", "gold": ["a"], "lang": 5}, "exam row 2 lang"),
        ({"id": "b", "question": "x", "gold": ["a"], "written_by": ["Ada"]}, "exam row 2 written_by"),
        (5, "exam row 2: must be an object"),
        ({"id": "b", "question": "\ud800", "gold": ["a"]}, "exam row 2 question"),
        ({"id": "a", "question": "x", "gold": ["a"]}, "exam row 2 id: 'a' is also row 1"),
    ],
)
def test_a_bad_row_is_refused_by_row_and_field(row: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError) as caught:
        ml.Exam.from_rows([{"id": "a", "question": "x", "gold": ["a"]}, row])
    assert place in str(caught.value)


def test_an_exam_of_another_store_is_refused() -> None:
    with pytest.raises(InputError, match=r"exam row 1 gold: 'zz' is no node of this store"):
        ml.Exam.from_rows([{"id": "a", "question": "x", "gold": ["zz"]}]).for_store(lab_of(LAB, semantic=False).store)


def test_strict_gold_of_another_store_is_refused_and_none_at_all_is_not() -> None:
    store = lab_of(LAB, semantic=False).store
    rows = [
        {"id": "a", "question": "x", "gold": ["loom"], "gold_strict": []},
        {"id": "b", "question": "y", "gold": ["warp"]},
    ]
    assert len(ml.Exam.from_rows(rows).for_store(store)) == 2
    rows[1]["gold_strict"] = ["zz"]
    with pytest.raises(InputError, match="exam row 2 gold_strict: 'zz' is no node of this store"):
        ml.Exam.from_rows(rows).for_store(store)


def test_a_file_is_read_and_its_faults_name_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in ROWS) + "\n\n", encoding="utf-8")
    exam = ml.Exam.read(file)
    assert (exam.name, len(exam), exam.authors) == ("mine", len(ROWS), ("Ada", "unknown"))
    assert exam.checksum == ml.Exam.from_rows(reversed(ROWS)).checksum
    assert exam.checksum != ml.Exam.from_rows(ROWS[1:]).checksum
    for content, problem in ((b"{", "exam row 1: not JSON"), (b"[]", "must be an object"), (b"\n", "no questions"),
                             (b"\xff", "not UTF-8")):  # fmt: skip
        file.write_bytes(content)
        with pytest.raises(InputError, match=problem) as caught:
            ml.Exam.read(file)
        assert "mine.jsonl" in str(caught.value)
    with pytest.raises(InputError, match="no such file"):
        ml.Exam.read(tmp_path / "other.jsonl")


# The first real exams -----------------------------------------------------------------------------

REAL = os.environ.get("MEMLAB_REAL_DATA")
real = pytest.mark.skipif(not REAL, reason="MEMLAB_REAL_DATA does not say where the real data lies")


def measured(source: str, exam: str, tmp_path: Path) -> tuple[dict[str, int], float]:
    from memlab.exam import report

    data = Path(str(REAL))
    ml.build_store(data / source, tmp_path / "a.store")
    outcomes = report(tmp_path / "a.store", data / exam).outcomes
    assert outcomes.risk is not None
    return outcomes.counts(), outcomes.risk


@real
def test_the_faq_exam(tmp_path: Path) -> None:
    counts, risk = measured("python_faq_ko/nodes.jsonl", "python_faq_ko/exam.jsonl", tmp_path)
    assert counts["first"] / counts["n_answerable"] >= 0.90
    assert counts["resolved_right"] / counts["n_answerable"] >= 0.40
    assert risk <= 0.10


@real
def test_the_locomo_exam(tmp_path: Path) -> None:
    counts, risk = measured("locomo/locomo.json", "locomo/locomo.json", tmp_path)
    assert counts["resolved_right"] / counts["n_answerable"] >= 0.10
    assert risk <= 0.10


def test_decisions_of_another_exam_are_refused() -> None:
    lab = lab_of([node("a", "Loom warranty")])
    decisions = ml.decide(
        lab.gather([{"question_id": "mine", "question": "loom warranty", "as_of": NOW}]), lab.settings
    )
    other = ml.Exam.from_rows([{"id": "yours", "question": "loom warranty", "gold": ["a"]}])
    with pytest.raises(InputError, match="none of the 1 decisions is of this exam"):
        ml.grade(decisions, other)
