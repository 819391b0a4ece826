"""LoCoMo conversations: sessions, observations, speakers and turns, and their questions.

The data set's event summaries repeat observations without saying which turn they come from, so
they are not read: they would win questions and count as wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from memlab.errors import InputError, MemlabError
from memlab.readers.base import ExamRows, Progress, decode, load_json
from memlab.readers.locomo_data import Conversation, load
from memlab.readers.locomo_exam import exam_rows
from memlab.readers.mentions import find_mentions
from memlab.store import About, Store


class Locomo:
    """The ``.json`` file of LoCoMo, with ``errors_audit.json`` beside it where there is one."""

    name = "locomo"
    finds_mentions = True

    def detect(self, path: Path) -> bool:
        """Know a JSON file of samples, each with a conversation."""
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        try:
            text = decode(path)
        except MemlabError:
            return False
        return all(f'"{key}"' in text for key in ("sample_id", "conversation", "observation"))

    def read(self, path: Path, progress: Progress | None = None) -> Store:
        """Read the conversations.

        Raises
        ------
        InputError
            Where the file is not of LoCoMo's form.
        """
        conversations = load(path)
        nodes: list[dict[str, Any]] = []
        edges: list[dict[str, Any]] = []
        pieces: list[dict[str, Any]] = []
        counts: Counter[str] = Counter()
        for at, talk in enumerate(conversations):
            if progress is not None:
                progress("conversations", at, len(conversations))
            known = _turns(talk, pieces, edges)
            _nodes(talk, nodes)
            _links(talk, known, edges, counts)
        mentions = _mentions(conversations, pieces, progress)
        for piece in pieces:
            piece.pop("said")
        kinds = Counter(node["kind"] for node in nodes)
        notes = [
            f"{len(conversations)} conversations: {kinds['Episode']} sessions as Episodes, "
            f"{kinds['Record']} observations as Records, {kinds['Concept']} speakers as Concepts, "
            f"{len(pieces)} turns as pieces",
            "event summaries are not read: they repeat observations without their turns",
        ]
        notes += [f"{number} {what}" for what, number in sorted(counts.items())]
        about = About(reader=self.name, source=path.name, notes=tuple(notes))
        store = Store.from_frames(nodes, edges, pieces, about)
        return store.with_edges(mentions, [f"mentions: {mentions.height} speakers found in the turns, by conversation"])

    def exam(self, path: Path) -> ExamRows:
        """Read the questions, with the audit's corrections where its file lies beside."""
        audit_file = path.parent / "errors_audit.json"
        audit: list[Mapping[str, Any]] = []
        if audit_file.is_file():
            content = load_json(audit_file)
            if not isinstance(content, list) or not all(isinstance(e, dict) for e in content):
                raise InputError("is not a list of corrections", file=audit_file.name)
            audit = content
        return exam_rows(load(path), audit, path.stem)


def _turns(talk: Conversation, pieces: list[dict[str, Any]], edges: list[dict[str, Any]]) -> frozenset[str]:
    known = set()
    for session in talk.sessions:
        episode = f"{talk.id}/session-{session.number}"
        for position, turn in enumerate(session.turns):
            piece = f"{talk.id}/{turn['dia_id']}"
            caption = turn.get("blip_caption")
            said = str(turn["text"]) + (f" [image: {caption}]" if caption else "")
            text = f"{turn['speaker']}: {said}"
            pieces.append({"id": piece, "document": episode, "text": text, "position": position, "said": said})
            edges.append(_edge(episode, "FROM", piece))
            edges.append(_edge(piece, "SAID_BY", f"{talk.id}/{turn['speaker']}"))
            known.add(str(turn["dia_id"]))
    return frozenset(known)


def _nodes(talk: Conversation, nodes: list[dict[str, Any]]) -> None:
    dates = {session.number: session.when for session in talk.sessions}
    nodes += [{"id": f"{talk.id}/{s}", "kind": "Concept", "title": s} for s in talk.speakers]
    nodes += [
        {
            "id": f"{talk.id}/session-{s.number}",
            "kind": "Episode",
            "title": f"{' and '.join(talk.speakers)}, {s.shown}, session {s.number}",
            "summary": s.summary,
            "valid_from": s.when,
            "source": f"{talk.id} session_{s.number}",
        }
        for s in talk.sessions
    ]
    nodes += [
        {
            "id": o.id,
            "kind": "Record",
            "title": o.title,
            "valid_from": dates.get(o.session),
            "source": "; ".join(f"{talk.id}/{turn}" for turn in o.turns),
        }
        for o in talk.observations
    ]


def _links(
    talk: Conversation,
    known: frozenset[str],
    edges: list[dict[str, Any]],
    counts: Counter[str],
) -> None:
    episodes = {session.number for session in talk.sessions}
    for o in talk.observations:
        edges += [_edge(o.id, "FROM", f"{talk.id}/{turn}") for turn in o.turns if turn in known]
        edges.append(_edge(o.id, "ABOUT", f"{talk.id}/{o.speaker}"))
        if o.session in episodes:
            edges.append(_edge(f"{talk.id}/session-{o.session}", "HAS", o.id))
        if any(turn not in known for turn in o.turns) or not o.turns:
            counts["observations name a turn that is not there"] += 1
    counts["sessions have no date that can be read"] += sum(s.when is None for s in talk.sessions)
    if not counts["sessions have no date that can be read"]:
        del counts["sessions have no date that can be read"]


def _edge(source: str, kind: str, target: str) -> dict[str, Any]:
    return {"source": source, "type": kind, "target": target}


def _mentions(
    talks: Sequence[Conversation], pieces: Sequence[Mapping[str, Any]], progress: Progress | None
) -> pl.DataFrame:
    """Speakers named in turns of their own conversation; the label of who speaks is no mention."""
    speakers = pl.DataFrame(
        [(f"{talk.id}/{name}", name, talk.id) for talk in talks for name in talk.speakers],
        schema={"id": pl.String, "title": pl.String, "talk": pl.String},
        orient="row",
    ).with_columns(aliases=pl.lit([], pl.List(pl.String)))
    said = pl.DataFrame(
        {
            "id": [piece["id"] for piece in pieces],
            "text": [piece["said"] for piece in pieces],
        },
        schema={"id": pl.String, "text": pl.String},
    )
    talk_of = dict(zip(speakers["id"], speakers["talk"], strict=True))
    found = find_mentions(speakers, said, progress)
    own = found.filter(
        pl.col("source").str.starts_with(pl.col("target").replace_strict(talk_of, return_dtype=pl.String) + "/")
    )
    return own.select("source", pl.lit("MENTIONS").alias("type"), "target")
