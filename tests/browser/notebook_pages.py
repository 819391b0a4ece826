"""Notebooks in JupyterLab, Notebook 7 and voila, run to their end in a headless Chromium, with what went wrong."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyterlab_page import _FLAGS, _RUN_ALL, _TOKEN, CHROMIUM, _await

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Where each application shows one notebook; its checks of versions and news ask other machines, and are off.
_APPS = {
    "lab": ("lab", "/lab/tree/", ["--LabApp.news_url=None", "--LabApp.extension_manager=readonly",
                                  "--LabApp.expose_app_in_browser=True"]),
    "notebook": ("notebook", "/notebooks/", []),
    "voila": ("voila", "/voila/render/", ["--template=memlab"]),
}  # fmt: skip
# Charts draw after their cell is done: still for a second and a half, none without marks, nothing running.
_SETTLED = """() => {
  const charts = [...document.querySelectorAll('.vega-embed')];
  const now = document.body.querySelectorAll('*').length + ':' + charts.length;
  const same = window.__seen === now;
  if (!same) { window.__seen = now; window.__since = performance.now(); }
  const drawn = charts.every(c => c.querySelector('svg.marks, canvas.marks'));
  return drawn && same && performance.now() - window.__since > 1500;
}"""
# A widget that a kernel makes before the page listens is lost to it; a person's first key comes later than a script's.
_LISTENING = """async () => {
  const sleep = ms => new Promise(r => setTimeout(r, ms)), app = window.jupyterapp;
  await app.restored;
  const kernel = () => app.shell.currentWidget?.context?.sessionContext?.session?.kernel;
  for (let n = 0; n < 300 && !kernel()?._targetRegistry?.['jupyter.widget']; n++) await sleep(100);
}"""
# From the top of the first cell to the end of the last, wherever the notebook is scrolled to.
_TALL = """e => [...e.querySelectorAll('.jp-Cell')].at(-1).getBoundingClientRect().bottom
  - e.querySelector('.jp-Cell').getBoundingClientRect().top + 24"""
# What the application draws around cells: tools, the frame of the one in hand, the place for a new one.
_BARE = """.jp-cell-toolbar, .jp-Notebook-footer { display: none !important }
  .jp-Cell { border-color: transparent !important; box-shadow: none !important } .jp-Collapser { visibility: hidden }"""
_FAULTS = ".memlab-error, [data-mime-type='application/vnd.jupyter.error'], .jp-RenderedText .ansi-red-fg"


@dataclass
class Opened:
    """A notebook that has run, what its page asked of other machines, and the exceptions of its scripts."""

    page: Page
    outside: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def wrong(self) -> list[str]:
        """Everything that must not be: faults of the page, of cells and of widgets, and requests to elsewhere."""
        shown = [f"shown: {text}" for text in self.page.locator(_FAULTS).all_text_contents() if text.strip()]
        lost = self.page.get_by_text("Error displaying widget").all_text_contents()
        shown += [f"shown: {text}" for text in lost]
        return [f"asked {url}" for url in self.outside] + [f"threw {text}" for text in self.faults] + shown


@contextmanager
def serving(app: str, folder: Path) -> Iterator[str]:
    """Serve a folder's notebooks by an application; its kernels may speak with this machine alone."""
    command, place, options = _APPS[app]
    home = Path(tempfile.mkdtemp(prefix=f"{app}-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = os.environ | {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "set"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "ws")}
    paths = [str(ROOT / "tests" / "offline"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    env["JUPYTER_PATH"] = str(ROOT / "app")
    env["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    _setting(home, "apputils-extension/notification", '{"fetchNews": "false", "checkForUpdates": false}')
    # All cells stay in the page, seen or not.
    _setting(home, "notebook-extension/tracker", '{"windowingMode": "none"}')
    # Notebook 7 hears of it by its file alone.
    (home / "CONFIG").mkdir()
    (home / "CONFIG" / "jupyter_notebook_config.json").write_text(
        '{"JupyterNotebookApp": {"expose_app_in_browser": true}}', encoding="utf-8"
    )
    arguments = [sys.executable, "-m", command if app == "voila" else f"jupyter{command}", "--no-browser"]
    arguments += [f"--port={port}", *options]
    if app == "voila":
        arguments += ["--Voila.ip=127.0.0.1", f"--Voila.token={_TOKEN}", "--show_tracebacks=True", str(folder)]
    else:
        arguments[2:3] = ["jupyter", command]
        arguments += ["--allow-root", "--ip=127.0.0.1", f"--ServerApp.root_dir={folder}"]
        arguments += [f"--IdentityProvider.token={_TOKEN}"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(arguments, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        reached = "/" if app == "voila" else "/api"
        _await(f"http://127.0.0.1:{port}{reached}?token={_TOKEN}", server, home / "log")
        yield f"http://127.0.0.1:{port}{place}"
    finally:
        server.terminate()
        server.wait(20)


@contextmanager
def run(place: str, notebook: str, *, width: int = 1300, height: int = 1000, scale: float = 1.0) -> Iterator[Opened]:
    """Open a notebook, run all of it, and wait until its charts are drawn.

    Parameters
    ----------
    place : str
        What :func:`serving` gave.
    notebook : str
        Name of the file.
    width, height : int
        Of the window, in its own pixels.
    scale : float
        Pixels of the screen for each of them; 650 × 500 at 2 is a window of 1300 × 1000 at 200 %.
    """
    from playwright.sync_api import sync_playwright

    origin = place[: place.index("/", len("http://"))]
    with sync_playwright() as play:
        browser = play.chromium.launch_persistent_context(
            tempfile.mkdtemp(prefix="chrome-"), executable_path=str(CHROMIUM), headless=True, args=_FLAGS,
            viewport={"width": width, "height": height}, device_scale_factor=scale,
        )  # fmt: skip
        opened = Opened(browser.pages[0])
        # Anything that is not on this machine is refused and recorded.
        browser.route(
            lambda url: not url.startswith((origin, "data:", "blob:")),
            lambda route: (opened.outside.append(route.request.url), route.abort()),
        )
        page = opened.page
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: None if _its_own(error) else opened.faults.append(str(error)))
        page.goto(f"{place}{notebook}?token={_TOKEN}&reset", timeout=180_000)
        if "/voila/" not in place:
            page.wait_for_function("() => window.jupyterapp")
            page.evaluate(_LISTENING)
            page.evaluate(_RUN_ALL)
        page.wait_for_function(_SETTLED, timeout=120_000, polling=500)
        try:
            yield opened
        finally:
            browser.close()


def _its_own(error: Any) -> bool:
    """Whether Notebook 7.6 threw it by itself: it misses the schema of a plugin on its way up, with any notebook."""
    return "reading 'schema'" in str(error) and "/static/notebook/notebook_core" in str(error.stack)


def dark(page: Page) -> None:
    """Turn JupyterLab or Notebook 7 dark."""
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_function(_SETTLED, timeout=60_000, polling=500)


def whole(page: Page, to: Path, *, keep: bool = False) -> None:
    """Take one tall picture of a notebook, with nothing of the application around it; ``keep`` leaves the page so."""
    page.evaluate("() => window.jupyterapp.commands.execute('application:set-mode', {mode: 'single-document'})")
    page.evaluate("""() => {
      const shell = window.jupyterapp.shell;
      shell.collapseLeft?.(); shell.collapseRight?.();
    }""")
    page.add_style_tag(content=_BARE)
    size = page.viewport_size
    assert size is not None
    panel = page.locator(".jp-WindowedPanel-outer").first
    # Twice, as charts that were out of sight may still grow.
    for _ in range(2):
        tall = int(panel.evaluate(_TALL))
        page.set_viewport_size({"width": size["width"], "height": min(tall + 160, 16_000)})
        page.wait_for_timeout(500)
        page.wait_for_function(_SETTLED, timeout=60_000, polling=500)
    panel.evaluate("e => { e.scrollTop = 0 }")
    box = panel.bounding_box()
    assert box is not None
    to.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=to, clip={**box, "height": panel.evaluate(_TALL) + 12})
    if not keep:
        page.set_viewport_size(size)


def _setting(home: Path, name: str, text: str) -> None:
    file = home / "set" / "@jupyterlab" / f"{name}.jupyterlab-settings"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
