"""The store: three validated frames in one hand, opened from and saved to a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import polars as pl

from memlab.errors import MemlabError
from memlab.store import manifest as disk
from memlab.store.columns import Rows
from memlab.store.frames import EDGE_SCHEMA, checksum, in_order
from memlab.store.relations import connections, links
from memlab.store.time import with_retired_from
from memlab.store.validate import validate


@dataclass(frozen=True)
class About:
    """Where a store came from, and what people should know about it.

    Parameters
    ----------
    reader
        Name of the reader that made it.
    source
        What was read.
    exam_include_retired
        Whether its exam is to be asked with retired nodes included.
    notes
        Warnings and counts, one sentence each.
    """

    reader: str = ""
    source: str = ""
    exam_include_retired: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Store:
    """A memory graph (chapter 18, section 1): nodes, edges and pieces.

    Make one with `Store.from_frames` or `Store.open`. The rows of its frames stand in the order
    of their content, so the same content gives the same store, however it was shuffled.

    Parameters
    ----------
    nodes, edges, pieces
        Frames of ``NODE_SCHEMA``, ``EDGE_SCHEMA`` and ``PIECE_SCHEMA``.
    about
        Where it came from.
    checksum
        sha256 (hex) of the content of the three frames.
    folder
        Generation folder it was opened from or saved to; indexes lie there too.
    manifest
        The manifest of that generation.
    """

    nodes: pl.DataFrame
    edges: pl.DataFrame
    pieces: pl.DataFrame
    about: About
    checksum: str
    folder: Path | None = None
    manifest: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    @classmethod
    def from_frames(
        cls,
        nodes: Rows,
        edges: Rows | None = None,
        pieces: Rows | None = None,
        about: About | None = None,
    ) -> Store:
        """Make a store from loose input.

        Parameters
        ----------
        nodes
            Frame or list of dicts: ``id``, ``kind``, ``title``; optional ``aliases``, ``summary``,
            ``valid_from``, ``valid_to``, ``ended``, ``superseded_by``, ``source``, and ``text``
            (one text or a list), which becomes pieces that the node is linked to by FROM.
        edges
            ``source``, ``type``, ``target``; ends are nodes or pieces.
        pieces
            ``id``, ``text``; optional ``document``, ``position``, and ``mentions`` (a list of node
            ids), which becomes MENTIONS edges.
        about
            Where it came from; what validation noted is added to its notes.

        Raises
        ------
        InputError
            Naming part, row (from 1) and field.
        """
        checked = validate(nodes, edges, pieces)
        about = about or About()
        about = replace(about, notes=(*about.notes, *checked.notes))
        return cls._of(checked.nodes, checked.edges, checked.pieces, about)

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """Open a saved store.

        Raises
        ------
        MemlabError
            Where there is no store, or it is damaged or newer than this memlab.
        """
        folder, manifest, frames = disk.read(Path(path))
        about = _about(Path(path), manifest["about"])
        return cls(
            frames["nodes"],
            frames["edges"],
            frames["pieces"],
            about,
            str(manifest["checksum"]),
            folder,
            MappingProxyType(manifest),
        )

    def save(self, path: str | Path, extra: disk.Extra | None = None) -> Store:
        """Save the store into a folder, atomically.

        Parameters
        ----------
        path
            A new or empty folder, or one that holds a store, which is replaced.
        extra
            Called with the new generation's folder; may write further files there, and returns
            what the manifest says under ``indexes`` (plain JSON).

        Returns
        -------
        Store
            The same content with its `folder` and `manifest`.

        Raises
        ------
        MemlabError
            Where the folder holds anything else, or cannot be written.
        """
        frames = {"nodes": self.nodes, "edges": self.edges, "pieces": self.pieces}
        folder, manifest = disk.write(Path(path), frames, self.checksum, asdict(self.about), extra)
        return replace(self, folder=folder, manifest=MappingProxyType(manifest))

    def with_edges(self, edges: pl.DataFrame, notes: Sequence[str] = ()) -> Store:
        """Return a store with further edges, without those that it already has.

        Parameters
        ----------
        edges
            ``source``, ``type``, ``target``, whose ends must exist.
        notes
            Added to the notes of `about`.
        """
        known = pl.concat([self.nodes["id"], self.pieces["id"]]).implode()
        stray = edges.filter(~pl.col("source").is_in(known) | ~pl.col("target").is_in(known))
        if stray.height:
            raise MemlabError(f"edges: {stray.row(0)} leads to or from nothing in the store")
        joined = pl.concat([self.edges, edges.select(list(EDGE_SCHEMA))]).unique()
        about = replace(self.about, notes=(*self.about.notes, *notes))
        return self._of(self.nodes, in_order("edges", joined), self.pieces, about)

    @cached_property
    def timeline(self) -> pl.DataFrame:
        """The nodes with ``retired_from``, ready for `memlab.store.validity_expr`."""
        return with_retired_from(self.nodes)

    @cached_property
    def links(self) -> pl.DataFrame:
        """Edges between nodes, those over a piece among them (``memlab.store.relations``)."""
        return links(self.nodes, self.edges)

    @cached_property
    def connections(self) -> pl.DataFrame:
        """Which Concepts each node is connected to, and how (``memlab.store.relations``)."""
        return connections(self.nodes, self.edges)

    @classmethod
    def _of(cls, nodes: pl.DataFrame, edges: pl.DataFrame, pieces: pl.DataFrame, about: About) -> Store:
        return cls(nodes, edges, pieces, about, checksum(nodes, edges, pieces))

    def __repr__(self) -> str:
        return (
            f"Store({self.nodes.height} nodes, {self.edges.height} edges, {self.pieces.height} pieces, "
            f"reader={self.about.reader!r}, checksum={self.checksum[:12]})"
        )


def _about(path: Path, entry: object) -> About:
    known = {f.name for f in fields(About)}
    if not isinstance(entry, dict) or not entry.keys() <= known:
        raise MemlabError(f"{path}: damaged: its manifest does not say where it came from")
    notes = entry.get("notes", [])
    return About(
        reader=str(entry.get("reader", "")),
        source=str(entry.get("source", "")),
        exam_include_retired=bool(entry.get("exam_include_retired", False)),
        notes=tuple(str(note) for note in notes) if isinstance(notes, list) else (),
    )
