"""Colours of the widgets outside JupyterLab: every one that an application gives has a fallback."""

from __future__ import annotations

import re
from pathlib import Path

import ipywidgets
import pytest

from memlab import widgets

WIDGETS = Path(__file__).resolve().parent.parent / "memlab" / "widgets"
SOURCES = sorted(file for file in WIDGETS.iterdir() if file.suffix in {".py", ".js", ".css"})


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_a_colour_of_an_application_has_a_fallback(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert re.findall(r"var\(\s*--(?:jp|vscode)-[\w-]+\s*\)", text) == []


def test_a_colour_of_our_own_is_defined() -> None:
    text = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES)
    used = set(re.findall(r"var\(\s*(--memlab-[\w-]+)", text))
    # In a style sheet, or set on an element by a script.
    defined = set(re.findall(r"""(--memlab-[\w-]+)["']?\s*[:,]""", text))
    assert used
    assert used <= defined


def test_no_widget_takes_a_name_that_ipywidgets_needs() -> None:
    ours = [getattr(widgets, name) for name in widgets.__all__]
    made = [one for one in ours if isinstance(one, type) and issubclass(one, ipywidgets.Widget)]
    assert made
    for one in made:
        own = {name for part in one.__mro__ if part.__module__.startswith("memlab") for name in vars(part)}
        taken = {
            name
            for name in ("open", "close", "send", "get_state", "set_state", "on_msg", "comm", "keys")
            if name in own
        }
        assert not taken, (one, taken)
