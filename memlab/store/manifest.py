"""A store on disk: generation folders, and the manifest that says which one is the store.

A save writes a whole new generation and only then replaces ``manifest.json``, in one step. Killed
at any point, it leaves the old manifest and the old generation as they were.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
from filelock import FileLock, Timeout

from memlab.errors import MemlabError
from memlab.store.frames import SCHEMAS

SCHEMA_VERSION = 1
FORMAT = "memlab-store"
MANIFEST = "manifest.json"

_MARKER = ".memlab-generation"
_LOCK = ".lock"
_GENERATION = re.compile(r"gen-[0-9a-f]{12}-\d+")

Extra: TypeAlias = Callable[[Path], Mapping[str, object]]
"""Writes further files into a generation's folder and returns what the manifest says of them."""


def write(
    path: Path,
    frames: Mapping[str, pl.DataFrame],
    checksum: str,
    about: Mapping[str, object],
    extra: Extra | None,
) -> tuple[Path, dict[str, object]]:
    """Write a new generation of a store and make it the one that counts.

    Returns
    -------
    tuple
        The generation's folder, and the manifest.

    Raises
    ------
    MemlabError
        Where `path` holds something that is not a memlab store, or cannot be written.
    """
    _check_target(path)
    with _sole_writer(path):
        older = _generations(path)
        folder = _new_generation(path, checksum)
        try:
            for part, frame in frames.items():
                frame.write_parquet(folder / f"{part}.parquet")
            indexes = dict(extra(folder)) if extra is not None else {}
            manifest: dict[str, object] = {
                "format": FORMAT,
                "schema_version": SCHEMA_VERSION,
                "generation": folder.name,
                "checksum": checksum,
                "counts": {part: frame.height for part, frame in frames.items()},
                "about": dict(about),
                "files": _files(folder),
                "indexes": indexes,
            }
            draft = folder / MANIFEST
            draft.write_text(_dump(manifest), encoding="utf-8")
            _sync(draft)
            _sync(folder)
            draft.replace(path / MANIFEST)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        _sync(path)
        for old in older:
            shutil.rmtree(old, ignore_errors=True)
        return folder, manifest


@contextmanager
def _sole_writer(path: Path) -> Iterator[None]:
    """Hold the store's lock; what the disk refuses becomes one clear error."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        # One save at a time: a second one would take the first's unfinished folder for an old one.
        with FileLock(path / _LOCK, timeout=0):
            yield
    except Timeout:
        raise MemlabError(f"{path}: another save to this store is under way; wait for it to end") from None
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or next(iter(str(error).splitlines()), "")
        raise MemlabError(f"{path}: cannot write a store there: {reason}") from error


def read(path: Path) -> tuple[Path, dict[str, object], dict[str, pl.DataFrame]]:
    """Read a saved store.

    Returns
    -------
    tuple
        The generation's folder, the manifest, and the frames by part.

    Raises
    ------
    MemlabError
        Where there is no store, or it is damaged or written by a newer memlab.
    """
    manifest = read_manifest(path)
    while True:
        folder = path / str(manifest["generation"])
        try:
            return folder, manifest, _frames(path, folder, dict(manifest["files"]))
        except MemlabError:
            # A save that ended in between has taken the generation away: its successor is whole.
            latest = read_manifest(path)
            if latest["generation"] == manifest["generation"]:
                raise
            manifest = latest


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest of a store."""
    file = path / MANIFEST
    if not path.exists():
        raise MemlabError(f"{path}: no such store; build one with `memlab build SOURCE {path}`")
    if not file.is_file():
        raise MemlabError(f"{path}: not a memlab store: it has no {MANIFEST}")
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise MemlabError(f"{file}: damaged, cannot be read: {error}; build the store again") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise MemlabError(f"{path}: not a memlab store: {MANIFEST} is of something else")
    version = manifest.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise MemlabError(
            f"{path}: written by a newer memlab (schema {version}; this one reads up to "
            f"{SCHEMA_VERSION}); upgrade memlab or build the store again"
        )
    generation = manifest.get("generation")
    whole = isinstance(generation, str) and _GENERATION.fullmatch(generation)
    shapes = {"files": dict, "about": dict, "indexes": dict, "checksum": str, "counts": dict}
    if (
        version != SCHEMA_VERSION
        or not whole
        or any(not isinstance(manifest.get(key), shape) for key, shape in shapes.items())
    ):
        raise MemlabError(f"{file}: damaged: its entries are not those of a store; build it again")
    return manifest


def _frames(path: Path, folder: Path, files: Mapping[str, object]) -> dict[str, pl.DataFrame]:
    frames = {}
    for part, schema in SCHEMAS.items():
        name = f"{part}.parquet"
        try:
            content = (folder / name).read_bytes()
        except OSError as error:
            raise MemlabError(f"{path}: damaged: {name} cannot be read; build the store again") from error
        entry = files.get(name)
        if not isinstance(entry, dict) or entry.get("sha256") != hashlib.sha256(content).hexdigest():
            raise MemlabError(f"{path}: damaged: the checksum of {name} differs; build the store again")
        try:
            frames[part] = pl.read_parquet(io.BytesIO(content)).select(list(schema)).cast(schema)
        except pl.exceptions.PolarsError as error:
            raise MemlabError(f"{path}: damaged: {name} is no frame of a store") from error
    for name, entry in files.items():
        file = folder / name
        known = entry if isinstance(entry, dict) else {}
        if not file.is_file() or file.stat().st_size != known.get("bytes"):
            raise MemlabError(f"{path}: damaged: {name} is missing or cut short; build the store again")
        if _sha256(file) != known.get("sha256"):
            raise MemlabError(f"{path}: damaged: the checksum of {name} differs; build the store again")
    return frames


def _check_target(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise MemlabError(f"{path}: is a file; name a folder for the store")
    if (path / MANIFEST).exists():
        read_manifest(path)
        return
    strangers = sorted(p.name for p in path.iterdir() if p.name != _LOCK and p not in _generations(path))
    if strangers:
        raise MemlabError(f"{path}: holds {strangers[0]!r} and is not a memlab store; name an empty or a new folder")


def _generations(path: Path) -> list[Path]:
    """List the generation folders that memlab made, complete or not."""
    return [
        p
        for p in path.iterdir()
        if _GENERATION.fullmatch(p.name)
        and p.is_dir()
        and not p.is_symlink()
        and ((p / _MARKER).exists() or not any(p.iterdir()))
    ]


def _new_generation(path: Path, checksum: str) -> Path:
    number = 1
    while True:
        folder = path / f"gen-{checksum[:12]}-{number}"
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
            continue
        (folder / _MARKER).touch()
        return folder


def _files(folder: Path) -> dict[str, dict[str, object]]:
    """Size and sha256 of every file of a generation, each flushed to the disk."""
    entries: dict[str, dict[str, object]] = {}
    for file in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != _MARKER):
        _sync(file)
        entries[file.relative_to(folder).as_posix()] = {
            "sha256": _sha256(file),
            "bytes": file.stat().st_size,
        }
    return entries


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _dump(manifest: Mapping[str, object]) -> str:
    try:
        text = json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False)
        # The name of a file may hold bytes that are no text; as an escape they can be kept.
        return (text if _is_text(text) else json.dumps(manifest, indent=1)) + "\n"
    except (TypeError, ValueError) as error:
        raise MemlabError(f"{MANIFEST}: what the indexes return must be plain JSON: {error}") from error


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sync(path: Path) -> None:
    """Flush a file or a folder to the disk, where the system allows it."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
