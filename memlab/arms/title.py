"""The title arm: nodes whose titles or aliases share words with the question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
        shared = self._shared(asked)
        whole = (
            asked.keys.join(self.names.names.select("key", "node"), on="key")
            .select("query", "node", score=pl.lit(WHOLE_SCORE, pl.UInt32))
            .unique()
        )
        if whole.height:
            # Only questions that are a whole title have a node twice.
            twice = pl.col("query").is_in(whole["query"].unique().implode())
            merged = pl.concat([shared.filter(twice), whole]).group_by("query", "node").agg(pl.col("score").max())
            shared = pl.concat([shared.filter(~twice), merged])
        kept = cut(shared, asked, gathering.title_cap)
        beyond = _beyond(shared, kept)
        scored = self._scored(kept, asked)
        return ranked(cut(scored, asked, gathering.depth, ties=True), self.name), beyond

    def among(self, pairs: pl.DataFrame, asked: Asked) -> pl.DataFrame:
        """Return the hits among given candidates alone (``query`` · ``node``), uncut."""
        return ranked(self._scored(pairs, asked), self.name)

    def _scored(self, pairs: pl.DataFrame, asked: Asked) -> pl.DataFrame:
        matched = match_names(pairs.select("query", "node"), asked.wording, self.names)
        return best_names(matched, self.names).select(
            "query",
            "node",
            score=pl.when("whole_title").then(WHOLE_SCORE).otherwise(pl.col("title_words")).cast(pl.Float64),
        )

    def _shared(self, asked: Asked) -> pl.DataFrame:
        """Most units that any one name of a node shares: ``query`` · ``node`` · ``score``."""
        counts = self.names.words.counts(asked.units)
        if counts.is_empty():
            return counts.rename({"document": "node", "shared": "score"})
        query, shared = counts["query"].to_numpy(), counts["shared"].to_numpy()
        node = self.names.names["node"].to_numpy()[counts["document"].to_numpy()]
        # Names stand in the order of their nodes, so those of one node are neighbours.
        first = np.ones(len(node), dtype=np.bool_)
        first[1:] = (node[1:] != node[:-1]) | (query[1:] != query[:-1])
        start = np.flatnonzero(first)
        return pl.DataFrame({"query": query[start], "node": node[start], "score": np.maximum.reduceat(shared, start)})


def _beyond(found: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Best score of each question that is not among the kept ones: ``query`` · ``title_beyond``."""
    if found.is_empty():
        return pl.DataFrame(schema={"query": pl.UInt32, "title_beyond": pl.UInt32})
    values = np.flatnonzero(np.bincount(found["score"].to_numpy()))
    n, n_values = int(found["query"].to_numpy().max()) + 1, len(values)
    number = np.zeros(int(values[-1]) + 1, dtype=np.int64)
    number[values] = np.arange(n_values)

    def tally(part: pl.DataFrame) -> NDArray[np.int64]:
        cell = part["query"].to_numpy().astype(np.int64) * n_values + number[part["score"].to_numpy()]
        return np.bincount(cell, minlength=n * n_values).reshape(n, n_values)

    left = tally(found) > tally(kept)
    query = np.flatnonzero(left.any(axis=1))
    return pl.DataFrame(
        {
            "query": query.astype(np.uint32),
            "title_beyond": values[n_values - 1 - left[query, ::-1].argmax(axis=1)].astype(np.uint32),
        }
    )
