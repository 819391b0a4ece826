"""A tiny encoder, tiny stores and random ones: what the tests of searching and deciding stand on."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import memlab as ml
from memlab.encoders import EncoderInfo
from memlab.encoders.base import Vectors, unit
from memlab.text import normalise

Rows = list[dict[str, Any]]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
OVER = {"valid_from": "2010-01-01", "valid_to": "2020-01-01"}
DIMENSION = 64


class TrigramEncoder:
    """Hashed character trigrams of the normalised text: the same text gives the same vector, alone or in a batch."""

    info = EncoderInfo("tiny-trigrams", "1", DIMENSION)

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        return self.encode_document(texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        self.encoded.extend(texts)
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f" {normalise(text)} "
            for at in range(len(padded) - 2):
                row[zlib.crc32(padded[at : at + 3].encode("utf-8", "replace")) % DIMENSION] += 1
        return unit(rows)


def node(id: str, title: str, kind: str = "Concept", **more: Any) -> dict[str, Any]:
    return {"id": id, "kind": kind, "title": title, **more}


def titles(*names: str, **more: Any) -> Rows:
    """Nodes named ``n1``, ``n2``, …"""
    return [node(f"n{number}", title, **more) for number, title in enumerate(names, 1)]


def lab_of(
    nodes: Iterable[Mapping[str, Any]],
    pieces: Iterable[Mapping[str, Any]] = (),
    edges: Iterable[Mapping[str, Any]] = (),
    *,
    semantic: bool = True,
) -> ml.Lab:
    store = ml.Store.from_frames([dict(n) for n in nodes], [dict(e) for e in edges], [dict(p) for p in pieces])
    return ml.Lab.of(store, encoder=[TrigramEncoder()] if semantic else None, settings=ml.Settings())


def by_title(question: str, *names: str, settings: ml.Settings | None = None, **more: Any) -> ml.Answer:
    """Ask the title arm alone of a store of these titles."""
    return lab_of(titles(*names, **more), semantic=False).resolve(question, arms=("title",), settings=settings)


def evidence_row(lab: ml.Lab, question: str, node_id: str) -> dict[str, Any]:
    """What was gathered about one node for one question."""
    frame = lab.gather([{"question": question, "as_of": NOW}]).frame
    return next(row for row in frame.iter_rows(named=True) if row["node_id"] == node_id)


# Few examples, the same each time: a fresh clone must not meet a surprise. MEMLAB_EXAMPLES=200 goes hunting.
HUNT = os.environ.get("MEMLAB_EXAMPLES")
some = settings(
    max_examples=int(HUNT or 10),
    deadline=None,
    derandomize=not HUNT,
    suppress_health_check=[HealthCheck.too_slow],
)

# Words that many titles share, so that ties, rivals and substitutions come up often.
WORDS = ("loom", "shuttle", "warp", "room", "204", "205", "Ada", "the", "베틀", "북을")
DATES = (None, "2019-01-01", "2020-01-01", "2021-01-01")


@dataclass(frozen=True)
class Memory:
    """Loose rows of a store."""

    nodes: Rows
    pieces: Rows = field(default_factory=list)
    edges: Rows = field(default_factory=list)

    def lab(self) -> ml.Lab:
        return lab_of(self.nodes, self.pieces, self.edges)

    def renamed(self, names: Mapping[str, str]) -> Memory:
        def nodes_renamed(row: dict[str, Any]) -> dict[str, Any]:
            return row | {"id": names[row["id"]], "superseded_by": [names[n] for n in row["superseded_by"]]}

        return Memory(
            [nodes_renamed(n) for n in self.nodes],
            [p | {"id": names[p["id"]], "mentions": [names[n] for n in p["mentions"]]} for p in self.pieces],
            [e | {"source": names[e["source"]], "target": names[e["target"]]} for e in self.edges],
        )


def texts(least: int, most: int) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=least, max_size=most, unique=True).map(" ".join)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """Few nodes with shared words, equal titles, intervals, successions, pieces and paths."""
    count = draw(st.integers(2, 6))
    often_not = st.sampled_from([False, False, True])
    shared = draw(st.lists(texts(2, 3), min_size=1, max_size=3))
    nodes: Rows = []
    for number in range(count):
        # Most nodes simply hold, or nothing would ever resolve.
        dated = draw(often_not)
        start, stop = sorted(draw(st.sampled_from(DATES)) or "" for _ in range(2)) if dated else ("", "")
        others = [f"n{n}" for n in range(count) if n != number]
        nodes.append(
            node(
                f"n{number}",
                draw(st.one_of(st.sampled_from(shared), texts(1, 4), texts(2, 4))),
                draw(st.sampled_from(["Concept", "Record", "Decision", "Episode"])),
                aliases=draw(st.lists(texts(1, 2), max_size=1)) if draw(often_not) else [],
                valid_from=start or None,
                valid_to=stop or None,
                ended=draw(often_not) and draw(often_not),
                superseded_by=draw(st.lists(st.sampled_from(others), max_size=1)) if others and draw(often_not) else [],
                summary=draw(st.sampled_from(["", "loom shuttle"])),
            )
        )
    ids = [n["id"] for n in nodes]
    pieces = [
        {"id": f"p{number}", "text": draw(texts(2, 6)), "mentions": draw(st.lists(st.sampled_from(ids), max_size=2))}
        for number in range(draw(st.integers(0, 3)))
    ]
    origins = [{"source": draw(st.sampled_from(ids)), "type": "FROM", "target": p["id"]} for p in pieces]
    edges = [e for e in origins if draw(st.booleans())]
    for _ in range(draw(st.integers(0, 4))):
        # Facts about Concepts, so that one of another is a thing that can be found.
        one, other = (draw(st.sampled_from(ids)) for _ in range(2))
        edges.append({"source": one, "type": draw(st.sampled_from(["ABOUT", "HAS"])), "target": other})
    return Memory(nodes, pieces, list({tuple(e.values()): e for e in edges}.values()))


@st.composite
def questions(draw: st.DrawFn, most: int = 9) -> Rows:
    return [
        {
            "question_id": f"q{number}",
            "question": draw(texts(1, 5)),
            "as_of": draw(st.sampled_from((*DATES, None, None))) or NOW,
        }
        for number in range(draw(st.integers(min(most, 6), most)))
    ]


@st.composite
def rule_sets(draw: st.DrawFn) -> ml.Settings:
    """Any settings with the filter on."""
    arms = draw(st.sampled_from([("title", "graph", "semantic")] * 3 + [("title",), ("semantic",), ("title", "graph"),
                                ("title", "semantic"), ("graph",)]))  # fmt: skip
    return ml.Settings(
        arms=arms,
        min_words=draw(st.integers(1, 3)),
        title_needs_gap=draw(st.booleans()),
        gap=draw(st.sampled_from([0.0, 0.05, 0.2])),
        gap_alone=draw(st.sampled_from([0.02, 0.15, 0.4, 10.0])),
        min_share=draw(st.sampled_from([0.0, 0.33, 0.8])),
        alone_words=draw(st.integers(1, 3)),
        floor=draw(st.sampled_from([-1.0, 0.0, 0.2, 0.6])),
        piece_floor=draw(st.sampled_from([10.0, 0.0, 0.3])),
        succession=draw(st.booleans()),
        normalise_length=draw(st.sampled_from([False, False, True])),
        whole_title=draw(st.booleans()),
        substitution=draw(st.booleans()),
        veto=draw(st.booleans()),
        veto_words=draw(st.integers(1, 3)),
        veto_gap=draw(st.sampled_from([0.0, 0.1])),
        veto_pieces=draw(st.integers(1, 2)),
        order=draw(st.sampled_from(["words", "fused"])),
        gate=draw(st.booleans()),
        concept_gate=draw(st.booleans()),
        limit=draw(st.integers(1, 5)),
    )
