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
from tiny import NOW, Memory, lab_of, memories, node

import memlab as ml
from memlab.errors import InputError
from memlab.exam import remove_gold
from memlab.store import validity

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
        ("id,question,gold\na,,n\n", "exam row 1 question: missing"),
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


# Removing gold ------------------------------------------------------------------------------------


INSTANTS = [datetime(year, month, 1, tzinfo=UTC) for year in range(2017, 2024) for month in (1, 6)]


def holds(store: ml.Store) -> dict[str, list[str]]:
    """What each node is at many instants."""
    told = {name: [] for name in store.nodes["id"]}
    for instant in INSTANTS:
        for name, value in zip(store.nodes["id"], validity(store.nodes, instant), strict=True):
            told[name].append(value)
    return told


def asked_of(store: ml.Store, gold: list[list[int]]) -> ml.Exam:
    ids = sorted(store.nodes["id"])
    return ml.Exam.from_rows(
        [{"id": f"q{at}", "question": "x", "gold": sorted({ids[n % len(ids)] for n in numbers})}
         for at, numbers in enumerate(gold)] + [{"id": "never", "question": "y", "answerable": False}],
        name="mine",
    )  # fmt: skip


golds = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=5)
few = settings(max_examples=50, deadline=None, derandomize=True)


@st.composite
def chained(draw: st.DrawFn) -> ml.Store:
    """Successions of every sort: chains, circles, several successors, undated ones, ends before starts."""
    dates = st.sampled_from([None, "2018-01-01", "2019-01-01", "2020-01-01", "2021-01-01"])
    ids = [f"n{at}" for at in range(draw(st.integers(2, 6)))]
    rows = []
    for name in ids:
        start, stop = draw(dates), draw(dates)
        if start and stop and stop < start:
            start, stop = stop, start
        after = draw(st.lists(st.sampled_from([i for i in ids if i != name]), max_size=2, unique=True))
        rows.append(node(name, name, valid_from=start, valid_to=stop, ended=draw(st.booleans()), superseded_by=after))
    return ml.Store.from_frames(rows)


@few
@given(chained(), golds, st.integers(0, 3))
def test_what_stays_holds_when_it_held_before(store: ml.Store, gold: list[list[int]], seed: int) -> None:
    smaller, _ = remove_gold(store, asked_of(store, gold), n=1, seed=seed)
    before = holds(store)
    assert holds(smaller) == {name: before[name] for name in smaller.nodes["id"]}


@few
@given(memories(), golds, st.integers(1, 5), st.integers(0, 3))
def test_gold_that_is_gone_leaves_nothing_behind(memory: Memory, gold: list[list[int]], n: int, seed: int) -> None:
    store = memory.lab().store
    exam = asked_of(store, gold)
    n = min(n, len(gold))
    smaller, left = remove_gold(store, exam, n=n, seed=seed)
    there = set(smaller.nodes["id"])
    was = dict(exam.questions.select("question_id", "gold").iter_rows())
    removed = 0
    for row in left.questions.iter_rows(named=True):
        assert row["gold"] == [g for g in was[row["question_id"]] if g in there]
        assert row["answerable"] == bool(row["gold"])
        taken = row["question_id"] != "never" and not row["gold"]
        assert ("gold-removed" in row["tags"]) == taken
        removed += taken
    assert removed >= n
    assert left.questions.select("question_id", "question", "written_by").equals(
        exam.questions.select("question_id", "question", "written_by")
    )
    # Every end of every edge is there, and the store can be made of its own frames again.
    again = ml.Store.from_frames(smaller.nodes, smaller.edges, smaller.pieces)
    assert again.checksum == smaller.checksum
    # Whatever row a question stands in.
    turned = ml.Exam(exam.questions.reverse(), exam.name)
    other, right = remove_gold(store, turned, n=n, seed=seed)
    assert other.checksum == smaller.checksum
    assert right.questions.sort("question_id").equals(left.questions.sort("question_id"))


def removed(*, gold: list[str], strict: list[str] | None = None) -> tuple[ml.Store, ml.Exam]:
    nodes = [node("a", "Loom", text="A loom."), node("b", "Warp"), node("c", "Weft")]
    pieces = [
        {"id": "both", "text": "Loom and warp.", "mentions": ["c"]},
        {"id": "told", "text": "x", "mentions": ["a"]},
    ]
    edges = [{"source": s, "type": "FROM", "target": "both"} for s in "ab"]
    edges += [{"source": "a", "type": "ABOUT", "target": "c"}, {"source": "b", "type": "ABOUT", "target": "c"}]
    store = ml.Store.from_frames(nodes, edges, pieces)
    exam = ml.Exam.from_rows([{"id": "q", "question": "loom?", "gold": gold, "gold_strict": strict}], name="mine")
    return remove_gold(store, exam, share=0.1, seed=1)


def test_pieces_stay_but_for_those_of_gone_nodes_alone() -> None:
    store, exam = removed(gold=["a"])
    assert sorted(store.nodes["id"]) == ["b", "c"]
    assert sorted(store.pieces["id"]) == ["both", "told"]
    assert sorted(store.edges.rows()) == [("b", "ABOUT", "c"), ("b", "FROM", "both"), ("both", "MENTIONS", "c")]
    assert (exam.name, exam.questions["tags"].to_list()) == ("mine (gold removed)", [["gold-removed"]])
    assert "1 of 1 answerable questions lost their gold (seed 1): 1 nodes are gone" in exam.notes[-1]
    assert exam.notes[-1] in store.about.notes
    # A piece still leads to its neighbour, which is handed back and not resolved.
    assert ml.Lab.of(store, encoder=None).resolve("loom", as_of=NOW).state == "choose"


def test_strict_gold_goes_too() -> None:
    store, exam = removed(gold=["a", "b"], strict=["b"])
    assert store.nodes["id"].to_list() == ["c"]
    assert exam.questions["gold_strict"].to_list() == [[]]


def test_a_share_counts_questions_and_its_seed_picks_them() -> None:
    store = lab_of([node(f"n{at}", f"t{at}") for at in range(10)], semantic=False).store
    exam = asked_of(store, [[at] for at in range(10)])
    picked = {
        seed: remove_gold(store, exam, share=0.3, seed=seed)[1].questions["answerable"].to_list() for seed in (1, 2)
    }
    assert [sum(p) for p in picked.values()] == [7, 7]
    assert picked[1] != picked[2]
    assert sum(remove_gold(store, exam, seed=1)[1].questions["answerable"]) == 8


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"share": 0.0}, "share: must be a number above 0"),
        ({"share": True}, "share: must be a number"),
        ({"n": 3}, "n: must be a whole number from 1 to 1"),
        ({"n": 1, "share": 0.5}, "give one of them"),
        ({"n": 1, "seed": "1"}, "seed: must be a whole number"),
    ],
)
def test_a_bad_share_is_refused(arguments: dict[str, Any], told: str) -> None:
    store = lab_of([node("n0", "t")], semantic=False).store
    with pytest.raises(InputError, match=told):
        remove_gold(store, asked_of(store, [[0]]), **{"seed": 1, **arguments})
    with pytest.raises(InputError, match="'zz' is no node of this store"):
        remove_gold(store, ml.Exam.from_rows([{"id": "a", "question": "x", "gold": ["zz"]}]), seed=1)
    with pytest.raises(InputError, match="exam: has no answerable question"):
        remove_gold(store, asked_of(store, []), seed=1)
