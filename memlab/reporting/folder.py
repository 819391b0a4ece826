"""A folder of results that is written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from memlab.errors import MemlabError


def replace_folder(target: Path, marker: str, write: Callable[[Path], None]) -> None:
    """Write a folder beside its place, and put it there when it is whole.

    Parameters
    ----------
    target : Path
        Where it belongs. What an earlier call wrote there is replaced; anything else is left alone.
    marker : str
        Name of the file by which such a folder is known.
    write : callable
        Fills the folder that it is given.

    Raises
    ------
    MemlabError
        If something else is there, or the folder cannot be written.
    """
    if target.exists() and not target.is_dir():
        raise MemlabError(f"{target}: is a file; name a folder")
    if target.is_dir() and any(target.iterdir()) and not (target / marker).exists():
        raise MemlabError(f"{target}: holds other files; name a new or an empty folder, so that nothing is lost")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise MemlabError(f"{target}: cannot be written: {error.strerror or error}") from None
    try:
        # mkdtemp closes its folder to everybody else; a report is for showing.
        made.chmod(0o777 & ~_umask())
        write(made)
        old = made.with_name(f"{made.name}-old")
        if target.exists():
            target.replace(old)
        made.replace(target)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
