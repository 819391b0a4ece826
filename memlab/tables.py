"""Tables from elsewhere: whatever holds rows becomes a polars frame or a list of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import polars as pl

from memlab.errors import InputError

Table: TypeAlias = Any
"""A polars frame, a list of objects, or anything polars makes a frame of (pandas, Arrow, DuckDB)."""


def table(part: str, rows: Table) -> pl.DataFrame | list[Mapping[str, object]]:
    """Take rows from a polars frame, a list of objects, or another library's frame.

    Parameters
    ----------
    part : str
        What to call it in messages.
    rows : polars or pandas frame, Arrow table, or list of dicts

    Raises
    ------
    InputError
        If it holds no rows.
    """
    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, pl.LazyFrame):
        return rows.collect()
    if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
        return list(rows)
    if hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "columns"):
        try:
            return pl.DataFrame(rows)
        except Exception as error:  # what a foreign frame raises depends on its library
            first = next(iter(str(error).splitlines()), type(error).__name__)
            raise InputError(f"cannot be read as a frame ({first}); hand over a polars frame", part=part) from None
    raise InputError(f"give a frame or a list of objects, not {type(rows).__name__}", part=part)
