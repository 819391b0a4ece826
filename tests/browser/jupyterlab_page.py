"""JupyterLab on 127.0.0.1 in a headless Chromium, for the tests of this folder."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = Path("/usr/bin/chromium")
_TOKEN = "local-test-token"
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
_FLAGS += ["--disable-background-networking", "--disable-component-update"]
# Menus are slow and brittle to click; the application's own command runs the cells once the kernel is idle.
_RUN_ALL = """async () => {
  const sleep = ms => new Promise(r => setTimeout(r, ms)), app = window.jupyterapp;
  await app.restored;
  while (!app.shell.currentWidget?.context?.sessionContext) await sleep(100);
  const ctx = app.shell.currentWidget.context; await ctx.ready; await ctx.sessionContext.ready;
  while (ctx.sessionContext.session?.kernel?.status !== 'idle') await sleep(100);
  return await app.commands.execute('notebook:run-all-cells');
}"""


def missing() -> str:
    """Say what a browser test lacks here, or nothing."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return "" if CHROMIUM.exists() else f"{CHROMIUM} is not installed"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder's notebooks and yield the address; nothing of the user's own settings is read."""
    home = Path(tempfile.mkdtemp(prefix="jlab-"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = os.environ | {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env |= {"JUPYTERLAB_SETTINGS_DIR": str(home / "set"), "JUPYTERLAB_WORKSPACES_DIR": str(home / "ws")}
    quiet = home / "set/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", f"--IdentityProvider.token={_TOKEN}", f"--ServerApp.root_dir={folder}"]
    command += ["--LabApp.news_url=None", "--LabApp.extension_manager=readonly"]
    command += ["--LabApp.expose_app_in_browser=True"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        _await(f"http://127.0.0.1:{port}/api?token={_TOKEN}", server, home / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def _await(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    begun = time.monotonic()
    while True:
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            late = time.monotonic() - begun > 60
            assert not late, log.read_text()
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)


@contextmanager
def opened(address: str, notebook: str, width: int = 1300, height: int = 1000) -> Iterator[tuple[Page, list[str]]]:
    """Open a notebook, run its cells and yield the page, with what it asked of other machines."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch_persistent_context(
            tempfile.mkdtemp(prefix="chrome-"),
            executable_path=str(CHROMIUM),
            headless=True,
            args=_FLAGS,
            viewport={"width": width, "height": height},
        )
        outside: list[str] = []
        # Anything that is not on this machine is refused and recorded.
        browser.route(
            lambda url: not url.startswith((address, "data:", "blob:")),
            lambda route: (outside.append(route.request.url), route.abort()),
        )
        page = browser.pages[0]
        page.set_default_timeout(60_000)
        page.goto(f"{address}/lab/tree/{notebook}?token={_TOKEN}&reset")
        page.wait_for_function("() => window.jupyterapp")
        page.evaluate(_RUN_ALL)
        try:
            yield page, outside
        finally:
            browser.close()
