"""One exam on one store: the figures, and everything needed to make them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from memlab.errors import InputError
from memlab.exam.curve import Curve, confidence_of, risk_coverage
from memlab.exam.grade import Outcomes, grade
from memlab.exam.made_by import versions
from memlab.exam.questions import Exam
from memlab.exam.ranking import ranking
from memlab.lab import Lab
from memlab.rules import PRESETS, Settings, decide

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

LABELS = {
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
    curve : Curve or None
        Risk against coverage.
    now : datetime or None
        The instant of questions that name none.
    checksum : str
        Of the exam as read; filling it in for a store changes it.
    """

    outcomes: Outcomes
    strict: Outcomes | None
    lab: Lab
    settings: Settings
    curve: Curve | None = None
    now: datetime | None = None
    checksum: str = ""

    def notes(self) -> list[str]:
        """What a reader must know before believing the figures."""
        exam = self.outcomes.exam
        notes = list(exam.notes)
        if exam.questions["include_retired"].fill_null(False).all() and len(exam):
            notes.append("asked with include_retired: what has ended may be the answer too")
        held = self.outcomes.standing()
        notes += [f"figures are {held}"]
        if not held.has_last_word:
            notes.append("this exam does not have the last word: judge on questions that somebody else wrote")
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
            "exam_checksum": self.checksum or exam.checksum,
            "store_checksum": self.lab.store.checksum,
            "encoder": [e.info.as_dict() for e in self.lab.encoders],
            "settings": self.settings.as_dict(),
            "gathering": self.lab.gathering.as_dict(),
            "as_of": None if self.now is None else self.now.isoformat(),
            "standing": self.outcomes.standing().as_dict(),
            "unanswerable": self.outcomes.table("unanswerable").filter(pl.col("n") > 0).to_dicts(),
            "choose_lists": self.outcomes.choose_lists().to_dicts(),
            "ranking": ranking(self.outcomes).to_dicts(),
            "versions": dict(versions()),
            "notes": self.notes(),
        }
        if self.curve is not None:
            values |= {"aurc": self.curve.aurc, "augrc": self.curve.augrc,
                       "aurc_interval": self.curve.aurc_interval, "augrc_interval": self.curve.augrc_interval,
                       "selective": self.curve.selective().to_dicts()}  # fmt: skip
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
            table.add_row(*cells, LABELS[row["measure"]], str(row["count"]), str(row["n"]), share, interval)
            last = row["group"]
        return table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        exam = self.outcomes.exam
        encoders = ", ".join(f"{e.info.name} ({e.info.revision}, {e.info.dimension}d)" for e in self.lab.encoders)
        yield Text(f"{exam.name}: {len(exam)} questions, written by {', '.join(exam.authors)}", style="bold")
        read = self.checksum or exam.checksum
        yield Text(f"store {self.lab.store.checksum[:12]} · exam {read[:12]} · encoder {encoders or 'none'}")
        yield self.table()
        if self.strict is not None:
            counts = self.strict.counts()
            risk = self.strict.risk
            yield Text(
                f"strict gold ({counts['n_answerable']} questions): first {counts['first']}, resolved right"
                f" {counts['resolved_right']}, confident wrong {counts['confident_wrong']},"
                f" risk {'–' if risk is None else f'{risk:.3f}'}"
            )
        for line in self._apart():
            yield Text(line)
        for note in self.notes():
            yield Text(f"note: {note}", style="dim")

    def _apart(self) -> list[str]:
        """The unanswerable questions by kind, the lists handed back, and the areas under the curve."""
        lines = []
        resolved = pl.col("measure") == "unanswerable_resolved"
        by_kind = self.outcomes.table("unanswerable").filter(resolved, pl.col("n") > 0)
        if by_kind.height:
            told = "; ".join(
                f"{row['group']} {row['count']}/{row['n']} ({row['low']:.3f} – {row['high']:.3f})"
                for row in by_kind.iter_rows(named=True)
            )
            lines.append(f"unanswerable and resolved, by kind: {told}")
        sizes = self.outcomes.choose_lists().filter("answerable")
        if sizes.height:
            told = ", ".join(
                f"{row['count']} of {row['size']} ({row['has_gold']} with gold)" for row in sizes.iter_rows(named=True)
            )
            lines.append(f"lists handed back, by number of candidates: {told}")
        if self.curve is not None and self.curve.points.height:
            (low, high), (least, most) = self.curve.aurc_interval, self.curve.augrc_interval
            lines.append(
                f"risk against coverage (n = {self.outcomes.rows.height}, lower is better):"
                f" AURC {self.curve.aurc:.3f} ({low:.3f} – {high:.3f}),"
                f" AUGRC {self.curve.augrc:.3f} ({least:.3f} – {most:.3f})"
            )
        return lines


def report(
    store: str | Path,
    exam: str | Path,
    *,
    settings: Settings | Path | None = None,
    preset: str | None = None,
    gold: str = "lenient",
    encoder: str | None = None,
    extra_arms: Sequence[str] = (),
    now: datetime | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Ask a store every question of an exam, and grade it: what ``memlab exam`` does.

    ``now`` is the instant of questions that name none; the clock's when left out.

    Raises
    ------
    MemlabError
        If the store, the exam or the settings cannot be read, or do not belong together.
    """
    if preset is not None and preset not in PRESETS:
        raise InputError(f"--preset: one of {', '.join(PRESETS)}, not {preset!r}")
    _check_gold(gold)
    if preset is not None and settings is not None:
        raise InputError("--preset and --settings say two things; give one of them")
    questions = Exam.read(exam)
    checksum = questions.checksum
    if gold == "strict":
        _check_strict(questions)
    lab = Lab.open(store, encoder=encoder, settings=settings, extra_arms=extra_arms, progress=progress)
    rules = PRESETS[preset] if preset else lab.settings
    questions = questions.for_store(lab.store)
    both = questions.questions["gold_strict"].is_not_null().any()
    if gold == "strict":
        questions = questions.strict()
    instant = now or datetime.now(UTC)
    evidence = lab.gather(questions, now=instant)
    decisions = decide(evidence, rules)
    kinds = lab.store.nodes.select("id", "kind", "title")
    outcomes = grade(decisions, questions, kinds=kinds, settings=rules)
    strict = None
    if both and gold == "lenient":
        strict = grade(decisions, questions.strict(), kinds=kinds, settings=rules)
    sure = confidence_of(evidence, questions, rules)
    curve = risk_coverage(sure["confidence"], sure["right"])
    return Report(outcomes, strict, lab, rules, curve, instant, checksum)


def by_gold(exam: Exam, gold: str) -> Exam:
    """Return the exam with the gold that was asked for: ``lenient``, as it stands, or ``strict``.

    Raises
    ------
    InputError
        If it is neither, or the exam has no strict gold.
    """
    _check_gold(gold)
    if gold == "lenient":
        return exam
    _check_strict(exam)
    return exam.strict()


def _check_gold(gold: str) -> None:
    if gold not in ("lenient", "strict"):
        raise InputError(f"--gold: lenient or strict, not {gold!r}")


def _check_strict(exam: Exam) -> None:
    if not exam.questions["gold_strict"].is_not_null().any():
        raise InputError(f"--gold strict: the exam {exam.name} has no gold_strict; leave --gold out")
