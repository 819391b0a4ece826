"""Decisions as files: parquet for programs, CSV for eyes and spreadsheets."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl

from memlab.errors import InputError
from memlab.exam.files import read_rows, write_rows
from memlab.exam.grade import Outcomes
from memlab.exam.measures import OUTCOME
from memlab.exam.questions import EXAM_SCHEMA
from memlab.rules.reasons import REASON, STATE
from memlab.store import INSTANT, parse_instant
from memlab.store.columns import kind_of

_TEXTS = pl.List(pl.String)
# Columns of decisions, and those that grading adds, with their types.
_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    **EXAM_SCHEMA,
    "state": STATE,
    "node_id": pl.String,
    "candidates": _TEXTS,
    "reason": REASON,
    "reasons": pl.List(REASON),
    "gap": pl.Float64,
    "similarity": pl.Float64,
    "hidden": _TEXTS,
    "rivals": _TEXTS,
    "first": pl.String,
    "pool": _TEXTS,
    "leftover": pl.UInt32,
    "off_subject": pl.Boolean,
    "in_pool": pl.Boolean,
    "first_right": pl.Boolean,
    "choose_has_gold": pl.Boolean,
    "outcome": OUTCOME,
    "unanswerable": pl.String,
    "gold_kind": pl.String,
    "pair": pl.String,
    "crosses": pl.Boolean,
}
_DECIDED = frozenset(
    ("question_id", "state", "node_id", "candidates", "reason", "reasons", "gap", "similarity", "hidden", "rivals",
     "first", "pool", "leftover", "off_subject")
)  # fmt: skip
_NEEDED = ("question_id", "state", "pool")
_MAY_BE_NULL = ("gold_strict",)
# In CSV an empty text is an empty cell; these are never without a value.
_TEXT = ("question", "lang")


def write_decisions(decisions: pl.DataFrame | Outcomes, path: str | Path) -> Path:
    """Write decisions, graded or not, one row a question.

    Parameters
    ----------
    decisions : polars.DataFrame or Outcomes
        What ``decide`` or ``grade`` returned.
    path : str or Path
        Ends in ``.parquet``, ``.csv`` (lists are joined, as in ``a|b``) or ``.jsonl``. Replaced whole, or
        not at all.

    Raises
    ------
    InputError
        If it is no such frame, the ending is another, or the file cannot be written.
    """
    frame = decisions.rows if isinstance(decisions, Outcomes) else decisions
    if not isinstance(frame, pl.DataFrame) or not set(_NEEDED) <= set(frame.columns):
        raise InputError("give what memlab.decide or memlab.grade returned", field="decisions")
    return write_rows(frame, Path(path))


def read_decisions(path: str | Path) -> pl.DataFrame:
    """Read what :func:`write_decisions` wrote; the frame is equal to the one written.

    Raises
    ------
    InputError
        Naming file, row and field; or the column that is missing.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError("there is no such file; name a file of decisions", file=str(path))
    rows = read_rows(file, "decisions")
    named = dict.fromkeys(name for row in rows for name in row)
    for name in _NEEDED:
        if name not in named:
            raise InputError("no such column; name a file of decisions", part="decisions", field=name, file=file.name)
    # A column without any value leaves no trace in the rows; whether there is an outcome tells which there were.
    known = [name for name in _SCHEMA if "outcome" in named or name in named or name in _DECIDED]
    columns = [_column(name, [row.get(name) for row in rows], file.name) for name in known]
    own = [pl.Series(name, [row.get(name) for row in rows], strict=False) for name in named if name not in _SCHEMA]
    return pl.DataFrame([*columns, *own])


def _column(name: str, values: list[object], file: str) -> pl.Series:
    """Give a column its type."""
    dtype = _SCHEMA[name]
    try:
        if dtype == INSTANT:
            made = pl.Series(name, [parse_instant(_instant(value), name) for value in values], dtype=INSTANT)
        elif isinstance(dtype, pl.List):
            held = values if name in _MAY_BE_NULL else [[] if value is None else value for value in values]
            made = pl.Series(name, held, dtype=_TEXTS).cast(dtype)
        elif dtype == pl.Boolean:
            made = pl.Series(name, values, dtype=pl.Boolean)
        else:
            nothing = "" if name in _TEXT else None
            told = [nothing if value is None else str(value) for value in values]
            made = pl.Series(name, told, dtype=pl.String).cast(dtype)
    except (pl.exceptions.PolarsError, TypeError, InputError):
        if len(values) == 1:
            raise InputError(
                f"{kind_of(values[0])}, which stands in no decision", part="decisions", row=1, field=name, file=file
            ) from None
    else:
        return made
    # The column as a whole does not fit; the first row that does not fit alone is at fault.
    for row, value in enumerate(values, 1):
        try:
            _column(name, [value], file)
        except InputError as error:
            raise InputError(error.problem, part="decisions", row=row, field=name, file=file) from None
    raise InputError("mixes values of several types", part="decisions", field=name, file=file)


def _instant(value: object) -> str | datetime | None:
    if value is None or isinstance(value, str | datetime):
        return value
    raise InputError("no instant")
