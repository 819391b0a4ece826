"""The command line: what it prints, and one clear line and exit status 2 on bad input."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import main

NODES = [
    {"id": "loom", "kind": "Concept", "title": "Loom", "aliases": ["베틀"]},
    {"id": "old", "kind": "Record", "title": "Shuttle", "valid_to": "2020-01-01"},
    {"id": "choir", "kind": "Episode", "title": "The choir [live] met"},
]
EXAM = [
    {"id": "a", "question": "베틀이 뭐야?", "lang": "ko", "gold": ["loom"], "written_by": "Ada"},
    {"id": "b", "question": "tax law in 1999", "answerable": False, "written_by": "Ada"},
]
COUNTS = {"n_answerable", "in_pool", "first", "resolved_right", "confident_wrong", "choose", "choose_has_gold", "none",
          "n_unanswerable", "unanswerable_resolved", "unanswerable_choose", "unanswerable_none"}  # fmt: skip


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source, its store and its exam."""
    import memlab as ml

    folder = tmp_path_factory.mktemp("cli")
    (folder / "nodes.jsonl").write_text(lines(NODES), encoding="utf-8")
    (folder / "exam.jsonl").write_text(lines(EXAM), encoding="utf-8")
    ml.build_store(folder / "nodes.jsonl", folder / "a.store")
    return folder


class Run:
    """Runs ``memlab`` in this process, as the console script does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._patch, self._capture = monkeypatch, capfd

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        self._patch.setattr(sys, "argv", ["memlab", *map(str, arguments)])
        self._capture.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        out, err = self._capture.readouterr()
        code = left.value.code
        return (code if isinstance(code, int) else 0), out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    return Run(monkeypatch, capfd)


def test_build_says_what_it_built(run: Run, made: Path, tmp_path: Path) -> None:
    status, out, _ = run("build", made / "nodes.jsonl", tmp_path / "b.store")
    assert status == 0
    assert "3 nodes" in out
    status, out, _ = run("build", made / "nodes.jsonl", tmp_path / "b.store", "--json")
    assert (status, json.loads(out)["nodes"]) == (0, 3)


def test_ask_shows_state_node_and_reason(run: Run, made: Path) -> None:
    status, out, _ = run("ask", made / "a.store", "베틀이 뭐야?")
    assert status == 0
    assert "resolved" in out
    assert "whole_title" in out
    assert "Loom" in out


def test_ask_shows_a_title_with_brackets_as_it_stands(run: Run, made: Path) -> None:
    assert "[live]" in run("ask", made / "a.store", "choir live met")[1]


def test_ask_in_json(run: Run, made: Path) -> None:
    status, out, _ = run("ask", made / "a.store", "베틀이 뭐야?", "--json")
    answer = json.loads(out)
    assert (status, answer["state"], answer["node"], answer["reason"]) == (0, "resolved", "loom", "whole_title")


def test_ask_at_an_instant_and_with_the_retired(run: Run, made: Path) -> None:
    def node(*more: str) -> object:
        return json.loads(run("ask", made / "a.store", "shuttle", "--json", *more)[1])["node"]

    assert (node(), node("--as-of", "2019-06-01"), node("--include-retired")) == (None, "old", "old")


def test_ask_says_what_hides_a_node_and_what_would_have_settled_it_in_80_columns(
    run: Run, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.cells import cell_len
    from rich.console import Console

    monkeypatch.setattr("memlab.cli.questions.out", Console(width=80))
    status, out, _ = run("ask", made / "a.store", "shuttle")
    assert status == 0
    assert "ended 2020-01-01" in out
    assert "until 2020-01-01" in out
    assert max(map(cell_len, out.splitlines())) <= 80
    assert "Hidden" not in run("ask", made / "a.store", "베틀이 뭐야?", "--as-of", "2015-01-01")[1]


def test_explain_shows_the_way_and_draws_it(run: Run, made: Path, tmp_path: Path) -> None:
    status, out, _ = run("explain", made / "a.store", "베틀이 뭐야?", "--chart", tmp_path / "way.svg")
    assert status == 0
    for shown in ("[베틀]", "ground whole_title", "resolved", "way.svg"):
        assert shown in out
    assert "whole_title" in (tmp_path / "way.svg").read_text(encoding="utf-8")


def test_explain_in_json_agrees_with_ask(run: Run, made: Path) -> None:
    told, asked = (json.loads(run(command, made / "a.store", "shuttle", "--json")[1]) for command in ("explain", "ask"))
    for name in ("state", "node", "reason", "reasons", "settles", "gap"):
        assert told[name] == asked[name]
    assert [word["surface"] for word in told["words"]] == ["shuttle"]
    retired = json.loads(run("explain", made / "a.store", "shuttle", "--include-retired", "--json")[1])
    assert (retired["state"], retired["settles"]) == ("resolved", [])


def test_around_shows_a_node_and_what_is_tied_to_it(run: Run, made: Path) -> None:
    status, out, _ = run("around", made / "a.store", "old", "--as-of", "2026-01-01")
    assert status == 0
    assert "ended 2020-01-01" in out
    told = json.loads(run("around", made / "a.store", "old", "--as-of", "2019-01-01", "--json")[1])
    assert [(n["node_id"], n["validity"]) for n in told["nodes"]] == [("old", "current")]


def test_ask_keeps_a_log_that_is_an_exam_once_somebody_has_judged(run: Run, made: Path, tmp_path: Path) -> None:
    import memlab as ml

    log = tmp_path / "log.jsonl"
    status, out, _ = run("ask", made / "a.store", "베틀이 뭐야?", "--log", log)
    logged = json.loads(run("ask", made / "a.store", "shuttle", "--as-of", "2019-06-01", "--log", log, "--json")[1])
    assert (status, f"in {log}" in out.replace("\n", "")) == (0, True)
    decisions = [e for e in map(json.loads, log.read_text(encoding="utf-8").splitlines()) if e["line"] == "decision"]
    assert decisions[0]["question_id"] in out
    assert [d["node"] for d in decisions] == ["loom", "old"]
    assert decisions[0]["asked_at"]
    ml.Resolver(made / "a.store", log=log).choose(logged["question_id"], "old", by="Ada")
    status, out, _ = run("exam", made / "a.store", log, "--json")
    report = json.loads(out)
    assert (status, report["resolved_right"], report["n_answerable"], report["written_by"]) == (0, 1, 1, ["Ada"])


def test_exam_prints_the_table_and_its_origin(run: Run, made: Path) -> None:
    status, out, _ = run("exam", made / "a.store", made / "exam.jsonl", "--by", "lang")
    assert status == 0
    for shown in ("resolved right", "risk", "written by Ada", "embedded", "ko"):
        assert shown in out


def test_exam_in_json_gives_the_same_figures_to_programs(run: Run, made: Path) -> None:
    status, out, _ = run("exam", made / "a.store", made / "exam.jsonl", "--json")
    report = json.loads(out)
    assert status == 0
    assert {**dict.fromkeys(COUNTS), "encoder": 0, "settings": 0, "exam_checksum": 0, "store_checksum": 0}.keys() <= (
        report.keys()
    )
    assert all(type(report[name]) is int for name in COUNTS)
    assert (report["n_answerable"], report["resolved_right"], report["n_unanswerable"]) == (1, 1, 1)
    assert report["encoder"][0]["name"] == "embedded"
    assert report["settings"]["min_words"] == 2


def test_exam_writes_its_charts(run: Run, made: Path, tmp_path: Path) -> None:
    assert run("exam", made / "a.store", made / "exam.jsonl", "--charts", tmp_path / "charts")[0] == 0
    assert {f.stem.split(".")[0] for f in (tmp_path / "charts").iterdir()} == {
        "outcomes", "gaps", "funnel", "risk-coverage"}  # fmt: skip


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


BAD = {
    "no such source": (lambda d, t: ("build", d / "nothing", t / "s"), "nothing"),
    "a row that is no JSON": (lambda d, t: ("build", write(t / "nodes.jsonl", "{\n"), t / "s"), "row 1"),
    "a row without a title": (
        lambda d, t: ("build", write(t / "nodes.jsonl", '{"id": "a", "kind": "Concept"}\n'), t / "s"),
        "nodes row 1 title",
    ),
    "an unknown encoder": (lambda d, t: ("build", d / "nodes.jsonl", t / "s", "--encoder", "no/such"), "no/such"),
    "an unknown reader": (lambda d, t: ("build", d / "nodes.jsonl", t / "s", "--reader", "tarot"), "tarot"),
    "no such store": (lambda d, t: ("ask", t / "none.store", "loom"), "none.store"),
    "a folder that is no store": (lambda d, t: ("ask", t, "loom"), "not a memlab store"),
    "a bad instant": (lambda d, t: ("ask", d / "a.store", "loom", "--as-of", "soon"), "as_of"),
    "no such settings": (lambda d, t: ("ask", d / "a.store", "loom", "--settings", t / "no.toml"), "no.toml"),
    "settings that are no TOML": (
        lambda d, t: ("ask", d / "a.store", "loom", "--settings", write(t / "my.toml", "gap = ")),
        "my.toml",
    ),
    "a chart without a format": (lambda d, t: ("explain", d / "a.store", "loom", "--chart", t / "way"), "--chart"),
    "an unknown chart format": (lambda d, t: ("explain", d / "a.store", "loom", "--chart", t / "way.bmp"), "bmp"),
    "an unknown node": (lambda d, t: ("around", d / "a.store", "lom"), "loom ('Loom')"),
    "a negative depth": (lambda d, t: ("around", d / "a.store", "loom", "--depth", "-1"), "depth"),
    "an unknown setting": (
        lambda d, t: ("ask", d / "a.store", "loom", "--settings", write(t / "my.toml", "gaps = 1")),
        "gaps",
    ),
    "a value out of range": (
        lambda d, t: ("exam", d / "a.store", d / "exam.jsonl", "--settings", write(t / "my.toml", "gap = -1")),
        "gap",
    ),
    "no such exam": (lambda d, t: ("exam", d / "a.store", t / "no.jsonl"), "no.jsonl"),
    "an exam of another store": (
        lambda d, t: (
            "exam",
            d / "a.store",
            write(t / "e.jsonl", '{"id": "a", "question": "x", "gold": ["zz"]}\n'),
        ),
        "exam row 1 gold",
    ),
    "an unknown preset": (lambda d, t: ("exam", d / "a.store", d / "exam.jsonl", "--preset", "bold"), "preset"),
    "a preset and settings": (
        lambda d, t: (
            "exam",
            d / "a.store",
            d / "exam.jsonl",
            "--preset",
            "gap",
            "--settings",
            write(t / "my.toml", "gap = 0.1"),
        ),
        "--preset and --settings",
    ),
    "strict gold that is not there": (
        lambda d, t: ("exam", d / "a.store", d / "exam.jsonl", "--gold", "strict"),
        "has no gold_strict",
    ),
    "strict gold of another store": (
        lambda d, t: (
            "exam",
            d / "a.store",
            write(t / "e.jsonl", '{"id": "a", "question": "x", "gold": ["loom"], "gold_strict": ["zz"]}\n'),
        ),
        "exam row 1 gold_strict",
    ),
    "an arm that is not there": (lambda d, t: ("ask", d / "a.store", "loom", "--arm", "tarot"), "tarot"),
    "settings of an arm that is not there": (
        lambda d, t: ("exam", d / "a.store", d / "exam.jsonl", "--settings", write(t / "my.toml", 'arms = ["tittle"]')),
        "title, graph, semantic",
    ),
    "a log that is something else": (
        lambda d, t: ("ask", d / "a.store", "loom", "--log", write(t / "diary.txt", "mine")),
        "not a memlab log",
    ),
    "an empty source over a store": (lambda d, t: ("build", write(t / "nodes.jsonl", ""), d / "a.store"), "--force"),
    "a pipe as source": (lambda d, t: ("build", pipe(t / "nodes.jsonl"), t / "s"), "neither a file nor a folder"),
    "a pipe as exam": (lambda d, t: ("exam", d / "a.store", pipe(t / "e.jsonl")), "neither a file nor a folder"),
    "an unknown gold": (lambda d, t: ("exam", d / "a.store", d / "exam.jsonl", "--gold", "old"), "gold"),
    "an unknown grouping": (lambda d, t: ("exam", d / "a.store", d / "exam.jsonl", "--by", "mood"), "by"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line_and_exit_status_2(
    case: str, run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    arguments, named = BAD[case]
    status, out, err = run(*arguments(made, tmp_path))
    assert status == 2, err
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.startswith("memlab: ")
    assert named in err
    assert "Traceback" not in err


def test_a_folder_that_is_something_else_is_left_alone(run: Run, made: Path, tmp_path: Path) -> None:
    mine = write(tmp_path / "diary.txt", "mine")
    status, _, err = run("build", made / "nodes.jsonl", tmp_path)
    assert (status, mine.read_text()) == (2, "mine")
    assert "diary.txt" in err
    assert [f.name for f in tmp_path.iterdir()] == ["diary.txt"]


@pytest.mark.parametrize("arguments", [("ask",), ("exam", "a"), ("fly",), ("ask", "a", "b", "--no-such")])
def test_a_wrong_command_is_exit_status_2(arguments: tuple[str, ...], run: Run) -> None:
    status, _, err = run(*arguments)
    assert status == 2
    assert "Traceback" not in err


def test_the_version_is_told(run: Run) -> None:
    import memlab as ml

    assert run("--version")[:2] == (0, f"memlab {ml.__version__}\n")


def test_an_empty_source_replaces_a_store_where_that_is_meant(run: Run, made: Path, tmp_path: Path) -> None:
    import memlab as ml

    nothing, store = write(tmp_path / "nodes.jsonl", ""), tmp_path / "b.store"
    assert run("build", nothing, store)[0] == 0
    assert run("build", made / "nodes.jsonl", store)[0] == 0
    assert run("build", nothing, store)[0] == 2
    assert ml.Store.open(store).nodes.height == 3
    assert run("build", nothing, store, "--force")[0] == 0
    assert ml.Store.open(store).nodes.height == 0


def test_a_misspelt_column_of_an_exam_is_told(run: Run, made: Path, tmp_path: Path) -> None:
    rows = [EXAM[0], EXAM[1] | {"writen_by": "Ada"}]
    status, _, err = run("exam", made / "a.store", write(tmp_path / "e.jsonl", lines(rows)))
    assert status == 0
    assert "e.jsonl: exam: unknown columns left out: 'writen_by' (row 2)" in err


def test_study_writes_a_report_and_says_what_it_found(run: Run, made: Path, tmp_path: Path) -> None:
    out_folder = tmp_path / "report"
    arguments = ("study", made / "a.store", made / "exam.jsonl", "--to", out_folder, "--only", "depth", "--only", "bar")
    status, out, _ = run(*arguments, "--as-of", "2026-01-01")
    assert status == 0
    assert "depth: " in out
    assert (out_folder / "index.html").exists()
    about = json.loads((out_folder / "study.json").read_text(encoding="utf-8"))
    assert about["command"].startswith("memlab study ")
    assert about["as_of"] == "2026-01-01T00:00:00+00:00"
    # Without an instant the clock's is taken, and the command that makes it again names it.
    assert run(*arguments)[0] == 0
    assert "--as-of 20" in json.loads((out_folder / "study.json").read_text(encoding="utf-8"))["command"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [(("--only", "deep"), "no such experiment as 'deep'"), (("--formats", "gif"), "no such format as 'gif'"),
     (("--with", "nonsense"), "neither a settings file nor one of"), (("--gold", "strict"), "has no gold_strict"),
     (("--as-of", "someday"), "as_of")],
)  # fmt: skip
def test_study_refuses_in_one_line(
    run: Run, made: Path, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    status, _, err = run("study", made / "a.store", made / "exam.jsonl", "--to", tmp_path / "r", *arguments)
    assert (status, len(err.strip().splitlines())) == (2, 1)
    assert problem in err
    assert not (tmp_path / "r").exists()


def test_compare_prints_the_difference_and_the_flips(run: Run, made: Path) -> None:
    arguments = ("compare", made / "a.store", made / "exam.jsonl", "--with", "one_word")
    status, out, _ = run(*arguments)
    assert status == 0
    assert "resolved right" in out
    assert max(map(len, out.splitlines()[:9])) <= 80
    told = json.loads(run(*arguments, "--json")[1])
    assert {row["measure"] for row in told["table"]} >= {"wrong", "risk"}
    assert run("compare", made / "a.store", made / "exam.jsonl")[0] == 2
