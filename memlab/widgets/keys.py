"""Keys of a widget: what is pressed anywhere in it reaches Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets


class Keys(anywidget.AnyWidget):
    """Hear single keys in the widget around this one.

    Parameters
    ----------
    pressed : callable
        Told of each key that means something.
    around : str
        Class of that widget.

    Attributes
    ----------
    means : list of str
        Which keys mean something now.
    task : str
        What they would act on: a key that comes late, when that has changed, is not for the next.
    """

    _esm = (Path(__file__).parent / "keys.js").read_text(encoding="utf-8")
    means = traitlets.List(traitlets.Unicode()).tag(sync=True)
    task = traitlets.Unicode().tag(sync=True)
    around = traitlets.Unicode().tag(sync=True)

    def __init__(self, pressed: Callable[[str], None], around: str) -> None:
        super().__init__(around=around, layout={"display": "none"})
        self._pressed = pressed
        self.on_msg(self.hear)

    def hear(self, _: object, content: dict[str, Any], __: object = None) -> None:
        """Take a message of the page."""
        if content.get("task") == self.task and content.get("key") in self.means:
            self._pressed(content["key"])
