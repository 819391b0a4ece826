"""One decision, for programs: small, frozen, and plain JSON where asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from memlab.pool import Evidence
from memlab.rules import WHY


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that was handed back, or hidden.

    Attributes
    ----------
    node, title, kind : str
    validity : str
        ``current``, ``retired`` or ``future`` at the instant asked about.
    """

    node: str
    title: str
    kind: str
    validity: str

    def as_dict(self) -> dict[str, str]:
        """Return plain values."""
        return {"node": self.node, "title": self.title, "kind": self.kind, "validity": self.validity}


@dataclass(frozen=True, slots=True)
class Resolution:
    """One decision, for programs.

    Attributes
    ----------
    question_id, question : str
    state : str
        ``resolved``, ``choose`` or ``none``.
    node, title : str or None
        The node, where one was resolved.
    candidates : tuple of Candidate
        What is handed back, best first, five at most; a resolved node stands first.
    reason, why : str
        From the closed list, and in words; ``reasons`` holds all that apply.
    hidden : tuple of Candidate
        The first nodes that match and do not hold.
    gap, similarity : float or None
        Of the semantic arm, raw cosine.
    as_of : datetime
        The instant asked about, UTC.
    include_retired : bool
    asked_at : datetime or None
        The ``now`` that the caller gave.
    """

    question_id: str
    question: str
    state: str
    node: str | None
    title: str | None
    candidates: tuple[Candidate, ...]
    reason: str
    reasons: tuple[str, ...]
    hidden: tuple[Candidate, ...]
    gap: float | None
    similarity: float | None
    as_of: datetime
    include_retired: bool
    asked_at: datetime | None

    @property
    def why(self) -> str:
        """The reason in words."""
        return WHY[self.reason]

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "question_id": self.question_id,
            "question": self.question,
            "state": self.state,
            "node": self.node,
            "title": self.title,
            "candidates": [c.as_dict() for c in self.candidates],
            "reason": self.reason,
            "reasons": list(self.reasons),
            "why": self.why,
            "hidden": [c.as_dict() for c in self.hidden],
            "gap": self.gap,
            "similarity": self.similarity,
            "as_of": self.as_of.isoformat(),
            "include_retired": self.include_retired,
            "asked_at": None if self.asked_at is None else self.asked_at.isoformat(),
        }


def resolutions(evidence: Evidence, decisions: pl.DataFrame, asked_at: datetime | None) -> list[Resolution]:
    """Make the decisions of a batch, in the order of its questions."""
    shown = decisions.select("question_id", pl.concat_list("candidates", "hidden").alias("node_id")).explode("node_id")
    rows = evidence.frame.join(shown.drop_nulls().unique(), on=["question_id", "node_id"], how="semi")
    told = {
        (row[0], row[1]): Candidate(*row[1:])
        for row in rows.select(
            "question_id", "node_id", "title", pl.col("kind").cast(pl.String), pl.col("validity").cast(pl.String)
        ).iter_rows()
    }
    made = []
    questions = evidence.questions.iter_rows(named=True)
    for asked, row in zip(questions, decisions.iter_rows(named=True), strict=True):
        name = row["question_id"]
        made.append(
            Resolution(
                name,
                asked["question"],
                row["state"],
                row["node_id"],
                None if row["node_id"] is None else told[name, row["node_id"]].title,
                tuple(told[name, node] for node in row["candidates"]),
                row["reason"],
                tuple(row["reasons"]),
                tuple(told[name, node] for node in row["hidden"]),
                row["gap"],
                row["similarity"],
                asked["as_of"],
                asked["include_retired"],
                asked_at,
            )
        )
    return made
