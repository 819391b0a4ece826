"""Title vectors in FAISS, and what unrelated questions reach in this store."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.encoders import Encoder, EncoderInfo, unit
from memlab.indexes.files import read_json, write_json
from memlab.indexes.reference import QUESTIONS, TITLES

# Similarities are rounded here: below this, encoders differ by the batch that a text stood in.
DECIMALS = 6
BACKGROUND_QUANTILE = 0.95
# Nearest reference questions that a title's hub score is the mean of.
HUB_NEIGHBOURS = 20
# Pairs that are scored at a time: few enough for their vectors to stay in the processor's cache.
_PAIRS = 4096


@dataclass(frozen=True, slots=True)
class Correction:
    """How similarities are corrected for candidacy and order; never for gaps and floors.

    Attributes
    ----------
    centred : bool
        Take the mean of the reference questions off questions, and of the reference titles off titles.
    hub : float
        How much of a title's hub score (mean similarity to its 20 nearest reference questions) is
        taken off its similarity; 0 for none.
    """

    centred: bool = False
    hub: float = 0.0


@dataclass(frozen=True, eq=False)
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
    reach : ndarray of float64
        Best cosine with any title of the store that each reference question reaches, rising.
    centres : float32 ``[2, d]``
        Means of the reference questions and of the reference titles.
    hubs : float32 ``[n_names]``
        Hub score of each name.
    """

    info: EncoderInfo
    index: Any
    nodes: NDArray[np.uint32]
    background: float
    reach: NDArray[np.float64]
    centres: NDArray[np.float32]
    hubs: NDArray[np.float32]
    _corrected: dict[Correction, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def build(cls, names: pl.DataFrame, encoder: Encoder) -> TitleVectors:
        """Encode all names."""
        import faiss

        vectors = encoder.encode_document(names["text"].to_list())
        index = faiss.IndexFlatIP(encoder.info.dimension)
        if len(vectors):
            index.add(vectors)
        asked, titles = encoder.encode_query(QUESTIONS), encoder.encode_document(TITLES)
        return cls(
            encoder.info,
            index,
            names["node"].to_numpy(),
            background(vectors, asked),
            reach(vectors, asked),
            np.stack([asked.mean(axis=0), titles.mean(axis=0)]).astype(np.float32),
            _hubs(vectors, asked),
        )

    def search(self, queries: NDArray[np.float32], k: int, correction: Correction | None = None) -> pl.DataFrame:
        """Nearest nodes of each query.

        Parameters
        ----------
        queries : float32 ``[n, d]``, unit length
        k : int
            Names looked at for each query.
        correction : Correction, optional
            What the nearest are found by; raw cosine when left out.

        Returns
        -------
        polars.DataFrame
            ``query`` u32 · ``node`` u32 · ``similarity`` f64 (raw cosine of the node's best name) ·
            ``nearness`` f64 (what the nearest were found by), both rounded to six decimals.
        """
        k = min(k, self.index.ntotal)
        schema = {"query": pl.UInt32, "node": pl.UInt32, "similarity": pl.Float64, "nearness": pl.Float64}
        if not len(queries) or k == 0:
            return pl.DataFrame(schema=schema)
        index, asked = self.index, np.ascontiguousarray(queries)
        if correction is not None:
            index, asked = self._index(correction), self._asked(queries, correction)
        _, found = index.search(asked, k)
        query = np.repeat(np.arange(len(queries), dtype=np.uint32), k)
        name = found.ravel()
        kept = name >= 0
        query, name = query[kept], name[kept]
        # Scored again one pair at a time: a product of matrices depends on what else is in the batch.
        similarity = cosines(self.index, queries, query, name)
        nearness = similarity if correction is None else cosines(index, asked, query, name)
        held = pl.DataFrame(
            {"query": query, "node": self.nodes[name].astype(np.uint32), "similarity": similarity, "nearness": nearness}
        )
        return held.group_by("query", "node").agg(pl.col("similarity", "nearness").max().round(DECIMALS))

    def _index(self, correction: Correction) -> Any:
        """Index of the corrected titles, made on first use."""
        import faiss

        if correction not in self._corrected:
            titles = self.index.reconstruct_n(0, self.index.ntotal)
            if correction.centred:
                titles = unit(titles - self.centres[1])
            # The hub score is one more dimension, so that one inner product does it all.
            index = faiss.IndexFlatIP(titles.shape[1] + 1)
            index.add(np.column_stack([titles, -correction.hub * self.hubs]).astype(np.float32))
            self._corrected[correction] = index
        return self._corrected[correction]

    def _asked(self, queries: NDArray[np.float32], correction: Correction) -> NDArray[np.float32]:
        asked = unit(queries - self.centres[0]) if correction.centred else queries
        return np.column_stack([asked, np.ones(len(asked))]).astype(np.float32)

    def write(self, folder: Path) -> None:
        """Write to a folder."""
        import faiss

        folder.mkdir(parents=True, exist_ok=True)
        faiss.write_index(self.index, str(folder / "titles.faiss"))
        np.save(folder / "nodes.npy", self.nodes)
        np.savez(folder / "reference.npz", reach=self.reach, centres=self.centres, hubs=self.hubs)
        write_json(folder / "vectors.json", {"encoder": self.info.as_dict(), "background": self.background})

    @classmethod
    def read(cls, folder: Path) -> TitleVectors:
        """Read what :meth:`write` wrote."""
        import faiss

        about = read_json(folder / "vectors.json")
        with np.load(folder / "reference.npz") as held:
            reached, centres, hubs = held["reach"], held["centres"], held["hubs"]
        return cls(
            EncoderInfo(**about["encoder"]),
            faiss.read_index(str(folder / "titles.faiss")),
            np.load(folder / "nodes.npy"),
            float(about["background"]),
            reached,
            centres,
            hubs,
        )


def cosines(
    index: Any, queries: NDArray[np.float32], query: NDArray[np.uint32], name: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Score pairs one at a time: a product of matrices depends on what else is in the batch."""
    unique, inverse = np.unique(name, return_inverse=True)
    titles = index.reconstruct_batch(unique)
    out = np.empty(len(name), dtype=np.float64)
    for start in range(0, len(name), _PAIRS):
        part = slice(start, start + _PAIRS)
        out[part] = np.einsum("ij,ij->i", queries[query[part]], titles[inverse[part]], dtype=np.float64)
    return out


def background(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> float:
    """Cosine that an unrelated question reaches with one title, at the 95th percentile.

    Means nothing of the exam: the questions ``asked`` are fixed, and come with memlab.
    """
    if not len(vectors):
        return 0.0
    # An even sample of titles is enough for a percentile, and keeps a large store cheap.
    step = max(1, len(vectors) // 2000)
    return float(np.round(np.quantile(asked @ vectors[::step].T, BACKGROUND_QUANTILE), DECIMALS))


def reach(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float64]:
    """Best cosine with any of the vectors that each unrelated question reaches, rising."""
    best = np.full(len(asked), -1.0)
    for start in range(0, len(vectors), _PAIRS):
        best = np.maximum(best, (asked @ vectors[start : start + _PAIRS].T).max(axis=1))
    return np.sort(best.astype(np.float64).round(DECIMALS)) if len(vectors) else np.empty(0)


def _hubs(vectors: NDArray[np.float32], asked: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean similarity of each title to its nearest reference questions: what is near to anything."""
    out = np.empty(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), _PAIRS):
        near = np.sort(vectors[start : start + _PAIRS] @ asked.T, axis=1)[:, -HUB_NEIGHBOURS:]
        out[start : start + _PAIRS] = near.mean(axis=1)
    return out
