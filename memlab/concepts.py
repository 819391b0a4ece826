"""Concepts that a question names, and whether a candidate is connected to them or to another of their sort."""

from __future__ import annotations

import polars as pl

from memlab.store import Store

# These run to and from pieces: they tell where a node's words stand, not what sort of thing it is tied to.
_PIECE_EDGES = r"^(?:MENTIONS|FROM)\b"


def concept_differs(frame: pl.DataFrame, store: Store) -> pl.DataFrame:
    """Find candidates that are connected to another Concept than the one that the question names.

    Two Concepts are of one sort where they stand in the same relation: asked about Caroline, a fact
    ABOUT Melanie differs, since other facts are ABOUT Caroline and this one is not connected to her.
    A mention in a piece connects, but makes no sort.

    Parameters
    ----------
    frame : polars.DataFrame
        The pool: ``query`` · ``node`` · ``kind`` is looked up · ``title_words`` · ``title_leftover``.
    store : Store

    Returns
    -------
    polars.DataFrame
        ``query`` · ``node`` · ``concept_differs`` (true), one row a pair that differs.
    """
    kinds = store.nodes["kind"].cast(pl.String)
    named = frame.filter(
        (pl.col("title_words") > 0) & (pl.col("title_leftover") == 0) & (kinds.gather(frame["node"]) == "Concept")
    ).select("query", concept="node")
    empty = pl.DataFrame(schema={"query": pl.UInt32, "node": pl.UInt32, "concept_differs": pl.Boolean})
    links = store.connections if named.height else None
    if links is None or links.is_empty():
        return empty
    sorts = links.filter(~pl.col("relation").str.contains(_PIECE_EDGES))
    wanted = named.join(sorts.select("concept", "relation").unique(), on="concept").select("query", "relation").unique()
    pairs = frame.select("query", "node").join(named.select("query").unique(), on="query", how="semi")
    # A named Concept is itself what the question names.
    pairs = pairs.join(named, left_on=["query", "node"], right_on=["query", "concept"], how="anti")
    tied = pairs.join(links, on="node")
    connected = tied.join(named, on=["query", "concept"], how="semi").select("query", "node").unique()
    others = tied.join(wanted, on=["query", "relation"], how="semi").join(named, on=["query", "concept"], how="anti")
    return (
        others.select("query", "node")
        .unique()
        .join(connected, on=["query", "node"], how="anti")
        .with_columns(concept_differs=pl.lit(True))
    )
