"""Show the notebooks executed: ``python docs/notebooks.py [NN …] [--shots]`` writes ``docs/notebooks/``.

A page is markdown with pictures, which reads on GitHub and offline. Every cell is run anew, with no
other machine to ask. Charts are drawn as PNG; a widget, which no page can hold, is pictured in JupyterLab
(where there is no Chromium, its last picture stays). ``--shots`` keeps tall pictures of the whole notebooks, too.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "notebooks"
sys.path.insert(0, str(ROOT / "tests" / "browser"))

from jupyterlab_page import missing  # noqa: E402
from notebook_pages import NOTEBOOKS, run, serving, whole  # noqa: E402

WIDGET = "application/vnd.jupyter.widget-view+json"
# After the first cell of code, whose call chose the renderer of a live notebook.
_PICTURES = 'import altair as alt; alt.renderers.enable("png", scale_factor=1.5, ppi=72);'
_SECONDS = 600
_ALT = "what the cell above shows"


def main() -> int:
    """Run the notebooks that are named by their number, or all, and write their pages."""
    numbers = tuple(word for word in sys.argv[1:] if word != "--shots")
    chosen = [file for file in NOTEBOOKS if not numbers or file.name.startswith(numbers)]
    done = {file: executed(file) for file in chosen}
    lacks = missing()
    if lacks:
        print(f"widgets keep their last pictures: {lacks}")
    else:
        picture(done, shots="--shots" in sys.argv)
    for file, notebook in done.items():
        print(write_page(file, notebook).relative_to(ROOT), flush=True)
    (PAGES / "README.md").write_text(contents(), encoding="utf-8")
    return 0


def executed(file: Path) -> Any:
    """Return a notebook with the outputs of its cells, charts as PNG."""
    notebook = nbformat.read(file, as_version=4)
    first = next(place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    notebook.cells.insert(first + 1, nbformat.v4.new_code_cell(_PICTURES, id="pictures"))
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "tests" / "offline"), str(ROOT), before]))
    try:
        # What a notebook writes belongs to nobody.
        with tempfile.TemporaryDirectory() as folder:
            resources = {"metadata": {"path": folder}}
            NotebookClient(notebook, timeout=_SECONDS, kernel_name="python3", resources=resources).execute()
    finally:
        os.environ["PYTHONPATH"] = before
    del notebook.cells[first + 1]
    return notebook


def picture(done: dict[Path, Any], *, shots: bool = False) -> None:
    """Picture the widgets of notebooks as JupyterLab shows them, and the whole notebooks where that is asked for."""
    with_widgets = {file: places for file, notebook in done.items() if (places := widget_cells(notebook)) or shots}
    if not with_widgets:
        return
    with tempfile.TemporaryDirectory() as folder:
        for file in with_widgets:
            (Path(folder) / file.name).write_bytes(file.read_bytes())
        with serving("lab", Path(folder)) as place:
            for file, places in with_widgets.items():
                with run(place, file.name) as opened:
                    # A widget is taller than a window: the page is made as tall as the notebook.
                    whole(opened.page, Path(folder) / "whole.png", keep=True)
                    for number, name in places.items():
                        cell = opened.page.locator(".jp-Notebook .jp-Cell").nth(number)
                        cell.scroll_into_view_if_needed()
                        opened.page.wait_for_timeout(800)
                        # Its own output, not one that a widget holds in turn.
                        shown = cell.locator(".jp-Cell-outputArea > .jp-OutputArea-child > .jp-OutputArea-output").last
                        to = picture_of(file, name)
                        to.parent.mkdir(parents=True, exist_ok=True)
                        shown.screenshot(path=to)
                    if wrong := opened.wrong():
                        raise SystemExit(f"{file.name}: {'; '.join(wrong)}")
                    if shots:
                        whole(opened.page, ROOT / "build" / "shots" / "notebooks" / f"{file.stem}.png")


def widget_cells(notebook: Any) -> dict[int, str]:
    """Return the cells that show a widget: place and id."""
    return {
        number: cell.id
        for number, cell in enumerate(notebook.cells)
        if any(WIDGET in output.get("data", {}) for output in cell.get("outputs", []))
    }


def picture_of(file: Path, name: str) -> Path:
    """Where the picture of a widget lies."""
    return PAGES / f"{file.stem}_files" / f"widget-{name}.png"


def write_page(file: Path, notebook: Any) -> Path:
    """Write the page of an executed notebook and its pictures; those of cells that are gone go, too."""
    folder = PAGES / f"{file.stem}_files"
    widgets = {picture_of(file, name) for name in widget_cells(notebook).values()}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            _readable(output, file, cell.id)
    text, resources = MarkdownExporter().from_notebook_node(
        notebook, {"output_files_dir": folder.name, "unique_key": "out"}
    )
    head = (
        f"*This page is [`notebooks/{file.name}`](../../notebooks/{file.name}), executed. [All notebooks](README.md)*"
    )
    written = {folder.parent / name: data for name, data in resources["outputs"].items()}
    for old in folder.glob("*") if folder.is_dir() else ():
        if old not in written.keys() | widgets:
            old.unlink()
    for path, data in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    page = PAGES / f"{file.stem}.md"
    page.write_text(f"{head}\n\n{_tidy(text)}\n", encoding="utf-8")
    return page


def _readable(output: Any, file: Path, name: str) -> None:
    """Leave of an output what a page can show: a picture for a widget, plain HTML for a table."""
    data = output.get("data", {})
    if WIDGET in data:
        shot = picture_of(file, name)
        if not shot.exists():
            raise SystemExit(f"{file.name}, {name}: shows a widget that was never pictured; install Chromium")
        data.clear()
        data["text/markdown"] = f"![{_ALT}]({shot.parent.name}/{shot.name})"
    if "text/html" in data:
        # GitHub drops styles, and shows what stands in a style sheet as text.
        html = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.DOTALL)
        html = re.sub(r' style="text-align:right[^"]*"', ' align="right"', html)
        html = re.sub(r' (style|class|border)="[^"]*"', "", html)
        data["text/html"] = re.sub(r"\n\s*", "\n", html).strip()


def _tidy(text: str) -> str:
    """Take superfluous lines out of a page, and none out of its code."""
    parts = re.split(r"(^```python\n.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    for place in range(0, len(parts), 2):
        part = re.sub(r"[ \t]+$", "", parts[place], flags=re.MULTILINE).replace("![png](", f"![{_ALT}](")
        parts[place] = re.sub(r"\n{3,}", "\n\n", part)
    return "".join(parts).strip()


def contents() -> str:
    """Return the list of the pages: each notebook and the question it answers."""
    lines = ["# The notebooks, executed", "", "Each answers one question, on the sample store, with no network.", ""]
    for file in NOTEBOOKS:
        title = nbformat.read(file, as_version=4).cells[0].source.splitlines()[0].removeprefix("# ")
        lines.append(f"- [{file.stem[:2]} {title}]({file.stem}.md)")
    return "\n".join([*lines, "", "Made by `python docs/notebooks.py` (`make notebook-pages`).", ""])


if __name__ == "__main__":
    raise SystemExit(main())
