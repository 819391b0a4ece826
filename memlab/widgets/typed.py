"""Fields that people type paths into, and what they typed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import ipywidgets

from memlab.errors import InputError
from memlab.plain import nameable


def typed_field(value: str, name: str) -> ipywidgets.Text:
    """Return a field whose text goes to the kernel once, when it is left.

    Letter by letter, the last would wait in the page until the kernel has heard the one before, and a button that is
    pressed meanwhile would overtake it: the file would get a name cut short.
    """
    return ipywidgets.Text(value=value, description=name, continuous_update=False, layout={"width": "auto"})


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
