"""The commands that make exams and hand them on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import Run, lines, made, run, write  # noqa: F401  # the fixtures

import memlab as ml
from memlab.exam import interchange


@pytest.fixture
def log(run: Run, made: Path, tmp_path: Path) -> Path:  # noqa: F811
    file = tmp_path / "log.jsonl"
    for question in ("베틀이 뭐야?", "shuttle"):
        assert run("ask", made / "a.store", question, "--log", file)[0] == 0
    return file


def asked(log: Path) -> list[str]:
    entries = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return [entry["question_id"] for entry in entries if entry["line"] == "decision"]


def test_picks_make_an_exam_of_a_log(run: Run, made: Path, log: Path) -> None:  # noqa: F811
    first, second = asked(log)
    status, out, _ = run("pick", log, first, "loom", "--by", "김서연")
    assert (status, out) == (0, "베틀이 뭐야? → loom, says 김서연\n")
    assert run("pick", log, second, "--none", "--by", "Ada")[0] == 0
    assert run("pick", log, second, "choir", "--by", "Ada", "--store", made / "a.store")[0] == 0
    exam = ml.Exam.read(log)
    assert exam.questions.select("gold", "written_by").rows() == [(["loom"], "김서연"), (["choir"], "Ada")]
    assert json.loads(run("pick", log, second, "old", "--by", "Ada", "--json")[1])["node"] == "old"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("Q", "loom"), "by: say who picked"),
        (("Q", "--by", "Ada"), "name a node, or say --none"),
        (("Q", "loom", "--none", "--by", "Ada"), "name a node, or say --none"),
        (("zz", "loom", "--by", "Ada"), "'zz' was never decided in this log"),
        (("Q", "lom", "--by", "Ada"), "'lom' is none of what was shown (loom"),
    ],
)
def test_a_bad_pick_is_one_clear_line_and_changes_nothing(
    arguments: tuple[str, ...],
    told: str,
    run: Run,  # noqa: F811
    log: Path,
) -> None:
    before = log.read_bytes()
    status, out, err = run("pick", log, *(asked(log)[0] if a == "Q" else a for a in arguments))
    assert (status, out, len(err.splitlines()), log.read_bytes()) == (2, "", 1, before)
    assert told in err


def test_a_sample_is_written_and_can_be_labelled(run: Run, made: Path, tmp_path: Path) -> None:  # noqa: F811
    questions = write(tmp_path / "q.txt", "what is a loom?\nshuttle\nchoir live met\ntax law in 1999\n")
    to = tmp_path / "sample.jsonl"
    status, out, _ = run("sample", made / "a.store", questions, "--n", 3, "--to", to, "--by", "state")
    assert status == 0
    assert "3 of 4 questions (seed 0)" in out
    assert "state resolved" in out
    rows = [json.loads(line) for line in to.read_text(encoding="utf-8").splitlines()]
    assert sum(row["weight"] for row in rows) == pytest.approx(4)
    session = ml.Labelling(ml.Lab.open(made / "a.store"), to, tmp_path / "log.jsonl", by="Ada")
    assert session.total == 3
    status, _, err = run("sample", made / "a.store", questions, "--to", questions)
    assert (status, "is what is read" in err) == (2, True)
    assert run("sample", made / "a.store", questions, "--n", 9, "--to", to)[0] == 2


def test_removing_gold_writes_a_store_and_an_exam(run: Run, made: Path, tmp_path: Path) -> None:  # noqa: F811
    out_ = (tmp_path / "b.store", tmp_path / "b.csv")
    status, out, err = run("remove-gold", made / "a.store", made / "exam.jsonl", *out_, "--share", 0.2, "--seed", 1)
    assert status == 0, err
    assert "1 of 1 answerable questions lost their gold (seed 1)" in out.replace("\n", " ")
    report = json.loads(run("exam", *out_, "--json")[1])
    assert (report["n_answerable"], report["n_unanswerable"]) == (0, 2)
    for arguments in ((made / "a.store", out_[1]), (tmp_path / "c.store", made / "exam.jsonl"),
                      (tmp_path / "c.store", tmp_path / "c.xlsx")):  # fmt: skip
        status, _, err = run("remove-gold", made / "a.store", made / "exam.jsonl", *arguments)
        assert (status, len(err.splitlines())) == (2, 1)
    assert not (tmp_path / "c.store").exists()


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("beir", {"corpus.jsonl", "edges.jsonl", "pieces.jsonl", "queries.jsonl", "qrels"}),
        ("trec", {"qrels.trec", "run.trec"}),
        ("parquet", {"decisions.parquet"}),
        ("csv", {"decisions.csv"}),
    ],
)
def test_export_writes_what_other_tools_read(
    form: str,
    files: set[str],
    run: Run,  # noqa: F811
    made: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    to = tmp_path / "out"
    status, out, err = run("export", made / "a.store", made / "exam.jsonl", "--to", to, "--format", form)
    assert status == 0, err
    assert {file.name for file in to.iterdir()} == files
    if form == "beir":
        # A BEIR folder is a source and an exam.
        assert run("build", to, tmp_path / "again.store")[0] == 0
        report = json.loads(run("exam", tmp_path / "again.store", to, "--json")[1])
        assert (report["resolved_right"], report["n_unanswerable"]) == (1, 1)
    elif form == "trec":
        assert "1 unanswerable questions have no line in the qrels" in out
        assert interchange.read_run(to / "run.trec")["node_id"][0] == "loom"
    else:
        outcomes = interchange.read_decisions(to / files.pop())["outcome"].to_list()
        assert outcomes == ["resolved_right", "unanswerable_choose"]


def test_a_bad_export_is_one_clear_line(run: Run, made: Path, tmp_path: Path) -> None:  # noqa: F811
    mine = write(tmp_path / "diary.txt", "mine")
    for to, form, told in ((tmp_path, "xml", "--format: one of"), (mine, "csv", "is a file"),
                           (tmp_path, "beir", "holds 'diary.txt' too")):  # fmt: skip
        status, out, err = run("export", made / "a.store", made / "exam.jsonl", "--to", to, "--format", form)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
        assert told in err
    assert [file.name for file in tmp_path.iterdir()] == ["diary.txt"]
