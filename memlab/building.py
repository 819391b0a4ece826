"""From a source to a store on disk: what ``memlab build`` does."""

from __future__ import annotations

from pathlib import Path

from memlab.errors import MemlabError
from memlab.lab import Lab, Progress
from memlab.store.manifest import MANIFEST, read_manifest


def build_store(
    source: str | Path,
    target: str | Path,
    *,
    reader: str = "auto",
    encoder: str = "embedded",
    force: bool = False,
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
    force : bool
        Let a source without nodes replace a store that has some.

    Raises
    ------
    MemlabError
        If the source cannot be read, or would empty a store; nothing has been written then.
    """
    from memlab.readers import read_store

    store = read_store(Path(source), reader, progress)
    if not store.nodes.height and not force:
        _keep_what_is_there(source, Path(target))
    return Lab.of(store, encoder=encoder, progress=progress).save(target)


def _keep_what_is_there(source: str | Path, target: Path) -> None:
    """Refuse to replace a store that has nodes by one that has none: more often a slip than a wish."""
    if not (target / MANIFEST).is_file():
        return
    held = read_manifest(target)["counts"].get("nodes", 0)
    if held:
        raise MemlabError(
            f"{source}: has no nodes, and {target} has {held}; look at the source, or empty the store with --force"
            " (force=True)"
        )
