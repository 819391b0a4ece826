"""Labelling: a person reads questions one by one and says which node each means.

What they say goes into a log of decisions, a line each, as it is said: nothing is lost when the notebook
dies, and :meth:`memlab.Exam.from_log` makes an exam of it, with the labeller as author.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from memlab.arms import QUESTION_SCHEMA
from memlab.errors import InputError
from memlab.exam.finder import Finder
from memlab.exam.questions import Exam
from memlab.exam.sampling import Source, questions_of
from memlab.exam.tasks import Option, Task
from memlab.lab import Lab
from memlab.log import read_log
from memlab.resolver import Resolver
from memlab.rules import decide
from memlab.store import parse_instant

DEPTH = 10


class Labelling:
    """A sitting: the questions of a sample, a labeller, and the log that holds what they said.

    Every question is decided and logged when the sitting is opened; opened again on the same file, it goes on
    where this labeller stopped. Questions that were skipped come back at the end.

    Parameters
    ----------
    lab : Lab
        What decides, and names the nodes.
    questions : Exam, frame, rows, or path
        What :func:`memlab.sample_questions` returned, or a file of questions. Gold is never shown.
    log : str or Path
        A file of JSON lines; made where there is none. Several labellers may share it.
    by : str
        The labeller's name: the author of the exam's rows.
    now : datetime, optional
        When it is opened, and the instant of questions that name none; the clock's when left out.
    blind : bool
        Show the candidates in an order of their content, and not what the rules decided, so that labels are
        not anchored to it.
    depth : int
        How many candidates are shown, from the head of the ordered pool.

    Raises
    ------
    InputError
        If the name is blank, or the log has one of the ids for another question.
    """

    def __init__(
        self,
        lab: Lab,
        questions: Source,
        log: str | Path,
        *,
        by: str,
        now: datetime | None = None,
        blind: bool = True,
        depth: int = DEPTH,
    ) -> None:
        if not isinstance(by, str) or not by.strip():
            raise InputError("give the labeller's name: it becomes the author of the exam's rows", field="by")
        if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
            raise InputError(f"must be a whole number from 1, not {depth!r}", field="depth")
        self.by = unicodedata.normalize("NFC", by.strip())
        self.blind = blind
        self.log = Path(log)
        self._lab, self._depth = lab, depth
        self._finder = Finder(lab.store)
        self._resolver = Resolver.of(lab, log=log)
        known, said = _history(self.log, self.by)
        frame = _as_asked(questions_of(questions), known, lab, now or datetime.now(UTC))
        evidence = lab.gather(frame, arms=lab.settings.arms)
        fresh = [name for name in frame["question_id"] if name not in known]
        if fresh:
            self._resolver.record_all(evidence.only(fresh), now=now)
        self._decided: dict[str, dict[str, Any]] = {
            row["question_id"]: row for row in decide(evidence, lab.settings).iter_rows(named=True)
        }
        self._asked: dict[str, dict[str, Any]] = {row["question_id"]: row for row in frame.iter_rows(named=True)}
        self._picks: dict[str, str | None] = {}
        self._skipped: list[str] = []
        self._seen: list[str] = []
        for name, line, node in said:
            if name in self._asked:
                self._note(name, line, node)
        self._back: int | None = None

    @property
    def lab(self) -> Lab:
        """What decides, and names the nodes."""
        return self._lab

    @property
    def total(self) -> int:
        """How many questions there are."""
        return len(self._asked)

    @property
    def done(self) -> int:
        """How many of them this labeller has judged."""
        return len(self._picks)

    @property
    def skipped(self) -> int:
        """How many wait at the end, as they were skipped."""
        return len(self._skipped)

    @property
    def current(self) -> Task | None:
        """The question to judge now; None where all are judged."""
        name = self._current
        return None if name is None else self._task(name)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a question before this one."""
        return bool(self._seen) and self._back != 0

    def pick(self, node_id: str, *, now: datetime | None = None) -> None:
        """Say that the current question means a node: any node of the store.

        Raises
        ------
        InputError
            If there is no such node, or no question left; nothing is logged then.
        """
        name = self._here()
        self._resolver.choose(name, node_id, by=self.by, now=now)
        self._note(name, "choice", node_id)
        self._back = None

    def none(self, *, now: datetime | None = None) -> None:
        """Say that the current question means no node of the store."""
        name = self._here()
        self._resolver.none_of_these(name, by=self.by, now=now)
        self._note(name, "choice", None)
        self._back = None

    def skip(self, *, now: datetime | None = None) -> None:
        """Put the current question off to the end; one that was judged already stays as it is."""
        name = self._here()
        if name not in self._picks:
            self._resolver.skip(name, by=self.by, now=now)
            self._note(name, "skip", None)
        self._back = None

    def back(self) -> None:
        """Go back to the question before, to judge it anew: the last pick counts."""
        if self.can_go_back:
            self._back = (len(self._seen) if self._back is None else self._back) - 1

    def find(self, text: str, limit: int = 8) -> list[Option]:
        """Return nodes whose id is a text, or whose title or alias has all its words, shortest title first."""
        task = self.current
        return [] if task is None else self._finder.find(text, task.as_of, limit)

    def exam(self) -> Exam:
        """Return what the log says by now, of all labellers, as an exam."""
        return Exam.from_log(self.log)

    @property
    def _current(self) -> str | None:
        if self._back is not None:
            return self._seen[self._back]
        waiting = (name for name in self._asked if name not in self._picks and name not in self._skipped)
        return next(waiting, self._skipped[0] if self._skipped else None)

    def _here(self) -> str:
        name = self._current
        if name is None:
            raise InputError("every question of this sample is judged; go back to judge one anew", part="questions")
        return name

    def _note(self, name: str, line: str, node: str | None) -> None:
        """Keep in mind what stands in the log."""
        for names in (self._seen, self._skipped):
            if name in names:
                names.remove(name)
        self._seen.append(name)
        if line == "choice":
            self._picks[name] = node
        elif name not in self._picks:
            self._skipped.append(name)

    def _task(self, name: str) -> Task:
        asked, decided = self._asked[name], self._decided[name]
        # What was handed back is among them, however much of the pool is hidden.
        shown = dict.fromkeys((*decided["candidates"], *decided["pool"]))
        rows = self._finder.rows(list(shown)[: self._depth])
        return Task(
            name,
            asked["question"],
            asked["lang"],
            asked["as_of"],
            # The rows of a store stand in an order of their content, which says nothing of this question.
            tuple(self._finder.options(sorted(rows) if self.blind else rows, asked["as_of"])),
            name in self._picks,
            self._picks.get(name),
            None if self.blind else decided["state"],
            None if self.blind else decided["reason"],
        )


def _history(log: Path, by: str) -> tuple[dict[str, dict[str, Any]], list[tuple[str, str, str | None]]]:
    """Return the last decision of each id in a log, and what one labeller said: question, line, node."""
    known: dict[str, dict[str, Any]] = {}
    said: list[tuple[str, str, str | None]] = []
    for _, entry in read_log(log, strict=False) if log.exists() else ():
        name = str(entry.get("question_id"))
        if entry["line"] == "decision":
            known[name] = entry
        elif entry["line"] in ("choice", "skip") and unicodedata.normalize("NFC", str(entry.get("by"))) == by:
            said.append((name, entry["line"], entry.get("node")))
    return known, said


def _as_asked(questions: pl.DataFrame, known: Mapping[str, Mapping[str, Any]], lab: Lab, now: datetime) -> pl.DataFrame:
    """Fill in the instant of each question: that of the log, where it stands there already."""
    rows = []
    for row in questions.select(list(QUESTION_SCHEMA)).iter_rows(named=True):
        entry = known.get(row["question_id"])
        as_of, retired = now, lab.store.about.exam_include_retired
        if entry is not None:
            as_of, retired = parse_instant(entry.get("as_of")) or now, bool(entry.get("include_retired"))
        asked = row | {
            "as_of": row["as_of"] or as_of,
            "include_retired": retired if row["include_retired"] is None else row["include_retired"],
        }
        told = {"question": entry.get("question"), "as_of": as_of, "include_retired": retired} if entry else {}
        if not told.items() <= asked.items():
            raise InputError(
                f"{row['question_id']!r} was another question, or asked at another instant, in this log; give it"
                " another id, or name another file",
                field="question_id",
            )
        rows.append(asked)
    return pl.DataFrame(rows, schema=QUESTION_SCHEMA)
