"""The arm protocol, what an arm returns, and how deep arms go."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

import polars as pl

from memlab.arms.asked import Asked
from memlab.errors import InputError

# What an arm found: row numbers of question and node; ties share a rank.
HIT_SCHEMA = pl.Schema(
    {"query": pl.UInt32, "arm": pl.String, "node": pl.UInt32, "rank": pl.UInt32, "score": pl.Float64}
)


@dataclass(frozen=True, slots=True)
class Gathering:
    """How evidence is gathered; changing it means searching again.

    Attributes
    ----------
    depth : int
        Nodes that an arm puts forward, current and hidden ones apart.
    title_cap : int
        Most nodes that the title arm puts forward of each sort when many tie at its cut.
    pieces : int
        Top pieces that the graph arm reads.
    mention_kinds : tuple of str
        Kinds that MENTIONS are followed to.
    from_origins : bool
        Follow a piece to the node that it came from.
    """

    depth: int = 50
    title_cap: int = 200
    pieces: int = 50
    mention_kinds: tuple[str, ...] = ("Concept",)
    from_origins: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "mention_kinds", tuple(self.mention_kinds))
        for name, low in (("depth", 1), ("title_cap", 1), ("pieces", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= 100_000:
                raise InputError(f"gathering {name}: must be a whole number from {low} to 100000, not {value!r}")

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self) | {"mention_kinds": list(self.mention_kinds)}


class Arm(Protocol):
    """A way for nodes to become candidates."""

    @property
    def name(self) -> str:
        """Short name, the ``arm`` of its hits."""

    def search(self, asked: Asked, gathering: Gathering) -> pl.DataFrame:
        """Return the hits of a batch of questions, as :data:`HIT_SCHEMA`."""


def cut(found: pl.DataFrame, asked: Asked, depth: int, *, ties: bool = False) -> pl.DataFrame:
    """Keep the best ``depth`` nodes of each question, current and hidden ones apart.

    Parameters
    ----------
    found : polars.DataFrame
        ``query`` · ``node`` · ``score`` (higher is better).
    ties : bool
        Keep every node that ties with the last one kept.
    """
    group = ["query", "current"]
    placed = (
        found.join(asked.current(found.select("query", "node")), on=["query", "node"])
        .sort("query", "current", "score", "node", descending=[False, True, True, False])
        .with_columns(
            place=pl.int_range(pl.len()).over(group),
            tied=pl.col("score").rank("min", descending=True).over(group),
        )
    )
    kept = placed.filter((pl.col("tied") <= depth) if ties else (pl.col("place") < depth))
    return kept.select("query", "node", "score")


def ranked(found: pl.DataFrame, arm: str) -> pl.DataFrame:
    """Turn scores into hits: ranks from 1 over hidden and current alike, ties sharing a rank."""
    return (
        found.with_columns(
            rank=pl.col("score").rank("min", descending=True).over("query").cast(pl.UInt32),
            arm=pl.lit(arm),
            score=pl.col("score").cast(pl.Float64),
        )
        .select(HIT_SCHEMA.names())
        .sort("query", "rank", "node")
    )
