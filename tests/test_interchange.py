"""Interchange: what is written is what other tools read, and it comes back as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny import NOW, OVER, Memory, lab_of, memories, node, questions

import memlab as ml
from memlab.errors import InputError, MemlabError
from memlab.exam import interchange

NODES = [
    node("loom", "Loom", aliases=["베틀"]), node("warp", "Warp beam", "Record"), node("weft", "Weft beam", "Record"),
    node("old", "Shuttle", "Decision", **OVER),
    node("night", "The night of the loom", "Episode", summary="velvet was woven", valid_from="2019-01-01"),
]  # fmt: skip
PIECES = [{"id": "p1", "document": "d", "text": "The loom is loud.", "mentions": ["loom"]},
          {"id": "p2", "document": "d", "text": "Warp it.", "position": 1}]  # fmt: skip
EDGES = [{"source": "warp", "type": "FROM", "target": "p2"}, {"source": "warp", "type": "FROM", "target": "p1"},
         {"source": "warp", "type": "ABOUT", "target": "loom"}]  # fmt: skip
ROWS: list[dict[str, Any]] = [
    {"id": "a", "question": "what is a loom?", "lang": "en", "gold": ["loom"], "written_by": "Ada", "tags": ["t"]},
    {"id": "b", "question": "beam", "gold": ["warp", "weft"], "gold_strict": [], "written_by": "Bob, Ada"},
    {"id": "c", "question": "velvet\nshuttle", "gold": ["old"], "as_of": "2015-01-01", "gold_strict": ["old"]},
    {"id": "d", "question": "night beam", "gold": ["weft"], "include_retired": False},
    {"id": "f", "question": "loom", "gold": ["night"]},
    {"id": "g", "question": "", "answerable": False},
    {"id": "e", "question": "비단은?", "answerable": False, "written_by": "Ada"},
]
some = settings(max_examples=20, deadline=None, derandomize=True,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])  # fmt: skip


@pytest.fixture(scope="module")
def lab() -> ml.Lab:
    return lab_of(NODES, PIECES, EDGES)


@pytest.fixture(scope="module")
def exam(lab: ml.Lab) -> ml.Exam:
    return ml.Exam.from_rows(ROWS)


@pytest.fixture(scope="module")
def outcomes(lab: ml.Lab, exam: ml.Exam) -> ml.Outcomes:
    asked = exam.for_store(lab.store)
    return ml.grade(ml.decide(lab.gather(asked, now=NOW), lab.settings), asked, kinds=lab.store.nodes)


def mean_reciprocal_rank(outcomes: ml.Outcomes) -> float:
    """From the frame alone: over questions with gold, of what a run says comes first."""
    found = []
    for row in outcomes.rows.filter("answerable").iter_rows(named=True):
        order = [row["node_id"], *row["pool"]]
        ranked = [n for n in dict.fromkeys(order) if n is not None]
        found.append(max((1 / (at + 1) for at, n in enumerate(ranked) if n in row["gold"]), default=0.0))
    return float(np.mean(found))


# TREC ---------------------------------------------------------------------------------------------


def test_ir_measures_and_ranx_read_what_is_written(outcomes: ml.Outcomes, exam: ml.Exam, tmp_path: Path) -> None:
    ir_measures, ranx = pytest.importorskip("ir_measures"), pytest.importorskip("ranx")
    qrels = str(interchange.write_qrels(exam, tmp_path / "qrels.trec"))
    run = str(interchange.write_run(outcomes, tmp_path / "run.trec", tag="mine"))
    expected = mean_reciprocal_rank(outcomes)
    assert 0 < expected < 1
    measures = [ir_measures.RR, ir_measures.nDCG @ 10]
    told = ir_measures.calc_aggregate(
        measures, list(ir_measures.read_trec_qrels(qrels)), list(ir_measures.read_trec_run(run))
    )
    assert told[ir_measures.RR] == pytest.approx(expected)
    also = ranx.evaluate(ranx.Qrels.from_file(qrels), ranx.Run.from_file(run), ["mrr", "ndcg@10"], make_comparable=True)
    assert also["mrr"] == pytest.approx(expected)
    assert also["ndcg@10"] == pytest.approx(told[ir_measures.nDCG @ 10])


@some
@given(memories(), questions(4))
def test_scores_of_a_run_fall_strictly_in_our_order(
    tmp_path: Path, memory: Memory, asked: list[dict[str, Any]]
) -> None:
    lab = memory.lab()
    decisions = ml.decide(lab.gather(asked), lab.settings)
    file = interchange.write_run(decisions, tmp_path / "run.trec")
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    for row in decisions.iter_rows(named=True):
        mine = [line for line in lines if line[0] == row["question_id"]]
        scores = np.array([line[4] for line in mine], dtype=np.float32)
        assert (np.diff(scores) < 0).all()
        assert [int(line[3]) for line in mine] == list(range(1, len(mine) + 1))
        first = [row["node_id"]] if row["state"] == "resolved" else []
        assert [line[2] for line in mine] == first + [node for node in row["pool"] if node not in first]


def test_the_depth_of_a_run_is_kept(outcomes: ml.Outcomes, tmp_path: Path) -> None:
    interchange.write_run(outcomes, tmp_path / "run.trec", depth=1)
    hits = interchange.read_run(tmp_path / "run.trec")
    assert hits["question_id"].n_unique() == hits.height
    for depth in (0, True, 1.5):
        with pytest.raises(InputError, match="depth: must be a whole number"):
            interchange.write_run(outcomes, tmp_path / "run.trec", depth=depth)  # type: ignore[arg-type]


def test_a_run_of_elsewhere_becomes_hits(lab: ml.Lab, exam: ml.Exam, tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    # The written ranks are not what counts, and equal scores are no order.
    file.write_text(
        "a Q0 loom 7 3.5 BM25.v2\na  Q0\tnight 1 1e0 BM25.v2\na Q0 warp 2 1.0 BM25.v2\n\n", encoding="utf-8"
    )
    hits = interchange.read_run(file)
    assert hits.select("node_id", "rank", "arm").rows() == [
        ("loom", 1, "bm25_v2"), ("night", 2, "bm25_v2"), ("warp", 2, "bm25_v2"),
    ]  # fmt: skip
    evidence = ml.evidence_from(hits, lab.store, exam, now=NOW)
    assert ml.decide(evidence, lab.settings)["first"][0] == "loom"
    for tag, arm in (("semantic", "run_semantic"), ("검색", "run"), ("x" * 99, "x" * 36), ("title", "run_title")):
        file.write_text(f"a Q0 loom 1 1 {tag}\n", encoding="utf-8")
        assert interchange.read_run(file)["arm"].to_list() == [arm]
        ml.evidence_from(interchange.read_run(file), lab.store, exam, now=NOW)
    assert interchange.read_run(file, arm="mine")["arm"].to_list() == ["mine"]


names = st.text(st.sampled_from("a% \t\n\r\u2028\u00a0베2F0"), min_size=1, max_size=6)


@some
@given(st.lists(names, min_size=1, max_size=4, unique=True), st.lists(names, min_size=1, max_size=3, unique=True))
def test_escaped_ids_come_back(tmp_path: Path, ids: list[str], gold: list[str]) -> None:
    exam = ml.Exam.from_rows({"id": f"q{i}", "question": "x", "gold": gold} for i in ids)
    file = interchange.write_qrels(exam, tmp_path / "qrels.trec", escape=True)
    back = interchange.read_qrels(file, escape=True)
    assert back.select("question_id", "node_id").rows() == [(f"q{i}", g) for i in ids for g in sorted(gold)]
    assert all(len(line.split()) == 4 for line in file.read_text(encoding="utf-8").splitlines())


def test_ids_with_spaces_are_refused_by_row_and_nothing_is_written(outcomes: ml.Outcomes, tmp_path: Path) -> None:
    exam = ml.Exam.from_rows([ROWS[0], {"id": "b", "question": "x", "gold": ["two words"]}])
    with pytest.raises(InputError, match="exam row 2 gold: 'two words' holds a space"):
        interchange.write_qrels(exam, tmp_path / "qrels.trec")
    with pytest.raises(InputError, match="tag: 'my run' must be one word"):
        interchange.write_run(outcomes, tmp_path / "run.trec", tag="my run")
    assert list(tmp_path.iterdir()) == []


def test_an_exam_is_made_of_qrels_and_questions(exam: ml.Exam, tmp_path: Path) -> None:
    (tmp_path / "q.trec").write_text("a 0 loom 2\na 0 warp 0\nb 0 warp 1\n", encoding="utf-8")
    qrels = interchange.read_qrels(tmp_path / "q.trec")
    made = interchange.exam_from_qrels(qrels, {"a": "x", "b": "y", "c": "z"}, written_by="TREC")
    assert made.questions.select("question_id", "gold").rows() == [("a", ["loom"]), ("b", ["warp"])]
    assert made.notes == ("1 questions are left out, as nothing is judged to answer them",)
    assert made.authors == ("TREC",)
    with pytest.raises(InputError, match="qrels row 2 question_id: 'b' has no text"):
        interchange.exam_from_qrels(qrels, {"a": "x"})


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a 0 n\n", "q.trec: qrels row 1: has 3 fields"),
        ("\na 0 n 1\n\nb 0 n yes\n", "q.trec: qrels row 2 relevance: 'yes'"),
        ("a 0 n 0.5\n", "relevance: '0.5'"),
    ],
)
def test_bad_qrels_are_refused_by_row(content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "q.trec").write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        interchange.read_qrels(tmp_path / "q.trec")
    assert told in str(caught.value)


def test_a_bad_run_is_refused_by_row(tmp_path: Path) -> None:
    for content, told in (
        ("a Q0 n 1 0.5\n", "run row 1: has 5 fields"),
        ("a Q0 n 1 nan t\n", "run row 1 score: 'nan'"),
    ):
        (tmp_path / "r.trec").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=told):
            interchange.read_run(tmp_path / "r.trec")


# BEIR ---------------------------------------------------------------------------------------------


def same(one: ml.Exam, other: ml.Exam) -> bool:
    return one.questions.sort("question_id").equals(other.questions.sort("question_id"))


def test_a_beir_folder_comes_back_as_it_was(lab: ml.Lab, exam: ml.Exam, tmp_path: Path) -> None:
    folder = interchange.write_beir(lab.store, exam, tmp_path / "beir")
    store, back = interchange.read_beir(folder)
    assert store.checksum == lab.store.checksum
    assert same(back, exam)
    assert back.name == "beir"
    # And over what stood there.
    assert interchange.write_beir(store, back, folder) == folder


@some
@given(memories(), questions(4))
def test_any_store_comes_back_from_a_beir_folder(tmp_path: Path, memory: Memory, asked: list[dict[str, Any]]) -> None:
    store = memory.lab().store
    rows = [{"id": q["question_id"], "question": q["question"], "gold": [store.nodes["id"][0]]} for q in asked]
    back, exam = interchange.read_beir(interchange.write_beir(store, ml.Exam.from_rows(rows), tmp_path / "beir"))
    assert back.checksum == store.checksum
    assert same(exam, ml.Exam.from_rows(rows))


def test_a_summary_lies_where_nothing_matches_it(lab: ml.Lab, exam: ml.Exam, tmp_path: Path) -> None:
    folder = interchange.write_beir(lab.store, exam, tmp_path / "beir")
    for file in ("corpus.jsonl", "pieces.jsonl"):
        for row in map(json.loads, (folder / file).read_text(encoding="utf-8").splitlines()):
            assert "velvet" not in row.get("title", "") + row["text"]
    store, _ = interchange.read_beir(folder)
    assert ml.Lab.of(store, encoder=None).resolve("velvet was woven", as_of=NOW).state == "none"


def foreign(folder: Path, corpus: list[dict[str, Any]], queries: list[dict[str, Any]], qrels: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return folder


CORPUS = [
    {"_id": "d1", "title": "Loom", "text": "A loom weaves cloth.", "metadata": {"kind": "article", "ended": "no"}},
    {"_id": "d2", "title": "", "text": "Shuttles carry the weft through the loom.", "metadata": {}},
    {"_id": 3, "title": "Warp", "text": "", "metadata": {"valid_from": "2020-01-01", "valid_to": "2010-01-01",
                                                         "superseded_by": ["zz"], "url": "http://x"}},
]  # fmt: skip
QUERIES = [{"_id": "q1", "text": "what weaves?", "metadata": {"lang": 5}}, {"_id": "q2", "text": "judged 0"},
           {"_id": "q3", "text": "never judged", "metadata": {}}]  # fmt: skip
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t0\nq9\td1\t1\n"


def test_a_folder_of_elsewhere_is_read_leniently(tmp_path: Path) -> None:
    store, exam = interchange.read_beir(foreign(tmp_path / "f", CORPUS, QUERIES, QRELS))
    rows = {row["id"]: row for row in store.nodes.iter_rows(named=True)}
    assert {row["kind"] for row in rows.values()} == {"Record"}
    assert rows["d2"]["title"] == "Shuttles carry the weft through the loom."
    assert (rows["3"]["superseded_by"], rows["3"]["valid_to"]) == ([], None)
    assert store.edges.filter(pl.col("type") == "FROM").height == 2
    assert store.edges.filter(pl.col("type") == "MENTIONS").height > 0
    assert exam.questions.select("question_id", "gold", "written_by").rows() == [("q1", ["d1"], "unknown")]
    told = " ".join((*store.about.notes, *exam.notes))
    for part in ("kind in another form", "ended in another form", "valid_to before valid_from", "superseded by what",
                 "without a title", "2 queries: left out", "1 judged queries are not in queries.jsonl"):  # fmt: skip
        assert part in told


def test_a_beir_folder_is_a_source_and_an_exam(tmp_path: Path) -> None:
    folder = foreign(tmp_path / "f", CORPUS, QUERIES, QRELS)
    lab = ml.build_store(folder, tmp_path / "s.store")
    assert lab.store.about.reader == "beir"
    assert len(ml.Exam.read(folder).for_store(lab.store)) == 1


@pytest.mark.parametrize(
    ("corpus", "queries", "qrels", "told"),
    [
        ([{"title": "x"}], QUERIES, QRELS, "corpus.jsonl: corpus row 1 _id: missing"),
        ([*CORPUS, CORPUS[0]], QUERIES, QRELS, "corpus.jsonl: nodes row 4 id: 'd1' is already"),
        (CORPUS, [{"_id": "q1"}], QRELS, "queries.jsonl: queries row 1 text: must be the question"),
        (CORPUS, QUERIES, QRELS + "q1\td1\n", "test.tsv: qrels row 5: has 2 fields"),
        (CORPUS, QUERIES, QRELS + "q1\td1\tgood\n", "test.tsv: qrels row 5 score: 'good'"),
    ],
)
def test_a_bad_folder_is_refused_by_file_and_row(
    corpus: list[Any], queries: list[Any], qrels: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        interchange.read_beir(foreign(tmp_path / "f", corpus, queries, qrels))
    assert told in str(caught.value)


def test_a_folder_with_something_else_is_left_alone(lab: ml.Lab, exam: ml.Exam, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(MemlabError, match=r"holds 'diary\.txt' too"):
        interchange.write_beir(lab.store, exam, tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == ["diary.txt"]
    with pytest.raises(MemlabError, match=r"no BEIR folder: it has no corpus\.jsonl"):
        interchange.read_beir(tmp_path)
    with pytest.raises(MemlabError, match="no judgements called 'dev'; there are: test"):
        interchange.read_beir(foreign(tmp_path / "f", CORPUS, QUERIES, QRELS), split="dev")


# Decisions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_decisions_come_back_as_they_were(outcomes: ml.Outcomes, ending: str, tmp_path: Path) -> None:
    plain = outcomes.rows.select(set(interchange.decisions._DECIDED))
    plain = plain.select(c for c in interchange.decisions._SCHEMA if c in plain.columns)
    for frame, given_ in ((outcomes.rows, outcomes), (plain, plain)):
        file = interchange.write_decisions(given_, tmp_path / f"d.{ending}")
        assert interchange.read_decisions(file).equals(frame)
        assert interchange.read_decisions(file).schema == frame.schema


def test_lists_of_a_csv_can_be_read_by_eye(outcomes: ml.Outcomes, tmp_path: Path) -> None:
    text = interchange.write_decisions(outcomes, tmp_path / "d.csv").read_text(encoding="utf-8")
    assert "warp|weft" in text


def test_a_bad_file_of_decisions_is_refused_by_row(outcomes: ml.Outcomes, tmp_path: Path) -> None:
    file = interchange.write_decisions(outcomes, tmp_path / "d.csv")
    text = file.read_text(encoding="utf-8")
    for change, told in ((("resolved", "guessed"), "d.csv: decisions row 1 state: 'guessed'"),
                         (("question_id,", "name,"), "decisions question_id: no such column")):  # fmt: skip
        file.write_text(text.replace(*change), encoding="utf-8")
        with pytest.raises(InputError) as caught:
            interchange.read_decisions(file)
        assert told in str(caught.value)
    with pytest.raises(InputError, match="give what memlab"):
        interchange.write_decisions(outcomes.rows.select("question"), file)


@pytest.mark.parametrize("line", ["q1 d1 1", "q1\td1\tnan", 'q1\t"d1\t1'])
def test_a_first_judgement_that_cannot_be_read_is_no_header(line: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="qrels row 1"):
        interchange.read_beir(foreign(tmp_path / "b", CORPUS, QUERIES, line + "\n"))


def test_a_number_that_no_other_tool_reads_is_refused(tmp_path: Path) -> None:
    for relevance in ("1e30", "1_0"):
        (tmp_path / "q.trec").write_text(f"a 0 n {relevance}\n", encoding="utf-8")
        with pytest.raises(InputError, match="write a whole number"):
            interchange.read_qrels(tmp_path / "q.trec")


def test_a_device_is_written_to_and_not_replaced(exam: ml.Exam, tmp_path: Path) -> None:
    interchange.write_qrels(exam, tmp_path / "q.trec", escape=True)
    (tmp_path / "link.trec").symlink_to(tmp_path / "q.trec")
    interchange.write_qrels(exam, tmp_path / "link.trec", escape=True)
    assert (tmp_path / "link.trec").is_symlink()
    pipe = tmp_path / "pipe.trec"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    interchange.write_qrels(exam, pipe, escape=True)
    assert os.read(reader, 1 << 16) == (tmp_path / "q.trec").read_bytes()
    os.close(reader)
    assert pipe.is_fifo()
