"""BEIR folders, in and out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from memlab.errors import InputError, MemlabError
from memlab.exam.files import json_lines, write_whole
from memlab.exam.questions import Exam
from memlab.readers import read_store
from memlab.readers.beir import (
    CORPUS,
    EDGES,
    NODE_METADATA,
    PIECES,
    QRELS,
    QRELS_HEADER,
    QUERIES,
    QUERY_METADATA,
    beir_exam,
)
from memlab.store import Store

_OURS = frozenset({CORPUS, QUERIES, QRELS, EDGES, PIECES})


def write_beir(store: Store, exam: Exam, folder: str | Path) -> Path:
    """Write a store and its exam as a BEIR folder (Thakur et al. 2021, arXiv:2104.08663).

    A node is a document: its title, and as text the pieces that it came from. Aliases, validity and
    an Episode's summary lie in ``metadata``, which nothing matches against. Every gold node has the score
    1 in ``qrels/test.tsv``; an unanswerable question stands in ``queries.jsonl`` alone, and its metadata
    say so. ``edges.jsonl`` and ``pieces.jsonl`` lie beside them, so that :func:`read_beir` returns the
    same store.

    Parameters
    ----------
    store : Store
    exam : Exam
    folder : str or Path
        A new or empty one, or one that holds such files, which are replaced.

    Raises
    ------
    MemlabError
        If the folder holds anything else, or cannot be written.
    """
    target = Path(folder)
    _check(target)
    nodes = store.nodes.join(_texts(store), on="id", how="left", maintain_order="left")
    files = {
        CORPUS: json_lines(_document(row) for row in nodes.iter_rows(named=True)),
        QUERIES: json_lines(_query(row) for row in exam.questions.iter_rows(named=True)),
        EDGES: json_lines(store.edges.iter_rows(named=True)),
        PIECES: json_lines(store.pieces.iter_rows(named=True)),
        f"{QRELS}/test.tsv": _qrels(exam),
    }
    try:
        (target / QRELS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror}); name another folder", file=str(target)) from None
    for name, content in files.items():
        write_whole(target / name, content)
    return target


def read_beir(folder: str | Path, *, split: str | None = None) -> tuple[Store, Exam]:
    """Read a BEIR folder: its corpus as a store, its judged queries as an exam.

    A document becomes a ``Record`` with the document's title unless ``metadata`` names another kind; its
    text becomes a piece. What ``metadata`` says in another form than memlab's is passed over, and the
    notes of store and exam count it. Documents judged 0 are not gold.

    Parameters
    ----------
    folder : str or Path
    split : str, optional
        Which judgements, such as ``dev``; the first of test, dev and train when left out.

    Raises
    ------
    InputError
        Naming file, row and field; `MemlabError` where the folder has no corpus or no judgements.
    """
    path = Path(folder)
    for name in (CORPUS, QUERIES):
        if not (path / name).is_file():
            raise MemlabError(f"{path}: no BEIR folder: it has no {name}")
    rows = beir_exam(path, split)
    if rows is None:
        raise MemlabError(f"{path}: has no judgements, such as {QRELS}/test.tsv")
    store = read_store(path, "beir")
    return store, Exam.from_rows(rows.rows, name=rows.name, notes=rows.notes, file=QUERIES)


def _check(target: Path) -> None:
    if target.exists() and not target.is_dir():
        raise MemlabError(f"{target}: is a file; name a folder")
    strangers = sorted(file.name for file in target.iterdir() if file.name not in _OURS) if target.is_dir() else []
    if strangers:
        raise MemlabError(f"{target}: holds {strangers[0]!r} too; name an empty or a new folder")


def _texts(store: Store) -> pl.DataFrame:
    """What each node came from, as one text: ``id`` · ``text``."""
    return (
        store.edges.filter(pl.col("type") == "FROM")
        .join(store.pieces, left_on="target", right_on="id")
        .sort("source", "document", "position", "target")
        .group_by("source", maintain_order=True)
        .agg(pl.col("text").str.join("\n\n"))
        .rename({"source": "id"})
    )


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"_id": row["id"], "title": row["title"], "text": row["text"] or "", "metadata": _said(row, NODE_METADATA)}


def _query(row: Mapping[str, Any]) -> dict[str, Any]:
    told = _said(row, QUERY_METADATA)
    # An empty list says that nothing is strict gold, which is not the same as having none.
    if row["gold_strict"] == []:
        told["gold_strict"] = []
    return {"_id": row["question_id"], "text": row["question"], "metadata": told | {"answerable": row["answerable"]}}


def _said(row: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Fields that say something, as plain values."""
    return {
        name: row[name].isoformat() if isinstance(row[name], datetime) else row[name]
        for name in fields
        if row[name] not in (None, "", []) and not (name == "ended" and row[name] is False)
    }


def _qrels(exam: Exam) -> str:
    text = io.StringIO(newline="")
    # The dialect in which the benchmark's own loader reads.
    writer = csv.writer(text, delimiter="\t", lineterminator="\r\n")
    writer.writerow(QRELS_HEADER)
    writer.writerows((query, node, 1) for query, node in _gold(exam))
    return text.getvalue()


def _gold(exam: Exam) -> Iterator[tuple[str, str]]:
    for query, gold in exam.questions.select("question_id", "gold").iter_rows():
        for node in gold:
            yield query, node
