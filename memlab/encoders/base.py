"""The encoder protocol: the two names that sentence-transformers uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EncoderInfo:
    """Which model made a vector. Every threshold on a gap belongs to one of these.

    Attributes
    ----------
    name, revision : str
        The model and its version.
    dimension : int
    """

    name: str
    revision: str
    dimension: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for a manifest."""
        return asdict(self)

    @property
    def key(self) -> str:
        """One string that tells this encoder from every other, safe as a file name."""
        safe = "".join(c if c.isalnum() or c in "-._" else "_" for c in f"{self.name}@{self.revision}")
        return f"{safe}-{self.dimension}"


@runtime_checkable
class Encoder(Protocol):
    """Anything that turns questions and titles into vectors of unit length."""

    @property
    def info(self) -> EncoderInfo:
        """Name, revision and dimension."""

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Encode questions: float32 ``[n, d]``, unit length."""

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Encode titles or pieces: float32 ``[n, d]``, unit length."""


def unit(vectors: object) -> Vectors:
    """Return float32 rows of unit length (a row of zeros stays one)."""
    rows = np.ascontiguousarray(np.asarray(vectors), dtype=np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths = np.where(norms == 0, np.float32(1), norms).astype(np.float32)
    return np.divide(rows, lengths, dtype=np.float32)
