"""The log of decisions: JSON lines that several processes append to, one whole line at a time.

The first line says what the file is. Every later one says in ``line`` what it holds: ``settings`` (once
for each set of settings, under an id), ``decision`` (which names that id), ``choice`` (what a person
picked afterwards), or ``skip`` (that a person looked at a question and put it off).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from memlab._version import __version__
from memlab.errors import InputError, MemlabError

FORMAT = "memlab-log"
VERSION = 1
HEADER: Mapping[str, object] = {"line": "log", "format": FORMAT, "version": VERSION}
LINES = ("log", "settings", "decision", "choice", "skip")
TORN = "torn"
"""What :func:`read_log` calls a line that was cut short; no log holds such an entry."""

Entry = dict[str, Any]


class DecisionLog:
    """Appends to a log; what stands there is never changed.

    Parameters
    ----------
    path : str or Path
        The file; made with the first line, by the first append. A lock file lies beside it.

    Raises
    ------
    MemlabError
        If the file is something else, or cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        if not isinstance(path, str | Path):
            raise InputError(f"give the path of a file, not {path!r}", field="log")
        self.path = Path(path)
        self._settings: set[str] | None = None
        self._check()

    def append(self, entries: Sequence[Mapping[str, object]], settings: Mapping[str, object] | None = None) -> None:
        """Append entries, each as one line, all at once.

        Parameters
        ----------
        entries : sequence of mappings
            Plain JSON values.
        settings : mapping, optional
            A ``settings`` entry, written first where the log does not have its ``id`` yet.
        """
        with self._locked():
            new = not self.path.exists() or self.path.stat().st_size == 0
            lines: list[Mapping[str, object]] = [HEADER] if new else []
            known = self._known_settings()
            if settings is not None and settings["id"] not in known:
                lines.append(settings)
                known.add(str(settings["id"]))
            text = "".join(_dump(entry) + "\n" for entry in (*lines, *entries))
            # A line that a crash cut short stays a line of its own.
            content = ("" if new or self._ends_whole() else "\n").encode() + text.encode("utf-8", "backslashreplace")
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                while content:
                    content = content[os.write(descriptor, content) :]
            finally:
                os.close(descriptor)

    def has_question(self, question_id: str) -> bool:
        """Whether a decision of this id stands in the log."""
        return self.path.exists() and any(
            entry["line"] == "decision" and entry.get("question_id") == question_id
            for _, entry in read_log(self.path, strict=False)
        )

    def _check(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_file():
            raise MemlabError(f"{self.path}: is no file; name a file for the log")
        if self.path.stat().st_size and not is_log(self.path):
            raise MemlabError(f"{self.path}: is not a memlab log; name a new file, so that nothing is spoilt")

    def _known_settings(self) -> set[str]:
        if self._settings is None:
            self._check()
            entries = read_log(self.path, strict=False) if self.path.exists() else iter(())
            self._settings = {str(entry.get("id")) for _, entry in entries if entry["line"] == "settings"}
        return self._settings

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) == b"\n"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            with FileLock(f"{self.path}.lock", timeout=60):
                yield
        except Timeout:
            raise MemlabError(f"{self.path}: another process has held the log for a minute") from None
        except OSError as error:
            raise MemlabError(f"{self.path}: cannot be written: {error.strerror or error}") from error


def is_log(path: Path) -> bool:
    """Whether a file begins as a log of decisions does."""
    try:
        with path.open("rb") as stream:
            first = json.loads(stream.readline(4096))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("line") == "log" and first.get("format") == FORMAT


def choice(question_id: str, node_id: str | None, by: str, at: datetime | None, *, skipped: bool = False) -> Entry:
    """Return the line that says what a person picked: a node, none of them, or nothing yet (``skipped``).

    Raises
    ------
    InputError
        If the name is none.
    """
    if not isinstance(by, str):
        raise InputError(f"must be a name, not {by!r}", field="by")
    picked = {} if skipped else {"node": node_id}
    when = {"chosen_at": None if at is None else at.isoformat()}
    line = "skip" if skipped else "choice"
    return {"line": line, "question_id": question_id, **picked, "by": by, **when, "memlab": __version__}


def read_log(path: Path, *, strict: bool = True) -> Iterator[tuple[int, Entry]]:
    """Read a log: the number of each line, from 1, and what stands there.

    A line that a crash cut short holds ``{"line": "torn"}``: it must not keep the rest from being read. Where
    it is not ``strict``, any other line that is no entry is passed over.

    Raises
    ------
    InputError
        Naming the file and the line.
    """

    def refuse(problem: str, number: int) -> InputError:
        return InputError(problem, part="line", row=number, file=path.name)

    try:
        content = path.read_bytes()
    except OSError as error:
        raise MemlabError(f"{path}: cannot be read: {error.strerror or error}") from None
    lines = content.split(b"\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not strict:
                continue
            if _cut_short(line, last=number == len(lines)):
                yield number, {"line": TORN}
                continue
            raise refuse(f"not JSON: {error}", number) from None
        if not isinstance(entry, dict) or entry.get("line") not in LINES:
            if not strict:
                continue
            raise refuse(f"must be an object whose 'line' is one of {', '.join(LINES)}", number)
        if entry["line"] == "log":
            version = entry.get("version")
            if entry.get("format") != FORMAT or not isinstance(version, int):
                raise refuse("is the first line of something else", number)
            if version > VERSION:
                raise refuse(f"written by a newer memlab (log {version}; this one reads up to {VERSION})", number)
        yield number, entry


def _cut_short(line: bytes, *, last: bool) -> bool:
    """Whether a line is the beginning of an entry: an object that has not ended yet."""
    # What was cut off at the very end needs no more than a beginning; what was written after it, a clear one.
    if not line.startswith(b"{" if last else b'{"line"'):
        return False
    depth, quoted, escaped = 0, False, False
    for sign in line:
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = sign == _BACKSLASH, sign != _QUOTE
        elif sign == _QUOTE:
            quoted = True
        else:
            depth += (sign in b"{[") - (sign in b"}]")
            if depth == 0:
                return False
    return True


_QUOTE, _BACKSLASH = b'"\\'


def _dump(entry: Mapping[str, object]) -> str:
    return json.dumps(entry, ensure_ascii=False, allow_nan=False)
