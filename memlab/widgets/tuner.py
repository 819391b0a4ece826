"""The threshold tuner: move a setting, see at once what an exam makes of it, which questions changed, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import altair as alt
import ipywidgets
import polars as pl
import traitlets

from memlab import charts
from memlab.charts.given import given
from memlab.charts.theme import BASELINE
from memlab.errors import InputError
from memlab.exam import Exam, Outcomes
from memlab.exam.compare import flips
from memlab.exam.curve import Curve
from memlab.exam.grade import Grader
from memlab.exam.provenance import record_of, with_record
from memlab.lab import Lab
from memlab.pool import Evidence
from memlab.rules import Settings
from memlab.rules.decide import Decider
from memlab.widgets.controls import Controls
from memlab.widgets.exporting import ExportBox
from memlab.widgets.fault import fault_html
from memlab.widgets.history import History, differing
from memlab.widgets.idle import Idle, Steps
from memlab.widgets.keep import KeepBox
from memlab.widgets.named import Named
from memlab.widgets.questions import Picked
from memlab.widgets.ranges import neighbours, ranges_for
from memlab.widgets.rows import QuestionRows
from memlab.widgets.views import NOW, Views
from memlab.widgets.walking import WalkBox, factor_of, fewer_wrong, more_resolved, standing_at, told_step

# Weighings kept: the settings as they are, and each switch that changes one thrown the other way.
_KEPT: Final = 16
_SHEET: Final = (Path(__file__).parent / "tuner.css").read_text(encoding="utf-8")


class ThresholdTuner(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Sliders and switches over a gathered exam, with charts and questions that follow.

    Parameters
    ----------
    evidence : Evidence
        What ``lab.gather(exam)`` returned; it is not gathered again.
    exam : Exam
        The exam it was gathered for.
    settings : Settings, optional
        Where the sliders start, what ``reset`` returns to and the first baseline; the defaults when left out.
    lab : Lab, optional
        Where the evidence is from: a question that is clicked is then explained step by step, and
        saved settings say how evidence is gathered.

    Raises
    ------
    InputError
        If the evidence holds none of the exam's questions, something else was given, or a baseline is set
        that was graded on other questions.

    Attributes
    ----------
    settings : Settings
        As the sliders stand. Setting it moves them.
    outcomes : Outcomes
        The exam graded under these settings.
    baseline : Outcomes
        What they are compared with. Setting it pins another.
    chosen : Settings
        The settings to keep: what was moved says that it was chosen on this exam.
    changed : polars.DataFrame
        The questions that came out otherwise than under the baseline (:func:`memlab.exam.compare.flips`).

    Examples
    --------
    >>> tuner = ml.widgets.ThresholdTuner(evidence, exam, lab.settings, lab=lab)  # doctest: +SKIP
    >>> tuner.chosen.save("settings.toml")  # doctest: +SKIP
    """

    settings = traitlets.Instance(Settings)
    outcomes = traitlets.Instance(Outcomes)
    baseline = traitlets.Instance(Outcomes)

    def __init__(
        self, evidence: Evidence, exam: Exam, settings: Settings | None = None, *, lab: Lab | None = None
    ) -> None:
        given(evidence, Evidence, "evidence", "what lab.gather(exam) returns")
        given(exam, Exam, "exam", "the Exam that it was gathered for")
        given(settings or Settings(), Settings, "settings", "Settings, such as lab.settings")
        if lab is not None:
            given(lab, Lab, "lab", "the Lab that gathered the evidence")
        if evidence.questions.join(exam.questions, on="question_id", how="semi").is_empty():
            raise InputError(
                "no question of the exam is in the evidence; gather the evidence for this exam", part="exam"
            )
        self._exam, self._lab = exam, lab
        self._start = settings or Settings()
        self._record = record_of(exam, ())
        self._decider, self._grader = Decider(evidence, _KEPT), Grader(exam)
        self._history, self._steps = History(), False
        self._idle = Idle(self.show_error)
        graded = self._graded(self._start)
        self.error = ipywidgets.HTML()
        self.controls = Controls(self._start, ranges_for(evidence, self._start), self.show_error)
        self.undo = _button("undo", "undo", "Back before the last move")
        self.redo = _button("redo", "repeat", "What was undone, again")
        self.reset = _button("reset", "", "Back to the first settings")
        self.pin = _button("pin as baseline", "thumb-tack", "Compare with the settings as they stand now")
        self.views = Views(graded, graded, self._decider, self._start)
        self.walk = WalkBox(lambda: self._guard(self.fewer_wrong), lambda: self._guard(self.more_resolved))
        self.rows = QuestionRows(evidence, lab)
        self.keep = KeepBox(self.save)
        self.export = ExportBox(self._charts)
        super().__init__(children=self._laid_out(), settings=self._start, outcomes=graded, baseline=graded)
        self.add_class("memlab-tuner")
        self._bind()
        self._show_later(self._start, graded)

    @traitlets.validate("baseline")
    def _comparable(self, proposal: dict[str, Any]) -> Outcomes:
        baseline: Outcomes = proposal["value"]
        if not baseline.rows["question_id"].equals(self.outcomes.rows["question_id"]):
            raise InputError("graded on other questions; grade it on the exam of this tuner", field="baseline")
        return baseline

    @property
    def chosen(self) -> Settings:
        """The settings as they stand; what was moved carries this exam, as it was chosen on its questions."""
        moved = tuple(sorted(differing(self._start, self.settings)))
        return with_record(self.settings, replace(self._record, what=moved)) if moved else self.settings

    @property
    def changed(self) -> pl.DataFrame:
        """The questions whose outcome or node differs from the baseline's, worst first."""
        return flips(self.baseline, self.outcomes)

    @property
    def bars(self) -> Any:
        """The live chart of the outcomes."""
        return self.views.bars

    @property
    def gaps(self) -> Any:
        """The live chart of the gaps."""
        return self.views.gaps

    def save(self, path: str | Path) -> None:
        """Write the chosen settings to a TOML file, with how evidence is gathered where the lab is known."""
        if self._lab is None:
            self.chosen.save(path)
        else:
            self._lab.save_settings(path, self.chosen)

    def finish(self) -> None:
        """Do at once what waits until nothing is moved: the curve, the tables and the settings as text."""
        self._idle.finish()

    def fewer_wrong(self) -> None:
        """Make both gaps just as much stricter as it takes for fewer confident wrong answers, where they can."""
        # The curve multiplies gaps, and nothing times 0 is stricter.
        at_zero = min(self.settings.gap, self.settings.gap_alone) == 0
        first = "a gap stands at 0: move it off 0 first, or try another rule"
        self._walk(fewer_wrong, first if at_zero else "no stricter gap has fewer wrong ones; try another rule")

    def more_resolved(self) -> None:
        """Make both gaps just as much looser as it takes for more answers, where they can."""
        self._walk(more_resolved, "no looser gap resolves more; try another rule")

    def show_error(self, error: Exception | str) -> None:
        """Show what went wrong above the controls; the views keep their last good state."""
        if error:
            self.error.value = fault_html(error)

    def _laid_out(self) -> list[ipywidgets.Widget]:
        steps = ipywidgets.HBox([self.undo, self.redo, self.reset, self.pin], layout={"flex_flow": "row wrap"})
        side = ipywidgets.VBox(
            [self.controls.preset, steps, self.walk, self.controls],
            layout={"width": "320px", "flex": "0 1 320px", "margin": "0 16px 0 0"},
        )
        keep = ipywidgets.VBox([self.keep, self.export])
        self.tabs = ipywidgets.Tab(
            [self.rows.questions, self.rows.changes, keep], titles=("questions", "changed", "keep")
        )
        right = ipywidgets.VBox(
            [self.views, self.tabs, self.rows.detail], layout={"flex": "1 1 440px", "min_width": "0"}
        )
        row = ipywidgets.Box(
            [side, right], layout={"display": "flex", "flex_flow": "row wrap", "align_items": "flex-start"}
        )
        return [ipywidgets.HTML(f"<style>{_SHEET}</style>"), self.error, row, Named("memlab-tuner")]

    def _bind(self) -> None:
        # Not traitlets.link: whoever sets other settings in an observer would move one side alone.
        self.observe(lambda change: self.controls.set_trait("settings", change["new"]), "settings")
        self.controls.observe(lambda change: self.set_trait("settings", change["new"]), "settings")
        self.observe(lambda change: self._guard(lambda: self._follow(change)), "settings")
        self.observe(lambda change: self._guard(self._compare_anew), "baseline")
        self.undo.on_click(lambda _: self._step(self._history.undo))
        self.redo.on_click(lambda _: self._step(self._history.redo))
        self.reset.on_click(lambda _: self.set_trait("settings", self._start))
        self.pin.on_click(lambda _: self.set_trait("baseline", self.outcomes))
        self.views.listen(lambda chart, row: self._guard(lambda: self._clicked(chart, row)), self.show_error)
        self.rows.observe(lambda _: self._guard(self._picked), "picked")
        self.rows.observe(lambda _: self._idle.later("detail", self._explain), "chosen")

    def _follow(self, change: dict[str, Any]) -> None:
        if not self._steps:
            self._history.moved(change["old"], change["new"])
        settings = change["new"]
        graded = self._graded(settings)
        self.views.show(graded, self.baseline, settings)
        self.error.value = ""
        self.walk.tell("")
        self.outcomes = graded
        # An observer of the outcomes may have moved on: what waits is of the settings as they stand.
        if self.settings is settings:
            self._show_later(settings, graded)

    def _compare_anew(self) -> None:
        self.views.show(self.outcomes, self.baseline, self.settings)
        self._show_later(self.settings, self.outcomes)

    def _graded(self, settings: Settings) -> Outcomes:
        return self._grader.grade(self._decider.decide(settings), settings)

    def _show_later(self, settings: Settings, graded: Outcomes) -> None:
        """What the eye does not rest on while a slider moves."""
        self.undo.disabled, self.redo.disabled = not self._history.can_undo, not self._history.can_redo
        self._idle.later("tables", lambda: self._tables(graded))
        self._idle.later("about", lambda: self.views.tell(graded))
        self._idle.later("text", lambda: self._text(settings))
        self._idle.later("detail", self._explain)
        self._idle.later("curve", lambda: self.views.draw_curves(graded, self.baseline))
        self._idle.later("ahead", lambda: self._ahead(settings))

    def _tables(self, graded: Outcomes) -> Steps:
        self.rows.show(graded, self.changed)
        self.views.ways.value = self.rows.changes_told.value
        self.tabs.titles = ("questions", f"changed ({self.rows.changes_table.frame.height})", "keep")
        yield None

    def _text(self, settings: Settings) -> Steps:
        self.keep.show(self._start, self.chosen)
        yield None

    def _explain(self) -> Steps:
        self.rows.explain(self.outcomes, self.settings)
        yield None

    def _ahead(self, settings: Settings) -> Steps:
        """Weigh what one more switch would ask for, in another thread, so that its move is as quick as a slider's."""
        for other in neighbours(settings):
            if self._idle.loops and not self._decider.holds(other):
                yield lambda other=other: self._decider.weigh(other)  # type: ignore[misc]

    def _step(self, move: Callable[[Settings], Settings]) -> None:
        self._steps = True
        try:
            self.settings = move(self.settings)
        finally:
            self._steps = False

    def _walk(self, choose: Callable[[Curve, Outcomes], float | None], nothing: str) -> None:
        factor = choose(self.views.whole_curve(self.outcomes), self.outcomes)
        if factor is None:
            self.walk.tell(nothing)
        else:
            self._stand(self.settings, factor)

    def _stand(self, settings: Settings, factor: float) -> None:
        """Move to where these settings stand with gaps multiplied, and say what came of it."""
        before, was = self.settings, self.outcomes
        self.settings = standing_at(settings, factor)
        self.walk.tell(told_step(before, self.settings, was, self.outcomes))

    def _clicked(self, chart: str, row: dict[str, Any]) -> None:
        drawn, factor = self.views.drawn(str(row.get("setting"))), factor_of(row)
        if chart == "curve" and drawn is not None and factor is not None:
            self._stand(drawn.settings or self.settings, factor)
            return
        picked = Picked.of_click(chart, row)
        if picked is not None:
            # A second click on the same lets it go.
            self.rows.picked = Picked() if picked == self.rows.picked else picked
            self.tabs.selected_index = 0

    def _picked(self) -> None:
        self.views.pick(self.rows.picked.segment)
        self.rows.show(self.outcomes, self.changed)

    def _charts(self) -> dict[str, alt.TopLevelMixin]:
        """The charts as they stand, at their full size, with the baseline where there is another."""
        self.finish()
        both = {NOW: self.outcomes} if self.baseline is self.outcomes else {BASELINE: self.baseline, NOW: self.outcomes}
        made: dict[str, alt.TopLevelMixin] = {
            "outcomes": charts.outcomes(both if len(both) > 1 else self.outcomes),
            "gaps": charts.gaps(self.outcomes, threshold=self.settings.gap, alone=self.settings.gap_alone),
            "risk-coverage": charts.risk_coverage({name: self.views.curve_of(one) for name, one in both.items()}, both),
        }
        shown = self.rows.explanation
        return made if shown is None else made | {"waterfall": charts.waterfall(shown)}

    def _guard(self, step: Callable[[], None]) -> None:
        # A callback's exception would end in the kernel's log, where nobody looks.
        try:
            step()
        except Exception as error:
            self.show_error(error)


def _button(label: str, icon: str, told: str) -> ipywidgets.Button:
    return ipywidgets.Button(description=label, icon=icon, tooltip=told, layout={"width": "auto"})
