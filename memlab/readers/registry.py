"""The readers by name, and the one door through which a source becomes a store."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import polars as pl

from memlab.errors import MemlabError
from memlab.readers.base import ExamRows, Progress, Reader
from memlab.readers.beir import Beir
from memlab.readers.locomo import Locomo
from memlab.readers.mentions import find_mentions
from memlab.readers.peps import Peps
from memlab.readers.tables import Tables
from memlab.store import EDGE_SCHEMA, Store

GROUP = "memlab.readers"


@cache
def registry() -> dict[str, Reader]:
    """Readers by name, in the order in which they are tried.

    Returns
    -------
    dict
        The built-in readers that know their source well, those of other packages (entry point
        group ``memlab.readers``), and ``tables``, which takes any table. A name that is taken
        stays with its first reader.
    """
    found: dict[str, Reader] = {}
    readers: list[Reader] = [Locomo(), Peps(), Beir(), *_third_party(), Tables()]
    for reader in readers:
        found.setdefault(reader.name, reader)
    return found


def _third_party() -> list[Reader]:
    """Readers of other packages; one that cannot be loaded is left out with a warning."""
    readers: list[Reader] = []
    for entry in entry_points(group=GROUP):
        try:
            loaded = entry.load()
            reader = loaded() if isinstance(loaded, type) else loaded
        except Exception as error:  # another package's fault must not take memlab down
            warnings.warn(f"reader {entry.value} cannot be loaded: {error}", UserWarning, stacklevel=2)
            continue
        if isinstance(reader, Reader):
            readers.append(reader)
        else:
            warnings.warn(f"{entry.value} is no reader: it needs name, detect, read", stacklevel=2)
    return readers


def read_store(path: str | Path, reader: str = "auto", progress: Progress | None = None) -> Store:
    """Read a source into a store, with the nodes that its pieces name (MENTIONS).

    Parameters
    ----------
    path
        A file or a folder.
    reader
        Name of a reader, or ``auto``: the first that knows the source.
    progress
        Called with a stage, how much of it is done, and how much there is.

    Raises
    ------
    InputError
        Naming file, part, row and field; `MemlabError` where no reader knows the source.
    """
    path = Path(path)
    chosen = _choose(path, reader)
    store = chosen.read(path, progress)
    if getattr(chosen, "finds_mentions", False):
        return store
    found = find_mentions(store.nodes, store.pieces, progress)
    edges = found.select("source", pl.lit("MENTIONS").alias("type"), "target")
    new = edges.join(store.edges, on=list(EDGE_SCHEMA), how="anti")
    return store.with_edges(new, [f"mentions: {new.height} found in the pieces by titles and aliases"])


def read_exam(path: str | Path, reader: str = "auto") -> ExamRows | None:
    """Read the exam that a source holds, or return None where it holds none."""
    path = Path(path)
    try:
        chosen = _choose(path, reader)
    except MemlabError:
        if reader != "auto" or not path.exists():
            raise
        return None
    exam = getattr(chosen, "exam", None)
    if exam is None:
        return None
    rows = exam(path)
    if rows is not None and not isinstance(rows, ExamRows):
        raise MemlabError(f"reader {chosen.name}: exam() must return ExamRows or None")
    return rows


def _choose(path: Path, reader: str) -> Reader:
    readers = registry()
    if reader != "auto" and reader not in readers:
        raise MemlabError(f"reader {reader!r} is unknown; use auto or one of {', '.join(readers)}")
    if not path.exists():
        raise MemlabError(f"{path}: no such file or folder")
    if not path.is_file() and not path.is_dir():
        # A pipe would be waited for, and cannot be read twice.
        raise MemlabError(f"{path}: is neither a file nor a folder; save what it gives into a file")
    if reader != "auto":
        return readers[reader]
    for candidate in readers.values():
        if candidate.detect(path):
            return candidate
    raise MemlabError(
        f"{path}: no reader knows this source (tried {', '.join(readers)}); "
        "give a folder with nodes.jsonl, a folder of pep-NNNN.rst, a BEIR folder, or a LoCoMo .json"
    )
