"""Labelling in a real JupyterLab: two questions by keyboard and mouse, and what the log holds then."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jupyterlab_page import missing, opened, served
from test_tuner import write_notebook

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

TESTS = Path(__file__).parent.parent
MAKE = f"""
import sys; sys.path.insert(0, {str(TESTS)!r})
import memlab as ml
from tiny import NOW, lab_of, node
long = "우리는 2024년 가을에 저장소를 서브버전에서 깃으로 옮기기로 했고, 그 까닭과 옮긴 순서를 여기에 적어 둔다 " * 2
lab = lab_of([
    node("git", "Git으로 옮긴 까닭", "Decision"), node("svn", "Subversion <b>저장소</b>", "Concept", ended=True),
    node("long", long, "Record"), node("day", "옮기던 날", "Episode", summary="밤을 새워 저장소를 옮겼다. " * 9),
    node("loom", "Loom"),
])
asked = [
    {{"id": "a", "question": "왜 서브버전 저장소를 떠나 Git으로 옮겼지?", "lang": "ko"}},
    {{"id": "b", "question": "저장소를 옮기던 날 무슨 일이 있었어?", "lang": "ko"}},
    {{"id": "c", "question": "what is a <i>loom</i>?", "lang": "en"}},
]
session = ml.Labelling(lab, asked, "labels.jsonl", by="김서연", now=NOW)
ml.widgets.LabellingWidget(session)
"""


def picks(log: Path) -> dict[str, tuple[str | None, str]]:
    entries = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return {e["question_id"]: (e["node"], e["by"]) for e in entries if e["line"] == "choice"}


def test_two_questions_are_labelled_by_mouse_and_keyboard(tmp_path: Path) -> None:
    from playwright.sync_api import expect

    write_notebook(tmp_path / "label.ipynb", MAKE)
    log = tmp_path / "labels.jsonl"
    shots = Path(os.environ.get("MEMLAB_SHOTS", tmp_path))
    with served(tmp_path) as address, opened(address, "label.ipynb") as (page, outside):
        widget = page.locator(".memlab-labelling")
        question = widget.locator(".memlab-question")
        expect(question).to_have_text("왜 서브버전 저장소를 떠나 Git으로 옮겼지?")
        options = widget.locator("button.memlab-option")
        # Nothing is cut off: every title stands in its button whole, as text.
        for at in range(options.count()):
            fits = options.nth(at).evaluate(
                "e => e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 1"
            )
            assert fits, options.nth(at).text_content()
        assert "Subversion <b>저장소</b>" in options.all_text_contents()
        page.screenshot(path=shots / "labelling.png")

        options.get_by_text("Git으로 옮긴 까닭").click()
        expect(question).to_have_text("저장소를 옮기던 날 무슨 일이 있었어?")
        # The focus stays in the widget, so that keys work without another click.
        expect(page.locator(".memlab-labelling:focus")).to_have_count(1)
        place = options.all_text_contents().index("옮기던 날") + 1
        page.keyboard.press(str(place))
        expect(question).to_have_text("what is a <i>loom</i>?")
        expect(widget.locator(".memlab-progress")).to_contain_text("2 of 3 judged · as 김서연")
        assert picks(log) == {"a": ("git", "김서연"), "b": ("day", "김서연")}

        # A letter in the search is a letter.
        widget.locator("input[type=text]").fill("")
        widget.locator("input[type=text]").press_sequentially("svn")
        expect(options.last).to_have_text("Subversion <b>저장소</b>")
        page.screenshot(path=shots / "labelling_found.png")
        page.keyboard.press("Tab")
        page.keyboard.press("n")
        expect(question).to_contain_text("All 3 questions are judged")
        page.screenshot(path=shots / "labelling_done.png")
        assert picks(log)["c"] == (None, "김서연")
        assert page.locator(".memlab-error").count() == 0
        assert page.locator(".jp-Notebook .jp-Cell").count() == 1
        assert outside == []
