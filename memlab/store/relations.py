"""What nodes are tied to: Concepts by any edge, and what took a node's place."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl


def links(nodes: pl.DataFrame, edges: pl.DataFrame) -> pl.DataFrame:
    """Edges between nodes, and those that lead from a node over a piece that it came from.

    Returns
    -------
    polars.DataFrame
        ``source`` · ``type`` · ``target`` (ids of nodes) · ``through`` (the piece, or null), in order.
    """
    ids = nodes["id"].implode()
    ends_in_node = edges.filter(pl.col("target").is_in(ids))
    direct = ends_in_node.filter(pl.col("source").is_in(ids)).with_columns(through=pl.lit(None, pl.String))
    origins = edges.filter(pl.col("type") == "FROM").select(owner="source", piece="target")
    through = (
        ends_in_node.filter(~pl.col("source").is_in(ids))
        .join(origins, left_on="source", right_on="piece")
        .filter(pl.col("owner") != pl.col("target"))
        .select(source="owner", type="type", target="target", through="source")
    )
    named = pl.concat([direct.select("source", "type", "target", "through"), through])
    return named.sort("type", "source", "target", "through", nulls_last=False)


def connections(nodes: pl.DataFrame, edges: pl.DataFrame) -> pl.DataFrame:
    """What every node is connected to, by name of a relation.

    Returns
    -------
    polars.DataFrame
        ``node`` u32 · ``relation`` · ``concept`` u32, row numbers of `nodes`: links (see :func:`links`)
        between a node and a Concept, in either direction; over a piece, towards the Concept alone.
        ``relation`` names type and direction.
    """
    rows = nodes.select("id", "kind").with_row_index("number")
    ends = rows.select("number", "id", concept=pl.col("kind") == "Concept")
    tied = (
        links(nodes, edges)
        .join(ends, left_on="source", right_on="id")
        .join(ends, left_on="target", right_on="id", suffix="_target")
        .filter(pl.col("number") != pl.col("number_target"))
    )
    sign = pl.when(pl.col("through").is_null()).then(pl.lit(" >")).otherwise(pl.lit(" of a piece >"))
    out = tied.filter(pl.col("concept_target") & (pl.col("through").is_null() | (pl.col("type") != "FROM")))
    back = tied.filter(pl.col("concept") & pl.col("through").is_null())
    named = [
        out.select(node="number", relation=pl.col("type") + sign, concept="number_target"),
        back.select(node="number_target", relation=pl.col("type") + pl.lit(" <"), concept="number"),
    ]
    return pl.concat(named).unique().sort("node", "relation", "concept")


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
