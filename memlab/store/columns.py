"""Loose columns: whatever a file or a person hands over, checked and given a type.

Every function here takes one field of one part and either returns a typed series, one value a
row, or raises an `InputError` that names the first bad row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

import polars as pl

from memlab.errors import InputError, MemlabError
from memlab.store.frames import INSTANT
from memlab.store.time import read_instant

VISIBLE = r"[^\s\p{Cc}\p{Cf}\p{Z}\p{M}\x{115F}\x{1160}\x{2800}\x{3164}\x{FFA0}]"
"""One character that leaves ink: neither space, control, zero width nor a lone mark."""

_HALF = "holds half a surrogate pair, which is no character; remove it"

# Midnight of 0001-01-01 and of 10000-01-01 less one, in days and in each unit, from 1970.
_DAYS = (-719_162, 2_932_896)
_REACH = {"d": _DAYS} | {
    unit: (_DAYS[0] * 86_400 * per, (_DAYS[1] + 1) * 86_400 * per - 1)
    for unit, per in {"ms": 10**3, "us": 10**6, "ns": 10**9}.items()
}

Rows: TypeAlias = pl.DataFrame | Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class Loose:
    """One part of the input as it came: columns of anything, all of one height."""

    part: str
    height: int
    columns: Mapping[str, Sequence[object] | pl.Series]
    unknown: tuple[str, ...]

    def values(self, field: str) -> Sequence[object] | pl.Series:
        """Values of a field, None where a row does not have it."""
        return self.columns.get(field, [None] * self.height)

    def fail(self, bad: pl.Series, field: str, problem: str | Callable[[int], str]) -> None:
        """Raise an `InputError` for the first row where `bad` is true; do nothing if none is."""
        rows = bad.arg_true()
        if rows.is_empty():
            return
        at = int(rows[0])
        text = problem if isinstance(problem, str) else problem(at)
        more = len(rows) - 1
        if more:
            text += f" (and {more} more row{'s' if more > 1 else ''})"
        raise InputError(text, part=self.part, row=at + 1, field=field)


def loosen(part: str, rows: Rows | None, known: Iterable[str]) -> Loose:
    """Take rows apart into columns.

    Raises
    ------
    InputError
        Where a row is not an object; `MemlabError` where `rows` is no table at all.
    """
    known = tuple(known)
    if rows is None:
        rows = []
    if isinstance(rows, pl.DataFrame):
        unknown = tuple(name for name in rows.columns if name not in known)
        return Loose(part, rows.height, {n: rows[n] for n in rows.columns if n in known}, unknown)
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Sequence):
        raise MemlabError(f"{part}: give a polars DataFrame or a list of dicts, not {kind_of(rows)}")
    strange: dict[str, None] = {}
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"{kind_of(row)} is not an object with fields", part=part, row=at + 1)
        strange.update((_printable(name), None) for name in row if name not in known)
    present = [name for name in known if any(name in row for row in rows)]
    columns = {name: [row.get(name) for row in rows] for name in present}
    return Loose(part, len(rows), columns, tuple(strange))


def texts(loose: Loose, field: str, missing: str | None = None) -> pl.Series:
    """Return a column of text.

    Parameters
    ----------
    loose, field
        The part and the field.
    missing
        What to say where a value is absent or blank; None allows both.

    Returns
    -------
    Series
        String, null where absent.
    """
    values = loose.values(field)
    if isinstance(values, pl.Series) and isinstance(values.dtype, pl.String | pl.Categorical | pl.Enum):
        result = values.cast(pl.String).alias(field)
    else:
        held = list(values)
        wrong = pl.Series([not (v is None or isinstance(v, str)) for v in held], dtype=pl.Boolean)
        loose.fail(wrong, field, lambda at: f"{kind_of(held[at])}, not text; write it in quotes")
        result = _text_series(loose, field, [str(v) if isinstance(v, str) else None for v in held])
    loose.fail(_has_nul(result), field, "holds a NUL character; remove it")
    if missing is not None:
        loose.fail(result.is_null(), field, f"missing; {missing}")
        loose.fail(~result.str.contains(VISIBLE), field, f"blank; {missing}")
    return result


def text_lists(loose: Loose, field: str, *, single: bool = False) -> pl.Series:
    """Return a column of lists of text.

    Parameters
    ----------
    loose, field
        The part and the field.
    single
        Whether a bare text may stand for a list of one.

    Returns
    -------
    Series
        List of String, empty where absent.
    """
    if field not in loose.columns:
        return _lists_of(field, [], [], loose.height)
    values = loose.values(field)
    if isinstance(values, pl.Series) and values.dtype == pl.List(pl.String):
        nothing = values.list.eval(pl.element().is_null()).list.any().fill_null(False)
        loose.fail(nothing, field, "in the list, nothing stands for a text; write a list of texts")
        lists = pl.select(pl.when(values.is_null()).then(pl.lit([], values.dtype)).otherwise(values)).to_series()
    else:
        lists = _checked_lists(loose, field, values, single=single)
    with_nul = lists.list.eval(pl.element().str.contains("\x00", literal=True)).list.any()
    loose.fail(with_nul.fill_null(False), field, "holds a NUL character; remove it")
    return lists.alias(field)


def _checked_lists(loose: Loose, field: str, values: Sequence[object] | pl.Series, *, single: bool) -> pl.Series:
    rows: list[int] = []
    items: list[str] = []
    for at, held in enumerate(values.to_list() if isinstance(values, pl.Series) else values):
        if held is None:
            continue
        value = [held] if single and isinstance(held, str) else held
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            problem = f"{_list_fault(value)}; write a list of texts"
            raise InputError(problem, part=loose.part, row=at + 1, field=field)
        rows.extend([at] * len(value))
        items.extend(map(str, value))
    try:
        return _lists_of(field, rows, items, loose.height)
    except UnicodeEncodeError:
        at = next(row for row, item in zip(rows, items, strict=True) if not _encodes(item))
        raise InputError(_HALF, part=loose.part, row=at + 1, field=field) from None


def _lists_of(field: str, rows: list[int], items: list[str], height: int) -> pl.Series:
    """Make a column of lists out of flat items: far faster than handing polars a list of lists."""
    flat = pl.DataFrame({"row": rows, field: items}, schema={"row": pl.UInt32, field: pl.String})
    grouped = flat.group_by("row", maintain_order=True).agg(field)
    every = pl.DataFrame({"row": pl.int_range(height, dtype=pl.UInt32, eager=True)})
    lists = every.join(grouped, on="row", how="left", maintain_order="left")[field]
    return lists.fill_null(pl.Series([[]], dtype=pl.List(pl.String))) if lists.null_count() else lists


def booleans(loose: Loose, field: str) -> pl.Series:
    """Return a column of true and false, false where absent."""
    values = list(loose.values(field))
    wrong = pl.Series([not (v is None or isinstance(v, bool)) for v in values], dtype=pl.Boolean)
    loose.fail(wrong, field, lambda at: f"{kind_of(values[at])}; write true or false")
    return pl.Series(field, [v is True for v in values], dtype=pl.Boolean)


def positions(loose: Loose, field: str) -> pl.Series:
    """Return a column of whole numbers from 0, 0 where absent."""
    values = list(loose.values(field))
    wrong = pl.Series([v is not None and not _is_position(v) for v in values], dtype=pl.Boolean)
    loose.fail(wrong, field, lambda at: f"{kind_of(values[at])}; write a whole number from 0")
    return pl.Series(field, [0 if v is None else v for v in values], dtype=pl.UInt32)


def instants(loose: Loose, field: str) -> tuple[pl.Series, pl.Series]:
    """Return a column of instants, and which of them came without a zone.

    Returns
    -------
    tuple of Series
        Datetime in UTC, null where absent or blank; Boolean.
    """
    values = loose.values(field)
    if isinstance(values, pl.Series) and isinstance(values.dtype, pl.Date | pl.Datetime):
        return _typed_instants(loose, field, values, values.dtype)
    seen: dict[str, tuple[datetime | None, bool]] = {"": (None, False)}
    read: list[tuple[datetime | None, bool]] = []
    for at, value in enumerate(values):
        try:
            if value is None:
                read.append((None, False))
            elif isinstance(value, str):
                key = value.strip()
                if key not in seen:
                    seen[key] = read_instant(value, field)
                read.append(seen[key])
            else:
                read.append(read_instant(value, field))
        except InputError as error:
            raise InputError(error.problem, part=loose.part, row=at + 1, field=field) from None
    return (
        pl.Series(field, [instant for instant, _ in read], dtype=INSTANT),
        pl.Series([naive for _, naive in read], dtype=pl.Boolean),
    )


def _typed_instants(
    loose: Loose, field: str, values: pl.Series, dtype: pl.Date | pl.Datetime
) -> tuple[pl.Series, pl.Series]:
    # By number, not by year: farther out than a calendar reaches, polars cannot say which year it is.
    lowest, highest = _REACH[dtype.time_unit if isinstance(dtype, pl.Datetime) else "d"]
    outside = ~values.to_physical().is_between(lowest, highest).fill_null(True)
    loose.fail(outside, field, "lies outside the years 1 to 9999")
    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    naive = values.is_not_null() if isinstance(dtype, pl.Datetime) and zone is None else values.is_null() & False
    fine = values.cast(pl.Datetime("us", zone)).alias(field)
    return fine.dt.convert_time_zone("UTC") if zone else fine.dt.replace_time_zone("UTC"), naive


def kind_of(value: object) -> str:
    """Name a value in a message: what it is and how it begins."""
    if value is None:
        return "nothing"
    names: dict[type[Any], str] = {bool: "a truth value", int: "a number", float: "a number", str: "text"}
    names |= {dict: "an object", list: "a list", date: "a date", datetime: "an instant", bytes: "bytes"}
    try:
        text = repr(value)
    except Exception:  # a hostile or huge value must not hide the message
        text = "…"
    text = text if len(text) <= 40 else text[:39] + "…"
    return f"{text.encode('utf-8', 'backslashreplace').decode()} is {names.get(type(value), type(value).__name__)}"


def _printable(name: object) -> str:
    """Name of a column that can be printed and stored, whatever it is made of."""
    text = str(name)
    return text if text.isprintable() else repr(text)


def _is_position(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**32


def _list_fault(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"in the list, {kind_of(next(v for v in value if not isinstance(v, str)))}"
    return kind_of(value)


def _text_series(loose: Loose, field: str, values: Sequence[str | None]) -> pl.Series:
    """Make a String series, refusing text that no encoding can hold."""
    try:
        "".join(v for v in values if v is not None).encode()
    except UnicodeEncodeError:
        broken = pl.Series([v is not None and not _encodes(v) for v in values], dtype=pl.Boolean)
        loose.fail(broken, field, _HALF)
    return pl.Series(field, values, dtype=pl.String)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _has_nul(values: pl.Series) -> pl.Series:
    return values.str.contains("\x00", literal=True).fill_null(False)
