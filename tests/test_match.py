"""How a question and a title cover each other: what counts, what is left over, what is a substitution."""

from __future__ import annotations

from typing import Any

import pytest
from tiny import by_title, evidence_row, lab_of, node, titles


def matched(question: str, title: str, *aliases: str) -> dict[str, Any]:
    return evidence_row(lab_of([node("n", title, aliases=list(aliases))]), question, "n")


@pytest.mark.parametrize(
    ("question", "title", "words", "left", "asked_left"),
    [
        ("loom shuttle", "Loom and shuttle", 2, 0, 0),
        ("shuttle, loom", "Loom and shuttle", 2, 0, 0),  # order is not the title arm's business
        ("loom loom loom", "Loom shuttle", 1, 1, 0),  # said more than once counts once
        ("loom", "Loom loom", 1, 0, 0),
        ("get user profile", "getUserProfile", 1, 0, 0),  # the smaller side: fragments are one word
        ("the loom", "A loom", 1, 0, 0),  # stop words never count
        ("loom's shuttle", "Loom shuttle", 2, 0, 0),
        ("v3.12 notes", "Notes 3.12", 2, 0, 0),
        ("보관함에서 찾기", "보관함", 1, 0, 0),  # the same word as written, however the analyser splits it
        ("데이터베이스 색인은 왜?", "데이터베이스 색인", 2, 0, 0),
        ("loom of Ada", "Shuttle of Ada", 1, 1, 1),
    ],
)
def test_words_are_covered_and_counted(question: str, title: str, words: int, left: int, asked_left: int) -> None:
    row = matched(question, title)
    assert (row["title_words"], row["title_leftover"], row["question_leftover"]) == (words, left, asked_left)


@pytest.mark.parametrize(
    ("question", "title", "whole"),
    [
        ("Loom", "loom", True),
        ("What is the loom?", "Loom", True),
        ("the who", "The Who", True),  # of stop words alone: those very words
        ("loom board", "Loom", False),
        ("기억 저장소", "기억저장소", True),  # the spacing of compounds does not matter
        ("c", "C++", False),
        ("what is C++?", "C++", True),
    ],
)
def test_a_whole_title_leaves_nothing_over(question: str, title: str, whole: bool) -> None:
    lab = lab_of([node("n", title), node("m", "who it board")])
    assert evidence_row(lab, question, "n")["whole_title"] is whole


@pytest.mark.parametrize(
    ("question", "title", "number", "name"),
    [
        ("booking rules for room 205", "Booking rules room 204", True, False),
        ("booking rules for room 204", "Booking rules room 204", False, False),
        ("booking rules", "Booking rules room 204", False, False),  # a title may say more
        ("rules of room 204 in 2019", "Booking rules room 204", True, False),
        ("when did the choir meet Ada", "The choir met with Bela", False, True),
        ("rules for the booking of a boat", "Booking rules room", False, False),  # neither number nor name
    ],
)
def test_a_substitution_needs_a_number_or_a_name_left_on_both_sides(
    question: str, title: str, number: bool, name: bool
) -> None:
    row = matched(question, title)
    assert (row["number_differs"], row["name_differs"]) == (number, name)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("scale down plan", "Scale up plan"),
        ("turn the pump off", "Turn on pump"),
        ("bus from Ghent", "Bus to Ghent"),
        ("disabled alerts", "Enable alerts"),
        ("unapproved purchases", "Approved purchases"),
        ("careless weaving", "Careful weaving"),
        ("offboarding list", "Onboarding list"),
        ("dogs aren't allowed", "Dogs allowed"),
        ("미승인 구매", "승인 구매"),
        ("허가 없이 배포", "허가 배포"),
        ("不允许吸烟", "允许吸烟"),
        ("喫煙を許可しない", "喫煙を許可する"),
    ],
)
def test_opposites_are_never_one(question: str, title: str) -> None:
    for asked, named in ((question, title), (title, question)):
        row = matched(asked, named)
        assert row["name_differs"]
        assert not row["whole_title"]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("looms notes", "Notes on looms"),  # a small word on one side alone says nothing
        ("start and end dates", "Dates of start and end"),  # who says both says neither
        ("not allowed dogs", "Dogs not allowed"),
        ("scale up plan", "Plan: scale up"),
        ("understand looms", "Understand looms"),
        ("rule no. 5", "Rule 5"),
    ],
)
def test_what_is_not_opposed_stays_a_whole_title(question: str, title: str) -> None:
    row = matched(question, title)
    assert not row["name_differs"]
    assert row["whole_title"] or title == "Rule 5"


@pytest.mark.parametrize(
    ("question", "title", "others", "differs"),
    [
        # The store writes Weber as a name, so it is one in capitals everywhere, too.
        ("old becker contract", "Old Weber Contract", ["letter to Weber", "notes by Becker"], True),
        ("old leather contract", "Old Weber Contract", ["leather boots", "a weber grill"], False),
        # First words: what stands in for what is plain where few words are left over.
        ("Becker contract", "Weber contract", [], True),
        ("Cheese of the big old market contract", "Weber contract list of shops in town", [], False),
        # Scripts without capitals: any word may be a name.
        ("上海机房搬迁", "北京机房搬迁", [], True),
        ("机房搬迁", "北京机房搬迁", [], False),
        ("회의 이사회 안내", "회의 이사 안내", [], True),
        ("HDMI cable", "USB cable", [], True),
        ("july budget", "June budget", [], True),
    ],
)
def test_names_are_known_by_more_than_a_capital(question: str, title: str, others: list[str], differs: bool) -> None:
    lab = lab_of(titles(title, *others))
    assert evidence_row(lab, question, "n1")["name_differs"] is differs


@pytest.mark.parametrize(
    ("question", "title", "differs"),
    [
        ("phase two report", "Phase three report", True),
        ("second report on looms", "First report on looms", True),
        ("two reports on looms", "Velvet reports on looms", False),  # a number word against no number
        ("第四章总结", "第三章总结", True),
        ("第3章总结", "第三章总结", False),
        ("삼호 창고", "사호 창고", True),
        ("phase iii report", "Phase ii report", True),
    ],
)
def test_number_words_differ_from_numbers(question: str, title: str, differs: bool) -> None:
    assert matched(question, title)["number_differs"] is differs


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("데이터 베이스 색인", "데이터베이스 색인"),
        ("색인 데이터베이스", "데이터 베이스 색인"),
        ("기억 저장 소", "기억저장소"),
    ],
)
def test_the_space_in_a_compound_does_not_matter(question: str, title: str) -> None:
    row = matched(question, title)
    assert row["whole_title"]
    assert row["title_leftover"] == row["question_leftover"] == 0


def test_signs_alone_are_not_looked_up_by_meaning() -> None:
    assert lab_of(titles("Boat")).resolve("😀").state == "none"
    assert lab_of(titles("😀 party", "Boat")).resolve("😀 party").node_id == "n1"


def test_a_title_of_stop_words_is_those_very_words() -> None:
    lab = lab_of([node("n", "The Who")], semantic=False)
    assert lab.resolve("the who").node_id == "n"
    assert lab.resolve("who is it").state == "none"


def test_capitals_of_a_title_that_has_nothing_else_say_nothing() -> None:
    assert not matched("loom of silk", "Loom Velvet")["name_differs"]


def test_words_are_never_added_up_over_names() -> None:
    row = matched("loom shuttle warp", "Loom", "Shuttle", "Warp board")
    assert row["title_words"] == 1


def test_the_best_name_is_said_and_an_alias_is_as_good_as_a_title() -> None:
    lab = lab_of([node("a", "Weaving frame", aliases=["Loom board"]), node("b", "Loom board")])
    first, second = (evidence_row(lab, "loom board", name) for name in "ab")
    assert first["name_used"] == "Loom board"
    assert (first["whole_title"], first["title_rank"]) == (second["whole_title"], second["title_rank"]) == (True, 1)


def test_a_shorter_name_stands_inside_a_longer_one_that_the_question_names_whole() -> None:
    lab = lab_of(titles("Loom", "Loom board"))
    question = "who built the loom board"
    assert evidence_row(lab, question, "n1")["named_inside"]
    assert not evidence_row(lab, question, "n2")["named_inside"]


def test_a_summary_is_not_matched() -> None:
    lab = lab_of([node("e", "Spring fair", "Episode", summary="The velvet curtain fell")], semantic=False)
    assert lab.resolve("velvet curtain").state == "none"


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Blood group O+ donors", "blood group O- donors"),
        ("Freezer alarm at -18 degrees", "freezer alarm at 18 degrees"),
        ("Loan of €500 from Ada", "loan of $500 from Ada"),
        ("Discount of 10% for members", "discount of 10 for members"),
        ("Meeting rooms", "meet rooms"),
        ("курить можно", "курить нельзя"),
    ],
)
def test_signs_and_telling_small_words_make_no_whole_title_of_another(title: str, question: str) -> None:
    assert by_title(question, title, "Choir rehearsal").reason != "whole_title"
    assert by_title(title, title, "Choir rehearsal").reason == "whole_title"
