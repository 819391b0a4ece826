"""Sorting by several columns of numbers at once, packed into one integer a row."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

# Widest range of values that is numbered through a table of it.
_TABLE = 1 << 21
_BITS = 62


def sorted_by(frame: pl.DataFrame, keys: list[str], falls: list[bool]) -> pl.DataFrame:
    """Sort by several columns of numbers, packed into one integer where they fit."""
    if not frame.height:
        return frame
    columns = {key: _from_zero(frame[key]) for key in keys}
    if _width(columns) > _BITS:
        columns = {key: _dense(values) for key, values in columns.items()}
    if _width(columns) > _BITS:
        return frame.sort(keys, descending=falls)
    packed, used = np.zeros(frame.height, dtype=np.int64), 0
    for key, fall in zip(reversed(keys), reversed(falls), strict=True):
        codes, most = columns[key], int(columns[key].max())
        packed |= (most - codes if fall else codes) << used
        used += most.bit_length()
    return frame[np.argsort(packed)]


def _width(columns: dict[str, NDArray[np.int64]]) -> int:
    return sum(int(codes.max()).bit_length() for codes in columns.values())


def _from_zero(column: pl.Series) -> NDArray[np.int64]:
    """Number the values so that they begin at 0 and keep their order, without gaps where that is quick."""
    # Fused ranks are rounded to nine decimals, so this loses nothing.
    whole = (column * 1e9).round() if column.dtype == pl.Float64 else column
    values: NDArray[np.int64] = whole.cast(pl.Int64).to_numpy()
    values = values - int(values.min())
    most = int(values.max())
    if most > _TABLE:
        return values
    there = np.zeros(most + 1, dtype=np.bool_)
    there[values] = True
    numbers: NDArray[np.int64] = np.cumsum(there) - 1
    return numbers[values]


def _dense(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the values that occur without gaps."""
    if int(values.max()) <= _TABLE:
        return values
    codes: NDArray[np.int64] = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes
