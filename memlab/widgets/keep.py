"""Settings to take along: as code to copy, and as a TOML file."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

import ipywidgets

from memlab.rules import Settings
from memlab.widgets.controls import RECORDS
from memlab.widgets.copybox import CopyBox
from memlab.widgets.fault import fault_html
from memlab.widgets.history import differing
from memlab.widgets.typed import typed_field, typed_path


class KeepBox(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Show a change of settings as code, and save the settings.

    Parameters
    ----------
    write : callable
        Writes the settings as they stand to a path.
    """

    def __init__(self, write: Callable[[Path], None]) -> None:
        self._write = write
        self._replaces = ""
        self.code = CopyBox(label="Copy as code")
        self.toml = CopyBox(label="Copy as TOML")
        self.path = typed_field("settings.toml", "file")
        self.save = ipywidgets.Button(description="save TOML", icon="save", layout={"width": "auto"})
        self.told = ipywidgets.HTML()
        self.save.on_click(lambda _: self.press())
        row = ipywidgets.HBox([self.path, self.save], layout={"flex_flow": "row wrap"})
        super().__init__(children=[self.code, row, self.told, self.toml])

    def show(self, start: Settings, chosen: Settings) -> None:
        """Show what changed since the start, and the whole."""
        self.code.text = as_code(start, chosen)
        self.toml.text = chosen.to_toml()

    def press(self) -> None:
        """Save; a file that is there is only replaced by a second press."""
        try:
            path = typed_path(self.path.value, "file", "give the name of the file, such as settings.toml")
            if path.exists() and self._replaces != str(path):
                self._replaces = str(path)
                self.told.value = f"<b>{escape(str(path))}</b> is there already: press again to replace it"
                return
            self._write(path)
            self._replaces = str(path)
            self.told.value = f"saved as <code>{escape(str(path.resolve()))}</code>"
        except Exception as error:
            self.told.value = fault_html(error)


def as_code(start: Settings, now: Settings) -> str:
    """Write settings as a change of others.

    Examples
    --------
    >>> as_code(Settings(), Settings(gap=0.1, veto=False))
    'settings = lab.settings.but(gap=0.1, veto=False)'
    """
    moved = differing(start, now) - set(RECORDS)
    values = {name: value for name, value in now.as_dict().items() if name in moved}
    told = ", ".join(f"{name}={tuple(value) if isinstance(value, list) else value!r}" for name, value in values.items())
    return f"settings = lab.settings.but({told})" if told else "settings = lab.settings"
