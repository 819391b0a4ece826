"""Each reason of the closed list, once; each setting, once; and settings as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tiny import NOW, OVER, by_title, lab_of, node, titles

import memlab as ml
from memlab.errors import InputError
from memlab.rules import REASONS

LOOMS = ("Loom warp", "Loom weft")
HALL = "Loom repair handbook"
FAR = ("Choir rehearsal", "Boat insurance")


def asked(question: str, *names: str, settings: ml.Settings | None = None, **more: Any) -> ml.Answer:
    """Ask all arms of a store of these titles."""
    return lab_of(titles(*names, **more)).resolve(question, as_of=NOW, settings=settings)


def told(*, arms: tuple[str, ...] = ("title", "graph"), settings: ml.Settings | None = None) -> ml.Answer:
    """The title says n1, two pieces say n2."""
    pieces = [{"id": f"p{n}", "text": f"velvet curtain number {n}", "mentions": ["n2"]} for n in range(3)]
    lab = lab_of(titles("Velvet curtain shop", "Choir rehearsal"), pieces)
    return lab.resolve("velvet curtain", as_of=NOW, arms=arms, settings=settings)


def test_whole_title() -> None:
    answer = by_title("What is a loom?", "Loom", "Loom warp")
    assert (answer.state, answer.node_id, answer.reason) == ("resolved", "n1", "whole_title")


def test_title_lead_without_the_semantic_arm() -> None:
    answer = by_title("How does loom repair go?", HALL, "Loom", "Repair")
    assert (answer.state, answer.node_id, answer.reason) == ("resolved", "n1", "title_lead")


def test_title_and_gap() -> None:
    answer = asked("loom repair handbook chapter", HALL, *FAR)
    assert (answer.state, answer.node_id, answer.reason) == ("resolved", "n1", "title_and_gap")


def test_semantic_gap() -> None:
    # Not one word in common, and every trigram but the last few.
    answer = asked("loomrepair handbooks", "loomrepairhandbook", *FAR)
    assert (answer.state, answer.node_id, answer.reason) == ("resolved", "n1", "semantic_gap")


def test_one_word_is_not_resolved_by_meaning_alone() -> None:
    answer = asked("loomrepairhandbooks", "loomrepairhandbook", *FAR)
    assert (answer.state, answer.reason) == ("choose", "one_word")
    assert asked("loomrepairhandbooks", "loomrepairhandbook", *FAR, settings=ml.Settings(alone_words=1)).node_id == "n1"


def test_tie() -> None:
    assert by_title("changelog", "Changelog", "changelog").reason == "tie"


@pytest.mark.parametrize("hidden", [OVER, {"ended": True}, {"valid_from": "2999-01-01"}, {"superseded_by": ["n1"]}])
def test_retired_rival(hidden: dict[str, Any]) -> None:
    lab = lab_of([node("n1", "Release checklist"), node("n2", "Release checklist", **hidden)], semantic=False)
    answer = lab.resolve("release checklist", as_of=NOW)
    assert (answer.state, answer.reason) == ("choose", "retired_rival")
    assert answer.candidates["node_id"].to_list() == ["n1"]
    assert answer.hidden["node_id"].to_list() == ["n2"]


def test_number_differs() -> None:
    assert by_title("booking rules for room 205", "Booking rules room 204").reason == "number_differs"


def test_name_differs() -> None:
    assert by_title("where did the choir meet Ada", "The choir did meet Bela").reason == "name_differs"


def test_arms_disagree() -> None:
    answer = told()
    assert (answer.state, answer.reason) == ("choose", "arms_disagree")
    assert set(answer.candidates["node_id"]) == {"n1", "n2"}


def test_one_word() -> None:
    answer = by_title("who is allowed near the loom tonight", HALL)
    assert (answer.state, answer.reason) == ("choose", "one_word")


def test_small_gap() -> None:
    answer = asked("loomrepairhandbooks", "loomrepairhandbook", "loomrepairhandbok")
    assert (answer.state, answer.reason) == ("choose", "small_gap")


def test_graph_only() -> None:
    answer = told(arms=("graph",))
    assert (answer.state, answer.reason) == ("choose", "graph_only")
    assert answer.candidates["node_id"].to_list() == ["n2"]


def test_gate() -> None:
    names, question = (HALL, *FAR), "loom repair handbook chapter"
    answer = asked(question, *names, settings=ml.Settings(gate=True))
    assert (answer.state, answer.reason) == ("choose", "gate")
    pieces = [{"id": "p", "text": "Each chapter ends with a drill"}]
    touched = lab_of(titles(*names), pieces).resolve(question, as_of=NOW, settings=ml.Settings(gate=True))
    assert touched.state == "resolved"


@pytest.mark.parametrize("question", ["", " \n", "?!", "what is it"])
def test_empty_question(question: str) -> None:
    answer = asked(question, "Loom")
    assert (answer.state, answer.reason) == ("none", "empty_question")


def test_empty_pool() -> None:
    assert by_title("velvet", "Loom").reason == "empty_pool"
    assert asked("velvet").reason == "empty_pool"  # an empty store


@pytest.mark.parametrize("hidden", [OVER, {"valid_from": "2999-01-01"}])
def test_all_retired(hidden: dict[str, Any]) -> None:
    answer = lab_of([node("n1", "Loom", **hidden)], semantic=False).resolve("loom", as_of=NOW)
    assert (answer.state, answer.reason) == ("none", "all_retired")
    assert answer.hidden["node_id"].to_list() == ["n1"]


def test_below_floor() -> None:
    answer = asked("quiz", "Loom", settings=ml.Settings(floor=0.9))
    assert (answer.state, answer.reason) == ("none", "below_floor")
    assert asked("loom repair", HALL, settings=ml.Settings(floor=1.5)).state != "none"  # two words stand


def test_the_list_of_reasons_is_closed_and_each_has_its_test() -> None:
    tests = {name.removeprefix("test_") for name in globals()}
    assert set(REASONS) - {"title_lead"} <= tests
    assert "title_lead_without_the_semantic_arm" in tests


# Settings -----------------------------------------------------------------------------------------


def test_min_words() -> None:
    question = "who is allowed near the loom tonight"
    assert by_title(question, HALL, settings=ml.Settings(min_words=1)).state == "resolved"
    assert by_title("loom repair", HALL, settings=ml.Settings(min_words=3)).reason == "one_word"


def test_title_needs_gap_and_gap() -> None:
    question, names = "loom repair handbook chapter", (HALL, *FAR)
    far = ml.Settings(gap=3, gap_alone=3)
    assert asked(question, *names, settings=far).reason == "small_gap"
    assert asked(question, *names, settings=far.but(title_needs_gap=False)).reason == "title_lead"


def test_gap_alone_above_two_is_off() -> None:
    assert asked("loomrepairhandbooks", "loomrepairhandbook", *FAR, settings=ml.Settings(gap_alone=3)).state == "choose"


def test_whole_title_can_be_switched_off() -> None:
    assert by_title("loom", "Loom", settings=ml.Settings(whole_title=False)).reason == "one_word"


def test_substitution_can_be_switched_off() -> None:
    answer = by_title("booking rules for room 205", "Booking rules room 204", settings=ml.Settings(substitution=False))
    assert answer.state == "resolved"


@pytest.mark.parametrize("lifted", [{"veto": False}, {"veto_words": 3}, {"veto_pieces": 4}])
def test_each_bar_of_the_veto(lifted: dict[str, Any]) -> None:
    answer = told(settings=ml.Settings(**lifted))
    assert (answer.state, answer.node_id) == ("resolved", "n1")


def test_a_whole_title_is_never_vetoed() -> None:
    pieces = [{"id": f"p{n}", "text": f"velvet curtain number {n}", "mentions": ["n2"]} for n in range(3)]
    lab = lab_of(titles("Velvet curtain", "Choir rehearsal"), pieces)
    assert lab.resolve("velvet curtain", arms=("title", "graph")).reason == "whole_title"


def test_include_retired_shows_what_has_ended_and_not_what_is_to_come() -> None:
    nodes = [node("old", "Loom", **OVER), node("later", "Shuttle", valid_from="2999-01-01")]
    lab = lab_of(nodes, semantic=False)
    assert lab.resolve("loom", as_of=NOW, settings=ml.Settings(include_retired=True)).node_id == "old"
    assert lab.resolve("loom", as_of=NOW, include_retired=True).node_id == "old"
    assert lab.resolve("shuttle", as_of=NOW, include_retired=True).reason == "all_retired"
    assert lab.resolve("shuttle", as_of="3000-01-01").node_id == "later"
    assert lab.resolve("loom", as_of="2015-01-01").node_id == "old"


def test_limit() -> None:
    assert by_title("loom", *LOOMS, "Loom reed", settings=ml.Settings(limit=2)).candidates.height == 2


def test_order() -> None:
    # By words n1 leads; by all ranks n2, which pieces and meaning bring as well.
    pieces = [{"id": f"p{n}", "text": "velvet curtain", "mentions": ["n2"]} for n in range(2)]
    lab = lab_of(titles("Velvet notes on many other things of this house", "Velvets curtains"), pieces)
    first = {
        order: lab.resolve("velvet curtain notes", as_of=NOW, settings=ml.Settings(order=order)).candidates["node_id"][
            0
        ]
        for order in ("words", "fused")
    }
    assert first["fused"] == "n2"


def test_arms_decide_which_evidence_counts() -> None:
    evidence = lab_of(titles("Velvet curtain shop", "Choir rehearsal")).gather([{"question": "velvet curtain"}])
    words = ml.decide(evidence, ml.Settings(arms=("title",)))
    assert words["reason"].to_list() == ["title_lead"]
    assert words["gap"].to_list() == [None]
    assert ml.decide(evidence, ml.Settings(arms=("graph",)))["state"].to_list() == ["none"]


def test_the_decisions_of_no_questions_are_no_rows() -> None:
    decisions = ml.decide(lab_of(titles("Loom")).gather(pl.DataFrame(schema={"question": pl.String})))
    assert decisions.height == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("min_words", 0), ("min_words", 1.5), ("min_words", True), ("veto_words", 0), ("veto_pieces", 0),
        ("limit", 6), ("limit", 0), ("gap", -0.1), ("gap", "0.1"), ("gap", float("nan")), ("gap_alone", None),
        ("veto_gap", -1), ("floor", -2), ("floor", float("inf")), ("title_needs_gap", 1), ("whole_title", "yes"),
        ("substitution", None), ("veto", 0), ("gate", "false"), ("include_retired", 1), ("arms", ()),
        ("arms", ("title", "title")), ("arms", ("", )), ("arms", (1, )), ("order", "best"), ("encoder", 1),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_by_the_name_of_its_field(field: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"settings {field}: "):
        ml.Settings(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [5, None, "title"])
def test_arms_that_are_no_list_are_refused_by_name(value: object) -> None:
    with pytest.raises(InputError, match="settings arms: "):
        ml.Settings(arms=value)  # type: ignore[arg-type]


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="settings min_word: no such setting"):
        ml.Settings.from_dict({"min_word": 2})


@pytest.mark.parametrize("name", sorted(ml.PRESETS))
def test_settings_survive_a_file(name: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    ml.PRESETS[name].save(file)
    assert ml.Settings.load(file) == ml.PRESETS[name]


@pytest.mark.parametrize("text", ["gap = ", "gap = 'wide'", "arms = 5", "\xff"])
def test_a_bad_file_is_refused_with_its_name(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(ml.MemlabError, match=r"mine\.toml"):
        ml.Settings.load(file)
    with pytest.raises(ml.MemlabError, match=r"other\.toml: cannot be read"):
        ml.Settings.load(tmp_path / "other.toml")


def test_the_presets_are_the_steps_of_the_chapter() -> None:
    one = by_title("who is allowed near the loom tonight", HALL, settings=ml.PRESETS["one_word"])
    two = by_title("who is allowed near the loom tonight", HALL, settings=ml.PRESETS["two_words"])
    assert (one.state, two.state) == ("resolved", "choose")
    # By gap alone a title says nothing; with both, a title needs the gap.
    question, names = "loom repair handbook chapter", (HALL, *FAR)
    assert asked(question, *names, settings=ml.PRESETS["gap"]).reason == "semantic_gap"
    assert asked(question, *names, settings=ml.PRESETS["two_words_and_gap"]).reason == "title_and_gap"
    assert asked("loomrepair handbooks", "loomrepairhandbook", *FAR, settings=ml.PRESETS["two_words"]).state == "none"
    assert asked("loomrepair handbooks", "loomrepairhandbook", *FAR, settings=ml.PRESETS["either"]).state == "resolved"


def test_what_stands_behind_a_resolved_node_keeps_the_order_of_the_pool() -> None:
    store = titles("Loom warranty", *(f"Loom {word}" for word in ("belt", "cart", "disc", "edge", "frame", "gear")))
    lab = lab_of(store)
    evidence = lab.gather([{"question_id": "q", "question": "loom warranty", "as_of": NOW}])
    row = ml.decide(evidence, lab.settings).row(0, named=True)
    assert row["state"] == "resolved"
    assert row["candidates"] == row["pool"][:5]
