"""What a chart function was handed: the right thing, or an error that says what to give."""

from __future__ import annotations

from typing import Any, TypeVar

import polars as pl

from memlab.errors import InputError

T = TypeVar("T")


def given(value: Any, kind: type[T], field: str, how: str) -> T:
    """Return a value of the kind wanted.

    Parameters
    ----------
    value : object
    kind : type
    field : str
        Name of the argument.
    how : str
        How to come by one, such as ``what lab.explain(question) returns``.

    Raises
    ------
    InputError
        Naming the argument, what to give and what was given.
    """
    if isinstance(value, kind):
        return value
    raise InputError(f"give {how}, not {_named(value)}", field=field)


def frame_with(value: Any, columns: tuple[str, ...], field: str, how: str) -> pl.DataFrame:
    """Return a frame that has the columns that are drawn.

    Raises
    ------
    InputError
        If it is no polars frame, or a column is missing.
    """
    frame = given(value, pl.DataFrame, field, how)
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise InputError(f"has no column {', '.join(missing)}; give {how}", field=field)
    return frame


def _named(value: object) -> str:
    if value is None:
        return "nothing"
    name = type(value).__name__
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
