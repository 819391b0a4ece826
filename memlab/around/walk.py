"""Walk the store from one node, along its edges and through its pieces."""

from __future__ import annotations

import difflib
from datetime import UTC, datetime

import polars as pl

from memlab.answer import Answer
from memlab.around.chain import chain
from memlab.around.neighbourhood import Neighbourhood
from memlab.errors import InputError
from memlab.hiding import hidden_in_words
from memlab.store import INSTANT, Store, effective_to_expr, ended_always_expr, validity_expr

# Which nearest ids and titles an error names.
_NEAREST = 3
_EDGE = {"source": pl.String, "type": pl.String, "target": pl.String, "through": pl.String}


def around(store: Store, node: str | Answer, *, as_of: datetime | None = None, depth: int = 1) -> Neighbourhood:
    """Show what is connected to a node.

    Parameters
    ----------
    store : Store
    node : str or Answer
        An id, or an answer that resolved one.
    as_of : datetime, optional
        In UTC; that of the answer, or now, when left out.
    depth : int
        How many connections away, at least 0. Successions are followed to their ends whatever it is.

    Raises
    ------
    InputError
        If there is no such node, the answer resolved none, or the depth is none.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise InputError(f"must be a whole number from 0, not {depth!r}", field="depth")
    if isinstance(node, Answer):
        as_of = as_of or node.evidence.questions["as_of"][0]
        node = _resolved(node)
    _known(store, node)
    instant = as_of or datetime.now(UTC)
    places, circular = chain(store, node)
    links = store.links
    found = _reached(links, node, depth)
    for name, place in places.items():
        found[name] = min(found.get(name, abs(place)), abs(place))
    nodes = _nodes(store, found, instant)
    kept = pl.Series(list(found), dtype=pl.String).implode()
    edges = _edges(links.filter(pl.col("source").is_in(kept) & pl.col("target").is_in(kept)), node, nodes, depth)
    return Neighbourhood(
        node,
        instant,
        depth,
        nodes,
        edges,
        _pieces(store, node),
        _material(store, nodes),
        _timeline(nodes, places, circular, store),
    )


def _resolved(answer: Answer) -> str:
    if answer.node_id is None:
        names = ", ".join(answer.candidates["node_id"].head(_NEAREST))
        pick = f"; pick one of {names}" if names else ""
        raise InputError(f"the answer is {answer.state} ({answer.reason}), so no node is meant{pick}", field="node")
    return answer.node_id


def _known(store: Store, node: object) -> None:
    """Refuse an id that the store does not have, naming the nearest ids and titles."""
    if not isinstance(node, str):
        raise InputError(f"must be the id of a node or an answer, not {type(node).__name__}", field="node")
    if (store.nodes["id"] == node).any():
        return
    low = node.casefold()
    by_key: dict[str, list[tuple[str, str]]] = {}
    for name, title, aliases in store.nodes.select("id", "title", "aliases").iter_rows():
        for key in (name, title, *aliases):
            by_key.setdefault(key.casefold(), []).append((name, title))
    inside = [key for key in by_key if low and low in key]
    keys = [*by_key.keys() & {low}, *sorted(inside, key=lambda key: (len(key), key))[:_NEAREST]]
    keys += difflib.get_close_matches(low, list(by_key), _NEAREST, 0.5) if not keys else []
    near = list(dict.fromkeys(row for key in keys for row in by_key[key]))[:_NEAREST]
    told = "; nearest: " + ", ".join(f"{name} ('{title}')" for name, title in near) if near else ""
    raise InputError(f"no node {node!r} in this store{told}", field="node")


def _reached(links: pl.DataFrame, start: str, depth: int) -> dict[str, int]:
    """Fewest connections from the start, to a depth."""
    found, edge = {start: 0}, [start]
    for step in range(1, depth + 1):
        here = pl.Series(edge, dtype=pl.String).implode()
        out = links.filter(pl.col("source").is_in(here))["target"]
        back = links.filter(pl.col("target").is_in(here))["source"]
        edge = [name for name in pl.concat([out, back]).unique().sort() if name not in found]
        found |= dict.fromkeys(edge, step)
    return found


def _nodes(store: Store, found: dict[str, int], as_of: datetime) -> pl.DataFrame:
    """One row a node, the nearest first and in the order of content."""
    instant = pl.lit(as_of, INSTANT)
    rows = store.timeline.with_row_index("row").filter(pl.col("id").is_in(pl.Series(list(found)).implode()))
    rows = rows.with_columns(
        distance=pl.col("id").replace_strict(found, return_dtype=pl.UInt32),
        hidden_by=pl.Series(hidden_in_words(store, rows["id"].to_list(), as_of), dtype=pl.String),
    )
    return rows.sort("distance", "row").select(
        pl.col("id").alias("node_id"), pl.col("kind").cast(pl.String), "title", "distance",
        validity_expr(instant).cast(pl.String).alias("validity"), "hidden_by", "valid_from", "valid_to",
        effective_to=effective_to_expr(), ended_always=ended_always_expr(),
        source="source",
    )  # fmt: skip


def _edges(links: pl.DataFrame, node: str, nodes: pl.DataFrame, depth: int) -> pl.DataFrame:
    """Each edge as it runs, and the end of it that is farther from the node."""
    far = dict(nodes.select("node_id", "distance").iter_rows())
    rows = []
    for row in links.iter_rows(named=True):
        start, end = far[row["source"]], far[row["target"]]
        direction = "out" if start < end else "in" if end < start else "beside"
        other = row["source"] if direction == "in" else row["target"]
        # Edges among the outermost ring are connections of what is shown, not of what was asked for.
        if min(start, end) >= depth and row["type"] != "SUPERSEDED_BY":
            continue
        rows.append(row | {"direction": direction, "node_id": other})
    schema = _EDGE | {"direction": pl.String, "node_id": pl.String}
    told = nodes.select("node_id", "kind", "title", "validity", "hidden_by", "distance")
    frame = pl.DataFrame(rows, schema=schema).join(told, on="node_id", how="left", maintain_order="left")
    # What is said of two memories comes before what a piece happens to say of both.
    return frame.sort("distance", pl.col("through").is_not_null(), maintain_order=True)


def _pieces(store: Store, node: str) -> pl.DataFrame:
    """The pieces that the node came from, and those that mention it."""
    out = store.edges.filter(pl.col("source") == node).select("type", piece_id="target", direction=pl.lit("out"))
    back = store.edges.filter(pl.col("target") == node).select("type", piece_id="source", direction=pl.lit("in"))
    return (
        pl.concat([out, back])
        .join(store.pieces.rename({"id": "piece_id"}), on="piece_id")
        .sort("direction", "type", "document", "position", "piece_id", descending=[True, False, False, False, False])
        .select("piece_id", "type", "direction", "document", "position", "text")
    )


def _material(store: Store, nodes: pl.DataFrame) -> pl.DataFrame:
    """Summaries: text to read, which nothing ever matches against."""
    told = store.nodes.filter(pl.col("summary").str.strip_chars() != "").select(node_id="id", text="summary")
    return nodes.select("node_id", "kind", "title", "distance").join(told, on="node_id", maintain_order="left")


def _timeline(nodes: pl.DataFrame, places: dict[str, int], circular: set[str], store: Store) -> pl.DataFrame:
    """The node and its successions, earliest first."""
    told = store.nodes.select(pl.col("id").alias("node_id"), "superseded_by", "ended")
    rows = nodes.filter(pl.col("node_id").is_in(pl.Series(list(places)).implode()))
    return (
        rows.with_columns(
            place=pl.col("node_id").replace_strict(places, return_dtype=pl.Int32),
            in_cycle=pl.col("node_id").is_in(pl.Series(list(circular), dtype=pl.String).implode()),
        )
        .join(told, on="node_id", how="left", maintain_order="left")
        .sort("place", maintain_order=True)
        .select("place", "node_id", "kind", "title", "valid_from", "valid_to", "effective_to", "ended", "ended_always",
                "superseded_by", "in_cycle", "validity", "hidden_by")
    )  # fmt: skip
