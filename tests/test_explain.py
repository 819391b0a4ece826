"""The way of one decision: it is the decision's own, its spans are right, and what would settle it is true."""

from __future__ import annotations

import json
import os
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tiny import NOW, OVER, Memory, lab_of, memories, node, questions, rule_sets, some, titles

import memlab as ml
from memlab.rules.decide import judged_by
from memlab.spans import covered, left_over, words_of

GROUNDS = {"whole_title": "whole", "title_and_gap": "with_gap", "title_lead": "by_words", "semantic_gap": "alone"}


@some
@given(memories(), questions(most=2), rule_sets(), st.booleans())
def test_an_explanation_is_of_the_decision_itself(
    memory: Memory, asked: list[dict[str, Any]], rules: ml.Settings, retired: bool
) -> None:
    lab = memory.lab()
    for row in asked:
        for chosen in (ml.Settings(), rules):
            at = row["as_of"]
            told = lab.explain(row["question"], as_of=at, include_retired=retired, settings=chosen)
            answer = lab.resolve(row["question"], as_of=at, include_retired=retired, settings=chosen)
            assert (told.state, told.node_id, told.reasons) == (answer.state, answer.node_id, answer.reasons)
            facts = judged_by(answer.evidence, chosen).row(0, named=True)
            check_grounds(told, facts)
            check_spans(told)
            check_settles(told)
            check_gap(told)
            json.dumps(told.as_dict())


def check_grounds(told: ml.Explanation, facts: dict[str, Any]) -> None:
    for ground, flag in GROUNDS.items():
        assert bool(told.grounds.filter(of=ground)["passed"].all()) == bool(facts[flag]), ground
    passed = dict(told.forbids.filter("on").select("of", "passed").iter_rows())
    assert passed.get("veto", True) == (not facts["vetoed"])
    if told.state == "resolved":
        assert all(passed.values())
        assert told.grounds.filter(of=told.reason)["passed"].all()
    elif facts["picked"] is not None:
        # A ground held, so something that forbids confidence must say why it was not enough.
        assert not all(passed.values()), passed


def check_spans(told: ml.Explanation) -> None:
    for row in told.words.iter_rows(named=True):
        assert told.question[row["start"] : row["end"]] == row["surface"]
    counted = told.words.filter(pl.col("content") & ~pl.col("again"))
    assert counted.height == told.answer.evidence.questions["content_words"][0]
    evidence = {row["node_id"]: row for row in told.answer.evidence.frame.iter_rows(named=True)}
    asked = words_of([told.question])[0]
    for node_id in {told.about, *told.order["node_id"].head(4)} - {None}:
        row = evidence[node_id]
        name = words_of([row["name_used"]])[0]
        sides = [(asked, name), (name, asked)]
        counts = [
            sum(there and not word.again for word, there in zip(one, covered(one, other), strict=True))
            for one, other in sides
        ]
        assert min(counts) == row["title_words"]
        if row["title_words"]:
            left = [len(left_over(one, other)) for one, other in sides]
            assert left == [row["question_leftover"], row["title_leftover"]]
    for row in told.matches.iter_rows(named=True):
        pair = (told.question[row["question_start"] : row["question_end"]],
                row["name"][row["title_start"] : row["title_end"]])  # fmt: skip
        said, stands = (words_of([text])[0] for text in pair)
        assert any(a.terms & b.terms for a in said for b in stands)


def check_settles(told: ml.Explanation) -> None:
    assert bool(told.settles) == (told.state != "resolved")
    assert set(told.reasons) <= {one.reason for one in told.settles} or told.state == "resolved" or shared(told)
    for one in told.settles:
        assert one.text.strip()
        if one.change:
            again = ml.decide(told.answer.evidence, told.answer.settings.but(**one.change)).row(0, named=True)
            assert one.verdict == (again["state"], again["node_id"], again["reason"])
            assert ("resolves to" in one.text) == (again["state"] == "resolved")


def shared(told: ml.Explanation) -> bool:
    """Two reasons may hang on one setting; the second is then told by the first."""
    missing = set(told.reasons) - {one.reason for one in told.settles}
    return missing <= {"number_differs", "name_differs", "small_gap", "one_word"}


def check_gap(told: ml.Explanation) -> None:
    gap = told.gap
    if gap.gap is None or gap.first is None or gap.why:
        return
    rest = max(gap.background or 0.0, -1.0 if gap.second is None else gap.second)
    assert gap.gap == pytest.approx(max(0.0, gap.first - rest), abs=2e-6)
    assert gap.stands_in == (gap.second is None or gap.second < (gap.background or 0.0))


def settled(answer: ml.Answer, *parts: str) -> str:
    """The one line that holds all of these parts."""
    lines = [line for line in answer.settles if all(part in line for part in parts)]
    assert len(lines) == 1, answer.settles
    return lines[0]


def test_a_tie_names_the_words_that_tell_the_titles_apart() -> None:
    answer = lab_of(titles("loom warp", "loom weft"), semantic=False).resolve("loom", as_of=NOW)
    assert answer.reason == "tie"
    settled(answer, "'warp' for 'loom warp'", "'weft' for 'loom weft'")
    for word, picked in (("warp", "n1"), ("weft", "n2")):
        assert lab_of(titles("loom warp", "loom weft"), semantic=False).resolve(f"loom {word}").node_id == picked


def test_titles_that_no_word_tells_apart_are_told_by_id() -> None:
    answer = lab_of([node("a", "Loom"), node("b", "loom", "Record")], semantic=False).resolve("loom", as_of=NOW)
    settled(answer, "no word tells", "Concept a", "Record b")


def test_a_small_gap_says_how_wide_it_must_be_and_what_it_is() -> None:
    lab = lab_of(titles("Loom repair handbook", "Loom repaid handbox", "Boat"))
    answer = lab.resolve(
        "loom repair handbook of Ada", as_of=NOW, settings=ml.Settings(gap=0.9, gap_alone=1, whole_title=False)
    )
    assert "small_gap" in answer.reasons
    line = settled(answer, "0.900", f"it is {answer.gap:.3f}")
    again = lab.resolve("loom repair handbook of Ada", as_of=NOW,
                        settings=ml.Settings(gap=answer.gap, whole_title=False))  # fmt: skip
    assert ("it resolves to 'Loom repair handbook'" in line) == (again.node_id == "n1")


def test_a_number_that_differs_is_named_on_both_sides() -> None:
    answer = lab_of(titles("loom room 204"), semantic=False).resolve("loom room 205", as_of=NOW)
    assert answer.reason == "number_differs"
    settled(answer, "the question says '205'", "'loom room 204' says '204'")
    settled(answer, "with substitution=False it resolves to 'loom room 204'")


def test_opposed_words_are_named_as_such() -> None:
    answer = lab_of(titles("loom with a shuttle"), semantic=False).resolve("loom without a shuttle", as_of=NOW)
    assert answer.reason == "name_differs"
    settled(answer, "the question and 'loom with a shuttle' are opposed")


def test_a_retired_rival_is_told_with_its_instant_and_its_successor() -> None:
    nodes = [
        node("old", "Loom shuttle", valid_from="2010-01-01", superseded_by=["new"]),
        node("new", "Loom shuttle handbook", valid_from="2020-05-01"),
    ]
    lab = lab_of(nodes, semantic=False)
    answer = lab.resolve("loom shuttle in Ulm", as_of=NOW)
    assert "retired_rival" in answer.reasons
    settled(answer, "it held from 2010-01-01 until 2020-05-01", "successor 'Loom shuttle handbook'")
    assert lab.resolve("loom shuttle", as_of="2019-01-01").node_id == "old"
    hidden = answer.hidden.row(0, named=True)
    assert (hidden["node_id"], hidden["hidden_by"], hidden["rival"]) == (
        "old",
        "superseded by 'Loom shuttle handbook'",
        True,
    )


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        (OVER, "ended 2020-01-01"),
        ({"ended": True}, "ended, date unknown"),
        ({"valid_from": "2190-01-01"}, "from 2190-01-01"),
        ({"valid_to": "2020-01-01T12:30:00Z"}, "ended 2020-01-01T12:30:00Z"),
    ],
)
def test_what_hides_a_node_is_told_in_words(dates: dict[str, Any], words: str) -> None:
    lab = lab_of([node("x", "Loom", **dates)], semantic=False)
    answer = lab.resolve("loom", as_of=NOW)
    assert answer.hidden.select("hidden_by", "rival").rows() == [(words, True)]
    assert answer.as_dict()["hidden"][0]["hidden_by"] == words
    assert answer.settles == answer.as_dict()["settles"] != []
    assert words in printed(answer)


def test_one_word_names_a_further_word_of_the_title() -> None:
    answer = lab_of(titles("Loom repair handbook", "Choir"), semantic=False).resolve("loom tax", as_of=NOW)
    assert answer.reason == "one_word"
    settled(answer, "'repair' or 'handbook'", "1 of 2 words")
    settled(answer, "with min_words=1 it resolves to 'Loom repair handbook'")


def test_graph_only_names_a_word_of_the_title() -> None:
    lab = lab_of([node("c", "Choir")], [{"id": "p", "text": "velvet curtain", "mentions": ["c"]}], semantic=False)
    settled(lab.resolve("velvet", as_of=NOW), "only pieces lead to 'Choir'", "'Choir'")


def test_a_gate_names_what_was_left_over() -> None:
    lab = lab_of(titles("Loom repair"), [{"id": "p", "text": "loom repair", "mentions": ["n1"]}], semantic=False)
    rules = ml.Settings(gate=True)
    answer = lab.resolve("loom repair velvet", as_of=NOW, settings=rules)
    assert answer.reason == "gate"
    settled(answer, "'velvet' over", "with gate=False it resolves to 'Loom repair'")
    told = lab.explain("loom repair velvet", as_of=NOW, settings=rules)
    gate = told.forbids.filter(of="gate").row(0, named=True)
    assert (gate["passed"], gate["on"]) == (False, True)
    assert told.pieces["touches"].to_list() == [[]]
    spoken = lab_of(titles("Loom repair"), [{"id": "p", "text": "loom velvet", "mentions": ["n1"]}], semantic=False)
    assert spoken.explain("loom repair velvet", as_of=NOW).pieces["touches"].to_list() == [["velvet"]]


def test_arms_that_disagree_are_named_with_what_they_stand_on() -> None:
    lab = lab_of([node("a", "Loom repair"), node("c", "Choir")],
                 [{"id": f"p{n}", "text": "loom repair velvet", "mentions": ["c"]} for n in range(2)],
                 semantic=False)  # fmt: skip
    answer = lab.resolve("loom repair in Ulm", as_of=NOW)
    assert answer.reason == "arms_disagree"
    settled(answer, "'Loom repair' is first by title words (2)", "'Choir' is first by pieces (2)")
    settled(answer, "with veto=False it resolves to 'Loom repair'")


@pytest.mark.parametrize(
    ("question", "reason", "part"),
    [("the", "empty_question", "'the' never counts"), ("velvet", "empty_pool", "'velvet'")],
)
def test_none_says_what_was_missing(question: str, reason: str, part: str) -> None:
    answer = lab_of(titles("Loom"), semantic=False).resolve(question, as_of=NOW)
    assert answer.reason == reason
    settled(answer, part)


def test_below_the_floor_says_how_near_it_was() -> None:
    lab = lab_of(titles("Loom repair"))
    answer = lab.resolve("velvet", as_of=NOW, settings=ml.Settings(floor=0.9))
    assert answer.reason == "below_floor"
    settled(answer, "a title at 0.900", f"reaches {answer.similarity:.3f}")


def test_words_are_marked_by_what_became_of_them() -> None:
    told = lab_of(titles("베틀 북"), semantic=False).explain("베틀은 204호의 the ‘Loom’ 베틀", as_of=NOW)
    rows = {(row["surface"], row["again"]): row for row in told.words.iter_rows(named=True)}
    first = rows["베틀", False]
    assert (first["content"], first["consumed"], first["title_start"], first["title_end"]) == (True, True, 0, 2)
    assert rows["베틀", True]["consumed"]
    assert not rows["the", False]["content"]
    assert rows["Loom", False]["consumed"] is False
    assert any(row["number"] for row in rows.values())


def test_each_arm_tells_its_ranks_scores_and_who_is_alone() -> None:
    lab = lab_of(titles("Loom repair", "Loom"), [{"id": "p", "text": "loom repair", "mentions": ["n2"]}])
    arms = lab.explain("loom repair shop", as_of=NOW).arms
    assert arms.filter(arm="title").select("node_id", "rank", "score", "unit", "alone").rows() == [
        ("n1", 1, 2.0, "words", True),
        ("n2", 2, 1.0, "words", False),
    ]
    assert arms.filter(arm="graph").select("node_id", "score", "unit").rows() == [("n2", 1.0, "pieces")]
    assert arms.filter(arm="semantic")["score"].is_sorted(descending=True)


def printed(thing: object, width: int = 80) -> str:
    console = Console(width=width, record=True, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    console.print(thing)
    return console.export_text()


NASTY = "<b>Loom</b> [red]warp[/red] \x1b[31mx"


@pytest.mark.parametrize("question", ["loom warp <i>z</i>", "", "\x1b[31m", "loom", "베틀은 왜?"])
def test_displays_show_text_as_text(question: str) -> None:
    lab = lab_of([node("a", NASTY), node("b", "Loom weft", **OVER), node("c", "베틀 " * 40)])
    for thing in (lab.explain(question, as_of=NOW), lab.resolve(question, as_of=NOW)):
        html = thing._repr_html_()
        assert "<b>Loom</b>" not in html
        assert "<i>z" not in html
        assert "\x1b" not in html
        for theme in ("color:#000", "color:black", "background:#fff", "background:white"):
            assert theme not in html
        text = printed(thing)
        assert "\x1b" not in text
        assert all(cells(line) <= 80 for line in text.splitlines())
        if "warp" in question:
            assert "[red]warp[/red]" in text
            assert "&lt;b&gt;Loom" in html


def cells(line: str) -> int:
    from rich.cells import cell_len

    return cell_len(line)


def test_an_instant_may_be_given_as_now() -> None:
    lab = lab_of([node("old", "Loom", **OVER)], semantic=False)
    assert lab.explain("loom", now=NOW).reason == "all_retired"
    assert lab.explain("loom", as_of="2015-06-01", now=NOW).node_id == "old"
