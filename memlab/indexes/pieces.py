"""Piece search by words (BM25) and by vectors, fused by reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.encoders import Encoder, EncoderInfo
from memlab.indexes.files import read_json, write_json
from memlab.indexes.vectors import DECIMALS, background
from memlab.text import segment

# Reciprocal rank fusion's constant (Cormack, Clarke and Buettcher, SIGIR 2009).
RRF_K = 60
# Characters of a piece that are encoded: what a paragraph is about stands at its head, and encoding
# takes time by length.
HEAD = 300
PIECE_HITS = pl.Schema({"query": pl.UInt32, "piece": pl.UInt32, "rank": pl.UInt32, "score": pl.Float64})


@dataclass(frozen=True)
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
    """

    n: int
    terms: pl.DataFrame
    vocabulary: pl.DataFrame
    bm25: Any
    vectors: Any
    info: EncoderInfo | None
    floor: float

    @classmethod
    def none(cls) -> PieceIndex:
        """Return the index of no pieces."""
        terms = pl.DataFrame(schema={"piece": pl.UInt32, "term": pl.String})
        vocabulary = pl.DataFrame(schema={"term": pl.String, "token": pl.UInt32})
        return cls(0, terms, vocabulary, None, None, None, 0.0)

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
        vectors, info, floor = None, None, 0.0
        if encoder is not None and texts:
            import faiss

            encoded = encoder.encode_document([text[:HEAD] for text in texts])
            vectors = faiss.IndexFlatIP(encoder.info.dimension)
            vectors.add(encoded)
            info, floor = encoder.info, background(encoded, encoder)
        held = terms.rename({"text": "piece"}).unique().sort("piece", "term")
        return cls(len(texts), held, vocabulary, bm25, vectors, info, floor)

    def search(self, terms: pl.DataFrame, queries: NDArray[np.float32] | None, depth: int) -> pl.DataFrame:
        """Find the pieces of each query.

        Parameters
        ----------
        terms : polars.DataFrame
            ``query`` u32 · ``term``: content terms of the queries.
        queries : float32 ``[n, d]`` or None
            Query vectors by the encoder of this index.
        depth : int
            Pieces by each way of searching, and in the fused list.

        Returns
        -------
        polars.DataFrame
            ``query`` · ``piece`` · ``rank`` (from 1) · ``score`` (sum of reciprocal ranks). Only
            pieces that count: they share a word, or lie nearer than to unrelated questions.
        """
        ways = [way for way in (self._by_words(terms, depth), self._by_vectors(queries, depth)) if way.height]
        if not ways:
            return pl.DataFrame(schema=PIECE_HITS)
        ranked = [
            way.with_columns(pl.col("value").rank("min", descending=True).over("query").alias("place")) for way in ways
        ]
        return (
            pl.concat([r.select("query", "piece", (1 / (RRF_K + pl.col("place"))).alias("part")) for r in ranked])
            .group_by("query", "piece")
            .agg(pl.col("part").sum().round(9).alias("score"))
            # Pieces stand in the order of their content, so a tie does not hang on ids or rows.
            .sort("query", "score", "piece", descending=[False, True, False])
            .with_columns(rank=pl.col("score").rank("min", descending=True).over("query").cast(pl.UInt32))
            .filter(pl.int_range(pl.len()).over("query") < depth)
            .select(PIECE_HITS.names())
        )

    def _by_words(self, terms: pl.DataFrame, depth: int) -> pl.DataFrame:
        schema = {"query": pl.UInt32, "piece": pl.UInt32, "value": pl.Float64}
        known = (
            terms.select("query", "term").unique().join(self.vocabulary, on="term").sort("query", "token")
            .group_by("query", maintain_order=True).agg("token")
        )  # fmt: skip
        if self.bm25 is None or known.is_empty():
            return pl.DataFrame(schema=schema)
        found, scores = self.bm25.retrieve(
            known["token"].to_list(), k=min(depth, self.n), show_progress=False, n_threads=1
        )
        return pl.DataFrame(
            {
                "query": np.repeat(known["query"].to_numpy(), found.shape[1]),
                "piece": found.ravel().astype(np.uint32),
                "value": scores.ravel().astype(np.float64).round(DECIMALS),
            }
        ).filter(pl.col("value") > 0)

    def _by_vectors(self, queries: NDArray[np.float32] | None, depth: int) -> pl.DataFrame:
        schema = {"query": pl.UInt32, "piece": pl.UInt32, "value": pl.Float64}
        if self.vectors is None or queries is None or not len(queries):
            return pl.DataFrame(schema=schema)
        scores, found = self.vectors.search(np.ascontiguousarray(queries), min(depth, self.n))
        return pl.DataFrame(
            {
                "query": np.repeat(np.arange(len(queries), dtype=np.uint32), found.shape[1]),
                "piece": found.ravel().astype(np.uint32),
                "value": scores.ravel().astype(np.float64).round(DECIMALS),
            }
        ).filter(pl.col("value") > self.floor)

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
        )
