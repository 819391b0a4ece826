"""Making exams: files in and out, sampling, and removing gold nodes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import InputError

CSV = """id,question,lang,gold,gold_strict,answerable,written_by,as_of,include_retired,tags
a,"what, then, is a loom?",en,loom|warp,loom,true,Ada,2020-01-01,true,easy|short
b,베틀이 뭐야?,ko,"[""a|b"", ""c""]",,,,,,
c,velvet,,,,FALSE,Ada,,,
"""
# Anything that a cell may hold: separators of every sort, quotes, spaces at the ends, marks of other scripts.
text = st.text(st.sampled_from('ab|,;"[]\\ \n\r\t\u2028베 é%'), max_size=6) | st.text(max_size=4)
name = text.filter(lambda t: bool(t.strip()))
names = st.lists(text.filter(bool), max_size=3)
instants = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)) | st.none()


@st.composite
def exams(draw: st.DrawFn) -> ml.Exam:
    rows: list[dict[str, Any]] = []
    for identity in draw(st.lists(name, min_size=1, max_size=4, unique=True)):
        gold = draw(names)
        rows.append(
            {"id": identity, "question": draw(text.filter(bool)), "lang": draw(text), "gold": gold,
             "gold_strict": draw(st.none() | names), "written_by": draw(text), "as_of": draw(instants),
             "include_retired": draw(st.none() | st.booleans()), "tags": draw(names)}
        )  # fmt: skip
    return ml.Exam.from_rows(rows)


def test_a_csv_is_read_with_its_lists_and_truth_values(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(CSV, encoding="utf-8-sig")
    exam = ml.Exam.read(file)
    a, b, c = exam.questions.iter_rows(named=True)
    assert (exam.name, a["question"], a["gold"], a["gold_strict"]) == (
        "mine", "what, then, is a loom?", ["loom", "warp"], ["loom"],
    )  # fmt: skip
    assert (a["as_of"], a["include_retired"], a["tags"]) == (datetime(2020, 1, 1, tzinfo=UTC), True, ["easy", "short"])
    assert (b["gold"], b["gold_strict"], b["answerable"], b["written_by"]) == (["a|b", "c"], None, True, "unknown")
    assert (c["gold"], c["answerable"], c["include_retired"]) == ([], False, None)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,question,gold\na,x\n", "exam row 1: has 2 fields"),
        ("id,question,gold\na,x,n\nb,y,[n\n", "exam row 2 gold: no JSON list"),
        ("id,question,gold\na,x,n\nb,y,[5]\n", "exam row 2 gold: must be a list of texts"),
        ("id,question,answerable\na,x,perhaps\n", "exam row 1 answerable: 'perhaps' is no truth value"),
        ("id,question,gold,as_of\na,x,n,soon\n", "exam row 1 as_of"),
        ("id,question,gold\na,,n\n", "exam row 1 question: must be text"),
        ("id,question,id\na,x,n\n", "two columns are called 'id'"),
        ("id,question,gold\n", "holds no questions"),
        ("", "holds no questions"),
    ],
)
def test_a_bad_csv_is_refused_by_row_and_field(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ml.Exam.read(tmp_path / "mine.csv")
    assert told in str(caught.value)
    assert str(caught.value).startswith("mine.csv")


def test_a_list_in_json_and_a_parquet_file_are_read(tmp_path: Path) -> None:
    rows = [{"id": "a", "question": "x", "gold": ["n"], "as_of": "2020-01-01"}, {"id": "b", "question": "y"}]
    (tmp_path / "mine.json").write_text(json.dumps(rows), encoding="utf-8")
    pl.DataFrame(rows).with_columns(pl.col("as_of").str.to_date()).write_parquet(tmp_path / "mine.parquet")
    listed, framed = (ml.Exam.read(tmp_path / f"mine.{ending}") for ending in ("json", "parquet"))
    assert listed.questions.equals(framed.questions)
    assert listed.questions["answerable"].to_list() == [True, False]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(exams())
def test_what_is_written_reads_back_equal(tmp_path: Path, ending: str, exam: ml.Exam) -> None:
    file = exam.write(tmp_path / f"mine.{ending}")
    assert ml.Exam.read(file).questions.equals(exam.questions)
    assert [f.name for f in tmp_path.iterdir()] == [file.name]


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    exam = ml.Exam.from_rows([{"id": "a", "question": "", "answerable": False}])
    (tmp_path / "mine.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="exam row 1 question: empty"):
        exam.write(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_text(encoding="utf-8") == "mine"
    with pytest.raises(InputError, match=r"end the name in one of \.jsonl"):
        exam.write(tmp_path / "mine.xlsx")
    with pytest.raises(InputError, match="cannot be written"):
        exam.write(tmp_path / "no" / "mine.jsonl")
    assert ml.Exam.read(exam.write(tmp_path / "mine.jsonl")).questions.equals(exam.questions)
