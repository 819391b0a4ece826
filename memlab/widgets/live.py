"""A chart whose rows and parameters change in place, without being embedded anew.

Altair's ``JupyterChart`` moves parameters, but new rows mean a new chart, and each parameter that the
kernel sets comes back as an echo. Here everything goes one way, through Vega's data interface.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt
import anywidget
import ipywidgets
import polars as pl
import traitlets

from memlab.charts.theme import records
from memlab.widgets.vega import Vega, shared_vega


class LiveChart(anywidget.AnyWidget):
    """Show a chart and move its marks.

    Parameters
    ----------
    chart : altair chart
        A chart of :mod:`memlab.charts`; its data have a name.
    pickable : bool
        Whether clicks on marks are told.

    Attributes
    ----------
    clicked : dict
        The row behind the mark that was clicked last, and ``click``, which counts the clicks.
    error : str
        What went wrong in the page, empty while nothing did.
    """

    _esm = (Path(__file__).parent / "live.js").read_text(encoding="utf-8")
    vega = traitlets.Instance(Vega).tag(sync=True, **ipywidgets.widget_serialization)
    spec = traitlets.Dict().tag(sync=True)
    rows = traitlets.Dict().tag(sync=True, to_json=lambda rows, _: _as_text(rows))
    params = traitlets.Dict().tag(sync=True)
    clicked = traitlets.Dict().tag(sync=True)
    pickable = traitlets.Bool().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)
    # A chart that is wider than its place scrolls in it, and not the page.
    _css = """
    .memlab-live { overflow-x: auto; max-width: 100%; }
    .memlab-pickable .mark-rect path, .memlab-pickable .mark-symbol path { cursor: pointer; }
    """

    def __init__(self, chart: alt.TopLevelMixin | None = None, *, pickable: bool = False) -> None:
        super().__init__(spec=chart.to_dict() if chart is not None else {}, pickable=pickable, vega=shared_vega())
        self.add_class("memlab-live")

    def show(self, chart: alt.TopLevelMixin | None) -> None:
        """Draw another chart in the place of this one; None draws nothing."""
        with self.hold_sync():
            self.rows, self.params = {}, {}
            self.spec = chart.to_dict() if chart is not None else {}

    def update(self, rows: Mapping[str, pl.DataFrame], params: Mapping[str, Any] | None = None) -> None:
        """Put new rows in the place of the old and set parameters; the page repaints once.

        Parameters
        ----------
        rows : mapping of str to polars.DataFrame
            By the name of the chart's data.
        params : mapping, optional
            By the name of the chart's parameter.
        """
        data = {name: records(frame) for name, frame in rows.items()}
        # One message; what has not changed is not sent, and a page opened later finds both as they stand.
        with self.hold_sync():
            self.rows = self.rows | data
            self.params = self.params | dict(params or {})


def _as_text(rows: Mapping[str, Any]) -> str:
    """Write rows as text: of anything else ipywidgets looks through every value for buffers, twice a move."""
    try:
        return json.dumps(rows, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        finite = {name: [_finite(row) for row in table] for name, table in rows.items()}
        return json.dumps(finite, ensure_ascii=False, allow_nan=False, default=str)


def _finite(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose numbers JSON knows; the others are missing."""
    return {name: None if isinstance(v, float) and not math.isfinite(v) else v for name, v in row.items()}
