"""What settings were chosen on: an exam by name and checksum, its authors, and its questions by fingerprint."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from memlab.errors import InputError
from memlab.plain import from_plain

PART = "settings.fitted"
MARK_BYTES: Final = 6
"""Bytes of a fingerprint."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """An exam that settings, a gate or a calibration were fitted on.

    Attributes
    ----------
    exam : str
        Its name.
    checksum : str
        sha256 (hex) of its questions as read.
    authors : tuple of str
        Who wrote it.
    n : int
        Questions that were looked at.
    what : tuple of str
        Fields of the settings that were chosen on it.
    questions : str
        Fingerprints of the questions, packed (``memlab.exam.provenance``); empty for the exams that
        the package itself was fitted on, whose fingerprints it ships.
    """

    exam: str
    checksum: str = ""
    authors: tuple[str, ...] = ()
    n: int = 0
    what: tuple[str, ...] = ()
    questions: str = ""

    def __post_init__(self) -> None:
        for name in ("exam", "checksum", "questions"):
            if not isinstance(getattr(self, name), str):
                raise InputError(f"must be text, not {getattr(self, name)!r}", part=PART, field=name)
        if not _is_packed(self.questions):
            # Read as none, damaged fingerprints would make of the questions that they stand for held-out ones.
            problem = "damaged, so what the settings were chosen on cannot be told; take the table from the first file"
            raise InputError(problem, part=PART, field="questions")
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 0:
            raise InputError(f"must be a whole number, not {self.n!r}", part=PART, field="n")
        for name in ("authors", "what"):
            value = getattr(self, name)
            if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
                raise InputError(f"must be a list of texts, not {value!r}", part=PART, field=name)
            object.__setattr__(self, name, tuple(value))


def _is_packed(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) % MARK_BYTES == 0
    except (binascii.Error, ValueError):
        return False


def as_fitted(value: object) -> tuple[Fitted, ...]:
    """Take records, or tables with their fields, as a settings file has them."""
    if not isinstance(value, list | tuple) or not all(isinstance(one, Fitted | Mapping) for one in value):
        raise InputError(f"must be a list of tables with 'exam' and 'authors', not {value!r}", part=PART)
    for one in value:
        if isinstance(one, Mapping) and "exam" not in one:
            raise InputError("missing; name the exam", part=PART, field="exam")
    made: list[Any] = [one if isinstance(one, Fitted) else from_plain(Fitted, one, PART) for one in value]
    return tuple(made)
