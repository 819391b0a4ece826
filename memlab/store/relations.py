"""What nodes are tied to: Concepts by any edge, and what took a node's place."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl


def connections(nodes: pl.DataFrame, edges: pl.DataFrame) -> pl.DataFrame:
    """What every node is connected to, by name of a relation.

    Returns
    -------
    polars.DataFrame
        ``node`` u32 · ``relation`` · ``concept`` u32, row numbers of `nodes`: edges between a node and
        a Concept, in either direction, and those that lead to a Concept from a piece that the node came
        from. ``relation`` names type and direction.
    """
    rows = nodes.select("id", "kind").with_row_index("node")
    concepts = rows.filter(pl.col("kind") == "Concept").select(concept="node", end="id")
    others = rows.select("node", start="id")
    out = edges.join(others, left_on="source", right_on="start").join(concepts, left_on="target", right_on="end")
    back = edges.join(others, left_on="target", right_on="start").join(concepts, left_on="source", right_on="end")
    through = (
        edges.filter(pl.col("type") != "FROM")
        .join(concepts, left_on="target", right_on="end")
        .join(edges.filter(pl.col("type") == "FROM").select(start="source", piece="target"),
              left_on="source", right_on="piece")
        .join(others, on="start")
    )  # fmt: skip
    named = [
        part.select("node", (pl.col("type") + pl.lit(sign)).alias("relation"), "concept")
        for part, sign in ((out, " >"), (back, " <"), (through, " of a piece >"))
    ]
    return pl.concat(named).filter(pl.col("node") != pl.col("concept")).unique().sort("node", "relation", "concept")


def followers(nodes: pl.DataFrame, ids: Iterable[str]) -> dict[str, list[str]]:
    """What took the place of each node, and of what took its place, in order of id.

    Parameters
    ----------
    nodes
        Frame with ``id`` and ``superseded_by``.
    ids
        The nodes to follow; those that nothing followed are left out of the result.
    """
    told = nodes.filter(pl.col("superseded_by").list.len() > 0).select("id", "superseded_by")
    after = dict(told.iter_rows())
    found: dict[str, list[str]] = {}
    for start in ids:
        if start not in after:
            continue
        seen, stack = {start}, list(after[start])
        while stack:
            here = stack.pop()
            if here not in seen:
                seen.add(here)
                stack.extend(after.get(here, ()))
        found[start] = sorted(seen - {start})
    return found
