"""Frozen settings as plain values, and back: one way to check, to write and to refuse them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from memlab.errors import InputError

T = TypeVar("T")


def as_plain(settings: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain values; tuples as lists."""
    return {name: _plain(value) for name, value in asdict(settings).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def from_plain(cls: type[T], values: Mapping[str, Any], part: str) -> T:
    """Make a dataclass from plain values; an unknown name is refused by name."""
    known = {f.name for f in fields(cls)}  # type: ignore[arg-type]  # every caller hands over a dataclass
    for name in values:
        if name not in known:
            raise InputError(f"no such setting; there are {', '.join(sorted(known))}", part=part, field=name)
    return cls(**dict(values))


def check_number(part: str, name: str, value: object, low: float, high: float, *, whole: bool) -> None:
    """Refuse what is no number in a range."""
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise InputError(f"must be {kind} from {low} to {high}, not {value!r}", part=part, field=name)


def check_switch(part: str, name: str, value: object) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool):
        raise InputError(f"must be true or false, not {value!r}", part=part, field=name)


def nameable(path: str | Path, field: str) -> Path:
    """Return a path, or refuse one that no file can have."""
    if not isinstance(path, str | Path):
        raise InputError(f"give a path, not {type(path).__name__}", field=field)
    try:
        if b"\0" not in os.fsencode(path):
            return Path(path)
    except UnicodeEncodeError:
        pass
    raise InputError(f"holds a sign that no file can be named with: {str(path)!r}", field=field)


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a settings file."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); name a settings file") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not TOML: {error}") from None


def write_toml(path: str | Path, values: Mapping[str, Any]) -> None:
    """Write a settings file, whole or not at all."""
    import tomli_w

    text = tomli_w.dumps(dict(values))
    target = nameable(path, "path").resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():
            # A device or a pipe is written to and not replaced; a folder is refused.
            target.write_text(text, encoding="utf-8")
            return
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); name a file in a folder that is there"
        ) from None
