"""Names of sliders, for whoever hears a page."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets


class Named(anywidget.AnyWidget):
    """Give the sliders of the widget around this one the names that stand beside them (``aria-label``).

    Parameters
    ----------
    around : str
        Class of that widget.
    """

    _esm = (Path(__file__).parent / "named.js").read_text(encoding="utf-8")
    around = traitlets.Unicode().tag(sync=True)

    def __init__(self, around: str) -> None:
        super().__init__(around=around, layout={"display": "none"})
