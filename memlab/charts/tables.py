"""The data of a chart as tables, read from its specification."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


def as_tables(spec: Mapping[str, Any]) -> dict[str, str]:
    """Return each dataset of a specification as CSV, by its name.

    Parameters
    ----------
    spec : mapping
        Vega-Lite with inline data.

    Returns
    -------
    dict of str to str
        A header and a row for each record; what is missing is empty, lists and objects are JSON.
        Datasets without a name of their own are called ``data-1``, ``data-2``, …
    """
    found: dict[str, str] = {}
    for name, rows in _datasets(spec):
        held = name if name and not re.fullmatch(r"data-[0-9a-f]{32}", name) else f"data-{len(found) + 1}"
        safe = re.sub(r"[^\w.-]", "-", held)
        if safe not in found:
            found[safe] = _csv(rows)
    return found


def outside(spec: Any) -> str:
    """Return the first address that a specification would load, or nothing.

    Notes
    -----
    Pictures that a row names are looked for in all of the rows, whichever of them are drawn.
    """
    fields: set[str] = set()
    addresses = [*_addresses(spec, fields)]
    if fields:
        addresses += [row.get(name) for _, rows in _datasets(spec) for row in rows for name in fields]
    return next((told for told in addresses if isinstance(told, str) and told and not told.startswith("data:")), "")


def _addresses(spec: Any, fields: set[str]) -> Iterator[Any]:
    """What data, marks and pictures are loaded from; ``fields`` takes the names of those that the rows say."""
    if isinstance(spec, list):
        for part in spec:
            yield from _addresses(part, fields)
    if not isinstance(spec, Mapping):
        return
    for name in ("data", "mark"):
        part = spec.get(name)
        yield part.get("url") if isinstance(part, Mapping) else None
    encoding = spec.get("encoding")
    channel = encoding.get("url") if isinstance(encoding, Mapping) else None
    if isinstance(channel, Mapping):
        yield channel.get("value")
        fields.update([channel["field"]] if isinstance(channel.get("field"), str) else [])
    for name, part in spec.items():
        if name not in ("values", "datasets"):
            yield from _addresses(part, fields)


def _datasets(spec: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Datasets in the order in which they stand, with their names."""
    if isinstance(spec, list):
        for part in spec:
            yield from _datasets(part)
    if not isinstance(spec, Mapping):
        return
    for name, rows in spec.get("datasets", {}).items():
        yield str(name), _records(rows)
    data = spec.get("data")
    if isinstance(data, Mapping) and "values" in data:
        yield str(data.get("name", "")), _records(data["values"])
    for name, part in spec.items():
        if name not in ("data", "datasets"):
            yield from _datasets(part)


def _records(rows: Any) -> list[dict[str, Any]]:
    listed = rows if isinstance(rows, list) else [rows]
    return [row if isinstance(row, dict) else {"data": row} for row in listed]


def _csv(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    held = io.StringIO(newline="")
    writer = csv.DictWriter(held, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return held.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
