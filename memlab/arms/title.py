"""The title arm: nodes whose titles or aliases share words with the question."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from memlab.arms.asked import Asked
from memlab.arms.base import Gathering, cut, ranked
from memlab.indexes import Names
from memlab.indexes.match import best_names, match_names

# A whole title stands above every count of words.
WHOLE_SCORE = 1_000


@dataclass(frozen=True)
class TitleArm:
    """Counts the words of each name that the question covers (see :mod:`memlab.indexes.match`).

    The postings give every name that shares a morpheme or a word as written, best counts first; of
    those the words are counted. A whole title is looked up by its words, so no cut can lose it.
    """

    names: Names
    name: str = "title"

    def search(self, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Return the nodes of each question, by words; every node tied at the cut, to a cap."""
        return self.search_and_cut(asked, gathering)[0]

    def search_and_cut(self, asked: Asked, gathering: Gathering) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the hits, and what the cap cut off.

        The second frame is ``query`` · ``title_beyond``: how many morphemes the best node shared
        that was never counted. A lead by no more words than that is not certain, so it is no lead.
        """
        node_of = self.names.names.select(pl.col("name").alias("document"), "node")
        shared = (
            self.names.words.counts(asked.units)
            .join(node_of, on="document")
            .group_by("query", "node")
            .agg(pl.col("shared").max().alias("score"))
        )
        whole = (
            asked.keys.join(self.names.names.select("key", "node"), on="key")
            .select("query", "node", score=pl.lit(WHOLE_SCORE, pl.UInt32))
            .unique()
        )
        found = pl.concat([shared, whole]).group_by("query", "node").agg(pl.col("score").max())
        kept = cut(found, asked, gathering.title_cap)
        beyond = (
            found.join(kept, on=["query", "node"], how="anti")
            .group_by("query")
            .agg(pl.col("score").max().cast(pl.UInt32).alias("title_beyond"))
        )
        matched = match_names(kept.select("query", "node"), asked.terms, asked.keys, self.names)
        scored = best_names(matched, self.names).select(
            "query",
            "node",
            score=pl.when("whole_title").then(WHOLE_SCORE).otherwise(pl.col("title_words")).cast(pl.Float64),
        )
        return ranked(cut(scored, asked, gathering.depth, ties=True), self.name), beyond
