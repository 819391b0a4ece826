"""The box that a question is typed into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

_HERE = Path(__file__).parent
_SHEET = (_HERE / "ask.css").read_text(encoding="utf-8")
STYLE = f"<style>{_SHEET}</style>"
"""The style of what stands in a widget of class ``memlab-ask``, for one without this box."""


class AskBox(anywidget.AnyWidget):
    """A question, the instant that it is asked about, and whether what has ended is shown.

    Parameters
    ----------
    asked : callable
        Told that a question was asked; the attributes stand as they were in the page then.

    Attributes
    ----------
    question, as_of : str
        ``as_of`` is a date or an instant, empty for now.
    include_ended : bool
    busy : bool
        Whether the last question is still at work; nothing else can be asked meanwhile.
    """

    _esm = (_HERE / "askbox.js").read_text(encoding="utf-8")
    _css = _SHEET
    question = traitlets.Unicode().tag(sync=True)
    as_of = traitlets.Unicode().tag(sync=True)
    include_ended = traitlets.Bool().tag(sync=True)
    busy = traitlets.Bool().tag(sync=True)

    def __init__(self, asked: Callable[[], None], as_of: str = "") -> None:
        super().__init__(as_of=as_of)
        self._asked = asked
        self.on_msg(self.hear)

    def hear(self, _: object, content: dict[str, Any], __: object = None) -> None:
        """Take a message of the page: what was asked."""
        self.question = str(content.get("question", ""))
        self.as_of = str(content.get("as_of", "")).strip()
        self.include_ended = bool(content.get("include_ended", False))
        self.busy = True
        try:
            self._asked()
        finally:
            self.busy = False
            self.send({"done": True})
