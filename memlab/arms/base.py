"""The arm protocol, what an arm returns, and how deep arms go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.arms.asked import Asked
from memlab.errors import InputError
from memlab.plain import as_plain, check_number, check_switch, from_plain
from memlab.store import KINDS

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
        Kinds that MENTIONS are followed to, from a piece that counts.
    origin_kinds : tuple of str
        Kinds that FROM is followed back to: a Decision's abstract, an Episode's turn, a Record's
        source lead to the node that they came from.
    piece_vectors : bool
        Look for pieces by vectors too, beside words.
    centred : bool
        Take what is common to all questions, and to all titles, off their vectors before the semantic
        arm looks for the nearest. Gaps and floors stay raw cosines.
    hub : float
        How much of a title's nearness to anything is taken off its similarity, likewise; 0 for none.
    """

    depth: int = 50
    title_cap: int = 200
    pieces: int = 50
    mention_kinds: tuple[str, ...] = ("Concept",)
    origin_kinds: tuple[str, ...] = KINDS
    piece_vectors: bool = True
    centred: bool = False
    hub: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mention_kinds", "origin_kinds"):
            value = getattr(self, name)
            if isinstance(value, str) or any(kind not in KINDS for kind in value):
                raise InputError(f"gathering {name}: must be a list of {', '.join(KINDS)}, not {value!r}")
            object.__setattr__(self, name, tuple(value))
        for name in ("piece_vectors", "centred"):
            check_switch("gathering", name, getattr(self, name))
        check_number("gathering", "hub", self.hub, 0, 2, whole=False)
        for name in ("depth", "title_cap", "pieces"):
            check_number("gathering", name, getattr(self, name), 1, 100_000, whole=True)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return as_plain(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Gathering:
        """Make it from plain values; an unknown name is refused by name."""
        return from_plain(cls, values, "gathering")


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
    if found.is_empty():
        return found.select("query", "node", "score")
    query, node = (found[c].to_numpy().astype(np.int64) for c in ("query", "node"))
    codes, scores = _descending(found["score"])
    group = 2 * query + ~asked.current_flags(query, node)
    packed = _packed(group, codes, node, len(scores))
    if packed is None:
        return _cut_by_frame(found, asked, depth, ties=ties)
    key, code_bits, node_bits = packed
    key.sort()
    group = key >> (code_bits + node_bits)
    place = np.arange(len(key)) - np.searchsorted(group, group)
    if ties:
        # The score of the last one kept, or the worst there is where fewer were found.
        code = (key >> node_bits) & ((1 << code_bits) - 1)
        last = np.full(int(group[-1]) + 1, len(scores))
        at_cut = place == depth - 1
        last[group[at_cut]] = code[at_cut]
        kept = code <= last[group]
    else:
        kept = place < depth
    key, group = key[kept], group[kept]
    return pl.DataFrame(
        {
            "query": (group >> 1).astype(np.uint32),
            "node": (key & ((1 << node_bits) - 1)).astype(np.uint32),
            "score": scores.gather((key >> node_bits) & ((1 << code_bits) - 1)),
        }
    )


def _descending(score: pl.Series) -> tuple[NDArray[np.int64], pl.Series]:
    """Number the scores from the best down; also returns the score of each number."""
    values = score.to_numpy()
    if score.dtype.is_integer():
        best = int(values.max())
        return best - values.astype(np.int64), pl.Series(np.arange(best, -1, -1), dtype=score.dtype)
    known, codes = np.unique(values, return_inverse=True)
    return len(known) - 1 - codes, pl.Series(known[::-1], dtype=score.dtype)


def _packed(
    group: NDArray[np.int64], codes: NDArray[np.int64], node: NDArray[np.int64], n_codes: int
) -> tuple[NDArray[np.int64], int, int] | None:
    """One integer a row that sorts by group, score and node, and the bits of the last two."""
    code_bits, node_bits = n_codes.bit_length(), int(node.max()).bit_length()
    if int(group.max()).bit_length() + code_bits + node_bits > 62:
        return None
    return (group << code_bits | codes) << node_bits | node, code_bits, node_bits


def _cut_by_frame(found: pl.DataFrame, asked: Asked, depth: int, *, ties: bool) -> pl.DataFrame:
    """Cut what is too large to be packed into integers."""
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
    if found.is_empty():
        return pl.DataFrame(schema=HIT_SCHEMA)
    query, node = (found[c].to_numpy().astype(np.int64) for c in ("query", "node"))
    codes, _ = _descending(found["score"])
    order = np.lexsort((node, codes, query))
    query, codes = query[order], codes[order]
    # The rank of a run of equal scores is the place of its first.
    opens = np.ones(len(order), dtype=np.bool_)
    opens[1:] = (np.diff(query) != 0) | (np.diff(codes) != 0)
    place = np.arange(len(order)) - np.searchsorted(query, query)
    rank = place[np.maximum.accumulate(np.where(opens, np.arange(len(order)), 0))] + 1
    return found[order].select(
        "query",
        pl.lit(arm).alias("arm"),
        "node",
        pl.Series("rank", rank.astype(np.uint32)),
        pl.col("score").cast(pl.Float64),
    )
