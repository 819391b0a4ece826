"""One thing that would have settled a question, and what every reason looks at to name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memlab.display import shortened
from memlab.hiding import Held, day, held, titles_of
from memlab.spans import Word, left_over, words_of
from memlab.store import Store
from memlab.trace import Trace, Verdict

MOST_RIVALS = 3


@dataclass(frozen=True)
class Settle:
    """One thing that would have settled a question.

    Attributes
    ----------
    reason : str
        The reason that it answers.
    text : str
        In words, true by itself.
    change : dict
        The setting that was tried; empty where no setting stands for it.
    verdict : Verdict or None
        What was decided under that change.
    """

    reason: str
    text: str
    change: dict[str, Any] = field(default_factory=dict)
    verdict: Verdict | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        then = self.verdict._asdict() if self.verdict else None
        return {"reason": self.reason, "text": self.text, "change": self.change, "then": then}


@dataclass(frozen=True, eq=False)
class Case:
    """A traced question, its words, and the store where there is one."""

    trace: Trace
    store: Store | None

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What was asked on the way."""
        return self.trace.facts

    @cached_property
    def asked(self) -> list[Word]:
        """Words of the question."""
        return words_of([self.trace.evidence.questions["question"][0]])[0]

    def names(self, rows: Sequence[dict[str, Any]]) -> list[list[Word]]:
        """Words of the names that matched best."""
        return words_of([row["name_used"] for row in rows])

    def further(self, row: dict[str, Any]) -> list[str]:
        """Words of a node's name that the question does not say."""
        return surfaces(left_over(self.names([row])[0], self.asked))

    def title(self, node_id: str | None) -> str:
        """Title in quotes, cut where it is long."""
        if node_id is None:
            return "nothing"
        title = self.trace.title(node_id)
        if title == node_id and self.store is not None:
            title = titles_of(self.store, [node_id]).get(node_id, node_id)
        return f"'{shortened(title)}'"

    def followed(self, ids: Iterable[str]) -> bool:
        """Whether something is named as the successor of one of these."""
        return any(one.successors for one in self.held(ids).values())

    def held(self, ids: Iterable[str]) -> dict[str, Held]:
        """When nodes held; nothing is known without a store."""
        if self.store is None:
            return {}
        return held(self.store, ids, self.trace.evidence.questions["as_of"][0])

    def tried(self, reason: str, need: str, **changes: Any) -> Settle:
        """Decide again under changed settings, and say what came of it."""
        verdict = self.trace.again(**changes)
        values = ", ".join(f"{name}={value}" for name, value in changes.items())
        if verdict.state == "resolved":
            told = f"with {values} it resolves to {self.title(verdict.node_id)}"
        elif verdict == self.trace.verdict or verdict.state == self.trace.verdict.state:
            told = f"{values} alone does not settle it"
        else:
            told = f"with {values} it is {verdict.state} ({verdict.reason})"
        return Settle(reason, f"{need}; {told}" if need else told, changes, verdict)


def surfaces(words: Sequence[Word]) -> list[str]:
    """Words as they stand in their source, each once."""
    return list(dict.fromkeys(word.surface for word in words))


def one_of(texts: Sequence[str], most: int = 4, last: str = "or") -> str:
    """Join quoted texts by a last word."""
    quoted = [f"'{text}'" for text in texts[:most]]
    return f" {last} ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def under(cosine: float) -> float:
    """A floor just low enough for a similarity, rounded as it is shown."""
    return max(-1.0, round(cosine - 0.0005, 3))


def when(case: Case, ids: Sequence[str]) -> Iterator[str]:
    """For nodes that do not hold: the instant to ask about, and what took their place."""
    known = case.held(ids)
    for node_id in ids:
        one, title = known.get(node_id), case.title(node_id)
        if one is None or one.validity == "current":
            continue
        ways = []
        if one.ever and one.validity == "retired" and one.until is not None:
            since = f"from {day(one.since)} " if one.since else ""
            ways.append(f"it held {since}until {day(one.until)}, and an as_of then shows it")
        elif one.ever and one.since is not None and one.validity == "future":
            ways.append(f"it begins {day(one.since)}, and an as_of from then on shows it")
        if one.successors:
            later = " and ".join(case.title(name) for name in one.successors[:MOST_RIVALS])
            ways.append(f"words of its successor {later}")
        if ways:
            yield f"{title}: {'; or '.join(ways)}"
