"""From a source to a store on disk: what ``memlab build`` does."""

from __future__ import annotations

from pathlib import Path

from memlab.lab import Lab, Progress


def build_store(
    source: str | Path,
    target: str | Path,
    *,
    reader: str = "auto",
    encoder: str = "embedded",
    progress: Progress | None = None,
) -> Lab:
    """Turn a source into a store with its indexes: what ``memlab build`` does.

    Parameters
    ----------
    source : str or Path
        A file or folder that one of the readers knows.
    target : str or Path
        Folder of the store; an older store there is replaced whole, or not at all.
    reader : str
        Name of a reader, or ``auto``.
    encoder : str
        Name of an encoder.

    Raises
    ------
    MemlabError
        If the source cannot be read; nothing has been written then.
    """
    from memlab.readers import read_store

    store = read_store(Path(source), reader, progress)
    return Lab.of(store, encoder=encoder, progress=progress).save(target)
