"""A folder of results that is written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from memlab.errors import MemlabError

_TRIES: Final = 5


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
    check(target, marker)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise MemlabError(f"{target}: cannot be written: {error.strerror or error}") from None
    try:
        # mkdtemp closes its folder to everybody else; a report is for showing.
        made.chmod(0o777 & ~_umask())
        write(made)
        _put(made, target)
    except OSError as error:
        raise MemlabError(f"{target}: cannot be written: {error.strerror or error}; nothing was changed") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def check(target: Path, marker: str) -> None:
    """Refuse a folder that holds anything but what an earlier call wrote.

    Raises
    ------
    MemlabError
        If something else is there.
    """
    try:
        if target.exists() and not target.is_dir():
            raise MemlabError(f"{target}: is a file; name a folder")
        if target.is_dir() and any(target.iterdir()) and not (target / marker).exists():
            raise MemlabError(f"{target}: holds other files; name a new or an empty folder, so that nothing is lost")
    except OSError as error:
        raise MemlabError(f"{target}: cannot be read: {error.strerror or error}") from None


def _put(made: Path, target: Path) -> None:
    """Put a folder in the place of another; where that fails, the other is there as before."""
    # A link stays, and what it leads to is replaced.
    place = target.resolve() if target.is_symlink() else target
    for number in range(_TRIES):
        old = made.with_name(f"{made.name}-{number}")
        with suppress(FileNotFoundError):
            place.replace(old)
        try:
            made.replace(place)
        except OSError as error:
            if old.exists() and not place.exists():
                old.replace(place)
            # Another process put its own there in between; the later one stays.
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or number == _TRIES - 1:
                raise
        else:
            return
        finally:
            if place.exists():
                shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
