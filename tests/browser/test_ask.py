"""The ask widget in a real JupyterLab: typed, asked, picked by key, and read back as an exam."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jupyterlab_page import missing, opened, served
from test_tuner import write_notebook

import memlab as ml

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

TESTS = Path(__file__).parent.parent
MAKE = f"""
import sys; sys.path.insert(0, {str(TESTS)!r})
import memlab as ml
from tiny import NOW, lab_of, node
bad = "<img src=x onerror=\\"window.hurt=1\\"><script>window.hurt=1</script>"
long = "우리는 2024년 가을에 저장소를 서브버전에서 깃으로 옮기기로 했고, 그 까닭과 옮긴 순서를 여기에 적어 둔다 " * 40
lab = lab_of(
    [
        node("git", "Git 저장소로 옮긴 까닭", "Decision", valid_from="2024-09-01"),
        node("svn", "Subversion 저장소로 정한 까닭", "Decision", superseded_by=["git"], valid_from="2015-03-01"),
        node("store", "저장소"), node("bad", "저장소 " + bad, "Record"), node("long", long, "Record"),
        node("rtl", "مستودع 저장소 \\u202egit", "Concept"),
        node("day", "저장소를\\n옮기던 날", "Episode", summary="밤을 새웠다."),
    ],
    [{{"id": "p1", "document": "회의록", "text": "저장소를 Git으로 옮긴다", "mentions": ["git", "store"]}}],
    [{{"source": "git", "type": "ABOUT", "target": "store"}}, {{"source": "day", "type": "RELATES", "target": "git"}}],
)
asking = ml.widgets.AskWidget(lab, log="picks.jsonl", by="김서연", now=lambda: NOW)
asking
"""


def open_parts(page: Page, widget: Locator) -> None:
    """The way and the table of candidates, by keyboard."""
    from playwright.sync_api import expect

    for toggle in ("how it was decided", "all candidates"):
        widget.get_by_role("button", name=toggle).focus()
        page.keyboard.press("Enter")
    widget.locator(".memlab-way svg.marks").wait_for()
    widget.locator(".memlab-table tbody tr").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(widget.locator(".memlab-table tr[aria-selected=true]")).to_have_count(1)


def look(page: Page, widget: Locator, shots: Path) -> None:
    """Dark, narrow, and at 200 %: half the room of a common window."""
    # As high as all of it, so that a picture holds the whole.
    page.set_viewport_size({"width": 1300, "height": 2800})
    page.wait_for_timeout(500)
    widget.screenshot(path=shots / "ask_resolved.png")
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    page.wait_for_timeout(1500)
    widget.screenshot(path=shots / "ask_dark.png")
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})")
    page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    for name, width in (("narrow", 500), ("zoomed", 650)):
        page.set_viewport_size({"width": width, "height": 2800})
        page.wait_for_timeout(500)
        # Nothing sticks out of the widget.
        assert widget.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
        page.screenshot(path=shots / f"ask_{name}.png")


def test_a_question_is_asked_and_its_choice_recorded_by_keyboard_alone(tmp_path: Path) -> None:
    from playwright.sync_api import expect

    write_notebook(tmp_path / "ask.ipynb", MAKE)
    shots = Path(os.environ.get("MEMLAB_SHOTS", tmp_path))
    with served(tmp_path) as address, opened(address, "ask.ipynb", height=1400) as (page, outside):
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        widget = page.locator(".memlab-ask")
        box = widget.locator(".memlab-ask-question")
        box.wait_for()
        box.focus()
        page.keyboard.type("저장소는 어디로 옮기지 3?")
        page.keyboard.press("Enter")
        verdict = widget.locator(".memlab-verdict")
        expect(verdict).to_contain_text("choose", timeout=60_000)
        options = widget.locator("button.memlab-option")
        titles = options.all_text_contents()
        assert any("<img src=x onerror=" in title for title in titles), titles
        page.screenshot(path=shots / "ask_choose.png")
        # The digit in the question was text; out of the box it is a pick. The box keeps the focus until then, so
        # that the next question can be written at once.
        expect(box).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(".memlab-ask:focus")).to_have_count(1)
        page.keyboard.press("2")
        expect(widget.get_by_role("status").filter(has_text="You said")).to_contain_text("picks.jsonl")
        expect(widget.locator("button.memlab-said")).to_have_text(titles[1])

        box.fill("Git 저장소로 옮긴 까닭")
        box.press("Enter")
        expect(verdict).to_contain_text("resolved")
        box.press("Escape")
        page.keyboard.press("r")
        expect(widget.get_by_role("status").filter(has_text="You said")).to_contain_text("Git 저장소로 옮긴 까닭")
        open_parts(page, widget)

        look(page, widget, shots)
        box.fill("<script>window.hurt=1</script>")
        box.press("Enter")
        expect(widget.locator(".memlab-asked")).to_have_text("<script>window.hurt=1</script>")
        widget.locator("input[placeholder=now]").fill("yesterday")
        box.press("Enter")
        expect(widget.locator(".memlab-error")).to_contain_text("as_of")
        assert page.evaluate("() => window.hurt") is None
        assert outside == []
        assert faults == []
    exam = ml.Exam.from_log(tmp_path / "picks.jsonl")
    told = dict(exam.questions.select("question", "gold").iter_rows())
    assert told["Git 저장소로 옮긴 까닭"] == ["git"]
    assert len(told["저장소는 어디로 옮기지 3?"]) == 1
    assert exam.questions["written_by"].unique().to_list() == ["김서연"]
