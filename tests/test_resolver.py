"""The production door: decisions for programs, and the log that becomes an exam."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tiny import NOW, OVER, Memory, TrigramEncoder, lab_of, memories, node, questions

import memlab as ml

NODES = [node("loom", "Loom"), node("warp", "Warp beam"), node("weft", "Weft beam"), node("old", "Shuttle", **OVER)]
WORDS = ml.Settings(arms=("title",))


@pytest.fixture
def store() -> ml.Store:
    return ml.Store.from_frames(NODES)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "decisions.jsonl"


def entries(log: Path, line: str = "decision") -> list[dict[str, Any]]:
    return [e for e in map(json.loads, log.read_text(encoding="utf-8").splitlines()) if e["line"] == line]


def test_a_resolution_says_what_a_program_needs(store: ml.Store) -> None:
    resolver = ml.Resolver(store, WORDS)
    one = resolver.resolve("what is a loom?", as_of="2024-01-01")
    assert (one.state, one.node, one.title, one.reason) == ("resolved", "loom", "Loom", "whole_title")
    several = resolver.resolve("beam", as_of="2024-01-01")
    assert (several.state, several.node, {c.node for c in several.candidates}) == ("choose", None, {"warp", "weft"})
    ended = resolver.resolve("shuttle", as_of="2024-01-01")
    assert (ended.state, ended.reason, [(c.node, c.validity) for c in ended.hidden]) == (
        "none", "all_retired", [("old", "retired")],
    )  # fmt: skip
    assert resolver.resolve("shuttle", as_of="2024-01-01", include_retired=True).node == "old"
    assert resolver.resolve("shuttle", now=datetime(2015, 6, 1, tzinfo=UTC)).node == "old"
    with pytest.raises(FrozenInstanceError):
        one.node = "warp"  # type: ignore[misc]


def test_its_plain_values_are_json_and_are_the_answers(store: ml.Store) -> None:
    plain = ml.Resolver(store, WORDS).resolve("beam", as_of="2024-01-01", now=NOW).as_dict()
    assert json.loads(json.dumps(plain)) == plain
    answer = ml.Lab.of(store, encoder=None, settings=WORDS).resolve("beam", as_of="2024-01-01").as_dict()
    for name in ("question", "state", "node", "title", "reason", "reasons", "why", "gap", "similarity", "as_of"):
        assert plain[name] == answer[name]
    assert [c["node"] for c in plain["candidates"]] == [c["node_id"] for c in answer["candidates"]]
    assert plain["asked_at"] == NOW.isoformat()


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(memories(), questions())
def test_many_questions_are_decided_as_the_lab_decides_them(memory: Memory, asked: list[dict[str, Any]]) -> None:
    lab = memory.lab()
    made = ml.Resolver.of(lab).resolve_many(asked)
    decided = ml.decide(lab.gather(asked), lab.settings)
    assert [m.question_id for m in made] == decided["question_id"].to_list()
    assert [m.state for m in made] == decided["state"].to_list()
    assert [m.node for m in made] == decided["node_id"].to_list()
    assert [[c.node for c in m.candidates] for m in made] == decided["candidates"].to_list()
    assert [[c.node for c in m.hidden] for m in made] == decided["hidden"].to_list()


def test_it_opens_a_saved_store_and_a_settings_file(tmp_path: Path) -> None:
    lab_of(NODES, semantic=False).save(tmp_path / "a.store")
    WORDS.but(limit=1).save(tmp_path / "settings.toml")
    resolver = ml.Resolver(tmp_path / "a.store", tmp_path / "settings.toml")
    assert resolver.settings == WORDS.but(limit=1)
    assert len(resolver.resolve("beam", as_of="2024-01-01").candidates) == 1


def test_it_reads_no_index_that_its_arms_do_not_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memlab.indexes import PieceIndex, TitleVectors

    (tmp_path / "nodes.jsonl").write_text('{"id": "a", "kind": "Concept", "title": "Loom", "text": "x"}\n')
    ml.build_store(tmp_path / "nodes.jsonl", tmp_path / "a.store")
    read: list[str] = []
    for index in (PieceIndex, TitleVectors):
        real = index.read
        monkeypatch.setattr(index, "read", lambda f, real=real, name=index.__name__: (read.append(name), real(f))[1])
    seen = {}
    for arms in (("title",), ("title", "semantic"), ("title", "graph", "semantic")):
        read.clear()
        resolver = ml.Resolver(tmp_path / "a.store", ml.Settings(arms=arms))
        assert resolver.resolve("loom", as_of="2024-01-01").node == "a"
        seen[len(arms)] = sorted(read)
    assert seen == {1: [], 2: ["TitleVectors"], 3: ["PieceIndex", "TitleVectors"]}


def test_settings_of_another_encoder_are_told(tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text('{"id": "a", "kind": "Concept", "title": "Loom"}\n', encoding="utf-8")
    ml.build_store(tmp_path / "nodes.jsonl", tmp_path / "a.store")
    with pytest.warns(UserWarning, match="their gaps belong to the encoder bge-m3"):
        ml.Resolver(tmp_path / "a.store", ml.Settings(encoder="bge-m3"))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nothing.store",), "no such store"),
        ((5,), "store"),
        (("STORE", "no.toml"), "no.toml"),
        (("STORE", {"gap": 1}), "settings: give Settings or the path"),
        (("STORE", ml.Settings(arms=("tittle",))), "no such arm as 'tittle'"),
    ],
)
def test_what_cannot_be_opened_is_one_clear_error(arguments: tuple[Any, ...], told: str, store: ml.Store) -> None:
    with pytest.raises(ml.MemlabError, match=told):
        ml.Resolver(*(store if a == "STORE" else a for a in arguments))


def test_the_log_holds_what_it_takes_to_say_why(store: ml.Store, log: Path) -> None:
    resolver = ml.Resolver(store, WORDS, log=log)
    assert not log.exists()
    asked = resolver.resolve("what is a loom?\nreally", as_of="2024-01-01", now=NOW)
    resolver.resolve_many([{"id": "mine", "question": "beam", "lang": "en", "as_of": "2024-01-01"}])
    first, second = entries(log)
    assert first == {
        "line": "decision", "question_id": asked.question_id, "question": "what is a loom?\nreally", "lang": "",
        "asked_at": NOW.isoformat(), "as_of": "2024-01-01T00:00:00+00:00", "include_retired": False,
        "state": asked.state, "node": asked.node, "reason": asked.reason, "reasons": list(asked.reasons),
        "candidates": [c.node for c in asked.candidates], "hidden": [], "gap": None, "similarity": None,
        "store": store.checksum, "encoder": None, "settings": first["settings"], "memlab": ml.__version__,
    }  # fmt: skip
    # Nobody said when, so nothing is said.
    assert (second["question_id"], second["lang"], second["asked_at"]) == ("mine", "en", None)
    (rules,) = entries(log, "settings")
    assert rules["id"] == first["settings"]
    gathering = rules["settings"].pop("gathering")
    assert ml.Settings.from_dict(rules["settings"]) == WORDS
    assert ml.Gathering(**gathering) == ml.Gathering()


def test_each_settings_stand_in_a_log_once(store: ml.Store, log: Path) -> None:
    for rules in (WORDS, WORDS.but(limit=1), WORDS):
        ml.Resolver(store, rules, log=log).resolve("loom", as_of="2024-01-01", now=NOW)
    assert len(entries(log, "settings")) == 2
    assert len(entries(log, "log")) == 1
    assert [e["settings"] for e in entries(log)] == [entries(log, "settings")[at]["id"] for at in (0, 1, 0)]


def test_the_encoder_is_named_in_the_log(log: Path) -> None:
    resolver = ml.Resolver.of(lab_of(NODES), log=log)
    resolver.resolve("loom", as_of="2024-01-01")
    assert entries(log)[0]["encoder"] == TrigramEncoder.info.key


def test_what_stands_in_a_log_is_never_changed(store: ml.Store, log: Path) -> None:
    ml.Resolver(store, WORDS, log=log).resolve("loom", as_of="2024-01-01")
    # As a crash or a full disk leaves it.
    torn = log.read_bytes() + b'{"line": "decision", "quest'
    log.write_bytes(torn)
    ml.Resolver(store, WORDS, log=log).resolve("beam", as_of="2024-01-01")
    assert log.read_bytes().startswith(torn + b"\n")
    assert json.loads(log.read_bytes().splitlines()[-1])["question"] == "beam"
    assert ml.Exam.from_log(log).notes[0] == "line 4 was cut short and is left out"


def test_a_file_that_is_no_log_is_left_alone(store: ml.Store, tmp_path: Path) -> None:
    diary = tmp_path / "diary.jsonl"
    diary.write_text("mine\n", encoding="utf-8")
    for path, told in ((diary, "is not a memlab log"), (tmp_path, "is no file"), (5, "give the path")):
        with pytest.raises(ml.MemlabError, match=told):
            ml.Resolver(store, WORDS, log=path)  # type: ignore[arg-type]
    assert diary.read_text(encoding="utf-8") == "mine\n"
    with pytest.raises(ml.MemlabError, match="cannot be written"):
        ml.Resolver(store, WORDS, log=diary / "log.jsonl").resolve("loom", as_of="2024-01-01")


def test_two_processes_append_whole_lines(log: Path) -> None:
    code = """
import sys, memlab as ml
store = ml.Store.from_frames([{"id": "loom", "kind": "Concept", "title": "Loom"}])
resolver = ml.Resolver(store, ml.Settings(arms=("title",)), log=sys.argv[1])
for number in range(25):
    resolver.resolve("loom " + "x" * 3000, question_id=f"{sys.argv[2]}{number}", as_of="2024-01-01")
"""
    both = [subprocess.Popen([sys.executable, "-c", code, log, name]) for name in "ab"]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert {e["question_id"] for e in entries(log)} == {f"{name}{n}" for name in "ab" for n in range(25)}
    assert [e["line"] for e in map(json.loads, log.read_text().splitlines())].count("log") == 1


def test_a_pick_needs_a_log_a_decision_and_a_node(store: ml.Store, log: Path) -> None:
    with pytest.raises(ml.InputError, match="log: there is none"):
        ml.Resolver(store, WORDS).choose("q", "loom")
    resolver = ml.Resolver(store, WORDS, log=log)
    with pytest.raises(ml.InputError, match="question_id: 'q' was never decided"):
        resolver.none_of_these("q")
    resolver.resolve("loom", question_id="q", as_of="2024-01-01")
    with pytest.raises(ml.InputError, match="node_id: 'zz' is no node"):
        resolver.choose("q", "zz")
    with pytest.raises(ml.InputError, match="by: must be a name"):
        resolver.choose("q", "loom", by=5)  # type: ignore[arg-type]
    with pytest.raises(ml.InputError, match="now: must be a datetime"):
        resolver.choose("q", "loom", now="today")  # type: ignore[arg-type]
    # Another process, a day later.
    ml.Resolver(store, WORDS, log=log).choose("q", "loom", by="Ada", now=NOW)
    assert entries(log, "choice") == [
        {"line": "choice", "question_id": "q", "node": "loom", "by": "Ada", "chosen_at": NOW.isoformat(),
         "memlab": ml.__version__}
    ]  # fmt: skip


def logged(store: ml.Store, log: Path) -> ml.Resolver:
    resolver = ml.Resolver(store, WORDS, log=log)
    asked = {"a": "loom", "b": "beam", "c": "velvet", "d": "beam beam", "e": "warp beam", "f": "weft"}
    resolver.resolve_many([{"id": i, "question": q, "as_of": "2024-01-01"} for i, q in asked.items()])
    resolver.choose("a", "warp", by="Ada")
    resolver.choose("a", "loom", by="Ada")
    resolver.choose("b", "warp", by="Ada")
    resolver.choose("b", "weft", by="Bob")
    resolver.none_of_these("c")
    resolver.choose("d", "warp", by="Ada")
    resolver.none_of_these("d", by="Bob")
    return resolver


def test_a_log_becomes_an_exam_with_what_people_picked(store: ml.Store, log: Path) -> None:
    logged(store, log)
    exam = ml.Exam.from_log(log, written_by="support desk")
    rows = exam.questions.select("question_id", "gold", "answerable", "written_by").rows()
    assert rows == [
        ("a", ["loom"], True, "Ada"),
        ("b", ["warp", "weft"], True, "Ada, Bob"),
        ("c", [], False, "support desk"),
    ]
    assert exam.name == "decisions"
    assert any("2 decisions that nobody judged" in note for note in exam.notes)
    assert any("1 questions are left out: one person picked" in note for note in exam.notes)
    assert ml.Exam.from_log(log).questions["written_by"][2] == "unknown"


def test_what_nobody_judged_is_marked_where_it_is_asked_for(store: ml.Store, log: Path) -> None:
    logged(store, log)
    exam = ml.Exam.from_log(log, judged_only=False)
    added = exam.questions.filter(~exam.questions["question_id"].is_in(["a", "b", "c"]))
    # A question that was not resolved has no answer that could stand for gold.
    assert added.select("question_id", "gold", "written_by", "tags").rows() == [
        ("e", ["warp"], "memlab-rules", ["unjudged"])
    ]


def test_the_exam_of_a_log_is_asked_again_as_it_was_asked(store: ml.Store, log: Path) -> None:
    resolver = logged(store, log)
    resolver.resolve("shuttle", question_id="then", as_of="2015-01-01")
    resolver.choose("then", "old", by="Ada")
    lab = ml.Lab.of(store, encoder=None, settings=WORDS)
    exam = ml.Exam.read(log).for_store(store)
    again = ml.grade(ml.decide(lab.gather(exam), WORDS), exam).rows
    states = {e["question_id"]: (e["state"], e["node"], e["reason"]) for e in entries(log)}
    assert again.height == 4
    for row in again.iter_rows(named=True):
        assert (row["state"], row["node_id"], row["reason"]) == states[row["question_id"]]
    assert again.filter(again["question_id"] == "then")["outcome"].to_list() == ["resolved_right"]


def test_a_question_that_is_asked_again_keeps_its_picks(store: ml.Store, log: Path) -> None:
    resolver = logged(store, log)
    resolver.resolve("loom", question_id="a", as_of="2024-01-01")
    assert ml.Exam.from_log(log).questions["gold"].to_list()[0] == ["loom"]


HEAD = '{"line": "log", "format": "memlab-log", "version": 1}\n'
DECIDED = '{"line": "decision", "question_id": "a", "question": "x", "as_of": "2024-01-01", "state": "choose"}\n'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{}\n", "is no log of decisions"),
        (HEAD + "{\n", "line row 2: not JSON"),
        (HEAD + '{"line": "poem"}\n', "line row 2: must be an object whose 'line'"),
        (HEAD + "[]\n", "line row 2: must be an object"),
        (HEAD.replace("1", "99"), "line row 1: written by a newer memlab"),
        (HEAD + '{"line": "decision"}\n', "line row 2 question_id: missing"),
        (
            HEAD + DECIDED + DECIDED.replace('"x"', '"y"'),
            "line row 3 question_id: 'a' is also another question",
        ),
        (HEAD + '{"line": "choice", "question_id": "a", "node": "n"}\n', "line row 2 question_id: 'a' was not decided"),
        (HEAD + DECIDED + '{"line": "choice", "question_id": "a", "node": 5}\n', "line row 3 node"),
        (HEAD + DECIDED + '{"line": "choice", "question_id": "a", "node": "n", "by": 5}\n', "line row 3 by"),
        (HEAD + DECIDED.replace('"x"', "5"), "line row 2 question: must be text"),
    ],
)
def test_a_bad_log_is_refused_by_line(content: str, told: str, log: Path) -> None:
    log.write_text(content, encoding="utf-8")
    with pytest.raises(ml.InputError) as caught:
        ml.Exam.from_log(log)
    assert told in str(caught.value)
    assert "decisions.jsonl" in str(caught.value)


def test_a_question_that_is_no_text_can_be_logged_and_an_id_cannot(store: ml.Store, log: Path) -> None:
    resolver = ml.Resolver(store, WORDS, log=log)
    resolver.resolve("loom \ud800", as_of="2024-01-01")
    assert [e["question"] for e in entries(log)] == ["loom ?"]
    with pytest.raises(ml.InputError, match="questions row 1 question_id: holds a lone surrogate"):
        resolver.resolve("loom", question_id="\udc80", as_of="2024-01-01")
