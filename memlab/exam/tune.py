"""Tune a store on an exam: one half finds the thresholds, the other half tells what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.errors import InputError
from memlab.exam.calibrate import Calibration, calibrate, check_share
from memlab.exam.grade import Outcomes, grade
from memlab.exam.provenance import Standing, standing
from memlab.exam.questions import Exam
from memlab.exam.report import Report
from memlab.exam.split import Split, split
from memlab.lab import Lab
from memlab.rules import Settings, decide

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table


@dataclass(frozen=True, eq=False)
class Tuning:
    """What tuning found, and what it is worth on questions that it did not see.

    Attributes
    ----------
    calibration : Calibration
    split : Split
    outcomes : Outcomes or None
        The settings found, graded on the other half; None where nothing was certified, so that half is
        still unseen.
    lab : Lab
    base : Settings
        What the path of settings went around.
    standing : Standing
        How far the whole exam was held out before tuning, under those.
    """

    calibration: Calibration
    split: Split
    outcomes: Outcomes | None
    lab: Lab
    base: Settings
    standing: Standing

    def save(self, path: str | Path) -> None:
        """Write the settings found, and how evidence is gathered, into one TOML file.

        Raises
        ------
        InputError
            If nothing was certified; whatever the file held stays.
        """
        if self.calibration.settings is None:
            raise InputError(f"{path}: nothing was certified, so there is nothing to write")
        self.lab.save_settings(path, self.calibration.settings)

    def notes(self) -> list[str]:
        """What a reader must know before believing the figures."""
        found = self.calibration
        notes = [
            f"{found.questions} questions ({self.split.groups.count('calibration')} groups) to calibrate on,"
            f" {len(self.split.report)} ({self.split.groups.count('report')} groups) to report on:"
            f" {self.split.groups}"
        ]
        if found.questions_needed is not None and found.questions_needed > found.questions:
            whole = found.questions + len(self.split.report)
            needed = -(-found.questions_needed * whole // found.questions)
            notes.append(f"split like this one, that is an exam of about {needed} questions")
        if self.outcomes is not None:
            same = set(self.split.calibration.authors) & set(self.split.report.authors)
            who = f"questions of {'the same author' if same else 'other authors'}"
            before = self.standing.counts["fitted"]
            notes.append(
                f"the report: {who} that were not calibrated on, but no longer held out (see below)"
                if before
                else f"the report: held-out {who}; none of them was calibrated on"
            )
        if found.groups is not None and found.groups < found.resolved:
            notes.append(
                f"the bound takes questions as independent; the {found.resolved} resolved come from {found.groups}"
                " groups, and where those of a group go wrong together the confidence is less than asked for"
            )
        if self.standing.counts["fitted"]:
            notes.append(
                f"the settings in use were themselves chosen on {self.standing.counts['fitted']} of all these questions"
                "; the bound holds in full for a path that was chosen without them"
            )
        elif not self.standing.has_last_word:
            notes.append(f"the settings in use were not chosen without knowing such questions ({self.standing})")
        return notes

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        groups = self.split.groups
        return {
            **self.calibration.as_dict(),
            "split": {
                "by": groups.by,
                "chosen_by_auto": groups.chosen,
                **{
                    side: {"questions": len(exam), "groups": groups.count(side), "checksum": exam.checksum}
                    for side, exam in (("calibration", self.split.calibration), ("report", self.split.report))
                },
            },
            "report": None
            if self.outcomes is None
            else self.outcomes.counts()
            | {"risk": self.outcomes.risk, "measures": self.outcomes.table().drop("group").to_dicts()},
            "standing_before": self.standing.as_dict(),
            "store_checksum": self.lab.store.checksum,
            "encoder": [e.info.as_dict() for e in self.lab.encoders],
            "gathering": self.lab.gathering.as_dict(),
            "notes": self.notes(),
        }

    def table(self) -> Table:
        """Return what was tried, as a table for the terminal; of equal rows in a row, one."""
        from rich.table import Table

        table = Table(show_edge=False)
        for name in ("gaps ×", "words", "gap", "alone", "resolved", "wrong", "p", "risk ≤", ""):
            table.add_column(name, justify="left" if not name else "right")
        last: tuple[Any, ...] | None = None
        for number, row in enumerate(self.calibration.table.iter_rows(named=True)):
            found = self.calibration.certified and number == self.calibration.row
            said = "certified" if row["certified"] else "failed" if row["tested"] else ""
            in_use = row["factor"] == 1
            shown = (row["resolved"], row["wrong"], said)
            if shown != last or found or in_use:
                table.add_row(
                    "–" if row["factor"] is None else f"{row['factor']:g}", str(row["min_words"]),
                    f"{row['gap']:.4g}", f"{row['gap_alone']:.4g}", str(row["resolved"]), str(row["wrong"]),
                    f"{row['p_value']:.3f}", f"{row['bound']:.3f}",
                    ", ".join(word for word in (said, "chosen" * found, "in use" * in_use) if word),
                )  # fmt: skip
            last = shown
        return table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        table = self.table()
        yield table
        left = self.calibration.table.height - table.row_count
        if left:
            yield Text(f"{left} rows that resolve the same as the one above them are left out", style="dim")
        yield Text(self.calibration.why(), style="bold")
        if self.outcomes is not None and self.calibration.settings is not None:
            yield Text(f"\non the {len(self.split.report)} questions that were not calibrated on:")
            yield Report(self.outcomes, None, self.lab, self.calibration.settings).table()
        for note in self.notes():
            yield Text(f"note: {note}", style="dim")


def tune(
    store: str | Path,
    exam: str | Path,
    *,
    risk: float = 0.05,
    confidence: float = 0.9,
    share: float = 0.5,
    group: str = "auto",
    seed: int = 0,
    settings: Settings | Path | None = None,
    encoder: str | None = None,
    extra_arms: Sequence[str] = (),
    now: datetime | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Tuning:
    """Calibrate a store on one half of an exam and report on the other: what ``memlab tune`` does.

    Parameters
    ----------
    store, exam : str or Path
    risk, confidence : float
        See :func:`memlab.exam.calibrate`.
    share, group, seed
        ``share``, ``by`` and ``seed`` of :func:`memlab.exam.split`.
    settings : Settings or Path, optional
        What the path goes around; those measured for the encoder when left out.
    encoder : str, optional
    extra_arms : sequence of str
    now : datetime, optional
        The instant of questions without ``as_of``; the clock's when left out.
    progress : callable ``(what, done, total)``, optional

    Raises
    ------
    MemlabError
        If the store, the exam or the settings cannot be read, or do not belong together; or if the
        exam cannot be split.
    """
    check_share("risk", risk)
    check_share("confidence", confidence)
    questions = Exam.read(exam)
    if group != "document":
        # Says what is wrong before anything slow begins; documents alone are the store's to tell.
        split(questions, share, by=group, seed=seed)
    lab = Lab.open(store, encoder=encoder, settings=settings, extra_arms=extra_arms, progress=progress)
    questions = questions.for_store(lab.store)
    halves = split(questions, share, by=group, seed=seed, store=lab.store)
    evidence = lab.gather(questions, now=now)
    found = calibrate(
        evidence, halves.calibration, lab.settings, risk=risk, confidence=confidence, groups=halves.groups
    )
    outcomes = None
    if found.settings is not None:
        held_out = evidence.only(halves.report.questions["question_id"].to_list())
        kinds = lab.store.nodes.select("id", "kind")
        outcomes = grade(decide(held_out, found.settings), halves.report, kinds=kinds, settings=found.settings)
    return Tuning(found, halves, outcomes, lab, lab.settings, standing(questions, lab.settings))
