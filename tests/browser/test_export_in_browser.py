"""Exported pages and pictures in a browser that has no network: the text is there, in the font they carry."""

from __future__ import annotations

from pathlib import Path

import pytest
from chart_samples import CHARTS
from jupyterlab_page import _FLAGS, CHROMIUM, missing

import memlab as ml

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

FACES = "() => [...document.fonts].map((face) => [face.family.replaceAll('\"', ''), face.status])"
# Where the font is at work a Korean sign is wider than where the next family draws it.
ALONE = "() => document.fonts.check('12px NanumGothic', '가')"


def test_exported_files_show_their_text_in_their_own_font_without_a_network(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    names = ("gaps", "timeline", "similarity_gap")
    asked: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(CHROMIUM), headless=True, args=_FLAGS)
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        broken: list[str] = []
        page.on("console", lambda told: broken.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: broken.append(str(error)))
        for name in names:
            svg, html = ml.export(CHARTS[name](), tmp_path / name, ["svg", "html"])
            page.goto(html.as_uri())
            page.wait_for_selector("#chart svg")
            assert ["NanumGothic", "loaded"] in page.evaluate(FACES)
            assert page.evaluate(ALONE)
            shown = page.text_content("#chart svg") or ""
            assert "n = " in shown
            assert "지어낸" in shown or "구름에" in shown
            assert "−" not in shown
            # The picture in a page, as a reader would open it.
            page.goto(svg.as_uri())
            assert page.evaluate("() => document.fonts.ready.then(() => document.fonts.size)") == 1
            assert page.evaluate("() => document.fonts.load('12px NanumGothic', '가').then((all) => all.length)") == 1
        browser.close()
    assert asked
    assert all(url.startswith(("file://", "data:", "blob:")) for url in asked), asked
    assert not broken
