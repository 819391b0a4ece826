"""What lies behind an answer, each part behind a button: the way, the whole pool, what is around the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import altair as alt
import ipywidgets
import polars as pl

from memlab import charts
from memlab.explain import Explanation
from memlab.lab import Lab
from memlab.widgets.live import LiveChart
from memlab.widgets.table import Table

_COLUMNS: Final = {
    "place": "place",
    "title": "title",
    "kind": "kind",
    "title_words": "title words",
    "similarity": "similarity",
    "graph_pieces": "pieces",
    "first_by": "first by",
    "shown": "shown",
}
_WIDTH: Final = 640


class Panels(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Buttons that open the parts of an explanation; a part is drawn when it is opened.

    Parameters
    ----------
    on_error : callable
        Told of what goes wrong here or in the page.
    on_select : callable
        Told of the node that was selected in the table of candidates.
    below : widget
        What stands under that table.
    """

    def __init__(
        self,
        on_error: Callable[[Exception | str], None],
        on_select: Callable[[str], None],
        below: ipywidgets.Widget,
    ) -> None:
        self._on_error = on_error
        self._on_select = on_select
        self._below = below
        self._now: tuple[Lab, Explanation] | None = None
        self.way = _toggle("how it was decided")
        self.pool = _toggle("all candidates")
        self.around = _toggle("around it", opened=True)
        # Each chart carries the library that draws it, so it is made once, when it is first needed.
        self.charts: dict[str, LiveChart] = {}
        self.table: Table | None = None
        self._parts = {name: ipywidgets.VBox() for name in ("way", "pool", "around")}
        for part in self._parts.values():
            part.add_class("memlab-panel")
        for toggle in (self.way, self.pool, self.around):
            toggle.observe(lambda _: self._draw(), "value")
        bar = ipywidgets.HBox(
            [self.way, self.pool, self.around], layout={"flex_flow": "row wrap", "margin": "10px 0 0"}
        )
        super().__init__(children=[bar, *self._parts.values()])

    def show(self, lab: Lab, explanation: Explanation) -> None:
        """Show the parts of another explanation, as far as they are open."""
        self._now = lab, explanation
        self.pool.description = f"all candidates ({len(explanation.answer.pool)})"
        self.around.layout.display = "" if explanation.node_id is not None else "none"
        self._draw()

    def _draw(self) -> None:
        if self._now is None:
            return
        lab, one = self._now
        steps: list[tuple[str, bool, Callable[[], list[ipywidgets.Widget]]]] = [
            ("way", self.way.value, lambda: [self._chart("way", charts.waterfall(one, width=_WIDTH))]),
            ("pool", self.pool.value, lambda: [self._pool(one), self._below]),
            ("around", self.around.value and one.node_id is not None, lambda: self._around(lab, one)),
        ]
        for name, opened, make in steps:
            try:
                self._parts[name].children = tuple(make()) if opened else ()
            except Exception as error:
                self._on_error(error)

    def _pool(self, one: Explanation) -> Table:
        frame = one.order.with_columns(shown=pl.when("visible").then(pl.lit("yes")).otherwise(pl.lit("hidden")))
        if self.table is None:
            self.table = Table(frame, _COLUMNS, key="node_id", caption="The pool in order, the first 50 at most")
            self.table.observe(self._selected, "selected")
        self.table.selected = ""
        self.table.frame = frame
        return self.table

    def _selected(self, change: dict[str, str]) -> None:
        try:
            self._on_select(change["new"])
        except Exception as error:
            self._on_error(error)

    def _around(self, lab: Lab, one: Explanation) -> list[ipywidgets.Widget]:
        near = lab.around(one.answer)
        made = [self._chart("around", charts.neighbourhood(near))] if near.edges.height else []
        made += [self._chart("timeline", charts.timeline(near))] if near.timeline.height > 1 else []
        return made or [ipywidgets.HTML('<div class="memlab-faint">nothing is connected to it</div>')]

    def _chart(self, name: str, chart: alt.TopLevelMixin) -> LiveChart:
        if name not in self.charts:
            self.charts[name] = LiveChart(chart)
            self.charts[name].add_class(f"memlab-{name}")
            self.charts[name].observe(lambda change: self._on_error(change["new"]), "error")
        else:
            self.charts[name].show(chart)
        return self.charts[name]


def _toggle(label: str, *, opened: bool = False) -> ipywidgets.ToggleButton:
    return ipywidgets.ToggleButton(value=opened, description=label, layout={"width": "auto"})
