"""Word postings: exact counts of shared units for a batch of queries, as one sparse product."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

# Rows of one product are held in memory at once; a batch is cut where its postings pass this.
_MOST_POSTINGS = 20_000_000


@dataclass(frozen=True)
class WordIndex:
    """Which documents hold which unit (a morpheme, or a word as written).

    Attributes
    ----------
    vocabulary : polars.DataFrame
        ``unit`` and ``column``, sorted by unit.
    postings : scipy.sparse.csr_matrix, bool-like int32 ``[n_units, n_documents]``
    """

    vocabulary: pl.DataFrame
    postings: sparse.csr_matrix

    @classmethod
    def build(cls, units: pl.DataFrame, n_documents: int) -> WordIndex:
        """Build from a frame ``document`` u32 · ``unit`` str (repeats count once)."""
        pairs = units.select("document", "unit").unique()
        vocabulary = pairs.select("unit").unique().sort("unit").with_row_index("column").select("unit", "column")
        coded = pairs.join(vocabulary, on="unit").sort("column", "document")
        matrix = sparse.csr_matrix(
            (
                np.ones(coded.height, dtype=np.int32),
                (coded["column"].to_numpy(), coded["document"].to_numpy()),
            ),
            shape=(vocabulary.height, n_documents),
        )
        return cls(vocabulary, matrix)

    def counts(self, units: pl.DataFrame) -> pl.DataFrame:
        """Count shared units of every query with every document that shares one.

        Parameters
        ----------
        units : polars.DataFrame
            ``query`` u32 · ``unit`` str.

        Returns
        -------
        polars.DataFrame
            ``query`` u32 · ``document`` u32 · ``shared`` u32, by query and document.
        """
        coded = units.select("query", "unit").unique().join(self.vocabulary, on="unit").sort("query", "column")
        schema = {"query": pl.UInt32, "document": pl.UInt32, "shared": pl.UInt32}
        if coded.is_empty():
            return pl.DataFrame(schema=schema)
        sizes = np.diff(self.postings.indptr)[coded["column"].to_numpy()]
        load = coded.select("query").with_columns(size=pl.Series(sizes)).group_by("query", maintain_order=True).sum()
        batch = (load["size"].cum_sum() // _MOST_POSTINGS).alias("batch")
        found: list[pl.DataFrame] = []
        for (_,), part in coded.join(load.with_columns(batch), on="query").group_by("batch", maintain_order=True):
            queries = part["query"].unique(maintain_order=True)
            rows = part.join(queries.to_frame().with_row_index("row"), on="query")["row"].to_numpy()
            asked = sparse.csr_matrix(
                (np.ones(part.height, dtype=np.int32), (rows, part["column"].to_numpy())),
                shape=(len(queries), self.vocabulary.height),
            )
            # Twice turned round, its rows are in the order of the documents at no sort's cost.
            product = (asked @ self.postings).tocsc().tocsr().tocoo()
            found.append(
                pl.DataFrame(
                    {
                        "query": queries.to_numpy()[product.row].astype(np.uint32),
                        "document": product.col.astype(np.uint32),
                        "shared": product.data.astype(np.uint32),
                    }
                )
            )
        return pl.concat(found)

    def write(self, folder: Path) -> None:
        """Write to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.vocabulary.write_parquet(folder / "vocabulary.parquet")
        sparse.save_npz(folder / "postings.npz", self.postings)

    @classmethod
    def read(cls, folder: Path) -> WordIndex:
        """Read what :meth:`write` wrote."""
        return cls(
            pl.read_parquet(folder / "vocabulary.parquet"),
            sparse.csr_matrix(sparse.load_npz(folder / "postings.npz")),
        )
