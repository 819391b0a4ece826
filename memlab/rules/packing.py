"""Sorting by several columns of numbers at once, packed into one integer a row."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

# Widest range of values that is numbered through a table of it.
_TABLE = 1 << 21


def sorted_by(frame: pl.DataFrame, keys: list[str], falls: list[bool]) -> pl.DataFrame:
    """Sort by several columns of numbers, packed into one integer where they fit."""
    packed, used = np.zeros(frame.height, dtype=np.int64), 0
    if not frame.height:
        return frame
    for key, fall in zip(reversed(keys), reversed(falls), strict=True):
        # Fused ranks are rounded to nine decimals, so this loses nothing.
        column = (frame[key] * 1e9).round() if frame[key].dtype == pl.Float64 else frame[key]
        codes, most = _dense(column.cast(pl.Int64).to_numpy())
        packed |= (most - codes if fall else codes) << used
        used += int(most).bit_length()
        if used > 62:
            return frame.sort(keys, descending=falls)
    return frame[np.argsort(packed)]


def _dense(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Number the values that occur from 0 in their order; also returns the highest number."""
    low, high = int(values.min()), int(values.max())
    if high - low > _TABLE:
        there, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64), len(there) - 1
    there = np.zeros(high - low + 1, dtype=np.bool_)
    there[values - low] = True
    numbers = np.cumsum(there) - 1
    return numbers[values - low], int(numbers[-1])
