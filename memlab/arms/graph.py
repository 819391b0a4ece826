"""The graph arm: what the top pieces mention, and where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.arms.asked import Asked
from memlab.arms.base import HIT_SCHEMA, Gathering, cut, ranked
from memlab.indexes import Indexes
from memlab.indexes.pieces import Side


@dataclass(frozen=True, eq=False)
class GraphArm:
    """From the top pieces along MENTIONS to Concepts, and along FROM to a piece's own node.

    A node that many pieces mention is worth less for each of them, and next to nothing where all of
    them do, so that a hub does not win by being everywhere (the inverse document frequency of BM25).
    """

    indexes: Indexes
    kinds: pl.Series
    name: str = "graph"
    _links: dict[Gathering, pl.DataFrame] = field(default_factory=dict, repr=False)

    def pieces(self, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Return the counting pieces of each question (``memlab.indexes.pieces.PIECE_HITS``)."""
        worded = asked.worded
        index = self.indexes.pieces
        by_vectors = gathering.piece_vectors and index.vectors is not None
        vectors = asked.vectors[0] if asked.vectors and by_vectors else None
        side = self._side(asked, gathering) if asked.anything_hidden else None
        found = index.search(asked.terms.select("query", "term"), vectors, gathering.pieces, side)
        return found.filter(pl.Series(worded).gather(found["query"])) if found.height else found

    def _side(self, asked: Asked, gathering: Gathering) -> Side:
        """Whether a piece leads to anything that holds at the instant of its question."""
        links = self.links(gathering).select("piece", "node").sort("piece", "node")
        piece, node = links["piece"].to_numpy(), links["node"].to_numpy().astype(np.int64)

        def leads(query: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.bool_]:
            first, last = np.searchsorted(piece, found), np.searchsorted(piece, found, side="right")
            owner = np.repeat(np.arange(len(found)), last - first)
            place = np.arange(len(owner)) - np.repeat(np.cumsum(last - first) - (last - first), last - first)
            flags = asked.current_flags(query[owner], node[first[owner] + place])
            out = np.zeros(len(found), dtype=np.bool_)
            out[owner[flags]] = True
            return out

        return leads

    def links(self, gathering: Gathering) -> pl.DataFrame:
        """Return the paths that are followed: ``piece`` · ``node`` · ``weight``, worked out once."""
        if gathering not in self._links:
            self._links[gathering] = self._follow_paths(gathering)
        return self._links[gathering]

    def _follow_paths(self, gathering: Gathering) -> pl.DataFrame:
        mentions = self._leading_to(self.indexes.mentions, gathering.mention_kinds)
        spread = mentions.group_by("node").agg(pl.len().alias("n"))
        total = max(self.indexes.pieces.n, 1)
        mentions = mentions.join(spread, on="node").select(
            "piece", "node", weight=(_rarity(pl.col("n"), total) / _rarity(pl.lit(1), total)).round(9)
        )
        origins = self._leading_to(self.indexes.origins, gathering.origin_kinds)
        origins = origins.select("piece", "node", weight=pl.lit(1.0))
        return pl.concat([mentions, origins]).group_by("piece", "node").agg(pl.col("weight").max())

    def _leading_to(self, links: pl.DataFrame, kinds: Sequence[str]) -> pl.DataFrame:
        of_kind = self.kinds.cast(pl.String).is_in(list(kinds))
        return links.filter(of_kind.gather(links["node"]))

    def search(self, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Return the nodes that the top pieces lead to."""
        return self.follow(self.pieces(asked, gathering), asked, gathering)

    def follow(self, pieces: pl.DataFrame, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Follow pieces that were already found."""
        if pieces.is_empty():
            return pl.DataFrame(schema=HIT_SCHEMA)
        found = (
            pieces.join(self.links(gathering), on="piece")
            .group_by("query", "node")
            .agg((pl.col("score") * pl.col("weight")).sum().round(9).alias("score"))
        )
        return ranked(cut(found, asked, gathering.depth), self.name)


def _rarity(n: pl.Expr, total: int) -> pl.Expr:
    return (1 + (total - n + 0.5) / (n + 0.5)).log()
