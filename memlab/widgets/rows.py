"""Questions behind the charts: those that are picked, those that changed, and one of them in full."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import ipywidgets
import polars as pl
import traitlets

from memlab import charts
from memlab.charts import theme
from memlab.exam import Outcomes
from memlab.explain import Explanation
from memlab.lab import Lab
from memlab.pool import Evidence
from memlab.rules import WHY, Settings
from memlab.widgets.live import LiveChart
from memlab.widgets.questions import (
    ALL,
    CHANGES,
    COLOURS,
    COLUMNS,
    SHOWN,
    Picked,
    Titles,
    changes_frame,
    questions_frame,
    told_html,
)
from memlab.widgets.table import Table

_WAYS: Final = {"better": theme.RIGHT, "worse": theme.WRONG, "other node": theme.CHOOSE}
_HINT: Final = "Click a bar, or choose from the list, to see its questions; click a question to see how it was decided."


class QuestionRows(traitlets.HasTraits):
    """The tables, and what is picked in them.

    Parameters
    ----------
    evidence : Evidence
    lab : Lab, optional
        Explains the chosen question step by step.

    Attributes
    ----------
    picked : Picked
        Which questions are listed.
    chosen : str
        Id of the question shown in full; empty for none.
    explanation : Explanation or None
        Of that question, where a lab is there to explain.
    questions, changes, detail : widgets
    """

    picked = traitlets.Instance(Picked)
    chosen = traitlets.Unicode()

    def __init__(self, evidence: Evidence, lab: Lab | None) -> None:
        super().__init__(picked=Picked())
        self._titles, self._lab = Titles(evidence), lab
        self._instants = dict(evidence.questions.select("question_id", "as_of").iter_rows())
        self.explanation: Explanation | None = None
        self.list = ipywidgets.Dropdown(options=[ALL, *SHOWN.values()], description="show", layout={"width": "auto"})
        self.clear = ipywidgets.Button(description="show all", layout={"width": "auto"})
        self.hint = ipywidgets.HTML(_HINT)
        self.table = Table(
            pl.DataFrame(schema=dict.fromkeys(["question_id", *COLUMNS], pl.String)), COLUMNS,
            caption="questions of the exam", colours={"outcome": COLOURS},
        )  # fmt: skip
        self.changes_table = Table(
            pl.DataFrame(schema=dict.fromkeys(["question_id", *CHANGES], pl.String)), CHANGES,
            caption="questions that changed against the baseline", colours={"way": _WAYS},
        )  # fmt: skip
        self.told, self.way = ipywidgets.HTML(), LiveChart()
        self.changes_told = ipywidgets.HTML()
        head = ipywidgets.HBox([self.list, self.clear], layout={"flex_flow": "row wrap"})
        self.questions = ipywidgets.VBox([head, self.hint, self.table])
        self.changes = ipywidgets.VBox([self.changes_told, self.changes_table])
        self.detail = ipywidgets.VBox([self.told, self.way], layout={"min_width": "0"})
        self.list.observe(self._listed, "value")
        self.clear.on_click(lambda _: self.set_trait("picked", Picked()))
        for table in (self.table, self.changes_table):
            table.observe(self._chosen, "selected")

    def show(self, outcomes: Outcomes, changed: pl.DataFrame) -> None:
        """Fill the tables anew; heading, search and page stay."""
        with self.hold_trait_notifications():
            self.table.frame = questions_frame(outcomes, self.picked, self._titles)
            self.changes_table.frame = changes_frame(changed, self._titles)
        counts = dict(changed.group_by("way").len().iter_rows())
        self.changes_told.value = _ways_html(counts)
        label = str(self.picked)
        with self.hold_trait_notifications():
            # A picked bin of the gap chart is no entry of the list until it is picked.
            options = [ALL, *SHOWN.values()]
            self.list.options = options if label in options else [*options, label]
            self.list.value = label

    def explain(self, outcomes: Outcomes, settings: Settings) -> None:
        """Show the chosen question as it is decided under these settings."""
        rows = outcomes.rows.filter(pl.col("question_id") == self.chosen)
        if not rows.height:
            self.told.value, self.explanation = "", None
            self.way.show(None)
            return
        row = rows.row(0, named=True)
        self.told.value = told_html(row, WHY, self._titles)
        if self._lab is None:
            self.told.value += (
                "<i>Give the tuner its lab to see every step: ThresholdTuner(evidence, exam, lab=lab)</i>"
            )
            return
        self.explanation = self._lab.explain(
            row["question"],
            as_of=self._instants.get(row["question_id"]),
            include_retired=bool(row.get("include_retired")),
            settings=settings,
        )
        # The question and the verdict stand above it already.
        way = charts.waterfall(self.explanation)
        self.way.show(way.properties(title=alt.TitleParams("Step by step", subtitle=list(way.title.subtitle)[-1:])))

    def _listed(self, change: dict[str, Any]) -> None:
        segment = next((name for name, label in SHOWN.items() if label == change["new"]), "")
        if segment or change["new"] == ALL:
            self.picked = Picked(segment=segment)

    def _chosen(self, change: dict[str, Any]) -> None:
        # A row that left the table with a move of a slider is still the question in view.
        if change["new"]:
            self.chosen = change["new"]


def _ways_html(counts: dict[str, int]) -> str:
    """Say how many questions came out better, worse and on another node than under the baseline."""
    if not counts:
        return '<div class="memlab-ways">No question came out otherwise than under the baseline.</div>'
    boxes = "".join(
        f'<span style="display:inline-block;margin:0 16px 0 0"><span style="color:{colour}">■</span> '
        f"<b>{counts.get(way, 0)}</b> {way}</span>"
        for way, colour in _WAYS.items()
    )
    return f'<div class="memlab-ways">against the baseline: {boxes}</div>'
