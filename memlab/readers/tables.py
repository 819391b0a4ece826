"""Tables: nodes, edges and pieces as JSON lines, JSON, CSV or parquet; exams and decisions too."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from memlab.errors import InputError, MemlabError
from memlab.readers.base import Json, Progress, decode, load_json, parse_json
from memlab.store import About, Store

PARTS = ("nodes", "edges", "pieces")
SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".parquet")


@dataclass(frozen=True)
class _Types:
    """Which fields of a CSV row are more than text."""

    lists: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()


_GOLD = ("gold", "gold_strict", "tags")
_STORE = _Types(("aliases", "superseded_by", "mentions"), ("ended",), ("position",))
_TYPES = {
    "exam": _Types(_GOLD, ("answerable", "include_retired")),
    "decisions": _Types(
        (*_GOLD, "candidates", "reasons", "hidden", "rivals", "pool"),
        ("answerable", "include_retired", "off_subject", "in_pool", "first_right", "choose_has_gold", "crosses"),
    ),
}
_FIELD_LIMIT = 2**27  # characters of one CSV field; the standard library stops at 128 thousand


class Tables:
    """A folder of tables named nodes, edges and pieces, or one file of nodes."""

    name = "tables"

    def detect(self, path: Path) -> bool:
        """Know a folder with a table of nodes, or a file with one of the known endings."""
        if path.is_dir():
            return bool(_tables(path, "nodes"))
        return path.suffix.lower() in SUFFIXES

    def read(self, path: Path, progress: Progress | None = None) -> Store:
        """Read the tables.

        Raises
        ------
        InputError
            Naming file, part, row and field.
        """
        if not path.is_dir():
            parts = _one_file(path)
            files = dict.fromkeys(parts, path.name)
        else:
            found = {part: _tables(path, part) for part in PARTS}
            for part, several in found.items():
                if len(several) > 1:
                    names = ", ".join(p.name for p in several)
                    raise MemlabError(f"{path}: more than one table of {part}: {names}; keep one")
            if not found["nodes"]:
                raise MemlabError(f"{path}: no table of nodes, such as nodes.jsonl or nodes.csv")
            parts, files = {}, {}
            for at, (part, several) in enumerate(found.items()):
                if progress is not None:
                    progress("tables", at, len(found))
                if several:
                    parts[part] = read_table(several[0], part)
                    files[part] = several[0].name
        about = About(reader=self.name, source=path.name)
        try:
            return Store.from_frames(parts.get("nodes", []), parts.get("edges"), parts.get("pieces"), about)
        except InputError as error:
            raise error.in_file(files.get(error.part, "")) from None


def read_table(path: Path, part: str) -> pl.DataFrame | list[dict[str, Any]]:
    """Read one table, loosely: types are checked when the store is made.

    Raises
    ------
    InputError
        Where a row cannot be read; rows count from 1, lines without content do not count.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _parquet(path)
    if suffix == ".csv":
        return _csv(path, part)
    if suffix == ".json":
        return _listed(load_json(path), path, part)
    if suffix in (".jsonl", ".ndjson"):
        return read_json_lines(path, part)
    raise MemlabError(f"{path}: unknown ending; memlab reads {', '.join(SUFFIXES)}")


def _tables(folder: Path, part: str) -> list[Path]:
    return sorted(p for s in SUFFIXES if (p := folder / f"{part}{s}").is_file())


def _one_file(path: Path) -> dict[str, pl.DataFrame | list[dict[str, Any]]]:
    if path.suffix.lower() == ".json":
        content = load_json(path)
        if isinstance(content, dict) and "nodes" in content:
            return {part: _listed(content[part], path, part) for part in PARTS if part in content}
        return {"nodes": _listed(content, path, "nodes")}
    return {"nodes": read_table(path, "nodes")}


def _listed(content: Json, path: Path, part: str) -> list[dict[str, Any]]:
    if not isinstance(content, list):
        raise InputError("is not a list of objects", part=part, file=path.name)
    return content


def read_json_lines(path: Path, part: str) -> list[dict[str, Any]]:
    """Read JSON lines, whatever the file is called.

    Raises
    ------
    InputError
        Naming the row, where it is no JSON.
    """
    rows = []
    # Only a line feed ends a line: U+2028 and its like may stand inside a JSON text.
    lines = (line for line in decode(path).split("\n") if line.strip())
    for number, line in enumerate(lines, 1):
        try:
            rows.append(parse_json(line))
        except ValueError as error:
            raise InputError(f"not JSON: {error}", part=part, row=number, file=path.name) from error
    return rows


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError("is no parquet file that can be read", file=path.name) from error


def _csv(path: Path, part: str) -> list[dict[str, Any]]:
    text = decode(path)
    before = csv.field_size_limit(_FIELD_LIMIT)
    rows: list[dict[str, Any]] = []
    try:
        lines = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = [name.strip() for name in next(lines, [])]
        twice = next((name for name in header if name and header.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"two columns are called {twice!r}", part=part, file=path.name)
        for fields in lines:
            if not any(fields):
                continue
            if len(fields) != len(header):
                raise InputError(
                    f"has {len(fields)} fields where the header has {len(header)}; put quotes around text with commas",
                    part=part,
                    row=len(rows) + 1,
                    file=path.name,
                )
            given = {name: value for name, value in zip(header, fields, strict=False) if value and name}
            try:
                rows.append(_typed(given, _TYPES.get(part, _STORE)))
            except ValueError as error:
                problem = _field_error(error)
                raise InputError(problem[1], part=part, row=len(rows) + 1, field=problem[0], file=path.name) from None
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", part=part, row=len(rows) + 1, file=path.name) from error
    finally:
        csv.field_size_limit(before)
    return rows


def _typed(row: Mapping[str, str], types: _Types) -> dict[str, Any]:
    """Give the fields of a CSV row their types: lists, truth values, positions."""
    typed: dict[str, Any] = dict(row)
    for name in (n for n in types.lists if n in row):
        typed[name] = _list(name, row[name])
    for name in (n for n in types.truths if n in row):
        word = row[name].strip().lower()
        if word not in ("true", "false", ""):
            raise ValueError(name, f"{row[name]!r} is no truth value; write true or false")
        typed[name] = word == "true" if word else None
    for name in (n for n in types.wholes if n in row):
        if not row[name].strip().isdecimal():
            raise ValueError(name, f"{row[name]!r}; write a whole number from 0")
        typed[name] = int(row[name])
    return typed


def _list(name: str, value: str) -> Json:
    value = value.strip()
    if value.startswith("["):
        try:
            return parse_json(value)
        except ValueError:
            raise ValueError(name, 'no JSON list; write ["a", "b"] or a|b') from None
    return [part for item in value.split("|") if (part := item.strip())]


def _field_error(error: ValueError) -> tuple[str, str]:
    name, problem = error.args if len(error.args) == 2 else ("", str(error))
    return name, problem
