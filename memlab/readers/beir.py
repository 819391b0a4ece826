"""BEIR folders: a corpus, queries and judgements, as retrieval benchmarks are handed around.

BEIR (Thakur et al. 2021, arXiv:2104.08663) keeps ``corpus.jsonl`` and ``queries.jsonl`` (``_id``, ``title``,
``text``, ``metadata``) beside ``qrels/test.tsv``. A document becomes a node with the document's title; its text
becomes a piece that the node came from. What memlab knows beyond that lies in ``metadata``, where nothing matches
against it, and in ``edges.jsonl`` and ``pieces.jsonl``, which other readers of such folders pass over.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from memlab.errors import InputError, MemlabError
from memlab.readers.base import ExamRows, Progress, decode
from memlab.readers.mentions import find_mentions
from memlab.readers.tables import read_json_lines
from memlab.store import EDGE_SCHEMA, KINDS, About, Store
from memlab.store.columns import VISIBLE
from memlab.store.time import read_instant

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
EDGES, PIECES = "edges.jsonl", "pieces.jsonl"
QRELS_HEADER = ("query-id", "corpus-id", "score")

_SPLITS = ("test", "dev", "train")
_TITLE = 120  # characters of a text that stand in for a title that is missing


class Beir:
    """A folder in the format of the BEIR benchmark."""

    name = "beir"
    finds_mentions = True  # a folder that memlab wrote has its edges with it

    def detect(self, path: Path) -> bool:
        """Know a folder with a corpus and queries."""
        return path.is_dir() and (path / CORPUS).is_file() and (path / QUERIES).is_file()

    def read(self, path: Path, progress: Progress | None = None) -> Store:
        """Read the corpus, a node a document.

        What ``metadata`` says in another form than memlab's is passed over and counted.

        Raises
        ------
        InputError
            Naming file, row and field.
        """
        left: Counter[str] = Counter()
        rows = _rows(path / CORPUS, "corpus")
        nodes = _nodes(rows, left)
        extra = {part: read_json_lines(path / f"{part}.jsonl", part) for part in ("edges", "pieces")
                 if (path / f"{part}.jsonl").is_file()}  # fmt: skip
        if "pieces" not in extra:
            nodes = [node | {"text": row.get("text") or None} for node, row in zip(nodes, rows, strict=True)]
        notes = tuple(f"{CORPUS}: {count} documents: {what}" for what, count in sorted(left.items()))
        try:
            store = Store.from_frames(
                nodes, extra.get("edges"), extra.get("pieces"), About(self.name, path.name, notes=notes)
            )
        except InputError as error:
            raise error.in_file(f"{error.part}.jsonl" if error.part in extra else CORPUS) from None
        if "edges" in extra:
            return store
        found = find_mentions(store.nodes, store.pieces, progress).select(
            "source", pl.lit("MENTIONS").alias("type"), "target"
        )
        new = found.join(store.edges, on=list(EDGE_SCHEMA), how="anti")
        return store.with_edges(new, [f"mentions: {new.height} found in the pieces by titles and aliases"])

    def exam(self, path: Path) -> ExamRows | None:
        """Read the queries that were judged in ``qrels/test.tsv`` (or dev, or train)."""
        return beir_exam(path)


def beir_exam(path: Path, split: str | None = None) -> ExamRows | None:
    """Read queries and judgements as the rows of an exam.

    Parameters
    ----------
    path : Path
        Folder.
    split : str, optional
        Name of a file in ``qrels``; the first of test, dev and train when left out.

    Returns
    -------
    ExamRows or None
        A document judged above 0 is gold. A query without one is left out, unless its metadata say
        that nothing answers it: that nobody judged it, or judged other documents, does not. None where
        the folder has no judgements.

    Raises
    ------
    InputError
        Naming file, row and field, or the split that is not there.
    """
    file = _qrels_file(path, split)
    if file is None:
        return None
    gold: dict[str, list[str]] = {}
    for query, document, score in read_qrels_tsv(file):
        if score > 0:
            gold.setdefault(query, []).append(document)
    left: Counter[str] = Counter()
    rows = []
    queries = _rows(path / QUERIES, "queries")
    for number, row in enumerate(queries, 1):
        text, name = row.get("text"), row["_id"]
        if not isinstance(text, str):
            raise InputError("must be the question, as text", part="queries", row=number, field="text", file=QUERIES)
        told = _metadata(row, _QUERY, left)
        judged = gold.pop(name, [])
        if not judged and told.get("answerable") is not False:
            left["left out, as no document is judged to answer them"] += 1
            continue
        rows.append(told | {"id": name, "question": text, "gold": judged, "answerable": bool(judged)})
    notes = [f"judgements: {QRELS}/{file.name}"]
    notes += [f"{QUERIES}: {count} queries: {what}" for what, count in sorted(left.items())]
    if gold:
        notes.append(f"{file.name}: {len(gold)} judged queries are not in {QUERIES}")
    return ExamRows(path.name, rows, tuple(notes))


def read_qrels_tsv(file: Path) -> list[tuple[str, str, int]]:
    """Read judgements: query, document and score, tab-separated, with or without a header.

    Raises
    ------
    InputError
        Naming file, row (from 1, the header aside) and field.
    """
    rows: list[tuple[str, str, int]] = []
    try:
        lines = [line for line in csv.reader(io.StringIO(decode(file), newline=""), delimiter="\t") if any(line)]
    except csv.Error as error:
        raise InputError(f"not tab-separated text: {error}", file=file.name) from None
    if lines and len(lines[0]) == len(QRELS_HEADER) and not _is_number(lines[0][-1]):
        del lines[0]
    for number, line in enumerate(lines, 1):
        if len(line) != len(QRELS_HEADER):
            problem = f"has {len(line)} fields; write {', '.join(QRELS_HEADER)}, separated by tabs"
            raise InputError(problem, part="qrels", row=number, file=file.name)
        score = _whole(line[2])
        if score is None:
            problem = f"{line[2]!r}; write a whole number, 0 for what does not answer"
            raise InputError(problem, part="qrels", row=number, field="score", file=file.name)
        rows.append((line[0], line[1], score))
    return rows


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _whole(text: str) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else None


def _qrels_file(path: Path, split: str | None) -> Path | None:
    found = {file.stem: file for file in sorted((path / QRELS).glob("*.tsv"))}
    if split is not None and split not in found:
        there = ", ".join(found) or "none"
        raise MemlabError(f"{path}: no judgements called {split!r}; there are: {there}")
    if split is not None:
        return found[split]
    return next((found[name] for name in _SPLITS if name in found), None)


def _rows(file: Path, part: str) -> list[dict[str, Any]]:
    """Rows of a file, each an object with an id that is text."""
    rows = read_json_lines(file, part)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError("must be an object", part=part, row=number, file=file.name)
        name = row.get("_id")
        if isinstance(name, int) and not isinstance(name, bool):
            row["_id"] = str(name)
        elif not isinstance(name, str) or not name.strip():
            raise InputError("missing; give every row an id", part=part, row=number, field="_id", file=file.name)
    return rows


def _nodes(rows: Sequence[Mapping[str, Any]], left: Counter[str]) -> list[dict[str, Any]]:
    known = {row["_id"] for row in rows}
    inked = pl.Series([str(row.get("title") or "") for row in rows], dtype=pl.String).str.contains(VISIBLE)
    nodes = []
    for row, titled in zip(rows, inked, strict=True):
        told = _metadata(row, _NODE, left)
        title = row.get("title")
        if not titled:
            text = row.get("text")
            title = " ".join(text.split())[:_TITLE] if isinstance(text, str) else ""
            title = title or row["_id"]
            left["without a title, called by how their text begins, or by their id"] += 1
        start, stop = (
            read_instant(told[name], name)[0] if name in told else None for name in ("valid_from", "valid_to")
        )
        if start is not None and stop is not None and stop < start:
            del told["valid_from"], told["valid_to"]
            left["valid_to before valid_from, both passed over"] += 1
        after = told.get("superseded_by", [])
        told["superseded_by"] = [name for name in after if name in known and name != row["_id"]]
        if len(told["superseded_by"]) < len(after):
            left["superseded by what is not there, passed over"] += 1
        nodes.append({"kind": "Record"} | told | {"id": row["_id"], "title": title})
    return nodes


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_instant(value: object) -> bool:
    try:
        read_instant(value, "")
    except InputError:
        return False
    return isinstance(value, str)


_Checks = Mapping[str, Callable[[object], bool]]
_NODE: _Checks = {
    "kind": lambda value: value in KINDS,
    "aliases": _is_texts,
    "summary": _is_text,
    "valid_from": _is_instant,
    "valid_to": _is_instant,
    "ended": _is_truth,
    "superseded_by": _is_texts,
    "source": _is_text,
}
_QUERY: _Checks = {
    "lang": _is_text,
    "gold_strict": _is_texts,
    "answerable": _is_truth,
    "written_by": _is_text,
    "as_of": _is_instant,
    "include_retired": _is_truth,
    "tags": _is_texts,
}
NODE_METADATA, QUERY_METADATA = tuple(_NODE), tuple(_QUERY)


def _metadata(row: Mapping[str, Any], checks: _Checks, left: Counter[str]) -> dict[str, Any]:
    """Fields of the metadata that memlab has, in its own form; those in another form are counted."""
    given = row.get("metadata")
    if not isinstance(given, dict):
        return {}
    told = {name: given[name] for name in checks if given.get(name) is not None}
    for name in [name for name, value in told.items() if not checks[name](value)]:
        left[f"{name} in another form than memlab's, passed over"] += 1
        del told[name]
    return told
