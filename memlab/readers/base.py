"""What a reader is, and what it gives back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from memlab.errors import InputError, MemlabError
from memlab.store import Store

Json: TypeAlias = Any
"""A value out of a JSON text, checked where it is used."""

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of a stage, how much of it is done, and how much there is."""


@runtime_checkable
class Reader(Protocol):
    """One kind of source. Third-party readers come in by the entry point group ``memlab.readers``.

    A reader may also have ``exam(path) -> ExamRows | None`` where its sources hold an exam, and
    ``finds_mentions = True`` where it has found the nodes named in its pieces by itself.
    """

    name: str

    def detect(self, path: Path) -> bool:
        """Whether a path looks like this reader's kind of source."""
        ...

    def read(self, path: Path, progress: Progress | None = None) -> Store:
        """Read a source into a store; raise `MemlabError` where it cannot be read."""
        ...


@dataclass(frozen=True)
class ExamRows:
    """An exam that came with a source.

    Parameters
    ----------
    name
        Name of the exam.
    rows
        One dict a question, with the fields of an exam file: ``id``, ``question``, ``lang``,
        ``gold``, ``answerable``, ``written_by``, ``tags``.
    notes
        What was counted, corrected and left out, one sentence each.
    """

    name: str
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = field(default=())


def decode(path: Path) -> str:
    """Read a text file in UTF-8, with or without a byte order mark.

    Raises
    ------
    MemlabError
        Where the file cannot be read or is in another encoding.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MemlabError(f"{path}: cannot be read: {error.strerror or error}") from error
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("is UTF-16; save it as UTF-8", file=path.name)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line} is not UTF-8; save the file as UTF-8", file=path.name) from error


def load_json(path: Path) -> Json:
    """Read a JSON file.

    Raises
    ------
    InputError
        Naming the file, where it is no JSON.
    """
    text = decode(path)
    try:
        return parse_json(text)
    except ValueError as error:
        raise InputError(f"not JSON: {error}", file=path.name) from error


def parse_json(text: str) -> Json:
    """Parse JSON, refusing what the standard parser lets pass: repeated fields, NaN.

    Raises
    ------
    ValueError
        Saying what is wrong.
    """
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(n for n in names if names.count(n) > 1)
        raise ValueError(f"the field {twice!r} stands there twice")
    return found


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON value")
