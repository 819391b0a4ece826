"""Title vectors in FAISS, and the store's background similarity."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.encoders import Encoder, EncoderInfo
from memlab.indexes.files import read_json, write_json
from memlab.indexes.reference import QUESTIONS

# Similarities are rounded here: below this, encoders differ by the batch that a text stood in.
DECIMALS = 6
BACKGROUND_QUANTILE = 0.95
# Pairs that are scored at a time: few enough for their vectors to stay in the processor's cache.
_PAIRS = 4096


@dataclass(frozen=True)
class TitleVectors:
    """Vectors of all names, by one encoder.

    Attributes
    ----------
    info : EncoderInfo
    index : faiss.Index
        Inner product over unit vectors, one a name.
    nodes : ndarray of uint32 ``[n_names]``
        Node of each name.
    background : float
        Cosine that an unrelated question reaches with a single title of this store: the 95th
        percentile over a fixed set of questions. A gap's second is never below it.
    """

    info: EncoderInfo
    index: Any
    nodes: NDArray[np.uint32]
    background: float

    @classmethod
    def build(cls, names: pl.DataFrame, encoder: Encoder) -> TitleVectors:
        """Encode all names."""
        import faiss

        vectors = encoder.encode_document(names["text"].to_list())
        index = faiss.IndexFlatIP(encoder.info.dimension)
        if len(vectors):
            index.add(vectors)
        return cls(encoder.info, index, names["node"].to_numpy(), background(vectors, encoder))

    def search(self, queries: NDArray[np.float32], k: int) -> pl.DataFrame:
        """Nearest nodes of each query.

        Parameters
        ----------
        queries : float32 ``[n, d]``, unit length
        k : int
            Names looked at for each query.

        Returns
        -------
        polars.DataFrame
            ``query`` u32 · ``node`` u32 · ``similarity`` f64 (the node's best name, rounded to six
            decimals).
        """
        k = min(k, self.index.ntotal)
        schema = {"query": pl.UInt32, "node": pl.UInt32, "similarity": pl.Float64}
        if not len(queries) or k == 0:
            return pl.DataFrame(schema=schema)
        _, found = self.index.search(np.ascontiguousarray(queries), k)
        query = np.repeat(np.arange(len(queries), dtype=np.uint32), k)
        name = found.ravel()
        kept = name >= 0
        query, name = query[kept], name[kept]
        # Scored again one pair at a time: a product of matrices depends on what else is in the batch.
        similarity = self._score(queries, query, name)
        return (
            pl.DataFrame(
                {"query": query, "node": self.nodes[name].astype(np.uint32), "similarity": similarity.round(DECIMALS)}
            )
            .group_by("query", "node")
            .agg(pl.col("similarity").max())
        )

    def _score(
        self, queries: NDArray[np.float32], query: NDArray[np.uint32], name: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        unique, inverse = np.unique(name, return_inverse=True)
        titles = self.index.reconstruct_batch(unique)
        out = np.empty(len(name), dtype=np.float64)
        for start in range(0, len(name), _PAIRS):
            part = slice(start, start + _PAIRS)
            out[part] = np.einsum("ij,ij->i", queries[query[part]], titles[inverse[part]], dtype=np.float64)
        return out

    def write(self, folder: Path) -> None:
        """Write to a folder."""
        import faiss

        folder.mkdir(parents=True, exist_ok=True)
        faiss.write_index(self.index, str(folder / "titles.faiss"))
        np.save(folder / "nodes.npy", self.nodes)
        write_json(folder / "vectors.json", {"encoder": self.info.as_dict(), "background": self.background})

    @classmethod
    def read(cls, folder: Path) -> TitleVectors:
        """Read what :meth:`write` wrote."""
        import faiss

        about = read_json(folder / "vectors.json")
        return cls(
            EncoderInfo(**about["encoder"]),
            faiss.read_index(str(folder / "titles.faiss")),
            np.load(folder / "nodes.npy"),
            float(about["background"]),
        )


def background(vectors: NDArray[np.float32], encoder: Encoder) -> float:
    """Cosine that an unrelated question reaches with one title, at the 95th percentile.

    Means nothing of the exam: the questions are fixed, and come with memlab.
    """
    if not len(vectors):
        return 0.0
    asked = encoder.encode_query(QUESTIONS)
    # An even sample of titles is enough for a percentile, and keeps a large store cheap.
    step = max(1, len(vectors) // 2000)
    return float(np.round(np.quantile(asked @ vectors[::step].T, BACKGROUND_QUANTILE), DECIMALS))
