"""Decision documents in the style of PEPs: mail headers, then sections in reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from memlab.errors import InputError, MemlabError
from memlab.readers.base import Progress, decode
from memlab.readers.sections import passages
from memlab.store import About, Store

ENDED = frozenset({"superseded", "rejected", "withdrawn", "deprecated", "obsolete"})
"""Status words of a decision that holds no longer, or never held."""

_REPLACED = frozenset({"superseded", "deprecated", "obsolete"})
_SUFFIXES = (".rst", ".txt", ".md")
_NUMBERED = re.compile(r"([A-Za-z]+)[-_ ]?0*(\d+)")
_HEADER = re.compile(r"\A\s*(?=[A-Za-z][A-Za-z-]*:)(?:.+\n)*?Title:", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = re.compile(r"(\d{1,2})[-\s]([A-Za-z]{3})[a-z]*[-,\s]+(\d{4})")
_ISO_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True)
class Document:
    """One decision document."""

    id: str
    series: str
    number: int | None
    headers: Message
    body: str
    file: str

    def header(self, name: str) -> str:
        """Value of a header on one line, empty where there is none."""
        return " ".join(str(self.headers.get(name, "")).split())


class Peps:
    """A folder of documents such as ``pep-0008.rst``, each with mail headers."""

    name = "peps"

    def detect(self, path: Path) -> bool:
        """Know a folder with a document that begins with headers, a title among them."""
        return path.is_dir() and any(_HEADER.match(_head(file)) for file in _files(path))

    def read(self, path: Path, progress: Progress | None = None) -> Store:
        """Read the documents, one Decision each.

        Raises
        ------
        MemlabError
            Where the folder holds no such document, or two with one number.
        """
        documents, notes = _documents(path, progress)
        known = {document.id for document in documents}
        dates = {document.id: _created(document.header("Created")) for document in documents}
        undated = [d.file for d in documents if dates[d.id] is None]
        if undated:
            notes.append(f"{len(undated)} documents have no date that can be read: {_some(undated)}")
        nodes = [_node(document, known, dates, notes) for document in documents]
        pieces, edges = _content(documents, known, progress)
        ended = sum(bool(node["ended"]) for node in nodes)
        notes.append(f"{len(nodes)} decisions, {ended} of them ended, {len(pieces)} pieces")
        notes.append("its exam is asked with retired nodes included: sentences name superseded documents too")
        about = About(self.name, path.name, exam_include_retired=True, notes=tuple(notes))
        try:
            return Store.from_frames(nodes, edges, pieces, about)
        except InputError as error:
            file = documents[error.row - 1].file if error.part == "nodes" and error.row else path.name
            raise error.in_file(file) from None


def references(document: Document, text: str, known: Iterable[str]) -> list[str]:
    """Ids of the documents of the same series that a text names, itself left out."""
    series = re.escape(document.series)
    pattern = re.compile(rf":{series}:`(?:[^`<]*<)?\s*0*(\d+)|\b{series}s?[\s-]+0*(\d+)", re.IGNORECASE)
    found = (f"{document.series}-{int(a or b)}" for a, b in pattern.findall(text))
    inside = frozenset(known)
    return [name for name in dict.fromkeys(found) if name in inside and name != document.id]


def _files(path: Path) -> list[Path]:
    return sorted(f for f in path.iterdir() if f.suffix.lower() in _SUFFIXES and f.is_file())


def _head(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(4096).decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    except OSError:
        return ""


def _documents(path: Path, progress: Progress | None) -> tuple[list[Document], list[str]]:
    files = _files(path) if path.is_dir() else []
    found: dict[str, Document] = {}
    skipped = []
    for at, file in enumerate(files):
        if progress is not None and at % 20 == 0:
            progress("documents", at, len(files))
        text = decode(file).replace("\r\n", "\n").lstrip()
        if not _HEADER.match(text):
            skipped.append(file.name)
            continue
        document = _document(file, text)
        if document.id in found:
            other = found[document.id].file
            raise MemlabError(f"{file.name}: {document.id} is also the number of {other}; renumber one")
        found[document.id] = document
    if not found:
        raise MemlabError(f"{path}: no document with headers such as `Title: …` and `Status: …`")
    notes = [f"{len(skipped)} files without headers left out: {_some(skipped)}"] if skipped else []
    return list(found.values()), notes


def _document(file: Path, text: str) -> Document:
    message = HeaderParser().parsestr(text)
    body = str(message.get_payload())
    number = re.match(r"\d+", str(message.get("PEP", "")).strip())
    if number is not None:
        return Document(f"pep-{int(number[0])}", "pep", int(number[0]), message, body, file.name)
    match = _NUMBERED.match(file.stem)
    if match is None:
        return Document(file.stem, file.stem.lower(), None, message, body, file.name)
    series = match[1].lower()
    return Document(f"{series}-{int(match[2])}", series, int(match[2]), message, body, file.name)


def _node(
    document: Document,
    known: set[str],
    dates: dict[str, datetime | None],
    notes: list[str],
) -> dict[str, Any]:
    named = document.header("Superseded-By")
    successors = [f"{document.series}-{int(n)}" for n in re.findall(r"\d+", named)]
    inside = [s for s in dict.fromkeys(successors) if s in known and s != document.id]
    outside = [s for s in successors if s not in known]
    if outside or (named and not successors):
        what = ", ".join(outside) or named
        notes.append(f"{document.file}: superseded by {what}, which is not here: read as ended")
    status = document.header("Status").lower().split(" ")[0].strip(".,;:!")
    start = dates[document.id]
    handover = min((d for s in inside if (d := dates[s]) is not None), default=None)
    # "Superseded" with a dated successor is an end with a date; without one, nobody knows when.
    dated = status in _REPLACED and handover is not None and (start is None or handover >= start)
    return {
        "id": document.id,
        "kind": "Decision",
        "title": document.header("Title"),
        "aliases": [f"{document.series.upper()} {document.number}"] if document.number is not None else [],
        "valid_from": start,
        "valid_to": handover if dated else None,
        "ended": status in ENDED or (bool(named) and not inside),
        "superseded_by": inside,
        "source": document.file,
    }


def _content(
    documents: Sequence[Document], known: set[str], progress: Progress | None
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    pieces: list[dict[str, Any]] = []
    edges: list[dict[str, str]] = []
    for at, document in enumerate(documents):
        if progress is not None and at % 20 == 0:
            progress("sections", at, len(documents))
        for position, text in enumerate(passages(document.body, document.series)):
            piece = f"{document.id}#{position}"
            pieces.append(
                {
                    "id": piece,
                    "document": document.id,
                    "text": text,
                    "position": position,
                    "mentions": references(document, text, known),
                }
            )
            edges.append({"source": document.id, "type": "FROM", "target": piece})
        linked = {"REFERENCES": references(document, document.body, known)}
        for kind in ("Replaces", "Requires"):
            numbers = re.findall(r"\d+", document.header(kind))
            linked[kind.upper()] = [f"{document.series}-{int(n)}" for n in numbers]
        edges += [
            {"source": document.id, "type": kind, "target": target}
            for kind, targets in linked.items()
            for target in targets
            if target in known
        ]
    return pieces, edges


def _created(text: str) -> datetime | None:
    """Read a day: ``05-Jul-2001``, ``5 July 2001`` or ``2001-07-05``, whatever stands after it."""
    try:
        if match := _DAY.search(text):
            month = _MONTHS.index(match[2].lower()) + 1
            return datetime(int(match[3]), month, int(match[1]), tzinfo=UTC)
        if match := _ISO_DAY.search(text):
            return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        pass
    return None


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
