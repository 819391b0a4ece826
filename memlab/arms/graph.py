"""The graph arm: what the top pieces mention, and where they came from."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from memlab.arms.asked import Asked
from memlab.arms.base import HIT_SCHEMA, Gathering, cut, ranked
from memlab.indexes import Indexes


@dataclass(frozen=True)
class GraphArm:
    """From the top pieces along MENTIONS to Concepts, and along FROM to a piece's own node.

    A node that many pieces mention is worth less for each of them, so that a hub does not win by
    being everywhere (inverse document frequency, as of a word).
    """

    indexes: Indexes
    kinds: pl.Series
    name: str = "graph"

    def pieces(self, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Return the counting pieces of each question: ``query`` · ``piece`` · ``rank`` · ``score``."""
        worded = asked.worded
        index = self.indexes.pieces
        vectors = asked.vectors[0] if asked.vectors and index.vectors is not None else None
        found = index.search(asked.terms.select("query", "term"), vectors, gathering.pieces)
        return found.filter(pl.Series(worded).gather(found["query"])) if found.height else found

    def links(self, gathering: Gathering) -> pl.DataFrame:
        """Return the paths that are followed: ``piece`` · ``node`` · ``weight``."""
        kinds = pl.DataFrame({"kind": self.kinds}).with_row_index("node")
        mentions = self.indexes.mentions.join(
            kinds.filter(pl.col("kind").cast(pl.String).is_in(list(gathering.mention_kinds))).select("node"),
            on="node",
            how="semi",
        )
        spread = mentions.group_by("node").agg(pl.len().alias("n"))
        total = max(self.indexes.pieces.n, 1)
        mentions = mentions.join(spread, on="node").select(
            "piece", "node", weight=(1 + total / pl.col("n")).log() / pl.lit(1 + total).log()
        )
        if not gathering.from_origins:
            return mentions
        origins = self.indexes.origins.select("piece", "node", weight=pl.lit(1.0))
        return pl.concat([mentions, origins]).group_by("piece", "node").agg(pl.col("weight").max())

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
