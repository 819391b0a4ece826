"""The laboratory: open a store, ask it, tune it, all without writing code."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import ipywidgets

from memlab.exam import Exam
from memlab.lab import Lab
from memlab.plain import nameable
from memlab.widgets.ask import AskWidget
from memlab.widgets.opening import OpenBox, Opened
from memlab.widgets.tuner import ThresholdTuner

# What people pick in the ask widget is kept here, as soon as they give their name.
PICKS: Final = "picks.jsonl"


class Laboratory(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """A form that opens a store and its exam, with the tuner and the ask widget under it.

    Parameters
    ----------
    folder : str or Path
        Stores, tables and exams in it are offered; the notebook's own when left out.

    Attributes
    ----------
    lab : Lab or None
    exam : Exam or None
    tuner : ThresholdTuner or None
        Where an exam was named.
    asking : AskWidget or None

    Examples
    --------
    >>> laboratory = ml.widgets.Laboratory()  # doctest: +SKIP
    """

    def __init__(self, folder: str | Path = ".") -> None:
        self._folder = nameable(folder, "folder")
        self.lab: Lab | None = None
        self.exam: Exam | None = None
        self.tuner: ThresholdTuner | None = None
        self.asking: AskWidget | None = None
        self.form = OpenBox(self._show, self._folder)
        self.work = ipywidgets.VBox()
        super().__init__(children=[self.form, self.work])
        self.add_class("memlab-laboratory")

    # Not ``open``: by that name ipywidgets opens a widget's line to the page.
    def press(self) -> None:
        """Open what the form names, as its button does."""
        self.form.press()

    def _show(self, opened: Opened) -> None:
        asking = AskWidget(opened.lab, log=self._folder / PICKS)
        tuner = None
        if opened.exam is not None and opened.evidence is not None:
            tuner = ThresholdTuner(opened.evidence, opened.exam, opened.lab.settings, lab=opened.lab)
        self.lab, self.exam, self.tuner, self.asking = opened.lab, opened.exam, tuner, asking
        parts = {"tune": tuner, "ask": asking} if tuner is not None else {"ask": asking}
        tabs = ipywidgets.Tab(list(parts.values()), titles=tuple(parts))
        tabs.observe(lambda _: self._ask_as_tuned(), "selected_index")
        self.work.children = (tabs,)

    def _ask_as_tuned(self) -> None:
        """Ask under the settings that the sliders stand at."""
        if self.tuner is not None and self.asking is not None:
            self.asking.settings = self.tuner.settings
