"""The store: validated frames, time, and a folder on disk."""

from memlab.store.frames import EDGE_SCHEMA, INSTANT, KIND, KINDS, NODE_SCHEMA, PIECE_SCHEMA
from memlab.store.relations import connections, followers
from memlab.store.store import About, Store
from memlab.store.time import (
    ALWAYS,
    HIDDEN_BY,
    VALIDITY,
    effective_to_expr,
    ended_always_expr,
    hidden_by_expr,
    intervals,
    parse_instant,
    validity,
    validity_expr,
    with_retired_from,
)

__all__ = [
    "ALWAYS",
    "EDGE_SCHEMA",
    "HIDDEN_BY",
    "INSTANT",
    "KIND",
    "KINDS",
    "NODE_SCHEMA",
    "PIECE_SCHEMA",
    "VALIDITY",
    "About",
    "Store",
    "connections",
    "effective_to_expr",
    "ended_always_expr",
    "followers",
    "hidden_by_expr",
    "intervals",
    "parse_instant",
    "validity",
    "validity_expr",
    "with_retired_from",
]
