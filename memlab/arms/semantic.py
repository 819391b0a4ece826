"""The semantic arm: nodes whose title vector lies near the question's."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from memlab.arms.asked import Asked
from memlab.arms.base import HIT_SCHEMA, Gathering, cut, ranked
from memlab.indexes import Correction, TitleVectors


@dataclass(frozen=True)
class SemanticArm:
    """Nearest titles by raw cosine of one encoder, corrected where the gathering says so.

    ``encoder`` is the number of that encoder among those the questions were encoded by.
    """

    vectors: TitleVectors
    encoder: int = 0

    @property
    def name(self) -> str:
        """``semantic``, and ``semantic2`` for a second encoder."""
        return "semantic" if self.encoder == 0 else f"semantic{self.encoder + 1}"

    def search(self, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Return the nearest nodes of each question, current and hidden ones cut apart."""
        queries = asked.worded.nonzero()[0]
        vectors = asked.vectors[self.encoder]
        total = self.vectors.index.ntotal
        correction = Correction(gathering.centred, gathering.hub) if gathering.centred or gathering.hub else None
        wanted = min(4 * gathering.depth, total)
        parts: list[pl.DataFrame] = []
        while len(queries) and total:
            found = self.vectors.search(vectors[queries], wanted, correction).with_columns(
                query=pl.lit(pl.Series(queries.astype("uint32"))).gather(pl.col("query"))
            )
            enough = self._enough(found, asked, gathering.depth, everything=wanted >= total)
            parts.append(found.join(enough, on="query", how="semi"))
            # Where one side is starved by the other, look deeper for those questions alone.
            queries = queries[~pl.Series(queries.astype("uint32")).is_in(enough["query"].implode()).to_numpy()]
            wanted = min(4 * wanted, total)
        if not parts:
            return pl.DataFrame(schema=HIT_SCHEMA)
        found = pl.concat(parts)
        hits = ranked(cut(found.rename({"nearness": "score"}), asked, gathering.depth), self.name)
        if correction is None:
            return hits
        # A correction orders; the score stays the raw cosine, which gaps and floors are measured on.
        raw = found.select("query", "node", score="similarity")
        return hits.drop("score").join(raw, on=["query", "node"], maintain_order="left").select(HIT_SCHEMA.names())

    @staticmethod
    def _enough(found: pl.DataFrame, asked: Asked, depth: int, *, everything: bool) -> pl.DataFrame:
        """Questions with ``depth`` nodes of either sort, or for which every name was looked at."""
        if everything:
            return found.select("query").unique()
        sides = (
            asked.current(found.select("query", "node"))
            .group_by("query")
            .agg(pl.col("current").sum().alias("yes"), (~pl.col("current")).sum().alias("no"))
        )
        # A store in which nothing can end or begin has no hidden side to fill.
        no_side = pl.col("no") >= depth if asked.anything_hidden else pl.lit(True)
        return sides.filter((pl.col("yes") >= depth) & no_side).select("query")
