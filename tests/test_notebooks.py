"""The notebooks as they are kept, and the pages that show them executed. ``make notebooks`` runs them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import polars as pl
import pytest

from memlab.errors import InputError
from memlab.widgets.ready import frame_html, ready

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = ROOT / "docs" / "notebooks"
MOST_BYTES = 6_000_000
NAMES = [file.stem for file in NOTEBOOKS]


def read(file: Path) -> Any:
    return nbformat.read(file, as_version=nbformat.NO_CONVERT)


def code_of(file: Path) -> list[str]:
    return [cell.source.strip() for cell in read(file).cells if cell.cell_type == "code"]


def test_there_are_nine_numbered_without_a_hole() -> None:
    assert [int(name[:2]) for name in NAMES] == list(range(1, 10))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=NAMES)
def test_a_notebook_is_kept_bare(file: Path) -> None:
    notebook = read(file)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert "widgets" not in notebook.metadata
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not cell.metadata, cell.id


@pytest.mark.parametrize("file", NOTEBOOKS, ids=NAMES)
def test_a_notebook_asks_one_question_and_says_what_to_try_next(file: Path) -> None:
    cells = read(file).cells
    titles = [line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    assert [line for line in titles if line.startswith("# ")] == [cells[0].source.splitlines()[0]]
    assert "## What to try next" in cells[-1].source
    assert len(cells) <= 20


@pytest.mark.parametrize("file", NOTEBOOKS, ids=NAMES)
def test_a_notebook_runs_anywhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for word in ("/home/", "/root/", "/Users/", "/tmp/", "C:\\\\", "http://", "https://"):
        assert word not in text, word
    for cell in code_of(file):
        assert not re.search(r"^\s*[!%]", cell, flags=re.MULTILINE), cell


def test_documents_name_every_notebook() -> None:
    told = (PAGES / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"({name}.md)" not in told] == []
    assert "docs/notebooks" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", NOTEBOOKS, ids=NAMES)
def test_its_page_shows_the_same_code(file: Path) -> None:
    page = (PAGES / f"{file.stem}.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n(.*?)\n```$", page, flags=re.DOTALL | re.MULTILINE)
    stale = "run `python docs/notebooks.py` again"
    assert [block.strip() for block in shown] == code_of(file), stale
    words = [cell.source.splitlines()[0] for cell in read(file).cells if cell.cell_type == "markdown"]
    assert [line for line in words if line.strip() not in page] == [], stale
    assert "Traceback" not in page
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)
    assert pictures
    assert [name for name in pictures if not (PAGES / name).is_file()] == []


def test_there_is_a_page_for_each_and_no_other_and_they_are_small() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*NAMES, "README"}
    assert sum(path.stat().st_size for path in PAGES.rglob("*") if path.is_file()) < MOST_BYTES


def test_a_frame_shows_as_text_with_its_numbers_on_the_right() -> None:
    frame = pl.DataFrame(
        {"title": ["<b>굵게</b>", "two"], "p": [0.000012, 0.25], "ok": [True, False], "of": [["a", "b"], None]}
    )
    html = frame_html(frame)
    assert "&lt;b&gt;굵게&lt;/b&gt;" in html
    assert "<b>" not in html
    assert re.findall(r"text-align:(\w+);[^>]*>([^<]*)</td>", html) == [
        ("left", "&lt;b&gt;굵게&lt;/b&gt;"), ("right", "1e-05"), ("left", "yes"), ("left", "a, b"),
        ("left", "two"), ("right", "0.250"), ("left", "no"), ("left", "–"),
    ]  # fmt: skip
    assert "the first 1 of 2 rows" in frame_html(frame, rows=1)
    assert "no rows: &lt;i&gt;" in frame_html(pl.DataFrame({"<i>": []}))


@pytest.mark.parametrize("rows", [0, -1, True, "3", 2.0])
def test_rows_that_are_no_number_are_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="whole number"):
        ready(rows)


def test_a_notebook_is_made_ready() -> None:
    import altair as alt
    from IPython.core.interactiveshell import InteractiveShell

    before = alt.renderers.active, alt.renderers.options
    shell = InteractiveShell.instance()
    try:
        ready(rows=2)
        data, _ = shell.display_formatter.format(pl.DataFrame({"n": [1, 2, 3]}))
        assert "the first 2 of 3 rows" in data["text/html"]
        assert alt.renderers.options["offline"] is True
    finally:
        InteractiveShell.clear_instance()
        alt.renderers.enable(before[0], **before[1])
