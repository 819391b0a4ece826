"""From loose input to the three frames: everything a store refuses, and everything it notes."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from memlab.errors import InputError
from memlab.store import columns as col
from memlab.store.columns import Loose, Rows
from memlab.store.cycles import within_cycles
from memlab.store.frames import EDGE_SCHEMA, KIND, KINDS, NODE_SCHEMA, PIECE_SCHEMA, in_order

_NODE_FIELDS = (*NODE_SCHEMA, "text")
_PIECE_FIELDS = (*PIECE_SCHEMA, "mentions")


@dataclass
class Checked:
    """The validated frames, in order, with what people should know about them."""

    nodes: pl.DataFrame
    edges: pl.DataFrame
    pieces: pl.DataFrame
    notes: list[str] = field(default_factory=list)


def validate(nodes: Rows, edges: Rows | None = None, pieces: Rows | None = None) -> Checked:
    """Validate the loose input of a store.

    Returns
    -------
    Checked
        Frames of ``NODE_SCHEMA``, ``EDGE_SCHEMA`` and ``PIECE_SCHEMA``.

    Raises
    ------
    InputError
        Naming part, row and field of the first fault.
    """
    loose_nodes = col.loosen("nodes", nodes, _NODE_FIELDS)
    loose_edges = col.loosen("edges", edges, EDGE_SCHEMA)
    loose_pieces = col.loosen("pieces", pieces, _PIECE_FIELDS)
    notes: list[str] = []
    for loose in (loose_nodes, loose_edges, loose_pieces):
        if loose.unknown:
            shown = ", ".join(loose.unknown[:8]) + (", …" if len(loose.unknown) > 8 else "")
            notes.append(f"{loose.part}: unknown columns left out: {shown}")

    node_frame = _nodes(loose_nodes, notes)
    piece_frame = _pieces(loose_pieces, node_frame["id"])
    mentions = _mentions(loose_pieces, piece_frame["id"], node_frame["id"])
    own_pieces, own_edges = _own_pieces(loose_nodes, node_frame["id"], piece_frame["id"], notes)
    piece_frame = pl.concat([piece_frame, own_pieces])
    edge_frame = _edges(loose_edges, pl.concat([node_frame["id"], piece_frame["id"]]))
    edge_frame = pl.concat([edge_frame, mentions, own_edges])
    edge_frame = _tidy_edges(edge_frame, node_frame, notes)
    return Checked(
        in_order("nodes", node_frame),
        in_order("edges", edge_frame),
        in_order("pieces", piece_frame),
        notes,
    )


def _nodes(loose: Loose, notes: list[str]) -> pl.DataFrame:
    ids = col.texts(loose, "id", "give every node a unique id")
    _refuse_repeats(loose, ids)
    kinds = col.texts(loose, "kind", f"one of {', '.join(KINDS)}")
    unknown = ~kinds.is_in(KINDS)
    loose.fail(unknown, "kind", lambda at: f"{kinds[at]!r} is unknown; use one of {', '.join(KINDS)}")
    titles = col.texts(loose, "title", "give every node a title")
    aliases = _aliases(loose, notes)
    valid_from, valid_to = _interval(loose, notes)
    frame = pl.DataFrame(
        [
            ids,
            kinds.cast(KIND),
            titles,
            aliases,
            col.texts(loose, "summary").fill_null(""),
            valid_from,
            valid_to,
            col.booleans(loose, "ended"),
            col.text_lists(loose, "superseded_by").list.unique(maintain_order=True),
            col.texts(loose, "source").fill_null(""),
        ],
        schema=NODE_SCHEMA,
    )
    _successions(loose, frame, notes)
    return frame


def _aliases(loose: Loose, notes: list[str]) -> pl.Series:
    given = col.text_lists(loose, "aliases")
    kept = given.list.eval(pl.element().filter(pl.element().str.contains(col.VISIBLE)))
    blank = int(given.list.len().sum()) - int(kept.list.len().sum())
    if blank:
        notes.append(f"nodes: {_count(blank, 'blank alias', 'blank aliases')} left out")
    return kept.list.unique(maintain_order=True)


def _interval(loose: Loose, notes: list[str]) -> tuple[pl.Series, pl.Series]:
    valid_from, naive_from = col.instants(loose, "valid_from")
    valid_to, naive_to = col.instants(loose, "valid_to")
    naive = int(naive_from.sum()) + int(naive_to.sum())
    if naive:
        notes.append(f"nodes: {_count(naive, 'instant')} without a time zone read as UTC")
    loose.fail(
        (valid_to < valid_from).fill_null(False),
        "valid_to",
        lambda at: f"{valid_to[at].isoformat()} is before valid_from {valid_from[at].isoformat()}",
    )
    empty = int((valid_to == valid_from).fill_null(False).sum())
    if empty:
        notes.append(f"nodes: {_count(empty, 'empty interval')} kept (valid_from equals valid_to)")
    return valid_from, valid_to


def _successions(loose: Loose, frame: pl.DataFrame, notes: list[str]) -> None:
    arrows = (
        frame.select("id", successor="superseded_by")
        .with_row_index("row")
        .explode("successor", empty_as_null=True)
        .filter(pl.col("successor").is_not_null())
    )
    if arrows.is_empty():
        return
    unknown = arrows.filter(~pl.col("successor").is_in(frame["id"].implode()))
    _refuse(loose, unknown, "superseded_by", "{!r} is no node; name a node of this store")
    itself = arrows.filter(pl.col("successor") == pl.col("id"))
    _refuse(loose, itself, "superseded_by", "{!r} supersedes itself; name what replaced it")
    circular = arrows.filter(within_cycles(arrows["id"], arrows["successor"]))
    members = circular["id"].unique().sort().to_list()
    if members:
        shown = ", ".join(members[:10]) + (", …" if len(members) > 10 else "")
        notes.append(f"nodes: superseded_by runs in a circle, which retires nobody: {shown}")


def _pieces(loose: Loose, node_ids: pl.Series) -> pl.DataFrame:
    ids = col.texts(loose, "id", "give every piece a unique id")
    _refuse_repeats(loose, ids)
    loose.fail(ids.is_in(node_ids.implode()), "id", lambda at: f"{ids[at]!r} is also the id of a node")
    return pl.DataFrame(
        [
            ids,
            col.texts(loose, "document").fill_null(""),
            col.texts(loose, "text", "give every piece its text"),
            col.positions(loose, "position"),
        ],
        schema=PIECE_SCHEMA,
    )


def _mentions(loose: Loose, piece_ids: pl.Series, node_ids: pl.Series) -> pl.DataFrame:
    named = pl.DataFrame([piece_ids, col.text_lists(loose, "mentions")]).with_row_index("row")
    arrows = named.explode("mentions", empty_as_null=True).filter(pl.col("mentions").is_not_null())
    unknown = arrows.filter(~pl.col("mentions").is_in(node_ids.implode()))
    _refuse(loose, unknown.rename({"mentions": "successor"}), "mentions", "{!r} is no node of this store")
    return arrows.select(source="id", type=pl.lit("MENTIONS"), target="mentions")


def _own_pieces(
    loose: Loose, node_ids: pl.Series, piece_ids: pl.Series, notes: list[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pieces made of the nodes' own ``text``, with the FROM edges that lead to them."""
    given = pl.DataFrame([node_ids, col.text_lists(loose, "text", single=True)]).with_row_index("row")
    parts = given.explode("text", empty_as_null=True).filter(pl.col("text").is_not_null())
    inked = parts.filter(pl.col("text").str.contains(col.VISIBLE))
    if parts.height > inked.height:
        notes.append(f"nodes: {_count(parts.height - inked.height, 'blank text')} left out")
    made = inked.with_columns(position=pl.int_range(pl.len(), dtype=pl.UInt32).over("row")).with_columns(
        piece=pl.format("{}#{}", "id", "position")
    )
    taken = made.filter(
        pl.col("piece").is_in(pl.concat([node_ids, piece_ids]).implode()) | pl.col("piece").is_duplicated()
    )
    _refuse(
        loose,
        taken.rename({"piece": "successor"}).drop("id"),
        "text",
        "would become piece {!r}, an id that is already in use",
    )
    pieces = made.select(id="piece", document="id", text="text", position="position")
    edges = made.select(source="id", type=pl.lit("FROM"), target="piece")
    return pieces, edges


def _edges(loose: Loose, ends: pl.Series) -> pl.DataFrame:
    frame = pl.DataFrame(
        [
            col.texts(loose, "source", "name the node or piece that the edge starts from"),
            col.texts(loose, "type", "say what the edge means, such as MENTIONS"),
            col.texts(loose, "target", "name the node or piece that the edge leads to"),
        ],
        schema=EDGE_SCHEMA,
    )
    known = ends.implode()
    for name in ("source", "target"):
        _refuse_strays(loose, frame[name], known)
    return frame


def _refuse_strays(loose: Loose, ends: pl.Series, known: pl.Series) -> None:
    loose.fail(~ends.is_in(known), ends.name, lambda at: f"{ends[at]!r} is neither a node nor a piece")


def _tidy_edges(edges: pl.DataFrame, nodes: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """Leave out repeated edges, and derive SUPERSEDED_BY from the column, which is the truth."""
    unique = edges.unique()
    if unique.height < edges.height:
        notes.append(f"edges: {_count(edges.height - unique.height, 'repeated edge')} left out")
    derived = (
        nodes.select(source="id", type=pl.lit("SUPERSEDED_BY"), target="superseded_by")
        .explode("target", empty_as_null=True)
        .filter(pl.col("target").is_not_null())
    )
    given = unique.filter(pl.col("type") == "SUPERSEDED_BY")
    stray = given.join(derived, on=["source", "type", "target"], how="anti").height
    if stray:
        notes.append(
            f"edges: {_count(stray, 'SUPERSEDED_BY edge')} left out: the truth is the column "
            "superseded_by of the nodes; write the succession there"
        )
    return pl.concat([unique.filter(pl.col("type") != "SUPERSEDED_BY"), derived.select(list(EDGE_SCHEMA))])


def _refuse_repeats(loose: Loose, ids: pl.Series) -> None:
    repeats = ids.is_duplicated() & ~ids.is_first_distinct()
    first = {}
    if repeats.any():
        first = {v: at + 1 for at, v in reversed(list(enumerate(ids)))}
    loose.fail(repeats, "id", lambda at: f"{ids[at]!r} is already the id of row {first[ids[at]]}")


def _refuse(loose: Loose, arrows: pl.DataFrame, field_name: str, problem: str) -> None:
    if arrows.is_empty():
        return
    row = int(arrows["row"][0])
    text = problem.format(arrows["successor"][0])
    more = arrows["row"].n_unique() - 1
    if more:
        text += f" (and {more} more row{'s' if more > 1 else ''})"
    raise InputError(text, part=loose.part, row=row + 1, field=field_name)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
