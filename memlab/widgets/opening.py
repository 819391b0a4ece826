"""Open a store and its exam from a form: a store that was built, or a source that is built on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import ipywidgets

from memlab.building import build_store
from memlab.errors import InputError
from memlab.exam import Exam
from memlab.lab import Lab
from memlab.pool import Evidence
from memlab.sample import sample_exam, sample_store
from memlab.store.manifest import MANIFEST
from memlab.widgets.fault import fault_html
from memlab.widgets.typed import typed_path

SAMPLE: Final = "the sample"
_ENCODERS: Final = ("embedded", "embedded-e5", "embedded-fused")
_WIDE: Final = {"width": "auto", "max_width": "640px"}
_STYLE: Final = {"description_width": "92px"}


@dataclass(frozen=True)
class Opened:
    """A store in hand, with an exam where one was named.

    Attributes
    ----------
    lab : Lab
    exam : Exam or None
    evidence : Evidence or None
        Gathered for the exam.
    """

    lab: Lab
    exam: Exam | None = None
    evidence: Evidence | None = None


class OpenBox(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """A form for a store, an exam and settings.

    Parameters
    ----------
    opened : callable
        Told of what was opened.
    folder : Path
        Stores, tables and exams in it, and in the folders below, are offered.
    """

    def __init__(self, opened: Callable[[Opened], None], folder: Path) -> None:
        self._opened = opened
        # The form as it stood when a store that had been built was opened: pressed again as it is, it builds anew.
        self._pressed: tuple[str, ...] = ()
        self._before = ""
        stores, exams, settings = found(folder)
        self.store = _field("store", [SAMPLE, *stores], SAMPLE, "a store, or a folder of tables, PEPs, LoCoMo, BEIR")
        self.exam = _field("exam", [SAMPLE, *exams], SAMPLE, "a file of questions; empty for none")
        self.settings = _field("settings", settings, "", "a TOML file; empty for those of the store")
        self.encoder = ipywidgets.Dropdown(
            options=_ENCODERS, description="encoder", layout={"width": "auto"}, style=_STYLE,
            tooltip="Of a store that is built now; a built one has its own",
        )  # fmt: skip
        self.button = ipywidgets.Button(description="open", icon="folder-open", button_style="primary")
        self.told = ipywidgets.HTML()
        self.button.on_click(lambda _: self.press())
        row = ipywidgets.HBox([self.encoder, self.button], layout={"flex_flow": "row wrap"})
        super().__init__(children=[self.store, self.exam, self.settings, row, self.told])

    def press(self) -> None:
        """Open what the form names; what goes wrong is shown, and nothing else changes."""
        self.button.disabled = True
        self._before = ""
        try:
            self._opened(self._open())
        except Exception as error:
            self.told.value = fault_html(error)
        finally:
            self.button.disabled = False

    def _open(self) -> Opened:
        lab = self._lab(self.store.value.strip())
        exam_name = self.exam.value.strip()
        if not exam_name:
            self._tell(f"{lab.store.nodes.height:,} nodes · no exam: ask questions{self._before}")
            return Opened(lab)
        exam = Exam.read(sample_exam() if exam_name == SAMPLE else typed_path(exam_name, "exam", ""))
        # Gold that is no node of the store is a mistake of a row, and no question that cannot be answered.
        exam = exam.for_store(lab.store)
        self._tell(f"searching for {len(exam):,} questions …")
        evidence = lab.gather(exam)
        self._tell(f"{lab.store.nodes.height:,} nodes · {len(exam):,} questions of {exam.name}{self._before}")
        return Opened(lab, exam, evidence)

    def _lab(self, name: str) -> Lab:
        path = typed_path(name, "store", "name a store, or a folder to build one from")
        typed = self.settings.value.strip()
        settings = typed_path(typed, "settings", "") if typed else None
        if name == SAMPLE:
            self._tell("opening the sample …")
            return Lab.open(sample_store(progress=self._progress), settings=settings)
        if path.is_dir() and (path / MANIFEST).is_file():
            self._tell("opening …")
            return Lab.open(path, settings=settings, progress=self._progress)
        # What is built stands beside its source, so that it is built once.
        place = path.resolve()
        if not place.name:
            raise InputError("a whole disk is no source; name a folder in it", field="store")
        target = place.with_name(f"{place.name.removesuffix(place.suffix) or place.name}.store")
        form = (name, self.exam.value, typed, self.encoder.value)
        if (target / MANIFEST).is_file() and self._pressed != form:
            self._pressed = form
            self._before = f" · as {target.name} was built before: press again to build it anew"
            self._tell("opening …")
            return Lab.open(target, settings=settings, progress=self._progress)
        self._pressed = ()
        self._tell("building …")
        build_store(path, target, encoder=self.encoder.value, progress=self._progress)
        return Lab.open(target, settings=settings)

    def _progress(self, what: str, done: int, total: int) -> None:
        self._tell(f"{what}: {done:,} of {total:,}")

    def _tell(self, told: str) -> None:
        self.told.value = f'<div class="memlab-opening">{escape(told)}</div>'


def found(folder: Path) -> tuple[list[str], list[str], list[str]]:
    """Return the stores, exams and settings files in a folder and the folders right below it."""
    try:
        near = [folder, *sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))]
    except OSError as error:
        raise InputError(f"{folder}: cannot be looked into ({error.strerror}); name a folder", field="folder") from None

    def named(*patterns: str) -> list[str]:
        paths = {path for place in near for pattern in patterns for path in place.glob(pattern)}
        return [str(path.relative_to(folder)) for path in sorted(paths)]

    stores = [str(Path(name).parent) for name in named(MANIFEST)]
    tables = [str(Path(name).parent) for name in named("nodes.jsonl", "nodes.csv", "nodes.parquet")]
    exams = named("*exam*.jsonl", "*exam*.csv", "*exam*.parquet")
    return [name for name in dict.fromkeys([*stores, *tables]) if name != "."], exams, named("*.toml")


def _field(name: str, options: list[str], value: str, hint: str) -> ipywidgets.Combobox:
    return ipywidgets.Combobox(
        options=options,
        value=value,
        placeholder=hint,
        description=name,
        ensure_option=False,
        continuous_update=False,
        layout=_WIDE,
        style=_STYLE,
    )
