"""Settings beside a baseline, in a notebook: the measures, the questions that flipped, and one of them closely."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from html import escape
from typing import Any, Final

import ipywidgets
import polars as pl
import traitlets

from memlab import charts
from memlab.charts import theme
from memlab.charts.given import given
from memlab.errors import InputError
from memlab.exam import Comparison, Outcomes, compare
from memlab.lab import Lab
from memlab.widgets.askbox import STYLE
from memlab.widgets.comparing import (
    ANY,
    COLUMNS,
    FLIPS,
    MEASURE_WORDS,
    WAYS,
    flips,
    measures,
    question_html,
    side_html,
)
from memlab.widgets.fault import fault_html
from memlab.widgets.live import LiveChart
from memlab.widgets.table import Table

_WAY_COLOURS: Final = {"worse": theme.WRONG, "better": theme.RIGHT, "other node": theme.CHOOSE}
_SIDE: Final = {"flex": "1 1 340px", "min_width": "0"}
_WIDTH: Final = 560


class ComparisonWidget(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Show what other settings change: measures with intervals and tests, and the questions that flipped.

    Parameters
    ----------
    baseline : Outcomes or Comparison
        A graded setting, or what :func:`memlab.compare` returned.
    others : Outcomes, or mapping of str to Outcomes
        Graded on the same questions; left out where a comparison is given.
    groups : polars.DataFrame, optional
        Questions that hang together, as for :func:`memlab.compare`.
    lab : Lab, optional
        What the evidence was gathered by: with it nodes have titles, and a question is explained under both
        settings, where the outcomes say by which settings they were decided.
    now : datetime, optional
        The instant of questions without one, as the evidence was gathered; the clock's when left out.

    Attributes
    ----------
    comparison : Comparison
    setting : str
        The setting that is shown.
    way, measure : str
        What the flips are filtered by, ``all`` for no filter.
    flips : polars.DataFrame
        The questions that flipped, filtered.
    selected : str
        Id of the question that is shown closely, empty for none.

    Raises
    ------
    InputError
        If the questions are not the same.

    Examples
    --------
    >>> ml.widgets.ComparisonWidget(before, {"gap 0.1": after}, lab=lab)  # doctest: +SKIP
    """

    setting = traitlets.Unicode()
    way = traitlets.Unicode(ANY)
    measure = traitlets.Unicode(ANY)
    selected = traitlets.Unicode()

    def __init__(
        self,
        baseline: Outcomes | Comparison,
        others: Outcomes | Mapping[str, Outcomes] | None = None,
        *,
        groups: pl.DataFrame | None = None,
        lab: Lab | None = None,
        now: datetime | None = None,
    ) -> None:
        self.comparison = _compared(baseline, others, groups)
        if lab is not None:
            given(lab, Lab, "lab", "the Lab that gathered the evidence")
        self._now = now
        self._quiet = False
        self._lab = lab
        self._titles: dict[str, str] = {} if lab is None else dict(lab.store.nodes.select("id", "title").iter_rows())
        names = list(self.comparison.others)
        told = measures(self.comparison, names[0])
        self.choice = ipywidgets.Dropdown(options=names, description="setting", layout={"max_width": "320px"})
        self.choice.layout.display = "" if len(names) > 1 else "none"
        self.measures = Table(told, COLUMNS, key="measure", caption="Select a measure to see its questions below")
        self.ways = ipywidgets.ToggleButtons(options=[(ANY, ANY)], style={"button_width": "auto"})
        self.of = ipywidgets.Dropdown(description="measure", layout={"max_width": "320px"})
        self.table = Table(
            flips(self.comparison, names[0]), FLIPS, caption="Questions that flipped", colours={"way": _WAY_COLOURS}
        )
        self.error = ipywidgets.HTML(layout={"display": "none"})
        self.question = ipywidgets.HTML()
        self.before, self.after = ipywidgets.HTML(layout=_SIDE), ipywidgets.HTML(layout=_SIDE)
        self.explain = ipywidgets.ToggleButton(description="how each was decided", layout={"width": "auto"})
        self.charts: list[LiveChart] = []
        self._ways_box = ipywidgets.VBox()
        super().__init__(setting=names[0])
        self.children = [*self._laid_out(), self.error]
        self.add_class("memlab-ask")
        self.add_class("memlab-comparison")
        self._link()
        self._follow()

    @property
    def flips(self) -> pl.DataFrame:
        """The questions that flipped, filtered as the widget stands."""
        return self.table.frame

    @traitlets.validate("setting")
    def _there(self, proposal: dict[str, Any]) -> str:
        return _one_of(proposal["value"], list(self.comparison.others), "setting")

    @traitlets.validate("way")
    def _a_way(self, proposal: dict[str, Any]) -> str:
        return _one_of(proposal["value"], [ANY, *WAYS], "way")

    @traitlets.validate("measure")
    def _a_measure(self, proposal: dict[str, Any]) -> str:
        return _one_of(proposal["value"], [ANY, *MEASURE_WORDS], "measure")

    def _laid_out(self) -> list[ipywidgets.Widget]:
        base = self.comparison.baseline
        about = f"{base.exam.name or 'an exam'} · {base.rows.height} questions · {self.comparison.standing()}"
        head = ipywidgets.HTML(f'{STYLE}<div class="memlab-faint">{escape(about)}</div>')
        filters = ipywidgets.HBox(
            [self.ways, self.of], layout={"flex_flow": "row wrap", "align_items": "center", "margin": "12px 0 0"}
        )
        sides = ipywidgets.HBox(
            [self.before, self.after], layout={"flex_flow": "row wrap", "align_items": "flex-start"}
        )
        self._ways_box.layout = {"flex_flow": "row wrap"}
        self._close = ipywidgets.VBox([self.question, sides, self.explain, self._ways_box])
        return [head, self.choice, self.measures, filters, self.table, self._close]

    def _link(self) -> None:
        traitlets.link((self, "setting"), (self.choice, "value"))
        self.measures.observe(lambda change: self._chosen("measure", change["new"]), "selected")
        self.ways.observe(lambda change: self._chosen("way", change["new"]), "value")
        self.of.observe(lambda change: self._chosen("measure", change["new"]), "value")
        traitlets.link((self, "selected"), (self.table, "selected"))
        self.observe(lambda _: self._guard(self._follow), ["setting", "way", "measure"])
        self.observe(lambda _: self._guard(self._closely), "selected")
        self.explain.observe(lambda _: self._guard(self._explained), "value")

    def _follow(self) -> None:
        """Show another setting, way or measure; whatever was filtered by stays where it can."""
        shown = measures(self.comparison, self.setting)
        if not shown.equals(self.measures.frame):
            self.measures.frame = shown
        self.measures.selected = "" if self.measure == ANY else self.measure
        there = [(MEASURE_WORDS[name], name) for name in shown["measure"]]
        self._offer(self.of, [("any measure", ANY), *there], self.measure)
        counts = dict(flips(self.comparison, self.setting, measure=self.measure)["way"].value_counts().iter_rows())
        ways = [(f"all ({sum(counts.values())})", ANY), *((f"{way} ({counts.get(way, 0)})", way) for way in WAYS)]
        self._offer(self.ways, ways, self.way)
        self.table.frame = flips(self.comparison, self.setting, self.way, self.measure)
        self._closely()

    def _offer(self, control: Any, options: list[tuple[str, str]], value: str) -> None:
        """Give a control other options; what is chosen stays, and nobody hears of it."""
        self._quiet = True
        try:
            if list(control.options) != options:
                control.options = options
            control.value = value if value in dict(options).values() else options[0][1]
        finally:
            self._quiet = False

    def _chosen(self, name: str, value: str) -> None:
        if not self._quiet:
            self.set_trait(name, value or ANY)

    def _closely(self) -> None:
        """Show the selected question before and after."""
        self._tell("")
        self._close.layout.display = "" if self.selected else "none"
        if not self.selected:
            return
        base, other = self.comparison.baseline, self.comparison.others[self.setting]
        self.question.value = question_html(base, self.selected, self._titles)
        self.before.value = side_html("baseline", base, self.selected, self._titles)
        self.after.value = side_html(self.setting, other, self.selected, self._titles)
        known = self._lab is not None and base.settings is not None and other.settings is not None
        self.explain.layout.display = "" if known else "none"
        self._explained()

    def _explained(self) -> None:
        lab, pair = self._lab, (self.comparison.baseline, self.comparison.others[self.setting])
        if not (self.explain.value and self.selected and lab is not None):
            self._ways_box.children = ()
            return
        drawn = []
        for one in pair:
            row = one.rows.filter(question_id=self.selected).row(0, named=True)
            retired = row["include_retired"]
            retired = lab.store.about.exam_include_retired if retired is None else retired
            told = lab.explain(
                row["question"], as_of=row["as_of"], include_retired=retired, settings=one.settings, now=self._now
            )
            if (told.state, told.node_id) != (row["state"], row["node_id"]):
                self._tell("Decided again it comes out otherwise: give the lab and the instant of the evidence (now=).")
            drawn.append(charts.waterfall(told, width=_WIDTH))
        if not self.charts:
            self.charts = [LiveChart(chart) for chart in drawn]
            for view in self.charts:
                view.observe(lambda change: self._tell(change["new"]), "error")
        else:
            for view, chart in zip(self.charts, drawn, strict=True):
                view.show(chart)
        self._ways_box.children = tuple(self.charts)

    def _tell(self, error: Exception | str) -> None:
        self.error.value = fault_html(error) if error else ""
        self.error.layout.display = "" if error else "none"

    def _guard(self, step: Callable[[], None]) -> None:
        # A callback's exception would end in the kernel's log, where nobody looks.
        try:
            step()
        except Exception as error:
            self._tell(error)


def _compared(
    baseline: Outcomes | Comparison, others: Outcomes | Mapping[str, Outcomes] | None, groups: pl.DataFrame | None
) -> Comparison:
    if isinstance(baseline, Comparison):
        return baseline
    if not isinstance(baseline, Outcomes):
        raise InputError(f"give Outcomes or a Comparison, not {type(baseline).__name__}", field="baseline")
    return compare(baseline, others if others is not None else {}, groups=groups)


def _one_of(value: str, names: list[str], field: str) -> str:
    if value not in names:
        raise InputError(f"must be one of {', '.join(names)}, not {value!r}", field=field)
    return value
