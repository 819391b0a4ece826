"""The sample store: the memory of the Python language, and its exam."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memlab.building import build_store
from memlab.errors import MemlabError
from memlab.store import Store

_HERE = Path(__file__).resolve().parent


def sample_source() -> Path:
    """Folder of the sample's tables."""
    for folder in (_HERE / "data" / "python-memory", _HERE.parent / "data" / "python-memory"):
        if (folder / "nodes.jsonl").is_file():
            return folder
    raise MemlabError("the sample data is not here; install memlab again")


def sample_exam() -> Path:
    """Path of the sample's exam. The authors of the rules wrote it."""
    return sample_source() / "exam.jsonl"


def sample_store(path: str | Path | None = None, progress: Callable[[str, int, int], None] | None = None) -> Path:
    """Path of the sample store, built on first use and whenever the data has changed.

    Parameters
    ----------
    path : str or Path, optional
        Where it lives; a folder in memlab's cache when left out.
    progress : callable ``(what, done, total)``, optional
    """
    from memlab.encoders import cache_folder
    from memlab.readers import read_store

    target = Path(path) if path is not None else cache_folder() / "python-memory.store"
    source = sample_source()
    try:
        saved = Store.open(target)
    except MemlabError:
        saved = None
    if saved is None or saved.checksum != read_store(source).checksum or not saved.manifest.get("indexes"):
        build_store(source, target, progress=progress)
    return target
