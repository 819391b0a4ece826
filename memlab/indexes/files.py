"""Small JSON files beside the indexes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_json(path: Path, values: Mapping[str, object]) -> None:
    """Write one object, keys in order."""
    path.write_text(json.dumps(values, ensure_ascii=False, sort_keys=True, indent=1), encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read what :func:`write_json` wrote."""
    values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return values
