"""The store's three frames: their schemas, their one order, and the checksum of their content."""

from __future__ import annotations

import hashlib
import io

import polars as pl

KINDS = ("Concept", "Record", "Decision", "Episode")
"""What a node can be (chapter 18, section 6)."""

KIND = pl.Enum(KINDS)
INSTANT = pl.Datetime("us", "UTC")

NODE_SCHEMA = pl.Schema(
    {
        "id": pl.String(),
        "kind": KIND,
        "title": pl.String(),
        "aliases": pl.List(pl.String()),
        "summary": pl.String(),
        "valid_from": INSTANT,
        "valid_to": INSTANT,
        "ended": pl.Boolean(),
        "superseded_by": pl.List(pl.String()),
        "source": pl.String(),
    }
)
EDGE_SCHEMA = pl.Schema({"source": pl.String(), "type": pl.String(), "target": pl.String()})
PIECE_SCHEMA = pl.Schema({"id": pl.String(), "document": pl.String(), "text": pl.String(), "position": pl.UInt32()})
SCHEMAS = {"nodes": NODE_SCHEMA, "edges": EDGE_SCHEMA, "pieces": PIECE_SCHEMA}

# Content first and ids last, so that an order of rows never says anything.
_ORDER = {
    "nodes": (
        "kind",
        "title",
        "aliases",
        "valid_from",
        "valid_to",
        "ended",
        "source",
        "superseded_by",
        # Late, so that the text of a summary never decides which of equal titles is shown.
        "summary",
        "id",
    ),
    "edges": ("type", "source", "target"),
    "pieces": ("text", "position", "document", "id"),
}


def in_order(part: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a part in the order of their content, id last."""
    schema = SCHEMAS[part]
    keys = [
        pl.col(name).list.join("\x1f") if isinstance(schema[name], pl.List) else pl.col(name) for name in _ORDER[part]
    ]
    return frame.select(list(schema)).sort(keys, nulls_last=True)


def checksum(nodes: pl.DataFrame, edges: pl.DataFrame, pieces: pl.DataFrame) -> str:
    """Return the sha256 (hex) of the content of three frames that are in order.

    Instants are hashed as microseconds and the rows as JSON lines, so that the value does not
    depend on how a version of the parquet writer lays out its bytes.
    """
    digest = hashlib.sha256()
    for part, frame in (("nodes", nodes), ("edges", edges), ("pieces", pieces)):
        digest.update(f"{part} {frame.height}\n".encode())
        buffer = io.BytesIO()
        frame.with_columns(pl.col(INSTANT).dt.timestamp("us")).write_ndjson(buffer)
        digest.update(buffer.getbuffer())
    return digest.hexdigest()
