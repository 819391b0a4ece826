"""What a labeller sees: a question, and the nodes that it may mean."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Option:
    """A node that may be picked.

    Attributes
    ----------
    node, title, kind : str
    validity : str
        ``current``, ``retired`` or ``future`` at the instant asked about.
    summary : str
        An Episode's narrative, for reading; nothing matched against it.
    """

    node: str
    title: str
    kind: str
    validity: str
    summary: str


@dataclass(frozen=True, slots=True)
class Task:
    """One question, as a labeller sees it.

    Attributes
    ----------
    question_id, question, lang : str
    as_of : datetime
        The instant asked about, UTC.
    options : tuple of Option
        Nodes that the rules found; in an order of content where the labeller is blind.
    judged : bool
        Whether this labeller has judged it already, and ``picked`` which node: None for none of these.
    state, reason : str or None
        What the rules decided, where the labeller is not blind.
    """

    question_id: str
    question: str
    lang: str
    as_of: datetime
    options: tuple[Option, ...]
    judged: bool
    picked: str | None
    state: str | None
    reason: str | None
