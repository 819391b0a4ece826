"""The ask widget by its traits: what it shows of an answer, and what it records of what a person says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ipywidgets import HTML
from tiny import NOW, OVER, lab_of, node

import memlab as ml
from memlab.rules import PRESETS
from memlab.widgets import AskWidget

BAD = "Loom <img src=x onerror=alert(1)><script>alert(1)</script>"
LONG = "A very long record of the loom " * 80
NODES = [
    node("loom", "Loom", aliases=["베틀"]), node("warp", "Warp beam", "Record"), node("weft", "Weft beam", "Record"),
    node("bad", BAD, "Record"), node("long", LONG, "Record"), node("lines", "Night\nof the weaving", "Episode"),
    node("old", "Shuttle race", "Decision", superseded_by=["new"], **OVER),
    node("new", "Air jet", "Decision", valid_from="2020-01-01"),
]  # fmt: skip
PIECES = [{"id": "p", "document": "book", "text": "a loom has a warp beam", "mentions": ["loom", "warp"]}]
EDGES = [{"source": "warp", "type": "ABOUT", "target": "loom"}]


@pytest.fixture(scope="module")
def lab() -> ml.Lab:
    return lab_of(NODES, PIECES, EDGES)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "picks.jsonl"


def widget_of(lab: ml.Lab, log: Path | None = None, by: str = "Ada", **more: Any) -> AskWidget:
    return AskWidget(lab, log, by, now=lambda: NOW, **more)


def typed(widget: AskWidget, question: str, as_of: str = "", *, ended: bool = False) -> None:
    """What the page sends when Enter is pressed."""
    widget.box.hear(None, {"question": question, "as_of": as_of, "include_ended": ended})


def lines(log: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())


def html(widget: Any) -> str:
    """All HTML of a widget and what is in it."""
    own = widget.value if isinstance(widget, HTML) else ""
    return own + "".join(html(child) for child in getattr(widget, "children", ()))


def test_nothing_is_shown_before_something_is_asked(lab: ml.Lab) -> None:
    widget = widget_of(lab, as_of="2015-01-01")
    assert (widget.question, widget.answer, widget.explanation, widget.last_choice) == ("", None, None, None)
    assert widget.box.as_of == "2015-01-01"
    assert widget.keyboard.means == []
    widget.none.click()
    assert widget.last_choice is None


def test_an_answer_is_shown_with_its_grounds_and_readable_from_python(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    typed(widget, "tell me of the weft beam")
    assert widget.answer is not None
    assert widget.explanation is not None
    assert (widget.question, widget.answer.state, widget.answer.node_id) == (
        "tell me of the weft beam", "resolved", "weft",
    )  # fmt: skip
    assert widget.answer is widget.explanation.answer
    told = widget.verdict.value
    assert "resolved</span> <b>Weft beam</b>" in told
    assert 'title="in the title: Weft">weft</mark>' in told
    assert "text-decoration" in told or "border-bottom" in told  # not by colour alone
    assert "holds: whole_title" in html(widget.options)
    assert widget.keyboard.means[-2:] == ["n", "r"]
    assert "whole title · similarity" in html(widget.options)


def test_candidates_say_what_they_lack(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    answer = widget.ask("beam")
    assert answer.state == "choose"
    assert [b.description[:3] for b in widget.picks] == [f"{at} ·" for at in range(1, len(widget.picks) + 1)]
    assert widget.keyboard.means == [*map(str, range(1, len(widget.picks) + 1)), "n"]
    assert "missing: 1 title word, 2 needed" in html(widget.options)
    assert "What would have settled it" in widget.settles.value
    assert widget.right.layout.display == "none"


def test_what_is_hidden_is_told_with_what_hides_it(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    typed(widget, "shuttle race")
    assert "<details open>" in widget.hidden.value
    assert "superseded by" in widget.hidden.value
    assert "hidden: superseded by &#x27;Air jet&#x27;" in html(widget.options)
    widget.rivals[0].click()
    assert widget.last_choice is not None
    assert widget.last_choice.node_id == "old"
    typed(widget, "shuttle race", "2015-01-01")
    assert widget.answer is not None
    assert widget.answer.node_id == "old"
    typed(widget, "shuttle race", ended=True)
    assert widget.answer.node_id == "old"
    assert widget.box.include_ended


def test_a_choice_is_recorded_and_read_back_as_an_exam(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    typed(widget, "beam")
    assert not log.exists()  # nothing is written before somebody says something
    widget.keyboard.hear(None, {"key": "1", "task": widget.keyboard.task})
    assert widget.last_choice is not None
    first = widget.answer.candidates["node_id"][0] if widget.answer else ""
    assert (widget.last_choice.node_id, widget.last_choice.by, widget.last_choice.at) == (first, "Ada", NOW)
    assert "You said" in widget.said.value
    assert "memlab-said" in widget.picks[0]._dom_classes
    typed(widget, "weft beam")
    assert widget.last_choice is None
    widget.keyboard.hear(None, {"key": "r", "task": widget.keyboard.task})
    typed(widget, "who is Bela?")
    widget.none.click()
    exam = ml.Exam.from_log(log)
    assert dict(exam.questions.select("question", "gold").iter_rows()) == {
        "beam": [first], "weft beam": ["weft"], "who is Bela?": [],
    }  # fmt: skip
    assert exam.authors == ("Ada",)
    assert [line["line"] for line in lines(log)].count("decision") == 3


def test_the_last_word_on_an_answer_counts(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    typed(widget, "beam")
    widget.picks[0].click()
    widget.find.value = "loom 베틀"
    assert [b.description for b in widget.others] == ["Loom"]
    widget.others[0].click()
    exam = ml.Exam.from_log(log)
    assert exam.questions["gold"].to_list() == [["loom"]]
    assert [line["line"] for line in lines(log)] == ["log", "settings", "decision", "choice", "choice"]


def test_no_name_no_record_and_that_is_said(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log, by=" ")
    typed(widget, "beam")
    assert "write your name" in widget.said.value
    widget.picks[0].click()
    assert "write your name first" in widget.error.value
    assert (widget.last_choice, log.exists()) == (None, False)
    widget.by.value = "김서연"
    assert "recorded in" in widget.said.value
    widget.picks[0].click()
    assert widget.error.value == ""
    assert ml.Exam.from_log(log).authors == ("김서연",)


def test_without_a_log_a_choice_is_only_in_python(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    typed(widget, "beam")
    widget.picks[1].click()
    assert widget.last_choice is not None
    assert widget.last_choice.question_id is None
    assert "not recorded" in widget.said.value
    assert widget.by.layout.display == "none"


def test_late_keys_and_clicks_are_for_the_answer_they_were_meant_for(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    typed(widget, "beam")
    old, task = widget.picks[0], widget.keyboard.task
    typed(widget, "weft beam")
    old.click()
    widget.keyboard.hear(None, {"key": "1", "task": task})
    assert widget.last_choice is None


@pytest.mark.parametrize(
    "question", ["loom", "<script>alert(1)</script>", "", "night of the weaving", "very long loom"]
)
def test_whatever_stands_in_a_title_or_a_question_is_text(lab: ml.Lab, question: str) -> None:
    widget = widget_of(lab)
    for toggle in (widget.panels.pool, widget.panels.around):
        toggle.value = True
    typed(widget, question)
    assert widget.error.value == ""
    assert "<script>" not in html(widget)
    assert "<img" not in html(widget)
    assert max((len(button.description) for button in widget.picks), default=0) < 320


def test_a_fault_is_shown_and_the_answer_stays(lab: ml.Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = widget_of(lab)
    typed(widget, "beam")
    before = widget.answer
    typed(widget, "beam", "yesterday")
    assert "as_of" in widget.error.value
    assert "Traceback" not in widget.error.value

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("<b>broke</b>")

    monkeypatch.setattr(ml.Lab, "explain", broken)
    typed(widget, "loom")
    assert "RuntimeError: &lt;b&gt;broke" in widget.error.value
    assert (widget.answer, widget.box.busy) == (before, False)
    monkeypatch.undo()
    typed(widget, "loom")
    assert widget.error.value == ""


def test_it_says_that_it_is_at_work(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    seen = []
    widget.box.observe(lambda change: seen.append((change["new"], widget.question)), "busy")
    typed(widget, "loom")
    assert seen == [(True, ""), (False, "loom")]


def test_other_settings_ask_again(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log, settings=PRESETS["one_word"])
    typed(widget, "which weft?")
    assert widget.answer is not None
    assert (widget.settings, widget.answer.settings) == (PRESETS["one_word"], PRESETS["one_word"])
    state = widget.answer.state
    widget.settings = ml.Settings()
    assert widget.answer.settings == ml.Settings()
    assert (state, widget.answer.state) == ("resolved", "choose")
    widget.none.click()
    assert ml.Exam.from_log(log).questions["gold"].to_list() == [[]]


def test_parts_are_drawn_when_they_are_opened_and_charts_are_made_once(lab: ml.Lab) -> None:
    widget = widget_of(lab)
    typed(widget, "beam")
    panels = widget.panels
    assert (panels.charts, panels.table) == ({}, None)
    assert panels.around.layout.display == "none"
    panels.way.value = True
    way = panels.charts["way"]
    spec = way.spec
    panels.pool.value = True
    assert panels.table is not None
    assert panels.table.view["total"] == len(widget.answer.pool if widget.answer else ())
    panels.table.selected = "loom"
    widget.offers[0].click()
    assert widget.last_choice is not None
    assert widget.last_choice.node_id == "loom"
    typed(widget, "weft beam")
    assert panels.charts["way"] is way
    assert way.spec != spec
    assert panels.table.selected == ""
    way.error = "Unrecognized signal"
    assert "Unrecognized signal" in widget.error.value
