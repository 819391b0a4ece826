"""LoCoMo conversations and their questions."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import MemlabError
from memlab.readers import ExamRows, read_exam, read_store
from memlab.readers.locomo_data import cited_turns


def turn(number: int, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": f"D1:{number}", "text": text, **more}


def sample(name: str = "conv-1", **changes: Any) -> dict[str, Any]:
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn(1, "Ann", "Hello Bo!"),
                turn(2, "Bo", "Look.", blip_caption="a photo of a loom"),
                turn(3, "Ann", "Nice."),
                turn(4, "Ann", "I sold mine."),
                turn(5, "Bo", "Oh."),
                turn(6, "Bo", "Why?"),
            ],
            "session_2_date_time": "2:00 pm on 9 May, 2023",
        },
        "observation": {
            "session_1_observation": {
                "Bo": [["Bo has a loom.", "D1:2"]],
                "Ann": [["Ann sold her loom.", ["D1:4", "D1:6"]], ["Ann was sad.", "D1:4"]],
            }
        },
        "session_summary": {"session_1_summary": "They met."},
        "event_summary": {"events_session_1": {"Ann": ["Ann sells a loom"]}},
        "qa": [
            {"question": "Who has a loom?", "answer": "Bo", "evidence": ["D1:2"], "category": 1},
            {"question": "What did Ann sell?", "answer": "a loom", "evidence": ["D:1:4; D1:6"], "category": 4},
            {"question": "Gone?", "answer": "x", "evidence": ["D1:1", "D7:1"], "category": 4},
            {"question": "No citation?", "answer": "x", "evidence": ["D"], "category": 4},
            {"question": "What did Bo sell?", "evidence": ["D1:4"], "category": 5, "adversarial_answer": "x"},
            {"question": "Is it so?", "answer": "x", "evidence": ["D1:4"], "category": 3},
            {"question": "Made up?", "answer": "x", "evidence": ["D1:4"], "category": 3},
            {"question": "Unclear?", "answer": "x", "evidence": ["D1:4"], "category": 3},
        ],
        **changes,
    }


def write(path: Path, *samples: object, audit: object = None) -> Path:
    file = path / "talks.json"
    file.write_text(json.dumps(list(samples)), encoding="utf-8")
    if audit is not None:
        (path / "errors_audit.json").write_text(json.dumps(audit))
    return file


def correction(index: int, kind: str, *turns: str) -> dict[str, object]:
    return {"sample_id": "conv-1", "qa_index": index, "error_type": kind, "correct_evidence": list(turns)}


def test_sessions_observations_speakers_and_turns(tmp_path: Path) -> None:
    store = read_store(write(tmp_path, sample()))
    assert store.about.reader == "locomo"
    nodes = {row["id"]: row for row in store.nodes.iter_rows(named=True)}
    assert set(nodes) == {
        "conv-1/Ann", "conv-1/Bo", "conv-1/session-1",
        "conv-1/D1:2/obs-1", "conv-1/D1:4/obs-1", "conv-1/D1:4/obs-2",
    }  # fmt: skip
    session = nodes["conv-1/session-1"]
    assert (session["kind"], session["title"]) == ("Episode", "Ann and Bo, 8 May 2023, session 1")
    assert (session["summary"], session["valid_from"]) == ("They met.", datetime(2023, 5, 8, tzinfo=UTC))
    record = nodes["conv-1/D1:4/obs-1"]
    assert (record["kind"], record["title"]) == ("Record", "Ann sold her loom.")
    assert (record["source"], record["valid_from"]) == ("conv-1/D1:4; conv-1/D1:6", session["valid_from"])
    assert nodes["conv-1/Ann"]["kind"] == "Concept"
    shown = dict(store.pieces.select("id", "text").rows())
    assert shown["conv-1/D1:2"] == "Bo: Look. [image: a photo of a loom]"
    assert set(store.pieces["document"]) == {"conv-1/session-1"}


def test_edges_say_what_came_from_where(tmp_path: Path) -> None:
    edges = set(read_store(write(tmp_path, sample())).edges.rows())
    assert {
        ("conv-1/D1:4/obs-1", "FROM", "conv-1/D1:4"),
        ("conv-1/D1:4/obs-1", "FROM", "conv-1/D1:6"),
        ("conv-1/D1:4/obs-1", "ABOUT", "conv-1/Ann"),
        ("conv-1/session-1", "HAS", "conv-1/D1:4/obs-1"),
        ("conv-1/session-1", "FROM", "conv-1/D1:1"),
        ("conv-1/D1:1", "SAID_BY", "conv-1/Ann"),
    } <= edges
    assert [edge for edge in edges if edge[1] == "MENTIONS"] == [("conv-1/D1:1", "MENTIONS", "conv-1/Bo")]


def test_a_name_is_found_in_its_own_conversation_only(tmp_path: Path) -> None:
    edges = read_store(write(tmp_path, sample(), sample("conv-11"))).edges.filter(type="MENTIONS")
    assert set(edges.select("source", "target").rows()) == {
        ("conv-1/D1:1", "conv-1/Bo"),
        ("conv-11/D1:1", "conv-11/Bo"),
    }


def exam(path: Path, *, audit: object = None) -> tuple[ExamRows, dict[str, dict[str, Any]]]:
    rows = read_exam(write(path, sample(), audit=audit))
    assert rows is not None
    return rows, {row["question"]: row for row in rows.rows}


def test_gold_is_the_observations_of_the_cited_turns(tmp_path: Path) -> None:
    _, rows = exam(tmp_path)
    bo = rows["Who has a loom?"]
    assert bo["gold_strict"] == ["conv-1/D1:2/obs-1"]
    assert bo["gold"] == ["conv-1/D1:2/obs-1", "conv-1/D1:4/obs-1", "conv-1/D1:4/obs-2"]
    assert bo["tags"] == ["category:1", "conversation:conv-1", "cited:one"]
    assert (bo["lang"], bo["written_by"], bo["answerable"]) == ("en", "locomo", True)
    sold = rows["What did Ann sell?"]
    assert sold["gold_strict"] == ["conv-1/D1:4/obs-1", "conv-1/D1:4/obs-2"]
    assert "cited:several" in sold["tags"]


def test_lenient_gold_alone_is_counted(tmp_path: Path) -> None:
    exam_rows, rows = exam(tmp_path)
    assert (rows["Gone?"]["gold_strict"], rows["Gone?"]["gold"]) == ([], ["conv-1/D1:2/obs-1"])
    assert "1 answerable questions have lenient gold only" in exam_rows.notes
    assert "1 questions cite a turn that is not there" in exam_rows.notes


def test_category_five_is_unanswerable(tmp_path: Path) -> None:
    _, rows = exam(tmp_path)
    row = rows["What did Bo sell?"]
    assert (row["answerable"], row["gold"], row["gold_strict"]) == (False, [], [])
    assert "near-miss" in row["tags"]


def test_the_audit_corrects_and_drops(tmp_path: Path) -> None:
    audit = [
        correction(5, "WRONG_CITATION", "D1:2"),
        correction(6, "HALLUCINATION", "D1:4"),
        correction(7, "AMBIGUOUS", "D1:4"),
    ]
    exam_rows, rows = exam(tmp_path, audit=audit)
    assert rows["Is it so?"]["gold_strict"] == ["conv-1/D1:2/obs-1"]
    assert not {"Made up?", "Unclear?", "No citation?"} & set(rows)
    assert exam_rows.notes[0] == "8 questions: 4 answerable, 1 near-miss unanswerable"
    assert {
        "1 citations corrected by the audit",
        "1 dropped: called hallucinated by the audit",
        "1 dropped: called ambiguous by the audit",
        "1 dropped: no gold Record (no turn cited)",
    } <= set(exam_rows.notes)


def test_ids_count_from_the_place_in_the_file(tmp_path: Path) -> None:
    _, rows = exam(tmp_path)
    assert rows["What did Bo sell?"]["id"] == "conv-1/qa-4"


def test_references_to_turns_are_read_in_every_form() -> None:
    assert cited_turns("D8:6; D9:17") == ("D8:6", "D9:17")
    assert cited_turns(["D:11:26", "D", "D1:1", "D1:1"]) == ("D11:26", "D1:1")
    assert cited_turns([]) == ()


@pytest.mark.parametrize(
    "broken",
    [{"sample_id": "x"}, sample(conversation={"session_1": [{"speaker": "Ann"}]}), sample(observation=[1]), 5,
     sample(observation={"session_1_observation": {"Ann": [["alone"]]}}), sample(qa=[1])],
)  # fmt: skip
def test_another_form_is_told_by_conversation(tmp_path: Path, broken: object) -> None:
    with pytest.raises(MemlabError, match=r"talks\.json: conversations row 2: not of LoCoMo's form"):
        read_store(write(tmp_path, sample(), broken), reader="locomo")


def test_the_real_conversations() -> None:
    folder = os.environ.get("MEMLAB_REAL_DATA")
    if not folder or not (file := Path(folder) / "locomo" / "locomo.json").is_file():
        pytest.skip("MEMLAB_REAL_DATA names no folder with the real conversations")
    store = read_store(file)
    kinds = dict(store.nodes.group_by("kind").len().rows())
    assert kinds == {"Episode": 128, "Record": 1210, "Concept": 10}
    assert store.pieces.height == 2760
    assert set(store.edges.filter(type="FROM")["target"]) == set(store.pieces["id"])
    rows = read_exam(file)
    assert rows is not None
    assert sum(row["answerable"] for row in rows.rows) == 726
    assert sum(not row["answerable"] for row in rows.rows) == 237
    gold = {record for row in rows.rows for record in row["gold"]}
    assert gold <= set(store.nodes.filter(kind="Record")["id"])
    assert all(set(row["gold_strict"]) <= set(row["gold"]) for row in rows.rows)
