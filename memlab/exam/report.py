"""One exam on one store: the figures, and everything needed to make them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.errors import InputError
from memlab.exam.grade import Outcomes, grade
from memlab.exam.questions import Exam
from memlab.lab import Lab
from memlab.rules import PRESETS, Settings, decide

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

# Who wrote the sample exam also wrote the rules; its figures are never held out.
RULE_AUTHORS = frozenset({"memlab-authors"})
_LABELS = {
    "in_pool": "gold in the first 50",
    "first": "first is gold",
    "resolved_right": "resolved right",
    "confident_wrong": "confident wrong",
    "risk": "risk (wrong of all resolved)",
    "choose": "choose",
    "choose_has_gold": "choose has gold",
    "none": "none",
    "unanswerable_resolved": "unanswerable: resolved",
    "unanswerable_choose": "unanswerable: choose",
    "unanswerable_none": "unanswerable: none",
}


@dataclass(frozen=True, eq=False)
class Report:
    """What one exam showed.

    Attributes
    ----------
    outcomes : Outcomes
    strict : Outcomes or None
        By strict gold, where the exam has it.
    lab : Lab
    settings : Settings
    """

    outcomes: Outcomes
    strict: Outcomes | None
    lab: Lab
    settings: Settings

    def notes(self) -> list[str]:
        """What a reader must know before believing the figures."""
        exam = self.outcomes.exam
        notes = list(exam.notes)
        if exam.questions["include_retired"].fill_null(False).all() and len(exam):
            notes.append("asked with include_retired: what has ended may be the answer too")
        authors = set(exam.authors)
        if RULE_AUTHORS & authors:
            notes.append("the authors of the rules wrote this exam: its figures are not held out")
        elif authors & set(self.settings.fitted_by):
            notes.append("the thresholds were chosen on questions of its authors: its figures are not held out")
        if self.settings.gate or self.settings.concept_gate:
            by = ", ".join(self.settings.gate_by) or "nobody knows whom"
            same = "; they wrote this exam too, so what it shows of the gate is not held out"
            notes.append(
                f"a gate is on; it was looked at on exams by {by}"
                + (same if authors & set(self.settings.gate_by) else "")
            )
        return notes

    def as_dict(self) -> dict[str, Any]:
        """Return the counts and where they come from, as plain values."""
        exam = self.outcomes.exam
        risk = self.outcomes.risk
        values: dict[str, Any] = dict(self.outcomes.counts())
        values |= {
            "risk": None if risk is None else round(risk, 4),
            "measures": self.outcomes.table().drop("group").to_dicts(),
            "strict": self.strict.counts() if self.strict else None,
            "exam": exam.name,
            "written_by": list(exam.authors),
            "exam_checksum": exam.checksum,
            "store_checksum": self.lab.store.checksum,
            "encoder": [e.info.as_dict() for e in self.lab.encoders],
            "settings": self.settings.as_dict(),
            "gathering": self.lab.gathering.as_dict(),
            "notes": self.notes(),
        }
        return values

    def table(self, by: str | None = None) -> Table:
        """Return the outcome table for the terminal."""
        from rich.table import Table

        table = Table(title=f"by {by}" if by else None, title_justify="left", show_edge=False)
        for name in ([by] if by else []) + ["measure"]:
            table.add_column(name)
        for name in ("count", "n", "share", "95 % interval"):
            table.add_column(name, justify="right")
        last = None
        for row in self.outcomes.table(by).iter_rows(named=True):
            if by and row["n"] == 0:
                continue
            if by and last not in (None, row["group"]):
                table.add_section()
            share = "–" if row["share"] is None else f"{row['share']:.3f}"
            interval = "–" if row["low"] is None else f"{row['low']:.3f} – {row['high']:.3f}"
            cells = [row["group"]] if by else []
            table.add_row(*cells, _LABELS[row["measure"]], str(row["count"]), str(row["n"]), share, interval)
            last = row["group"]
        return table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        exam = self.outcomes.exam
        encoders = ", ".join(f"{e.info.name} ({e.info.revision}, {e.info.dimension}d)" for e in self.lab.encoders)
        yield Text(f"{exam.name}: {len(exam)} questions, written by {', '.join(exam.authors)}", style="bold")
        yield Text(f"store {self.lab.store.checksum[:12]} · exam {exam.checksum[:12]} · encoder {encoders or 'none'}")
        yield self.table()
        if self.strict is not None:
            counts = self.strict.counts()
            risk = self.strict.risk
            yield Text(
                f"strict gold ({counts['n_answerable']} questions): first {counts['first']}, resolved right"
                f" {counts['resolved_right']}, confident wrong {counts['confident_wrong']},"
                f" risk {'–' if risk is None else f'{risk:.3f}'}"
            )
        for note in self.notes():
            yield Text(f"note: {note}", style="dim")


def report(
    store: str | Path,
    exam: str | Path,
    *,
    settings: Settings | Path | None = None,
    preset: str | None = None,
    gold: str = "lenient",
    encoder: str | None = None,
    extra_arms: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Ask a store every question of an exam, and grade it: what ``memlab exam`` does.

    Raises
    ------
    MemlabError
        If the store, the exam or the settings cannot be read, or do not belong together.
    """
    if preset is not None and preset not in PRESETS:
        raise InputError(f"--preset: one of {', '.join(PRESETS)}, not {preset!r}")
    if gold not in ("lenient", "strict"):
        raise InputError(f"--gold: lenient or strict, not {gold!r}")
    if preset is not None and settings is not None:
        raise InputError("--preset and --settings say two things; give one of them")
    questions = Exam.read(exam)
    if gold == "strict" and not questions.questions["gold_strict"].is_not_null().any():
        raise InputError(f"--gold strict: the exam {questions.name} has no gold_strict; leave --gold out")
    lab = Lab.open(store, encoder=encoder, settings=settings, extra_arms=extra_arms, progress=progress)
    rules = PRESETS[preset] if preset else lab.settings
    questions = questions.for_store(lab.store)
    both = questions.questions["gold_strict"].is_not_null().any()
    if gold == "strict":
        questions = questions.strict()
    decisions = decide(lab.gather(questions), rules)
    kinds = lab.store.nodes.select("id", "kind")
    outcomes = grade(decisions, questions, kinds=kinds, settings=rules)
    strict = None
    if both and gold == "lenient":
        strict = grade(decisions, questions.strict(), kinds=kinds, settings=rules)
    return Report(outcomes, strict, lab, rules)
