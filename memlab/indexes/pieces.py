"""Piece search by words (BM25) and by vectors, fused by reciprocal rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.encoders import Encoder, EncoderInfo
from memlab.indexes.files import read_json, write_json
from memlab.indexes.reference import QUESTIONS
from memlab.indexes.vectors import DECIMALS, background, cosines, reach
from memlab.text import segment

# Reciprocal rank fusion's constant (Cormack, Clarke and Buettcher, SIGIR 2009).
RRF_K = 60
# Characters of a piece that are encoded: what a paragraph is about stands at its head, and encoding
# takes time by length.
HEAD = 300
PIECE_HITS = pl.Schema(
    {"query": pl.UInt32, "piece": pl.UInt32, "rank": pl.UInt32, "score": pl.Float64, "similarity": pl.Float64}
)
# Tells for pairs of query and piece (row numbers) whether the piece is of the side that must be filled.
Side = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
_FOUND = {"query": pl.UInt32, "piece": pl.UInt32, "value": pl.Float64}


@dataclass(frozen=True, eq=False)
class PieceIndex:
    """All pieces of a store, by words and by vectors.

    Attributes
    ----------
    n : int
        Pieces.
    terms : polars.DataFrame
        ``piece`` u32 · ``term``: distinct content terms of every piece.
    vocabulary : polars.DataFrame
        ``term`` · ``token`` u32.
    bm25 : bm25s.BM25 or None
        None where no piece has a word.
    vectors : faiss.Index or None
        None when the store was built without an encoder.
    info : EncoderInfo or None
    floor : float
        Cosine under which a piece is no nearer than to an unrelated question.
    reach : ndarray of float64
        Best cosine with any piece that each reference question reaches, rising.
    """

    n: int
    terms: pl.DataFrame
    vocabulary: pl.DataFrame
    bm25: Any
    vectors: Any
    info: EncoderInfo | None
    floor: float
    reach: NDArray[np.float64]

    @classmethod
    def none(cls) -> PieceIndex:
        """Return the index of no pieces."""
        terms = pl.DataFrame(schema={"piece": pl.UInt32, "term": pl.String})
        vocabulary = pl.DataFrame(schema={"term": pl.String, "token": pl.UInt32})
        return cls(0, terms, vocabulary, None, None, None, 0.0, np.empty(0))

    @classmethod
    def build(cls, pieces: pl.DataFrame, encoder: Encoder | None) -> PieceIndex:
        """Index the texts of ``pieces`` (in the store's order)."""
        import bm25s

        texts = pieces["text"].to_list()
        terms = segment(texts).filter("content").select("text", "term")
        vocabulary = terms.select("term").unique().sort("term").with_row_index("token").select("term", "token")
        coded = (
            terms.join(vocabulary, on="term", maintain_order="left").group_by("text", maintain_order=True).agg("token")
        )
        lists = (
            pl.DataFrame({"text": pl.arange(0, len(texts), dtype=pl.UInt32, eager=True)})
            .join(coded, on="text", how="left", maintain_order="left")["token"]
            .to_list()
        )
        bm25 = None
        if vocabulary.height:
            bm25 = bm25s.BM25()
            bm25.index(([ids or [] for ids in lists], dict(vocabulary.iter_rows())), show_progress=False)
        vectors, info, floor, reached = None, None, 0.0, np.empty(0)
        if encoder is not None and texts:
            import faiss

            encoded = encoder.encode_document([text[:HEAD] for text in texts])
            vectors = faiss.IndexFlatIP(encoder.info.dimension)
            vectors.add(encoded)
            asked = encoder.encode_query(QUESTIONS)
            info, floor, reached = encoder.info, background(encoded, asked), reach(encoded, asked)
        held = terms.rename({"text": "piece"}).unique().sort("piece", "term")
        return cls(len(texts), held, vocabulary, bm25, vectors, info, floor, reached)

    def search(
        self, terms: pl.DataFrame, queries: NDArray[np.float32] | None, depth: int, side: Side | None = None
    ) -> pl.DataFrame:
        """Find the pieces of each query.

        Parameters
        ----------
        terms : polars.DataFrame
            ``query`` u32 · ``term``: content terms of the queries.
        queries : float32 ``[n, d]`` or None
            Query vectors by the encoder of this index; a row of zeros is not searched.
        depth : int
            Pieces by each way of searching, and in the fused list.
        side : callable, optional
            Pieces for which it is true are looked for until there are ``depth`` of them, and kept
            beside the best of all: what leads to hidden nodes crowds out nothing.

        Returns
        -------
        polars.DataFrame
            ``query`` · ``piece`` · ``rank`` (from 1) · ``score`` (sum of reciprocal ranks) ·
            ``similarity`` (cosine; null where it was found by words alone). Only pieces that count:
            they share a word, or lie nearer than to unrelated questions.
        """
        ways = []
        for search, asked in self._ways(terms, queries):
            found = _filled(search, asked, self.n, depth, side)
            if found.height:
                place = pl.col("value").rank("min", descending=True).over("query")
                ways.append(found.with_columns((1 / (RRF_K + place)).alias("part")))
        if not ways:
            return pl.DataFrame(schema=PIECE_HITS)
        near = pl.col("similarity").max() if "similarity" in ways[-1].columns else pl.lit(None, pl.Float64)
        fused = (
            pl.concat(ways, how="diagonal")
            .group_by("query", "piece")
            .agg(pl.col("part").sum().round(9).alias("score"), near.alias("similarity"), pl.col("of_side").first())
            # Pieces stand in the order of their content, so a tie does not hang on ids or rows.
            .sort("query", "score", "piece", descending=[False, True, False])
            .with_columns(rank=pl.col("score").rank("min", descending=True).over("query").cast(pl.UInt32))
        )
        return _cut(fused, depth).select(PIECE_HITS.names())

    def _ways(
        self, terms: pl.DataFrame, queries: NDArray[np.float32] | None
    ) -> Iterator[tuple[Callable[[NDArray[np.int64], int], pl.DataFrame], NDArray[np.int64]]]:
        """Yield each way of searching, as a function of query numbers and a depth, and the queries it is for."""
        if self.bm25 is not None:
            known = (
                terms.select("query", "term").unique().join(self.vocabulary, on="term").sort("query", "token")
                .group_by("query", maintain_order=True).agg("token")
            )  # fmt: skip
            if known.height:
                yield lambda asked, k: self._by_words(known, asked, k), known["query"].to_numpy().astype(np.int64)
        if self.vectors is not None and queries is not None and len(queries):
            yield lambda asked, k: self._by_vectors(queries, asked, k), np.flatnonzero((queries != 0).any(axis=1))

    def _by_words(self, known: pl.DataFrame, asked: NDArray[np.int64], k: int) -> pl.DataFrame:
        part = known.filter(pl.col("query").is_in(pl.Series(asked, dtype=pl.UInt32).implode()))
        found, scores = self.bm25.retrieve(part["token"].to_list(), k=k, show_progress=False, n_threads=1)
        return pl.DataFrame(
            {
                "query": np.repeat(part["query"].to_numpy(), found.shape[1]),
                "piece": found.ravel().astype(np.uint32),
                "value": scores.ravel().astype(np.float64).round(DECIMALS),
            }
        ).filter(pl.col("value") > 0)

    def _by_vectors(self, queries: NDArray[np.float32], asked: NDArray[np.int64], k: int) -> pl.DataFrame:
        if not len(asked):
            return pl.DataFrame(schema=_FOUND | {"similarity": pl.Float64})
        _, found = self.vectors.search(np.ascontiguousarray(queries[asked]), k)
        query = np.repeat(asked.astype(np.uint32), found.shape[1])
        # Scored again one pair at a time: a product of matrices depends on what else is in the batch.
        value = cosines(self.vectors, queries, query, found.ravel()).round(DECIMALS)
        piece = found.ravel().astype(np.uint32)
        return pl.DataFrame({"query": query, "piece": piece, "value": value, "similarity": value}).filter(
            pl.col("value") > self.floor
        )

    def write(self, folder: Path) -> None:
        """Write to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.terms.write_parquet(folder / "terms.parquet")
        self.vocabulary.write_parquet(folder / "vocabulary.parquet")
        if self.bm25 is not None:
            self.bm25.save(folder / "bm25", show_progress=False)
        if self.vectors is not None:
            import faiss

            faiss.write_index(self.vectors, str(folder / "pieces.faiss"))
        about = {
            "pieces": self.n,
            "encoder": self.info.as_dict() if self.info else None,
            "floor": self.floor,
            "reach": self.reach.tolist(),
            "words": self.bm25 is not None,
        }
        write_json(folder / "pieces.json", about)

    @classmethod
    def read(cls, folder: Path) -> PieceIndex:
        """Read what :meth:`write` wrote."""
        about = read_json(folder / "pieces.json")
        bm25 = vectors = None
        if about["words"]:
            import bm25s

            bm25 = bm25s.BM25.load(folder / "bm25", mmap=True)
        if about["encoder"]:
            import faiss

            vectors = faiss.read_index(str(folder / "pieces.faiss"))
        return cls(
            int(about["pieces"]),
            pl.read_parquet(folder / "terms.parquet"),
            pl.read_parquet(folder / "vocabulary.parquet"),
            bm25,
            vectors,
            EncoderInfo(**about["encoder"]) if about["encoder"] else None,
            float(about["floor"]),
            np.asarray(about["reach"], dtype=np.float64),
        )


def _filled(
    search: Callable[[NDArray[np.int64], int], pl.DataFrame],
    asked: NDArray[np.int64],
    total: int,
    depth: int,
    side: Side | None,
) -> pl.DataFrame:
    """Search deeper for the queries whose wanted side is not filled, until nothing more counts.

    Adds ``of_side``: whether a piece is of the wanted side, which all are where there is none.
    """
    parts: list[pl.DataFrame] = []
    wanted = min(depth, total)
    while True:
        found = search(asked, wanted)
        flags = np.ones(found.height, dtype=np.bool_) if side is None else side(*_pairs(found))
        found = found.with_columns(of_side=pl.Series(flags, dtype=pl.Boolean))
        if side is None or wanted >= total:
            break
        tally = found.group_by("query").agg(pl.len(), pl.col("of_side").sum())
        starved = tally.filter((pl.col("of_side") < depth) & (pl.col("len") >= wanted))["query"]
        if starved.is_empty():
            break
        parts.append(found.filter(~pl.col("query").is_in(starved.implode())))
        asked, wanted = starved.sort().to_numpy().astype(np.int64), min(4 * wanted, total)
    return _cut(pl.concat([*parts, found]), depth, by="value")


def _cut(found: pl.DataFrame, depth: int, by: str = "score") -> pl.DataFrame:
    """Keep the best of each query, and of the wanted side so many even where others stand before them."""
    found = found.sort("query", by, "piece", descending=[False, True, False])
    place = pl.int_range(pl.len()).over("query")
    within = pl.int_range(pl.len()).over("query", "of_side")
    return found.filter((place < depth) | (pl.col("of_side") & (within < depth)))


def _pairs(found: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return found["query"].to_numpy().astype(np.int64), found["piece"].to_numpy().astype(np.int64)
