"""The threshold tuner: move a setting, see at once what an exam makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import ipywidgets
import polars as pl
import traitlets

from memlab import charts
from memlab.charts.bars import DATASET as BARS
from memlab.charts.gap import DATASET as GAPS
from memlab.errors import InputError
from memlab.exam import Exam, Outcomes, grade
from memlab.exam.provenance import record_of, with_record
from memlab.pool import Evidence
from memlab.rules import Settings, decide
from memlab.widgets.controls import Controls, Ranges
from memlab.widgets.copybox import CopyBox
from memlab.widgets.fault import fault_html
from memlab.widgets.figures import figures_html
from memlab.widgets.live import LiveChart

# Controls and charts fit side by side in a JupyterLab of 1300 pixels with its file browser open.
_WIDTH: Final = 420


class ThresholdTuner(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Sliders and switches over a gathered exam, with outcome bars and gaps that follow.

    Parameters
    ----------
    evidence : Evidence
        What ``lab.gather(exam)`` returned; it is not gathered again.
    exam : Exam
        The exam it was gathered for.
    settings : Settings, optional
        Where the sliders start and what ``reset`` returns to; the defaults when left out.

    Raises
    ------
    InputError
        If the evidence holds none of the exam's questions.

    Attributes
    ----------
    settings : Settings
        As the sliders stand. Setting it moves them.
    outcomes : Outcomes
        The exam graded under these settings.
    chosen : Settings
        The settings to keep: what was moved says that it was chosen on this exam.

    Examples
    --------
    >>> tuner = ml.widgets.ThresholdTuner(evidence, exam)  # doctest: +SKIP
    >>> tuner.chosen.save("settings.toml")  # doctest: +SKIP
    """

    settings = traitlets.Instance(Settings)
    outcomes = traitlets.Instance(Outcomes, allow_none=True)

    def __init__(self, evidence: Evidence, exam: Exam, settings: Settings | None = None) -> None:
        if evidence.questions.join(exam.questions, on="question_id", how="semi").is_empty():
            raise InputError(
                "no question of the exam is in the evidence; gather the evidence for this exam", part="exam"
            )
        self._evidence = evidence
        self._exam = exam
        settings = settings or Settings()
        self._start = settings
        self._record = record_of(exam, ())
        self.controls = Controls(settings, ranges_for(evidence, settings), self.show_error)
        self.figures = ipywidgets.HTML()
        self.toml = CopyBox(label="Copy settings as TOML")
        self.error = ipywidgets.HTML()
        graded = self._graded(settings)
        self.bars = LiveChart(charts.outcomes(graded, risk=False, width=_WIDTH))
        self.gaps = LiveChart(charts.gaps(graded, threshold=settings.gap, alone=settings.gap_alone, width=_WIDTH))
        self.bars.add_class("memlab-bars")
        self.gaps.add_class("memlab-gaps")
        views = ipywidgets.VBox([self.figures, self.bars, self.gaps], layout={"flex": "1 1 480px", "min_width": "0"})
        side = ipywidgets.VBox(
            [self.controls, self.toml], layout={"width": "290px", "flex": "0 0 290px", "margin": "0 16px 0 0"}
        )
        row = ipywidgets.Box(
            [side, views], layout={"display": "flex", "flex_flow": "row wrap", "align_items": "flex-start"}
        )
        super().__init__(children=[self.error, row], settings=settings, outcomes=graded)
        self._show(settings, graded)
        traitlets.link((self, "settings"), (self.controls, "settings"))
        self.observe(self._follow, "settings")
        for view in (self.bars, self.gaps):
            view.observe(lambda change: self.show_error(change["new"]), "error")

    @property
    def chosen(self) -> Settings:
        """The settings as they stand; what was moved carries this exam, as it was chosen on its questions."""
        now, before = self.settings.as_dict(), self._start.as_dict()
        moved = tuple(sorted(name for name in now if now[name] != before[name]))
        return with_record(self.settings, replace(self._record, what=moved)) if moved else self.settings

    def _follow(self, change: dict[str, Any]) -> None:
        self._guard(lambda: self._decide(change["new"]))

    def _decide(self, settings: Settings) -> None:
        graded = self._graded(settings)
        self._show(settings, graded)
        self.outcomes = graded

    def _graded(self, settings: Settings) -> Outcomes:
        return grade(decide(self._evidence, settings), self._exam, settings=settings)

    def _show(self, settings: Settings, graded: Outcomes) -> None:
        # Bars go first: they are what the eye rests on.
        self.bars.update({BARS: charts.outcomes_data(graded)})
        self.gaps.update({GAPS: charts.gaps_data(graded)}, charts.gap_lines(settings.gap, settings.gap_alone))
        self.figures.value = figures_html(graded)
        self.toml.text = self.chosen.to_toml()
        self.error.value = ""

    def _guard(self, step: Callable[[], None]) -> None:
        # A callback's exception would end in the kernel's log, where nobody looks.
        try:
            step()
        except Exception as error:
            self.show_error(error)

    def show_error(self, error: Exception | str) -> None:
        """Show what went wrong above the controls; the views keep their last good state."""
        if not error:
            return
        self.error.value = fault_html(error)


def ranges_for(evidence: Evidence, settings: Settings) -> Ranges:
    """Return how far the sliders have to reach for this evidence.

    Uses ``semantic_gap`` and ``semantic_similarity`` of the evidence, in cosine.
    """
    frame = evidence.frame
    gap, low, high = frame.select(
        pl.col("semantic_gap").max().alias("gap"),
        pl.col("semantic_similarity").min().alias("low"),
        pl.col("semantic_similarity").max().alias("high"),
    ).row(0)
    widest = max([0.01, gap or 0.0, *(g for g in (settings.gap, settings.gap_alone) if g < 2)])
    # One step past the widest gap, where nothing resolves by it.
    return Ranges(
        gap=round(widest + 0.001, 3),
        floor=(min(0.0, round(low or 0.0, 2), settings.floor), max(1.0, round(high or 1.0, 2), settings.floor)),
    )
