"""Paths that people type into a field."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from memlab.errors import InputError
from memlab.plain import nameable


def typed_path(text: str, field: str, empty: str) -> Path:
    """Return the path that was typed, ``~`` as the home folder.

    Parameters
    ----------
    text : str
        As it stands in the field.
    field : str
        What the field is called.
    empty : str
        What to do where nothing was typed.

    Raises
    ------
    InputError
        If nothing was typed, or it can be no path.
    """
    typed = text.strip()
    if not typed:
        raise InputError(empty, field=field)
    path = nameable(typed, field)
    try:
        path = path.expanduser()
        os.lstat(path)
    except RuntimeError:
        raise InputError(f"{typed!r} has no home folder here; write the folder out", field=field) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise InputError("is too long for a name of a file", field=field) from None
    return path
