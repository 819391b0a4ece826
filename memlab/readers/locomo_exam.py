"""LoCoMo's questions as an exam: gold Records by the turns cited, corrected by its audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.readers.base import ExamRows
from memlab.readers.locomo_data import Conversation, cited_turns

NEAR = 2
"""An observation of a turn this near to a cited one is gold too, by the lenient measure."""

_NEAR_MISS = 5
_DROPPED = {"HALLUCINATION": "called hallucinated", "AMBIGUOUS": "called ambiguous"}


def exam_rows(talks: Sequence[Conversation], audit: Sequence[Mapping[str, Any]], name: str) -> ExamRows:
    """Make the exam of some conversations.

    Parameters
    ----------
    talks
        The conversations with their questions.
    audit
        Corrections: ``sample_id``, ``qa_index``, ``error_type``, ``correct_evidence``.
    name
        Name of the exam.

    Returns
    -------
    ExamRows
        A row has the exam's fields and ``gold_strict``. Its ``gold`` is lenient: the observations
        of the cited turns, or of turns of the same session within `NEAR` of one. Category 5 asks
        about what was never said: unanswerable, tagged ``near-miss``.
    """
    corrections = {(str(e.get("sample_id")), e.get("qa_index")): e for e in audit}
    counts: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for talk in talks:
        observed = _Observed.of(talk)
        for index, question in enumerate(talk.questions):
            counts["question"] += 1
            row = _row(talk.id, index, question)
            if not row["answerable"] or _find_gold(
                row, question.get("evidence") or [], corrections.get((talk.id, index)), observed, counts
            ):
                rows.append(row)
    answerable = sum(row["answerable"] for row in rows)
    notes = [
        f"{counts['question']} questions: {answerable} answerable, {len(rows) - answerable} near-miss unanswerable",
        f"gold: observations of the cited turns or within {NEAR} turns of one, in the same session; "
        "gold_strict: of the cited turns alone",
    ]
    notes += [f"{counts[key]} {key}" for key in sorted(counts) if key != "question" and counts[key]]
    return ExamRows(name, rows, tuple(notes))


@dataclass(frozen=True)
class _Observed:
    """The turns of one conversation, and the Records that were observed in them."""

    turns: frozenset[str]
    records: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, talk: Conversation) -> _Observed:
        records: dict[str, list[str]] = {}
        for observation in talk.observations:
            for turn in observation.turns:
                records.setdefault(turn, []).append(observation.id)
        turns = (str(turn["dia_id"]) for session in talk.sessions for turn in session.turns)
        return cls(frozenset(turns), records)

    def gold(self, turns: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(record for turn in turns for record in self.records.get(turn, ())))


def _row(talk: str, index: int, question: Mapping[str, Any]) -> dict[str, Any]:
    """Make the row of a question, without its gold."""
    category = question.get("category")
    near_miss = category == _NEAR_MISS
    return {
        "id": f"{talk}/qa-{index}",
        "question": str(question.get("question", "")),
        "lang": "en",
        "gold": [],
        "gold_strict": [],
        "answerable": not near_miss,
        "written_by": "locomo",
        "tags": [f"category:{category}", f"conversation:{talk}", *(["near-miss"] if near_miss else [])],
    }


def _find_gold(
    row: dict[str, Any],
    evidence: object,
    correction: Mapping[str, Any] | None,
    observed: _Observed,
    counts: Counter[str],
) -> bool:
    """Put the gold into an answerable row; say whether the row stays."""
    if correction is not None:
        error = str(correction.get("error_type"))
        if error in _DROPPED:
            counts[f"dropped: {_DROPPED[error]} by the audit"] += 1
            return False
        better = correction.get("correct_evidence") or evidence
        counts["citations corrected by the audit"] += set(cited_turns(better)) != set(cited_turns(evidence))
        evidence = better
    named = cited_turns(evidence)
    cited = [turn for turn in named if turn in observed.turns]
    counts["questions cite a turn that is not there"] += len(cited) < len(named)
    row["gold_strict"] = observed.gold(cited)
    row["gold"] = observed.gold([near for turn in cited for near in _near(turn)])
    if not row["gold"]:
        why = "no observation of a cited turn or near one" if cited else "no turn cited"
        counts[f"dropped: no gold Record ({why})"] += 1
        return False
    counts["answerable questions have lenient gold only"] += not row["gold_strict"]
    row["tags"].append("cited:one" if len(cited) == 1 else "cited:several")
    return True


def _near(turn: str) -> list[str]:
    session, number = turn[1:].split(":")
    return [f"D{session}:{n}" for n in range(int(number) - NEAR, int(number) + NEAR + 1)]
