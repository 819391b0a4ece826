"""LoCoMo's file as plain objects: conversations, sessions, observations, questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memlab.errors import InputError
from memlab.readers.base import load_json

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")
_DATE = re.compile(r"(\d{1,2})\s+([A-Za-z]{3})[a-z]*,?\s+(\d{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True)
class Observation:
    """One observation: the Record it becomes, who it is about, and the turns it came from."""

    id: str
    title: str
    speaker: str
    session: int
    turns: tuple[str, ...]


@dataclass(frozen=True)
class Session:
    """One session that has turns."""

    number: int
    when: datetime | None
    shown: str
    summary: str
    turns: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Conversation:
    """One sample of the data set."""

    id: str
    speakers: tuple[str, ...]
    sessions: tuple[Session, ...]
    observations: tuple[Observation, ...]
    questions: Sequence[Mapping[str, Any]]


def load(path: Path) -> tuple[Conversation, ...]:
    """Read the conversations of a file.

    Raises
    ------
    InputError
        Naming the conversation (row from 1) and the field.
    """
    content = load_json(path)
    if not isinstance(content, list):
        raise InputError("is not a list of conversations", file=path.name)
    loaded = []
    for row, sample in enumerate(content, 1):
        try:
            loaded.append(_conversation(sample))
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise InputError(
                f"not of LoCoMo's form: {type(error).__name__} {error}",
                part="conversations",
                row=row,
                file=path.name,
            ) from error
    return tuple(loaded)


def cited_turns(reference: object) -> tuple[str, ...]:
    """Turn ids in a reference: a text or a list, several in one text, ``D:11:26`` for ``D11:26``."""
    texts = reference if isinstance(reference, list) else [reference]
    found = [f"D{s}:{t}" for text in texts for s, t in _TURN.findall(str(text))]
    return tuple(dict.fromkeys(found))


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    talk, name = sample["conversation"], str(sample["sample_id"])
    summaries = sample.get("session_summary", {})
    sessions = []
    for key, turns in talk.items():
        match = _SESSION.fullmatch(key)
        if match and turns:
            shown, when = _date(str(talk.get(f"{key}_date_time", "")))
            for turn in turns:
                # Touch what is needed, so that a bad turn is named here and not met later.
                turn["dia_id"], turn["speaker"], turn["text"]
            sessions.append(Session(int(match[1]), when, shown, str(summaries.get(f"{key}_summary", "")), turns))
    observations = tuple(_observations(name, sample.get("observation", {})))
    named = [talk.get("speaker_a"), talk.get("speaker_b"), *(o.speaker for o in observations)]
    named += [turn["speaker"] for session in sessions for turn in session.turns]
    return Conversation(
        name,
        tuple(dict.fromkeys(str(n) for n in named if n)),
        tuple(sorted(sessions, key=lambda s: s.number)),
        observations,
        [dict(question) for question in sample.get("qa", [])],
    )


def _observations(name: str, given: Mapping[str, Any]) -> Iterator[Observation]:
    numbers: Counter[str] = Counter()
    for key, by_speaker in given.items():
        match = _SESSION.match(key)
        if match is None:
            continue
        for speaker, rows in by_speaker.items():
            for title, reference in rows:
                turns = cited_turns(reference)
                anchor = turns[0] if turns else f"session-{match[1]}"
                numbers[anchor] += 1
                yield Observation(
                    f"{name}/{anchor}/obs-{numbers[anchor]}",
                    str(title),
                    str(speaker),
                    int(match[1]),
                    turns,
                )


def _date(text: str) -> tuple[str, datetime | None]:
    match = _DATE.search(text)
    if match is None or match[2].lower() not in _MONTHS:
        return text.strip() or "no date", None
    month = _MONTHS.index(match[2].lower()) + 1
    try:
        when = datetime(int(match[3]), month, int(match[1]), tzinfo=UTC)
    except ValueError:
        return text.strip(), None
    return match[0].replace(",", ""), when
