"""Notebooks in JupyterLab, in Notebook 7 and as an app, to their end: no fault, nothing asked of others.

Three notebooks hold all widgets: 01 and 08 run in JupyterLab, 04 in the others. ``MEMLAB_ALL_NOTEBOOKS=1`` runs all
nine in JupyterLab, as ``make shots`` does.
``MEMLAB_SHOTS=folder`` keeps pictures of what was seen.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from jupyterlab_page import missing
from notebook_pages import NOTEBOOKS, Opened, dark, run, serving

pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(missing()), reason=missing() or "all there")]

FIRST = NOTEBOOKS[0].name
TUNER = next(file.name for file in NOTEBOOKS if file.name.startswith("04"))
_EACH = [file for file in NOTEBOOKS if file.name[:2] == "08" or "MEMLAB_ALL_NOTEBOOKS" in os.environ]
# What sticks out of the window to the right, but for what scrolls inside itself.
_WIDER = """() => [...document.querySelectorAll('.jp-OutputArea-output, .jp-RenderedMarkdown')]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1
    && !e.closest('[style*="overflow"]') && getComputedStyle(e).overflowX === 'visible')
  .map(e => e.textContent.slice(0, 60))"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies, as what a notebook writes lies beside it."""
    made = tmp_path_factory.mktemp("notebooks")
    for file in NOTEBOOKS:
        shutil.copy(file, made)
    return made


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[str]:
    with serving("lab", folder) as place:
        yield place


@pytest.mark.parametrize("file", _EACH, ids=lambda file: file.stem)
def test_it_runs_in_jupyterlab(lab: str, file: Path) -> None:
    with run(lab, file.name) as opened:
        _shot(opened, f"lab-{file.stem}")
        assert opened.wrong() == []
        assert opened.page.locator(".vega-embed svg.marks, .vega-embed canvas.marks").count() > 0


def test_it_fits_a_small_window_light_and_dark(lab: str) -> None:
    # 650 by 500 is what a window of 1300 by 1000 has left at twice the size.
    with run(lab, FIRST, width=650, height=500, scale=2.0) as opened:
        assert opened.page.locator(".vega-embed svg.marks, .vega-embed canvas.marks").count() > 0
        for way, width, height in (("zoomed", 650, 500), ("narrow", 500, 900)):
            opened.page.set_viewport_size({"width": width, "height": height})
            opened.page.wait_for_timeout(500)
            _shot(opened, f"lab-{way}")
            assert opened.page.evaluate(_WIDER) == []
        dark(opened.page)
        _shot(opened, "lab-narrow-dark")
        assert opened.page.evaluate(_WIDER) == []
        assert opened.wrong() == []


@pytest.mark.skipif(find_spec("notebook") is None, reason="Notebook 7 is not installed")
def test_it_runs_in_notebook_7_light_and_dark(folder: Path) -> None:
    with serving("notebook", folder) as place, run(place, TUNER) as opened:
        _shot(opened, "notebook")
        assert opened.page.locator(".memlab-bars svg.marks").count() == 1
        dark(opened.page)
        _shot(opened, "notebook-dark")
        assert opened.wrong() == []


@pytest.mark.skipif(find_spec("voila") is None, reason="voila is not installed; pip install 'memlab[app]'")
def test_it_runs_as_an_app(folder: Path) -> None:
    from playwright.sync_api import expect

    with serving("voila", folder) as place, run(place, TUNER) as opened:
        page = opened.page
        _shot(opened, "voila")
        assert page.locator(".jp-CodeMirrorEditor, .jp-InputArea-editor").count() == 0
        expect(page.get_by_role("heading", name="The tuner")).to_be_visible()
        # The kernel is there: a slider still moves what it moved.
        readout = page.locator(".memlab-figures")
        before = readout.text_content()
        page.get_by_text("gap", exact=True).locator("xpath=..").locator(".noUi-handle").focus()
        # The notebook has raised it to where nothing is left to lose.
        for _ in range(200):
            page.keyboard.press("ArrowLeft")
        expect(readout).not_to_have_text(str(before))
        assert opened.wrong() == []


def _shot(opened: Opened, name: str) -> None:
    if "MEMLAB_SHOTS" in os.environ:
        opened.page.screenshot(path=Path(os.environ["MEMLAB_SHOTS"]) / f"{name}.png", full_page=True)
