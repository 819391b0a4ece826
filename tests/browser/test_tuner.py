"""The threshold tuner in a real JupyterLab, with nothing but this machine to ask."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from jupyterlab_page import missing, opened, served

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

TESTS = Path(__file__).parent.parent
MAKE = f"""
import sys; sys.path.insert(0, {str(TESTS)!r})
import altair as alt
from synthetic import made_up
from memlab import Settings, charts, widgets
evidence, exam = made_up(200)
tuner = widgets.ThresholdTuner(evidence, exam, Settings(gap=0.05))
tuner
"""
# The plain chart in Altair's own widget: its parameter moves the line too.
FOLLOW = """
alt.JupyterChart.enable_offline()
view = alt.JupyterChart(charts.gaps(tuner.outcomes, threshold=0.05), embed_options={"renderer": "svg"})
tuner.observe(lambda change: setattr(view.params, "threshold", change["new"].gap), "settings")
view.add_class("plain-gaps")
view
"""
BREAK = "tuner.bars.params = {'no_such_parameter': 1}"
LINE = "g.mark-rule.role-mark line"


def write_notebook(path: Path, *cells: str) -> None:
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells],
    )
    nbformat.write(notebook, path)


def test_the_gap_slider_moves_bars_and_lines_offline(tmp_path: Path) -> None:
    from playwright.sync_api import expect

    write_notebook(tmp_path / "tuner.ipynb", MAKE, FOLLOW)
    shots = Path(os.environ.get("MEMLAB_SHOTS", tmp_path))
    with served(tmp_path) as address, opened(address, "tuner.ipynb") as (page, outside):
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        bars, gaps = page.locator(".memlab-bars"), page.locator(".memlab-gaps")
        plain = page.locator(".plain-gaps")
        counts = bars.locator("g.mark-text.role-mark")
        for view in (bars, gaps, plain):
            view.locator("svg.marks").wait_for()
        assert "<i>시험</i>" in str(bars.text_content())  # a name with HTML in it is text
        before = counts.all_text_contents()
        lines = [view.locator(LINE).first for view in (gaps, plain)]
        places = [line.get_attribute("transform") for line in lines]
        figures = page.locator(".memlab-figures").text_content()

        page.get_by_text("gap", exact=True).locator("xpath=..").locator(".noUi-handle").focus()
        for _ in range(60):
            page.keyboard.press("ArrowRight")

        expect(page.locator(".widget-readout").nth(1)).to_have_text("0.110")
        expect(page.locator(".memlab-copybox pre")).to_contain_text("gap = 0.11\n")
        for line, place in zip(lines, places, strict=True):
            expect(line).not_to_have_attribute("transform", str(place))
        expect(page.locator(".memlab-figures")).not_to_have_text(str(figures))
        expect(gaps).to_contain_text("reach 0.110")
        assert counts.all_text_contents() != before
        assert page.locator(".memlab-error").count() == 0
        page.screenshot(path=shots / "tuner.png")

        page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
        ink = gaps.locator(LINE).first
        expect(ink).to_have_attribute("stroke", "#e6e6e6")
        page.screenshot(path=shots / "tuner_dark.png")
        assert outside == []
        assert faults == []


def test_an_error_in_the_page_is_shown(tmp_path: Path) -> None:
    write_notebook(tmp_path / "broken.ipynb", MAKE, BREAK)
    with served(tmp_path) as address, opened(address, "broken.ipynb") as (page, outside):
        page.locator(".memlab-error").wait_for()
        assert "no_such_parameter" in str(page.locator(".memlab-error").text_content())
        assert outside == []
