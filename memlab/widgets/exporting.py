"""Charts of a widget as files: which formats, which size, with or without the data beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Final

import altair as alt
import ipywidgets

from memlab import charts
from memlab.charts.export import export
from memlab.errors import InputError
from memlab.widgets.fault import fault_html
from memlab.widgets.typed import typed_field, typed_path

OWN_SIZE: Final = "as shown"
_FIRST: Final = ("svg", "png")


class ExportBox(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """A button that writes charts as they stand.

    Parameters
    ----------
    made : callable
        Makes the charts of this moment, by name; the name is the end of the file's.
    folder : str
        Where they go, from the notebook's own folder.

    Attributes
    ----------
    written : list of Path
        The files of the last press.
    """

    def __init__(self, made: Callable[[], Mapping[str, alt.TopLevelMixin]], folder: str = "charts") -> None:
        self._made = made
        self.written: list[Path] = []
        self.formats = {
            name: ipywidgets.Checkbox(value=name in _FIRST, description=name, indent=False, layout={"width": "auto"})
            for name in charts.FORMATS
        }
        self.size = ipywidgets.Dropdown(options=[OWN_SIZE, *charts.SIZES], description="size", layout=_AUTO)
        self.data = ipywidgets.Checkbox(description="data as CSV", indent=False, layout={"width": "auto"})
        self.folder = typed_field(folder, "folder")
        self.button = ipywidgets.Button(description="export charts", icon="download", layout={"width": "auto"})
        self.told = ipywidgets.HTML()
        self.button.on_click(lambda _: self.press())
        boxes = ipywidgets.HBox([*self.formats.values(), self.data], layout=_WRAP | {"grid_gap": "0 14px"})
        super().__init__(
            children=[boxes, ipywidgets.HBox([self.size, self.folder, self.button], layout=_WRAP), self.told]
        )

    def press(self) -> None:
        """Write the files; what goes wrong is shown."""
        try:
            formats = [name for name, box in self.formats.items() if box.value]
            if not formats:
                raise InputError("tick at least one format", field="formats")
            size = None if self.size.value == OWN_SIZE else self.size.value
            folder = typed_path(self.folder.value or ".", "folder", "name a folder, such as charts")
            self.written = [
                path
                for name, chart in self._made().items()
                for path in export(chart, folder / name, formats, size=size, data=self.data.value)
            ]
            names = " · ".join(escape(path.name) for path in self.written)
            self.told.value = f"written to <code>{escape(str(folder.resolve()))}</code>: {names}"
        except Exception as error:
            self.told.value = fault_html(error)


_AUTO: Final = {"width": "auto"}
_WRAP: Final = {"flex_flow": "row wrap"}
