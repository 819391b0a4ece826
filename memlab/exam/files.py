"""Files of rows: exams and decisions in and out, each written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from memlab.errors import InputError
from memlab.readers.tables import read_json_lines, read_table

_ENDINGS = (".jsonl", ".csv", ".parquet")


def read_rows(file: Path, part: str = "exam") -> list[dict[str, Any]]:
    """Read rows of JSON lines, a list in JSON, CSV or parquet; another ending is read as JSON lines.

    Parameters
    ----------
    file : Path
    part : str
        What to call the rows in messages; it also says which fields of a CSV are lists.

    Raises
    ------
    InputError
        Naming file, row (from 1) and field; or if there are no rows.
    """
    ending = file.suffix.lower()
    if ending in (".csv", ".parquet") or (ending == ".json" and _begins_a_list(file)):
        found = read_table(file, part)
        rows = found.to_dicts() if isinstance(found, pl.DataFrame) else found
    else:
        rows = read_json_lines(file, part)
    if not rows:
        raise InputError("holds no questions" if part == "exam" else "holds no rows", file=file.name)
    return rows


def _begins_a_list(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    except OSError:
        return False


def check_ending(path: Path) -> str:
    """Return the ending of a file that can be written.

    Raises
    ------
    InputError
        If it is another.
    """
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(f"cannot be written; end the name in one of {', '.join(_ENDINGS)}", file=path.name)
    return ending


def write_rows(frame: pl.DataFrame, path: Path) -> Path:
    """Write rows as JSON lines, CSV or parquet, by the ending of the file.

    Raises
    ------
    InputError
        If the ending is another, or the file cannot be written.
    """
    ending = check_ending(path)
    if ending == ".parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return write_whole(path, buffer.getvalue())
    if ending == ".jsonl":
        return write_whole(path, json_lines(frame.iter_rows(named=True)))
    return write_whole(path, _csv(frame))


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as JSON lines; what a row does not say is left out of its line."""
    return "".join(
        json.dumps({name: _plain(value) for name, value in row.items() if value is not None}, ensure_ascii=False) + "\n"
        for row in rows
    )


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _csv(frame: pl.DataFrame) -> str:
    text = io.StringIO(newline="")
    # Rows end in CR LF, so that the writer quotes a text with either of them in it.
    writer = csv.writer(text)
    writer.writerow(frame.columns)
    for row in frame.iter_rows(named=True):
        writer.writerow([_cell(name, value) for name, value in row.items()])
    return text.getvalue()


def _cell(name: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        # Only of these two does an empty list say something else than an empty cell.
        return list_cell(value) if value or name != "gold_strict" else "[]"
    return value.isoformat() if isinstance(value, datetime) else str(value)


def list_cell(items: Sequence[str]) -> str:
    """Return a list of texts as one cell: ``a|b`` where that can be read back, JSON otherwise."""
    plain = all(item and "|" not in item and item == item.strip() for item in items)
    if plain and not (items and items[0].startswith("[")):
        return "|".join(items)
    return json.dumps(list(items), ensure_ascii=False)


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file whole, or leave what was there.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    held = content.encode() if isinstance(content, str) else content
    # A link stays, and what it leads to is replaced.
    place = path.resolve() if path.is_symlink() else path
    draft = place.parent / f".{place.name}.{os.getpid()}.part"
    try:
        if place.exists() and not place.is_file():
            # A device or a pipe is written to and not replaced; a folder is refused.
            place.write_bytes(held)
            return path
        try:
            draft.write_bytes(held)
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"cannot be written ({reason}); name a file in a folder that is there", file=str(path)
        ) from None
    return path
