"""The sample store: the memory of the Python language, and its exam."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memlab.building import build_store
from memlab.errors import MemlabError
from memlab.store import Store
from memlab.store.manifest import MANIFEST

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
    """Path of the sample store, built on first use and whenever its data or memlab has changed.

    Parameters
    ----------
    path : str or Path, optional
        Where it lives; a folder in memlab's cache when left out.
    progress : callable ``(what, done, total)``, optional
    """
    from memlab.encoders import cache_folder
    from memlab.exam.files import write_whole

    target = Path(path) if path is not None else cache_folder() / "python-memory.store"
    source = sample_source()
    # Reading the source anew, to compare, would take longer than everything else in a first notebook.
    place = hashlib.sha256(str(target.resolve()).encode()).hexdigest()[:16]
    note = cache_folder() / f"python-memory-{place}.made"
    told = _made_of(target, source)
    if told is None or not note.is_file() or note.read_text(encoding="utf-8") != told:
        build_store(source, target, progress=progress)
        # A cache that cannot be written to costs time and nothing else.
        with suppress(OSError, MemlabError):
            note.parent.mkdir(parents=True, exist_ok=True)
            write_whole(note, str(_made_of(target, source)))
    return target


def _made_of(target: Path, source: Path) -> str | None:
    """Name the store at a path, the data and the code of memlab by their content; None where no store is."""
    try:
        Store.open(target)
    except MemlabError:
        return None
    files = [target / MANIFEST, *sorted(source.glob("*.jsonl")), *sorted(_HERE.rglob("*.py"))]
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
