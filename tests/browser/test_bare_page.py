"""Each front-end module in a page that has nothing of Jupyter: what VS Code and other hosts of anywidget give them.

A host imports the module and hands it a model and an element (anywidget's front-end module protocol). Here the model is
a plain object with the widget's own state and a way to the models that it refers to; the page has VS Code's class and
colours, and no script of Jupyter.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from jupyterlab_page import _FLAGS, CHROMIUM, missing

from memlab.charts.theme import styled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

_PAGE = """<!doctype html><meta charset="utf-8"><body class="vscode-dark" style="background:#1e1e1e;color:#ccc;
  --vscode-foreground:#cccccc;--vscode-widget-border:#454545;--vscode-input-background:#313131"></body>"""
_HOST = """async ({ esm, css, state, others }) => {
  const heard = {};
  const model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; for (const f of heard['change:' + name] ?? []) f(); },
    on: (what, f) => { for (const one of what.split(' ')) (heard[one] ??= []).push(f); },
    off: () => {}, save_changes: () => {}, send: () => {},
    widget_manager: { get_model: async (id) => ({ get: (name) => others[id][name] }) },
  };
  window.model = model;
  const style = document.createElement('style');
  style.textContent = css;
  const el = document.createElement('div');
  el.id = 'el';
  document.head.append(style);
  document.body.replaceChildren(el);
  const url = URL.createObjectURL(new Blob([esm], { type: 'text/javascript' }));
  const made = await import(url);
  await (made.default ?? made).render({ model, el });
}"""


@contextmanager
def bare(widget: Any) -> Iterator[tuple[Page, list[str]]]:
    """Render a widget's module in a bare page; yields the page, and what went wrong or was asked of others."""
    from playwright.sync_api import sync_playwright

    state = {name: value for name, value in widget.get_state().items() if not name.startswith("_")}
    given = {
        "esm": str(widget._esm),
        "css": str(getattr(widget, "_css", "")),
        "state": json.loads(json.dumps(state, default=str)),
        "others": {other.model_id: other.get_state() for other in [getattr(widget, "vega", None)] if other},
    }
    with sync_playwright() as play:
        browser = play.chromium.launch_persistent_context(
            tempfile.mkdtemp(prefix="chrome-"), executable_path=str(CHROMIUM), headless=True, args=_FLAGS
        )
        wrong: list[str] = []
        browser.route(
            lambda url: not url.startswith(("data:", "blob:", "about:")),
            lambda route: (wrong.append(route.request.url), route.abort()),
        )
        page = browser.pages[0]
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.set_content(_PAGE)
        page.evaluate(_HOST, given)
        try:
            yield page, wrong
        finally:
            browser.close()


def test_a_live_chart_draws_in_the_ink_of_a_dark_page() -> None:
    import altair as alt

    from memlab.widgets import LiveChart

    data = alt.InlineData(name="rows", values=[{"제목": "<b>굵게</b>", "n": 3}])
    chart = styled(alt.Chart(data, title="한글 제목").mark_bar().encode(x="n:Q", y="제목:N"))
    with bare(LiveChart(chart)) as (page, wrong):
        page.locator("svg.marks").wait_for()
        assert "한글 제목" in str(page.locator("#el").text_content())
        assert "<b>굵게</b>" in str(page.locator("#el").text_content())
        assert page.locator("svg.marks text", has_text="한글 제목").get_attribute("fill") == "#e6e6e6"
        page.evaluate("() => model.set('rows', JSON.stringify({ rows: [{ '제목': '다른 것', n: 5 }] }))")
        page.locator("svg.marks text", has_text="다른 것").wait_for()
        assert wrong == []


def test_a_table_shows_its_rows_as_text() -> None:
    from memlab.widgets import Table

    frame = pl.DataFrame({"question_id": ["a", "b"], "question": ["<img src=x onerror=alert(1)>", "한글 질문"]})
    with bare(Table(frame, columns={"question": "question"}, key="question_id")) as (page, wrong):
        assert page.locator("tbody tr").count() == 2
        assert page.locator("img").count() == 0
        assert page.locator("#el").evaluate("e => getComputedStyle(e).color") == "rgb(204, 204, 204)"
        assert wrong == []


def test_settings_are_shown_to_be_copied() -> None:
    from memlab.widgets.copybox import CopyBox

    with bare(CopyBox(text="gap = 0.1", label="Copy")) as (page, wrong):
        assert page.locator("pre").text_content() == "gap = 0.1"
        assert wrong == []
