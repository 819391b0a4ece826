"""Whose questions, and who chose the thresholds: what makes a figure fitted, same author or held out.

A figure is *fitted* where a threshold was chosen on its question, from the *same author* where whoever
wrote the question also wrote an exam or a rule behind the settings, and *held out* otherwise (chapter
18, section 5: a gate whose rule and whose exam share an author ships off).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl
import regex

from memlab.exam.questions import Exam
from memlab.rules import Fitted, Settings, shipped
from memlab.rules.fitted import MARK_BYTES
from memlab.text import normalise

MARKS: Final = ("held out", "same author", "fitted")
MARK: Final = pl.Enum(MARKS)
# Who wrote the sample exam also wrote the rules; its figures are never held out.
RULE_AUTHORS: Final = frozenset({"memlab-authors"})
# What an exam calls its author where it names none.
NOBODY: Final = frozenset({"", "unknown", "anonymous"})
GATES: Final = ("gate", "concept_gate")
# What tells one question from another: not its spaces, its capitals, or its punctuation.
_BESIDE: Final = regex.compile(r"[^\p{L}\p{N}\p{M}]+")
# A log joins those who picked by commas; people write semicolons and "and" as well.
_BETWEEN: Final = regex.compile(r"[,;&|/+\n]|\band\b")


@dataclass(frozen=True)
class Standing:
    """How far the figures of one exam under some settings can be believed.

    Attributes
    ----------
    mark : str
        The worst of its questions: ``held out``, ``same author`` or ``fitted``.
    counts : dict
        Questions by mark.
    reasons : tuple of str
        Why, in words.
    known : bool
        Whether anybody says what the settings were chosen on.
    """

    mark: str
    counts: dict[str, int]
    reasons: tuple[str, ...]
    known: bool = True

    @property
    def has_last_word(self) -> bool:
        """Whether a conclusion may rest on these figures: every question is held out, and that is known."""
        return self.mark == "held out" and self.known

    @property
    def told(self) -> str:
        """The mark, and whether it is sure."""
        return f"{self.mark}, as far as is known" if self.mark == "held out" and not self.known else self.mark

    def __str__(self) -> str:
        return f"{self.told}: {'; '.join(self.reasons)}" if self.reasons else self.told

    def as_dict(self) -> dict[str, object]:
        """Return the standing as plain values."""
        return {
            "mark": self.mark,
            "known": self.known,
            "counts": self.counts,
            "reasons": list(self.reasons),
            "last_word": self.has_last_word,
        }


def bare(question: str) -> str:
    """Return the letters and digits of a question: the same however it is spaced, capitalised or punctuated."""
    known = normalise(question)
    return _BESIDE.sub("", known) or known


def fingerprints(questions: Iterable[str]) -> list[bytes]:
    """Return six bytes for each question, the same however it is spaced, capitalised or punctuated."""
    return [hashlib.sha256(bare(text).encode("utf-8", "replace")).digest()[:MARK_BYTES] for text in questions]


def pack(marks: Iterable[bytes]) -> str:
    """Return fingerprints as one text, in order and each once."""
    return base64.b64encode(b"".join(sorted(set(marks)))).decode()


def unpack(text: str) -> frozenset[bytes]:
    """Return the fingerprints of a packed text; none where it is damaged."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return frozenset()
    return frozenset(raw[at : at + MARK_BYTES] for at in range(0, len(raw), MARK_BYTES))


def fitted_on(settings: Settings, exam: Exam, what: Sequence[str] = ("gap", "gap_alone")) -> Settings:
    """Return the settings with a note that they were chosen on an exam.

    Parameters
    ----------
    settings : Settings
    exam : Exam
        What the thresholds were looked for on: the split that was used, not the whole exam.
    what : sequence of str
        Fields of the settings that were chosen. Where a gate is among them, the authors are noted as
        the gate's too.
    """
    return with_record(settings, record_of(exam, what))


def with_record(settings: Settings, record: Fitted) -> Settings:
    """Return the settings with one more exam that they were chosen on."""
    known = tuple(one for one in settings.fitted if one.checksum != record.checksum or one.what != record.what)
    authors = tuple(sorted({*settings.fitted_by, *record.authors}))
    gates = set(record.what) & set(GATES)
    by_gate = tuple(sorted({*settings.gate_by, *record.authors})) if gates else settings.gate_by
    return settings.but(fitted=(*known, record), fitted_by=authors, gate_by=by_gate)


def record_of(exam: Exam, what: Sequence[str]) -> Fitted:
    """Return the record of an exam that something was chosen on."""
    return Fitted(
        exam.name,
        exam.checksum,
        exam.authors,
        len(exam),
        tuple(sorted(what)),
        pack(fingerprints(exam.questions["question"])),
    )


def marks(exam: Exam, settings: Settings | None) -> pl.Series:
    """Return the mark of each question, in the order of the exam."""
    seen, authors, unclear = _fitted_questions(settings), _authors(settings), bool(_unclear(settings))
    whole = any(one.checksum == exam.checksum for one in _chosen_on(settings))
    found = []
    for mark, author in zip(fingerprints(exam.questions["question"]), exam.questions["written_by"], strict=True):
        names = _names(author)
        if whole or mark in seen:
            found.append("fitted")
        elif unclear or names & authors or names & NOBODY:
            found.append("same author")
        else:
            found.append("held out")
    return pl.Series("standing", found, dtype=MARK)


def standing(exam: Exam, settings: Settings | None = None) -> Standing:
    """Say how far the figures of an exam under some settings can be believed.

    Parameters
    ----------
    exam : Exam
    settings : Settings, optional
        Those of the rules alone are known where they are left out.
    """
    found = marks(exam, settings)
    counts = {name: int((found == name).sum()) for name in MARKS}
    mark = next((name for name in reversed(MARKS) if counts[name]), "held out")
    known = settings is not None and bool(settings.fitted or settings.fitted_by)
    return Standing(mark, counts, tuple(_reasons(exam, settings, counts)), known)


def _reasons(exam: Exam, settings: Settings | None, counts: dict[str, int]) -> list[str]:
    found = []
    authors = frozenset(name for author in exam.authors for name in _names(author))
    unclear = _unclear(settings)
    if counts["fitted"]:
        found.append(f"rules or thresholds were chosen on {counts['fitted']} of its {len(exam)} questions")
    if RULE_AUTHORS & authors:
        found.append("the authors of the rules wrote questions of it")
    shared = (authors & _authors(settings)) - RULE_AUTHORS
    if shared:
        found.append(f"an exam that rules or settings were chosen on is by {', '.join(sorted(shared))}")
    if counts["same author"] and authors & NOBODY:
        found.append("nobody says who wrote some of it, so the same author cannot be ruled out")
    if counts["same author"] and unclear:
        found.append(
            f"the settings do not say which questions of {', '.join(unclear)} they were chosen on,"
            " so these cannot be ruled out"
        )
    if settings is not None and _gate_is_on(settings):
        by = ", ".join(settings.gate_by) or "nobody knows whom"
        found.append(f"a gate is on, turned on by name; it was looked at on exams by {by}")
    if counts["held out"] and (settings is None or not (settings.fitted or settings.fitted_by)):
        what = (
            "nobody says by which settings, or what they were"
            if settings is None
            else ("the settings do not say what they were")
        )
        found.append(f"{what} chosen on; held out only if nobody looked at these questions")
    return found


def _gate_is_on(settings: Settings) -> bool:
    return any(getattr(settings, name) for name in GATES)


def _authors(settings: Settings | None) -> frozenset[str]:
    """Everybody whose questions stand behind the rules and the settings; of the gates, where one is on."""
    names = {*RULE_AUTHORS, *(name for one in shipped().values() for name in one.authors)}
    if settings is not None:
        names |= {*settings.fitted_by, *(name for one in settings.fitted for name in one.authors)}
        names |= set(settings.gate_by) if _gate_is_on(settings) else set()
    return frozenset(part for name in names for part in _names(name)) - NOBODY


@cache
def _names(author: str) -> frozenset[str]:
    """The people of one row, however they are joined, spaced or capitalised."""
    names = frozenset(part for name in _BETWEEN.split(normalise(author)) if (part := name.strip()))
    return names or frozenset({""})


def _chosen_on(settings: Settings | None) -> list[Fitted]:
    """The exams behind the rules and the settings; those of a gate alone, where one is on."""
    # The rules themselves were looked at on the exams that the package names, whatever the thresholds.
    records = list(shipped().values())
    if settings is not None:
        gate = _gate_is_on(settings)
        # What was looked at for a gate alone does not touch figures without it.
        records += [one for one in settings.fitted if gate or set(one.what) - set(GATES) or not one.what]
    return records


def _fitted_questions(settings: Settings | None) -> frozenset[bytes]:
    return frozenset(mark for one in _chosen_on(settings) for mark in unpack(one.questions))


def _unclear(settings: Settings | None) -> list[str]:
    """Names of exams that something was chosen on, of which neither the questions nor their authors are known."""
    shipped_too = {one.checksum for one in shipped().values()}
    return sorted(
        repr(one.exam)
        for one in _chosen_on(settings)
        if not one.questions and one.checksum not in shipped_too and (one.n or not _known(one.authors))
    )


def _known(authors: Iterable[str]) -> bool:
    return bool(frozenset(name for author in authors for name in _names(author)) - NOBODY)
