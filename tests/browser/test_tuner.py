"""The threshold tuner in a real JupyterLab, with nothing but this machine to ask."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from jupyterlab_page import missing, opened, served

import memlab as ml

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

TESTS = Path(__file__).parent.parent
HERE = f"import sys; sys.path.insert(0, {str(TESTS)!r})"
MADE_UP = f"""
{HERE}
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
BIG = f"""
{HERE}
from synthetic import made_up
from memlab import Settings, widgets
evidence, exam = made_up(10_000, title="아주 긴 제목 " * 40 + "한칸도띄지않은말" * 10)
tuner = widgets.ThresholdTuner(evidence, exam, Settings(gap=0.05))
tuner
"""
HOSTILE = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>'
OF_A_STORE = f"""
{HERE}
import memlab as ml
from tiny import NOW, lab_of, node
lab = lab_of([node("git", "Git 저장소로 옮긴 까닭", "Decision"), node("svn", "Subversion 저장소", ended=True),
              node("bad", {HOSTILE!r} + " 저장소"), node("day", "저장소를 옮기던 날", "Episode")])
exam = ml.Exam.from_rows([
    {{"id": "a", "question": "Git 저장소로 옮긴 까닭", "gold": ["git"], "written_by": "김서연"}},
    {{"id": "b", "question": {HOSTILE!r} + " 저장소는?", "gold": ["bad"], "written_by": "김서연"}},
    {{"id": "c", "question": "베틀은 어디 있지?", "gold": [], "answerable": False, "written_by": "김서연"}},
], name="저장소 시험")
tuner = ml.widgets.ThresholdTuner(lab.gather(exam, now=NOW), exam, lab.settings, lab=lab)
tuner
"""
FORM = """
import memlab as ml
ml.widgets.Laboratory()
"""
LINE = "g.mark-rule.role-mark line"
# What stands out of the widget to the right, and in no box of its own that scrolls or cuts it.
STICKING_OUT = """tuner => {
  const end = tuner.getBoundingClientRect().right + 1;
  const held = e => {
    for (let p = e.parentElement; p && p !== tuner; p = p.parentElement) {
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(p).overflowX)) return true;
    }
    return false;
  };
  return [...tuner.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > end && !held(e))
    .map(e => e.tagName + '.' + e.getAttribute('class'));
}"""
FOCUSED = """() => {
  const e = document.activeElement, style = getComputedStyle(e);
  const label = e.closest('.jupyter-widgets')?.querySelector('.widget-label')?.textContent ?? '';
  return { inside: !!e.closest('.memlab-tuner'), seen: style.outlineStyle !== 'none' && style.outlineWidth !== '0px',
           told: [e.tagName, label, e.getAttribute('aria-label') ?? e.textContent.slice(0, 40)].join(' ') };
}"""


def write_notebook(path: Path, *cells: str) -> None:
    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells],
    )
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """One JupyterLab for all of them: its address and its folder."""
    folder = tmp_path_factory.mktemp("tuner")
    write_notebook(folder / "made_up.ipynb", MADE_UP, FOLLOW)
    write_notebook(folder / "big.ipynb", BIG)
    write_notebook(folder / "store.ipynb", OF_A_STORE)
    write_notebook(folder / "form.ipynb", FORM)
    with served(folder) as address:
        yield address, folder


@contextmanager
def clean(lab: tuple[str, Path], notebook: str, root: str = ".memlab-tuner") -> Iterator[tuple[Page, Locator]]:
    """Open a notebook of which nothing may ask other machines, or fail in the page."""
    from playwright.sync_api import expect

    expect.set_options(timeout=30_000)  # a machine that does other work is slow, and not wrong
    with opened(lab[0], notebook) as (page, outside):
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        widget = page.locator(root).first
        widget.wait_for()
        yield page, widget
        assert page.evaluate("() => window.hurt") is None
        assert outside == []
        assert faults == []


def shot(page: Page, name: str, folder: Path) -> None:
    page.screenshot(path=Path(os.environ.get("MEMLAB_SHOTS", folder)) / f"{name}.png")


def handle(widget: Locator, label: str) -> Locator:
    return widget.get_by_text(label, exact=True).locator("xpath=..").locator(".noUi-handle")


def press(page: Page, control: Locator, key: str, times: int = 1) -> None:
    control.focus()
    for _ in range(times):
        page.keyboard.press(key)


def run(page: Page, command: str, arguments: dict[str, str] | None = None) -> None:
    page.evaluate("([c, a]) => window.jupyterapp.commands.execute(c, a)", [command, arguments or {}])


def in_kernel(page: Page, code: str) -> None:
    page.evaluate(
        "async code => { const c = window.jupyterapp.shell.currentWidget.context.sessionContext;"
        " await c.session.kernel.requestExecute({ code }).done; }",
        code,
    )


def test_views_follow_a_slider_and_lead_to_questions(lab: tuple[str, Path]) -> None:  # noqa: PLR0915  # one page, one start
    from playwright.sync_api import expect

    with clean(lab, "made_up.ipynb") as (page, tuner):
        bars, gaps, plain = tuner.locator(".memlab-bars"), tuner.locator(".memlab-gaps"), page.locator(".plain-gaps")
        for view in (bars, gaps, plain):
            view.locator("svg.marks").wait_for()
        expect(tuner.locator(".memlab-about")).to_contain_text("<i>시험</i>")  # a name with HTML in it is text
        counts = bars.locator("g.mark-text.role-mark text")
        before = counts.all_text_contents()
        point = tuner.locator(
            ".memlab-curve g.mark-symbol path[aria-label*='setting: now'][aria-roledescription='point']"
        )
        moving = [*(view.locator(LINE).first for view in (gaps, plain)), point]
        places = [mark.get_attribute("transform") for mark in moving]
        figures = str(tuner.locator(".memlab-figures").text_content())

        # Bars, lines, figures and the curve's point move together.
        press(page, handle(tuner, "gap"), "ArrowRight", 60)
        expect(tuner.locator(".widget-readout").nth(1)).to_have_text("0.110")
        for mark, place in zip(moving, places, strict=True):
            expect(mark).not_to_have_attribute("transform", str(place))
        expect(tuner.locator(".memlab-figures")).not_to_have_text(figures)
        expect(gaps).to_contain_text("0.110")
        assert counts.all_text_contents() != before
        shot(page, "tuner", lab[1])
        tuner.get_by_role("button", name="undo").click()
        expect(tuner.locator(".widget-readout").nth(1)).to_have_text("0.050")
        expect(tuner.locator(".memlab-figures")).to_have_text(figures)
        assert counts.all_text_contents() == before

        # Along the curve: a press, and a dot, which takes the settings to where it stands.
        wrong = int(re.search(r"baseline: (\d+) of", figures)[1])  # type: ignore[index]
        tuner.get_by_role("button", name="fewer wrong").click()
        told = tuner.locator(".memlab-walked")
        expect(told).to_contain_text(f"were {wrong} of")
        assert int(re.search(r": (\d+) of", str(told.text_content()))[1]) < wrong  # type: ignore[index]
        tuner.get_by_role("button", name="undo").click()
        expect(tuner.locator(".memlab-figures")).to_have_text(figures)
        dots = tuner.locator(".memlab-curve path[aria-label*='setting: now'][aria-roledescription='circle']")
        expect(tuner.locator(".memlab-curve.memlab-waiting")).to_have_count(0)
        dots.first.click()
        expect(told).to_contain_text(f"were {wrong} of")
        tuner.get_by_role("button", name="undo").click()
        expect(tuner.locator(".memlab-figures")).to_have_text(figures)
        expect(counts).to_have_text(before)

        # A segment leads to its questions.
        segment = bars.locator("path[aria-label^='now answerable, choose, with gold']")
        held = str(segment.get_attribute("aria-label")).split(": ")[1].split(" of ")[0]
        # As a hand does it, on the count that stands in it.
        box = segment.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(tuner.locator(".memlab-table-count").first).to_contain_text(f"of {held}")
        expect(tuner.locator(".memlab-table tbody tr").first).to_contain_text("choose, with gold")

        # What changed is counted, and listed.
        tab = tuner.get_by_role("tab", name="changed")
        # What was undone above is no longer counted.
        expect(tab).to_have_text("changed (0)")
        tuner.locator("select").first.select_option("one_word")
        expect(tab).not_to_have_text("changed (0)")
        flips = str(tab.text_content()).removeprefix("changed (").removesuffix(")")
        tab.click()
        expect(tuner.locator(".memlab-table-count:visible")).to_contain_text(f"of {flips}")
        expect(tuner.locator(".memlab-ways").first).to_contain_text("worse")

        # What cannot be is refused and told; so is what goes wrong in the page.
        tuner.get_by_label("title", exact=True).uncheck()
        tuner.get_by_label("graph", exact=True).click()  # the last of the preset's arms
        expect(tuner.locator(".memlab-error")).to_contain_text("arm")
        expect(tuner.get_by_label("graph", exact=True)).to_be_checked()
        tuner.get_by_role("button", name="reset").click()
        expect(tuner.locator(".memlab-error")).to_have_count(0)
        in_kernel(page, "tuner.bars.params = tuner.bars.params | {'no_such_parameter': 1}")
        expect(tuner.locator(".memlab-error")).to_contain_text("no_such_parameter")

        run(page, "apputils:change-theme", {"theme": "JupyterLab Dark"})
        expect(gaps.locator(LINE).first).to_have_attribute("stroke", "#e6e6e6")
        shot(page, "tuner_dark", lab[1])
        run(page, "application:toggle-left-area")
        # A narrow window, and what a common one has left at twice the size.
        for name, width, height in (("narrow", 500, 900), ("zoomed", 650, 500)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(500)
            assert tuner.evaluate(STICKING_OUT) == []
            assert tuner.evaluate("e => e.scrollWidth - e.clientWidth") <= 1
            shot(page, f"tuner_{name}", lab[1])


def walk(page: Page, most: int = 80) -> list[str]:
    """Go on by Tab until the widget is left; everything on the way can be seen to have the focus."""
    told: list[str] = []
    for _ in range(most):
        at = page.evaluate(FOCUSED)
        if not at["inside"]:
            return told
        assert at["seen"], f"the focus is not seen on {at['told']}"
        told.append(at["told"])
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not leave the widget: {told}")


def test_everything_is_reached_by_keyboard_alone(lab: tuple[str, Path]) -> None:
    from playwright.sync_api import expect

    with clean(lab, "store.ipynb") as (page, tuner):
        tuner.locator(".memlab-bars svg.marks").wait_for()
        expect(tuner.locator(".memlab-table tbody tr").first).to_contain_text("Git")
        # Whoever hears the page hears which slider it is.
        expect(tuner.get_by_role("slider", name="gap_alone", exact=True)).to_have_count(1)
        assert tuner.locator(".noUi-handle:not([aria-label])").count() == 0
        tuner.locator("select").first.focus()
        page.keyboard.press("Tab")
        way = walk(page)
        for name in ("reset", "pin as baseline", "gap", "min_words", "order", "gates", "questions", "outcome"):
            assert any(name in step for step in way), (name, way)

        # A section that is closed is opened, and a switch in it moved.
        gates = tuner.locator(".memlab-section-head").filter(has_text=re.compile("^gates$"))
        press(page, gates, "Enter")
        press(page, tuner.get_by_label("off-subject gate"), " ")
        press(page, handle(tuner, "gap"), "ArrowRight", 5)

        # A question is chosen in the table and explained; what its titles hold is text.
        row = tuner.locator(".memlab-table tbody tr").first
        press(page, row, "ArrowDown")
        page.keyboard.press("Enter")
        expect(tuner.locator(".memlab-told")).to_contain_text("<img src=x onerror=")
        way_chart = tuner.locator("svg.marks").last
        expect(way_chart).to_contain_text("Step by step")
        shot(page, "tuner_question", lab[1])

        # The settings and the charts are taken along.
        tuner.get_by_role("tab", name="questions").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        expect(tuner.locator(".memlab-copybox pre").first).to_contain_text("gate=True")
        # A kernel that is busy hears the whole name before it hears the button.
        in_kernel(page, "import time; tuner.keep.path.observe(lambda change: time.sleep(0.5), 'value')")
        name = tuner.get_by_label("file", exact=True)
        name.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("mine.toml")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(tuner.get_by_text("saved as")).to_be_visible()
        press(page, tuner.get_by_role("button", name="export charts"), "Enter")
        expect(tuner.get_by_text("written to")).to_be_visible()
        shot(page, "tuner_keep", lab[1])
    assert ml.Settings.load(lab[1] / "mine.toml").gate
    for chart in ("outcomes", "gaps", "risk-coverage", "waterfall"):
        assert "저장소" in (lab[1] / "charts" / f"{chart}.svg").read_text(encoding="utf-8")
        assert (lab[1] / "charts" / f"{chart}.png").read_bytes().startswith(b"\x89PNG")


def test_ten_thousand_questions_with_long_titles_keep_their_place(lab: tuple[str, Path]) -> None:
    from playwright.sync_api import expect

    with clean(lab, "big.ipynb") as (page, tuner):
        bars = tuner.locator(".memlab-bars")
        bars.locator("svg.marks").wait_for()
        rows = tuner.locator(".memlab-table:visible tbody tr")
        expect(tuner.locator(".memlab-table-count:visible")).to_contain_text("of 10000")
        figures = str(tuner.locator(".memlab-figures").text_content())
        before = bars.locator("g.mark-text.role-mark text").all_text_contents()
        press(page, handle(tuner, "gap"), "ArrowRight", 10)
        expect(tuner.locator(".memlab-figures")).not_to_have_text(figures)
        expect(bars.locator("g.mark-text.role-mark text")).not_to_have_text(before)
        assert tuner.locator(".memlab-error").count() == 0
        assert max(row.bounding_box()["height"] for row in rows.all()) < 60  # type: ignore[index]
        assert tuner.evaluate(STICKING_OUT) == []
        shot(page, "tuner_big", lab[1])


def test_a_form_leads_from_tables_to_a_setting_and_a_chart(lab: tuple[str, Path]) -> None:
    from playwright.sync_api import expect

    titles = {"git": "Git 저장소로 옮긴 까닭", "svn": "Subversion 저장소", "day": "저장소를 옮기던 날", "loom": "베틀"}
    tables = lab[1] / "memory"
    tables.mkdir()
    nodes = [{"id": name, "kind": "Concept", "title": title} for name, title in titles.items()]
    exam = [
        {"id": name, "question": f"{title}?", "gold": [name], "written_by": "김서연"} for name, title in titles.items()
    ]
    for name, rows in (("nodes", nodes), ("exam", exam)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (tables / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    with clean(lab, "form.ipynb", ".memlab-laboratory") as (page, form):
        form.get_by_label("store", exact=True).fill("memory")
        form.get_by_label("exam", exact=True).fill("nothing.jsonl")
        form.locator("button", has_text=re.compile("^open$")).click()
        expect(form.locator(".memlab-error")).to_contain_text("nothing.jsonl")
        form.get_by_label("exam", exact=True).fill("memory/exam.jsonl")
        form.locator("button", has_text=re.compile("^open$")).click()
        tuner = form.locator(".memlab-tuner")
        tuner.locator(".memlab-bars svg.marks").wait_for()
        expect(form.locator(".memlab-opening")).to_contain_text("4 questions")
        tuner.locator("select").first.select_option("one_word")
        tuner.get_by_role("tab", name="keep").click()
        tuner.get_by_label("file", exact=True).fill("form.toml")
        tuner.get_by_label("folder", exact=True).fill("form-charts")
        tuner.get_by_role("button", name="save TOML").click()
        expect(tuner.get_by_text("saved as")).to_be_visible()
        tuner.get_by_role("button", name="export charts").click()
        expect(tuner.get_by_text("written to")).to_be_visible()
        shot(page, "laboratory", lab[1])
    assert ml.Settings.load(lab[1] / "form.toml").min_words == 1
    assert "written by 김서연" in (lab[1] / "form-charts" / "outcomes.svg").read_text(encoding="utf-8")
