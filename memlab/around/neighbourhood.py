"""What :meth:`memlab.Lab.around` returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from memlab.display import html_table, jsonable, plain, shortened, table, titled, visible
from memlab.hiding import day

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_MOST = 12
_PIECES = 6
_ARROWS = {"out": "→", "in": "←", "beside": "–"}


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """What is connected to a node, each thing still itself (chapter 18, section 6).

    A Concept is not its Records, nor is a Record the Concept: every row stands for one memory.

    Attributes
    ----------
    node_id : str
    as_of : datetime
        The instant at which validity is told, in UTC.
    depth : int
    nodes : polars.DataFrame
        ``node_id`` · ``kind`` · ``title`` · ``distance`` (connections away; 0 is the node itself) ·
        ``validity`` · ``hidden_by`` · ``valid_from`` · ``valid_to`` · ``effective_to`` ·
        ``ended_always`` · ``source``.
    edges : polars.DataFrame
        ``source`` · ``type`` · ``target`` as the edge runs · ``through`` (the piece that it leads over, if
        any: the source came from that piece, and the piece names the target) · ``direction`` (``out``,
        away from the node; ``in``, towards it; ``beside``) · ``node_id`` (the farther end) with its
        ``kind``, ``title``, ``validity``, ``hidden_by`` and ``distance``.
    pieces : polars.DataFrame
        ``piece_id`` · ``type`` (``FROM``: it came from there; ``MENTIONS``: named there) ·
        ``direction`` · ``document`` · ``position`` · ``text``.
    material : polars.DataFrame
        ``node_id`` · ``kind`` · ``title`` · ``distance`` · ``text``: summaries, which are read and
        never matched.
    timeline : polars.DataFrame
        The node and all its predecessors and successors: ``place`` (negative came before) ·
        ``node_id`` · ``kind`` · ``title`` · ``valid_from`` · ``valid_to`` · ``effective_to`` ·
        ``ended`` · ``ended_always`` · ``superseded_by`` · ``in_cycle`` · ``validity`` · ``hidden_by``.
    """

    node_id: str
    as_of: datetime
    depth: int
    nodes: pl.DataFrame
    edges: pl.DataFrame
    pieces: pl.DataFrame
    material: pl.DataFrame
    timeline: pl.DataFrame

    @property
    def node(self) -> dict[str, Any]:
        """The row of the node itself."""
        return self.nodes.row(0, named=True)

    @property
    def title(self) -> str:
        """Title of the node itself."""
        return str(self.node["title"])

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as ``memlab around --json`` prints them."""
        frames = ("nodes", "edges", "pieces", "material", "timeline")
        about = {"node": self.node_id, "title": self.title, "as_of": self.as_of.isoformat(), "depth": self.depth}
        return about | {name: jsonable(getattr(self, name)) for name in frames}

    def _headline(self) -> str:
        held = self.node["hidden_by"] or "holds"
        return f"{self.node['kind']} {self.node_id} · at {day(self.as_of.replace(microsecond=0))}: {held}"

    def _repr_html_(self) -> str:
        edges = self.edges.select(
            pl.col("direction").replace_strict(_ARROWS), "type", "title", "kind", "node_id", "distance",
            pl.col("hidden_by").fill_null("holds"),
        )  # fmt: skip
        pieces = self.pieces.select("type", "document", "text")
        material = self.material.select("title", "text")
        return (
            f'<div style="margin:4px 0"><b>{escape(visible(self.title))}</b>'
            f'<div style="opacity:.75">{escape(visible(self._headline()))}</div></div>'
            + html_table(("", "relation", "title", "kind", "id", "away", "holds"), edges.head(50).iter_rows(),
                         f"Connected and distinct{_more(edges.height, 50)}")
            + html_table(("", "title", "id", "holds"), self._chain(), "Before and after")
            + html_table(("relation", "document", "text"), pieces.head(50).iter_rows(),
                         f"Pieces{_more(pieces.height, 50)}")
            + html_table(("of", "text"), material.iter_rows(), "Material: read, never matched")
        )  # fmt: skip

    def _chain(self) -> Iterator[tuple[str, str, str, str]]:
        if self.timeline.height < 2:
            return
        for row in self.timeline.iter_rows(named=True):
            place = "this" if row["place"] == 0 else f"{row['place']:+d}"
            yield place + (" cycle" if row["in_cycle"] else ""), row["title"], row["node_id"], held_from(row)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        yield Text(visible(self.title), style="bold")
        yield Text(visible(self._headline()), style="dim")
        # The far ends of a succession stand in its own table.
        near = self.edges.filter(pl.col("distance") <= max(self.depth, 1))
        if near.height:
            made = table({"connected and distinct": "left", "relation": "left", "kind": "left", "holds": "left"})
            for row in near.head(_MOST).iter_rows(named=True):
                relation = f"{_ARROWS[row['direction']]} {row['type']}{' in a piece' if row['through'] else ''}"
                cells = (relation, row["kind"], row["hidden_by"] or "now")
                made.add_row(titled(shortened(row["title"], 90), row["node_id"]), *map(plain, cells))
            yield made
            yield from _rest(near.height, _MOST)
        chain = list(self._chain())
        if chain:
            made = table({"before and after": "left", "place": "left", "held": "left"})
            for place, title, node_id, held in chain:
                made.add_row(titled(shortened(title, 90), node_id), plain(place), plain(held))
            yield made
        if self.pieces.height:
            made = table({"pieces": "left", "relation": "left", "document": "left"})
            for row in self.pieces.head(_PIECES).iter_rows(named=True):
                relation = f"{_ARROWS[row['direction']]} {row['type']}"
                cell = titled(shortened(row["text"], 160), row["piece_id"])
                made.add_row(cell, plain(relation), plain(row["document"]))
            yield made
            yield from _rest(self.pieces.height, _PIECES)
        if self.material.height:
            made = table({"material: read, never matched": "left"})
            for row in self.material.head(_PIECES).iter_rows(named=True):
                made.add_row(titled(row["text"], row["node_id"]))
            yield made
            yield from _rest(self.material.height, _PIECES)


def held_from(row: dict[str, Any]) -> str:
    """The interval in which a node held, with every ruling applied."""
    start = day(row["valid_from"]) if row["valid_from"] else "…"
    if row["ended_always"]:
        return f"{start} to an unknown date"
    return f"{start} to {day(row['effective_to']) if row['effective_to'] else '…'}"


def _more(total: int, shown: int) -> str:
    return f" (the first {shown} of {total})" if total > shown else ""


def _rest(total: int, shown: int) -> Sequence[Any]:
    return [plain(f"and {total - shown} more", "dim")] if total > shown else []
