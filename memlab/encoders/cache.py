"""Vector cache on disk: nothing is encoded twice."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from memlab.encoders.base import Encoder, EncoderInfo, Vectors

_CHUNK = 64


def cache_folder() -> Path:
    """Folder of the cache: ``$MEMLAB_CACHE``, or the user's cache folder."""
    if folder := os.environ.get("MEMLAB_CACHE"):
        return Path(folder)
    from platformdirs import user_cache_path

    return user_cache_path("memlab")


def _key(role: str, text: str) -> bytes:
    return hashlib.sha256(f"{role}\x00{text}".encode("utf-8", "surrogatepass")).digest()


class CachedEncoder:
    """An encoder that remembers every vector it made, by (encoder, text), in SQLite.

    Parameters
    ----------
    encoder : Encoder
    folder : Path, optional
        Where the file lives; :func:`cache_folder` when left out.
    progress : callable ``(done, total)``, optional
        Told after each chunk of texts that had to be encoded.

    Notes
    -----
    Questions and documents are kept apart, as an encoder may prompt them differently.
    """

    def __init__(
        self,
        encoder: Encoder,
        folder: Path | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._encoder = encoder
        self.info: EncoderInfo = encoder.info
        self.progress = progress
        self._path = (folder or cache_folder()) / f"{self.info.key}.sqlite"

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Encode questions, from the cache where they are there."""
        return self._encode("query", texts, self._encoder.encode_query)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Encode titles or pieces, from the cache where they are there."""
        return self._encode("document", texts, self._encoder.encode_document)

    def _encode(self, role: str, texts: Sequence[str], encode: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [_key(role, text) for text in texts]
        known = self._read(set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        # Sorted by length, a chunk pads least; by text, the chunks are the same whatever the order.
        todo = sorted(missing.items(), key=lambda item: (len(item[1]), item[1]))
        for start in range(0, len(todo), _CHUNK):
            chunk = todo[start : start + _CHUNK]
            vectors = encode([text for _, text in chunk])
            fresh = {key: vector for (key, _), vector in zip(chunk, vectors, strict=True)}
            known.update(fresh)
            self._write(fresh)
            if self.progress:
                self.progress(min(start + _CHUNK, len(todo)), len(todo))
        if not keys:
            return np.zeros((0, self.info.dimension), dtype=np.float32)
        return np.stack([known[key] for key in keys]).astype(np.float32)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self._path, timeout=30)
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        return base

    def _read(self, keys: set[bytes]) -> dict[bytes, Vectors]:
        try:
            base = self._connect()
        except (OSError, sqlite3.Error):
            return {}  # a cache that cannot be opened costs time, never an answer
        found: dict[bytes, Vectors] = {}
        try:
            ordered = sorted(keys)
            for start in range(0, len(ordered), 500):
                part = ordered[start : start + 500]
                marks = ",".join("?" * len(part))
                rows = base.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)  # noqa: S608
                found.update((bytes(k), np.frombuffer(v, dtype=np.float32)) for k, v in rows)
        except sqlite3.Error:
            return {}
        finally:
            base.close()
        return {k: v for k, v in found.items() if v.shape == (self.info.dimension,)}

    def _write(self, vectors: dict[bytes, Vectors]) -> None:
        try:
            base = self._connect()
        except (OSError, sqlite3.Error):
            return
        try:
            with base:
                base.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(k, np.asarray(v, dtype=np.float32).tobytes()) for k, v in vectors.items()],
                )
        except sqlite3.Error:
            pass  # read-only disks are fine
        finally:
            base.close()
