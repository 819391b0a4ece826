"""One decision, for people: state, node, candidates, why, and what each arm saw."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from memlab.pool import Evidence
from memlab.rules import CHOOSE, NONE, RESOLVED, Settings

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

WHY = RESOLVED | CHOOSE | NONE
_COLOURS = {"resolved": "#009E73", "choose": "#0072B2", "none": "#6b6b6b"}
_TERMINAL = {"resolved": "bold green", "choose": "bold blue", "none": "bold"}


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
        Candidates that do not hold now, best first.
    pool : tuple of str
        Every candidate that the arms found, hidden ones included, before the filter; by content.
    gap, similarity : float or None
        Of the semantic arm, raw cosine.
    evidence : Evidence
    settings : Settings
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

    @classmethod
    def of(cls, evidence: Evidence, decisions: pl.DataFrame, settings: Settings) -> Answer:
        """Make the answer of the one question in ``evidence``."""
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
            _described(row["hidden"], evidence),
            tuple(evidence.frame["node_id"].to_list()),
            row["gap"],
            row["similarity"],
            evidence,
            settings,
        )

    @property
    def why(self) -> str:
        """The reason in words."""
        return WHY[self.reason]

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
            "gap": self.gap,
            "similarity": self.similarity,
            "candidates": self.candidates.to_dicts(),
            "hidden": self.hidden.to_dicts(),
            "as_of": self.evidence.questions["as_of"][0].isoformat(),
            "encoders": [e.as_dict() for e in self.evidence.encoders],
            "store": self.evidence.store,
            "settings": self.settings.as_dict(),
        }

    def _headline(self) -> str:
        gap = "" if self.gap is None else f" · gap {self.gap:.3f}"
        return f"{self.reason}: {self.why}{gap}"

    def _repr_html_(self) -> str:
        colour = _COLOURS[self.state]
        head = (
            f'<div style="margin:4px 0"><span style="background:{colour};color:#fff;border-radius:4px;padding:2px 8px;'
            f'font-weight:600">{self.state}</span> <b>{escape(_visible(self.title or ""))}</b>'
            f'<div style="opacity:.75;margin-top:4px">{escape(self._headline())}</div></div>'
        )
        return head + _html_table(self.candidates, "") + _html_table(self.hidden, "Hidden by the validity filter")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table
        from rich.text import Text

        yield Text.assemble((self.state, _TERMINAL[self.state]), "  ", _visible(self.title or ""))
        yield Text(self._headline(), style="dim")
        for frame, caption in ((self.candidates, None), (self.hidden, "hidden: does not hold at this instant")):
            if frame.is_empty():
                continue
            table = Table(title=caption, title_justify="left", show_edge=False)
            for name, label in _SHOWN.items():
                table.add_column(label, justify="right" if name in _NUMBERS else "left", overflow="fold")
            for row in frame.iter_rows(named=True):
                # Text, not str: a title may hold square brackets, which rich reads as mark-up.
                table.add_row(*(Text(_visible(_cell(row[name]))) for name in _SHOWN))
            yield table


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
_NUMBERS = {"title_words", "similarity", "graph_pieces"}


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


def _visible(text: str) -> str:
    """Show control characters as a sign, so that a title can neither steer the terminal nor hide in a page."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return str(value)


def _html_table(frame: pl.DataFrame, caption: str) -> str:
    if frame.is_empty():
        return ""
    head = "".join(f'<th style="text-align:left;padding:2px 10px">{escape(label)}</th>' for label in _SHOWN.values())
    cell = '<td style="text-align:left;padding:2px 10px">'
    rows = "".join(
        "<tr>" + "".join(f"{cell}{escape(_visible(_cell(row[name])))}</td>" for name in _SHOWN) + "</tr>"
        for row in frame.iter_rows(named=True)
    )
    title = f'<div style="margin-top:6px;opacity:.75">{escape(caption)}</div>' if caption else ""
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
