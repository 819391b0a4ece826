"""All indexes of a store in one hand: build, write beside the frames, load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from memlab.encoders import Encoder, EncoderInfo
from memlab.errors import MemlabError
from memlab.indexes.names import Names
from memlab.indexes.pieces import PieceIndex
from memlab.indexes.reference import VERSION
from memlab.indexes.vectors import TitleVectors
from memlab.store import Store

INDEX_VERSION = 5
_NO_LINKS = pl.DataFrame(schema={"piece": pl.UInt32, "node": pl.UInt32})


@dataclass(frozen=True)
class Indexes:
    """What searching needs of a store.

    Attributes
    ----------
    names : Names
    vectors : tuple of TitleVectors
        One a semantic arm.
    pieces : PieceIndex
        Its vectors are by the first encoder.
    mentions : polars.DataFrame
        ``piece`` u32 · ``node`` u32: MENTIONS from a piece to a node.
    origins : polars.DataFrame
        ``piece`` u32 · ``node`` u32: the node that a piece came from (FROM, turned round).
    """

    names: Names
    vectors: tuple[TitleVectors, ...]
    pieces: PieceIndex
    mentions: pl.DataFrame
    origins: pl.DataFrame

    @property
    def piece_terms(self) -> pl.DataFrame:
        """``piece`` · ``term``: the distinct content terms of every piece."""
        return self.pieces.terms


def _links(store: Store) -> tuple[pl.DataFrame, pl.DataFrame]:
    nodes = store.nodes.select("id").with_row_index("node")
    pieces = store.pieces.select("id").with_row_index("piece")

    def link(type_: str, piece_end: str, node_end: str) -> pl.DataFrame:
        return (
            store.edges.filter(pl.col("type") == type_)
            .join(pieces, left_on=piece_end, right_on="id")
            .join(nodes, left_on=node_end, right_on="id")
            .select("piece", "node")
            .unique()
            .sort("piece", "node")
        )

    return link("MENTIONS", "source", "target"), link("FROM", "target", "source")


def build_indexes(store: Store, encoders: Sequence[Encoder], *, pieces: bool = True) -> Indexes:
    """Build every index of a store; ``pieces`` may be false where the graph arm is not asked."""
    names = Names.build(store.nodes)
    mentions, origins = _links(store) if pieces else (_NO_LINKS, _NO_LINKS)
    return Indexes(
        names,
        tuple(TitleVectors.build(names.names, e) for e in encoders),
        PieceIndex.build(store.pieces, encoders[0] if encoders else None) if pieces else PieceIndex.none(),
        mentions,
        origins,
    )


def write_indexes(indexes: Indexes, folder: Path) -> dict[str, object]:
    """Write the indexes into a folder; returns what the store's manifest keeps of them."""
    indexes.names.write(folder / "names")
    for vectors in indexes.vectors:
        vectors.write(folder / "vectors" / vectors.info.key)
    indexes.pieces.write(folder / "pieces")
    return {
        "version": INDEX_VERSION,
        "reference": VERSION,
        "encoders": [v.info.as_dict() | {"background": v.background} for v in indexes.vectors],
    }


def saved_encoders(store: Store) -> list[EncoderInfo]:
    """Encoders of the indexes saved beside a store, by its manifest.

    Raises
    ------
    MemlabError
        If the manifest does not say it as memlab writes it.
    """
    held = store.manifest.get("indexes")
    entries = held.get("encoders", []) if isinstance(held, Mapping) else []
    kinds = {"name": str, "revision": str, "dimension": int}
    if not isinstance(entries, list) or not all(
        isinstance(e, Mapping) and all(isinstance(e.get(k), kind) for k, kind in kinds.items()) for e in entries
    ):
        place = store.folder.parent if store.folder is not None else "store"
        raise MemlabError(f"{place}: damaged: its manifest does not name its encoders; build the store again")
    return [EncoderInfo(*(e[k] for k in kinds)) for e in entries]


def load_indexes(store: Store, encoders: Sequence[Encoder], *, pieces: bool = True) -> Indexes | None:
    """Load the indexes saved beside a store; None if they are not of these encoders.

    ``pieces`` may be false where the graph arm is not asked: its index is not read then.
    """
    held = store.manifest.get("indexes")
    about: dict[str, Any] = dict(held) if isinstance(held, dict) else {}
    if store.folder is None or about.get("version") != INDEX_VERSION or about.get("reference") != VERSION:
        return None
    saved = {(e.name, e.revision, e.dimension) for e in saved_encoders(store)}
    infos = [e.info for e in encoders]
    if any((i.name, i.revision, i.dimension) not in saved for i in infos):
        return None
    try:
        held_pieces = PieceIndex.read(store.folder / "pieces") if pieces else PieceIndex.none()
        names = Names.read(store.folder / "names")
        vectors = tuple(TitleVectors.read(store.folder / "vectors" / i.key) for i in infos)
    except Exception as error:  # each library of an index has errors of its own
        raise MemlabError(f"{store.folder.parent}: damaged index ({error}); build the store again") from error
    if infos and held_pieces.info is not None and held_pieces.info != infos[0]:
        return None
    mentions, origins = _links(store) if pieces else (_NO_LINKS, _NO_LINKS)
    return Indexes(names, vectors, held_pieces, mentions, origins)
