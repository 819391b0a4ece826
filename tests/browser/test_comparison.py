"""The comparison widget in a real JupyterLab: a table that is searched, sorted and turned by keyboard."""

from __future__ import annotations

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
from synthetic import made_up
evidence, exam = made_up(200)
first = ml.Settings(gap=0.05, gap_alone=0.1, floor=0.0)
graded = [ml.grade(ml.decide(evidence, one), exam, settings=one) for one in (first, first.but(gap_alone=0.03),
          first.but(gap_alone=0.2))]
ml.widgets.ComparisonWidget(graded[0], {{"낮은 문턱 <i>0.03</i>": graded[1], "0.2": graded[2]}})
"""


def test_flips_are_found_by_keyboard(tmp_path: Path) -> None:
    from playwright.sync_api import expect

    write_notebook(tmp_path / "compare.ipynb", MAKE)
    shots = Path(os.environ.get("MEMLAB_SHOTS", tmp_path))
    with served(tmp_path) as address, opened(address, "compare.ipynb", height=1500) as (page, outside):
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        widget = page.locator(".memlab-comparison")
        measures, flips = widget.locator(".memlab-table").first, widget.locator(".memlab-table").nth(1)
        rows = flips.locator("tbody tr")
        rows.first.wait_for()
        before = rows.all_text_contents()

        rows.first.focus()
        page.keyboard.press("PageDown")
        expect(flips.locator(".memlab-table-count")).to_contain_text("11–20 of")
        page.keyboard.press("PageUp")
        expect(flips.locator(".memlab-table-count")).to_contain_text("1–10 of")
        # Past the last row of a page lies the next page.
        rows.last.focus()
        page.keyboard.press("ArrowDown")
        expect(flips.locator(".memlab-table-count")).to_contain_text("11–20 of")
        page.keyboard.press("ArrowUp")
        expect(rows.last).to_be_focused()
        assert rows.all_text_contents() == before

        heading = flips.get_by_role("button", name="question")
        heading.focus()
        page.keyboard.press("Enter")
        expect(flips.locator("th").first).to_have_attribute("aria-sort", "ascending")
        expect(flips.get_by_role("button", name="question")).to_be_focused()
        flips.locator("input").fill("번째 7")
        expect(flips.locator(".memlab-table-count")).to_contain_text("found of")
        rows.first.focus()
        page.keyboard.press("Enter")
        expect(rows.first).to_have_attribute("aria-selected", "true")
        expect(widget.locator(".memlab-asked")).to_contain_text("번째 질문인가?")
        page.screenshot(path=shots / "comparison.png")

        measures.locator("tbody tr", has_text="confident wrong").click()
        expect(widget.locator("select").nth(1)).to_have_value("confident wrong")
        page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
        page.wait_for_timeout(1000)
        page.screenshot(path=shots / "comparison_dark.png")
        page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        page.set_viewport_size({"width": 500, "height": 1900})
        page.wait_for_timeout(500)
        assert widget.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
        page.screenshot(path=shots / "comparison_narrow.png")
        assert page.locator(".memlab-error").count() == 0
        assert outside == []
        assert faults == []
