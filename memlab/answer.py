"""One decision, for people: state, node, candidates, why, and what each arm saw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from memlab.display import TERMINAL, html_list, html_state, html_table, plain, table, titled, visible
from memlab.hiding import PLAIN, hidden_in_words
from memlab.pool import Evidence
from memlab.rules import WHY, Settings
from memlab.settles import settles
from memlab.store import Store
from memlab.trace import Trace

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


@dataclass(frozen=True, eq=False)
class Answer:
    """What :meth:`memlab.Lab.resolve` returns.

    Attributes
    ----------
    question : str
    state : str
        ``resolved``, ``choose`` or ``none``.
    node_id, title : str or None
        The node, where one was resolved.
    reason : str
        From the closed list; ``reasons`` holds all that apply, ``why`` says it in words.
    candidates : polars.DataFrame
        What is handed back, best first, with each arm's evidence.
    hidden : polars.DataFrame
        Candidates that do not hold now, best first, with what hides them in words (``hidden_by``), and
        whether they lead by title or by meaning (``rival``).
    pool : tuple of str
        Every candidate that the arms found, hidden ones included, before the filter; by content.
    gap, similarity : float or None
        Of the semantic arm, raw cosine.
    evidence : Evidence
    settings : Settings
    store : Store or None
        What names successors and dates.
    """

    question: str
    state: str
    node_id: str | None
    title: str | None
    reason: str
    reasons: tuple[str, ...]
    candidates: pl.DataFrame
    hidden: pl.DataFrame
    pool: tuple[str, ...]
    gap: float | None
    similarity: float | None
    evidence: Evidence
    settings: Settings
    store: Store | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, evidence: Evidence, decisions: pl.DataFrame, settings: Settings, *, store: Store | None = None
    ) -> Answer:
        """Make the answer of the one question in ``evidence``; a store names what hides a node."""
        row = decisions.row(0, named=True)
        candidates = _described(row["candidates"], evidence)
        title = candidates["title"][0] if row["node_id"] is not None else None
        return cls(
            evidence.questions["question"][0],
            row["state"],
            row["node_id"],
            title,
            row["reason"],
            tuple(row["reasons"]),
            candidates,
            _hidden(row["hidden"], row["rivals"], evidence, store),
            tuple(evidence.frame["node_id"].to_list()),
            row["gap"],
            row["similarity"],
            evidence,
            settings,
            store,
        )

    @property
    def why(self) -> str:
        """The reason in words."""
        return WHY[self.reason]

    @cached_property
    def settles(self) -> list[str]:
        """What would have settled it, a line each (``memlab.settles``); empty where it is resolved."""
        return [one.text for one in settles(Trace(self.evidence, self.settings), self.store)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as ``memlab ask --json`` prints them."""
        return {
            "question": self.question,
            "state": self.state,
            "node": self.node_id,
            "title": self.title,
            "reason": self.reason,
            "reasons": list(self.reasons),
            "why": self.why,
            "settles": self.settles,
            "gap": self.gap,
            "similarity": self.similarity,
            "candidates": self.candidates.to_dicts(),
            "hidden": self.hidden.to_dicts(),
            "as_of": self.evidence.questions["as_of"][0].isoformat(),
            "encoders": [e.as_dict() for e in self.evidence.encoders],
            "store": self.evidence.store,
            "settings": self.settings.as_dict(),
        }

    def _headlines(self) -> Iterator[str]:
        gap = "" if self.gap is None else f" · gap {self.gap:.3f}"
        for number, reason in enumerate(self.reasons):
            yield f"{reason}: {WHY[reason]}{gap}" if number == 0 else f"also {reason}: {WHY[reason]}"

    @property
    def _hidden_shown(self) -> pl.DataFrame:
        """What a reader is told of the hidden: of a resolved question only rivals, as the others decided nothing."""
        return self.hidden.filter("rival") if self.state == "resolved" else self.hidden

    def _repr_html_(self) -> str:
        lines = "".join(f'<div style="opacity:.75;margin-top:2px">{escape(line)}</div>' for line in self._headlines())
        shown = [self.candidates.select(list(_SHOWN)).iter_rows(), self._hidden_shown.select(list(_HIDDEN)).iter_rows()]
        return (
            f'<div style="margin:4px 0">{html_state(self.state, self.title or "")}{lines}</div>'
            + html_list(self.settles, SETTLES)
            + html_table(_SHOWN.values(), shown[0])
            + html_table(_HIDDEN.values(), shown[1], HIDES)
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.padding import Padding
        from rich.text import Text

        yield Text.assemble((self.state, TERMINAL[self.state]), "  ", visible(self.title or ""))
        for line in self._headlines():
            yield Text(line, style="dim")
        if self.settles:
            yield Text(f"\n{SETTLES}", style="dim")
        for line in self.settles:
            yield Padding(Text(f"· {visible(line)}"), (0, 0, 0, 1))
        if self.candidates.height:
            made = table({"title, id": "left", "kind": "left", "words": "right", "cosine": "right",
                          "pieces": "right", "first by": "left"})  # fmt: skip
            for row in self.candidates.iter_rows(named=True):
                cells = (row[name] for name in ("kind", "title_words", "similarity", "graph_pieces", "first_by"))
                holds = "" if row["validity"] == "current" else f" · {row['validity']}"
                made.add_row(titled(row["title"], row["node_id"] + holds), *map(plain, cells))
            yield made
        if self._hidden_shown.height:
            made = table({"title, id": "left", "hidden by": "left", "rival": "left", "words": "right",
                          "cosine": "right"}, HIDES)  # fmt: skip
            for row in self._hidden_shown.iter_rows(named=True):
                cells = (row[name] for name in ("hidden_by", "rival", "title_words", "similarity"))
                made.add_row(titled(row["title"], row["node_id"]), *map(plain, cells))
            yield made


SETTLES = "What would have settled it"
HIDES = "Hidden by the validity filter"
_SHOWN = {
    "title": "title",
    "kind": "kind",
    "node_id": "id",
    "title_words": "words",
    "similarity": "similarity",
    "graph_pieces": "pieces",
    "first_by": "first by",
    "validity": "holds",
}
_HIDDEN = {
    "title": "title",
    "kind": "kind",
    "node_id": "id",
    "hidden_by": "hidden by",
    "rival": "rival",
    "title_words": "words",
    "similarity": "similarity",
}


def _described(ids: list[str], evidence: Evidence) -> pl.DataFrame:
    order = pl.DataFrame({"node_id": ids}, schema={"node_id": pl.String})
    return order.join(evidence.frame, on="node_id", how="left", maintain_order="left").select(
        "node_id",
        "title",
        pl.col("kind").cast(pl.String),
        pl.col("validity").cast(pl.String),
        "name_used",
        "title_words",
        "whole_title",
        pl.col("semantic_similarity").round(3).alias("similarity"),
        "semantic_rank",
        "title_rank",
        "graph_rank",
        "graph_pieces",
        "first_by",
        "number_differs",
        "name_differs",
    )


def _hidden(ids: list[str], rivals: list[str], evidence: Evidence, store: Store | None) -> pl.DataFrame:
    """What the filter hid: the first of them, and every one that leads, wherever it stands."""
    shown = list(dict.fromkeys([*ids, *rivals]))
    frame = _described(shown, evidence)
    if store is not None:
        words = hidden_in_words(store, shown, evidence.questions["as_of"][0])
    else:
        told = dict(evidence.frame.select("node_id", pl.col("hidden_by").cast(pl.String)).iter_rows())
        words = [PLAIN[told[name]] if told.get(name) else None for name in shown]
    return frame.with_columns(
        pl.Series("hidden_by", words, dtype=pl.String),
        pl.Series("rival", [name in rivals for name in shown], dtype=pl.Boolean),
    )
