"""The questions behind the bars: a table of them, kept to what is picked, and one of them in full."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import polars as pl

from memlab.charts.bars import SEGMENTS
from memlab.charts.signs import CLASSES
from memlab.exam import Outcomes
from memlab.pool import Evidence

ALL: Final = "all questions"
# What a bar's segment is called in a list.
SHOWN: Final = {name: f"{group}: {label}" for name, (group, label, _) in SEGMENTS.items()}
# In a table, under a heading of its own, it may be short.
LABELS: Final = {
    "resolved_right": "right", "confident_wrong": "wrong", "choose_has_gold": "choose, with gold",
    "choose_without_gold": "choose, no gold", "none": "none", "unanswerable_resolved": "wrong",
    "unanswerable_choose": "choose, no gold", "unanswerable_none": "none",
}  # fmt: skip
COLOURS: Final = {LABELS[name]: colour for name, (_, _, colour) in SEGMENTS.items()}
COLUMNS: Final = {
    "question": "question", "outcome": "outcome", "answer": "answer", "gold": "gold", "reason": "reason",
    "gap": "gap (cosine)", "lang": "lang",
}  # fmt: skip
CHANGES: Final = {
    "way": "way", "question": "question", "before": "baseline", "after": "now", "node_before": "answer before",
    "node_after": "answer now", "reason_after": "reason now",
}  # fmt: skip


@dataclass(frozen=True)
class Picked:
    """Which questions are shown.

    Attributes
    ----------
    segment : str
        Of the bars; empty for all.
    class_ : str
        Of the gap chart; empty for all.
    low, high : float
        Gaps from and to below, in cosine.
    """

    segment: str = ""
    class_: str = ""
    low: float = 0.0
    high: float = 0.0

    def __str__(self) -> str:
        if self.class_:
            return f"{self.class_}, gap {self.low:.3f} to {self.high:.3f}"
        return SHOWN.get(self.segment, ALL)

    @classmethod
    def of_click(cls, chart: str, row: Mapping[str, Any]) -> Picked | None:
        """Read a click on a mark; None where the mark stands for no questions."""
        # A chart of another state of the page may send anything.
        if chart == "bars" and str(row.get("segment")) in SEGMENTS:
            return cls(segment=str(row["segment"]))
        low, high = row.get("low"), row.get("high")
        if (
            chart == "gaps"
            and str(row.get("class")) in CLASSES
            and isinstance(low, int | float)
            and isinstance(high, int | float)
        ):
            return cls(class_=str(row["class"]), low=float(low), high=float(high))
        return None

    def keep(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the graded rows that are meant."""
        if self.segment:
            return rows.filter(segment() == self.segment)
        if self.class_:
            # A bin holds the gaps that its label rounds to: the chart counts them rounded down to 0.001.
            held = pl.col("gap").is_between(self.low - 1e-9, self.high - 1e-9, closed="left")
            return rows.filter((gap_class() == self.class_) & held.fill_null(False))
        return rows


def segment() -> pl.Expr:
    """The bars' segment of a graded row."""
    outcome = pl.col("outcome").cast(pl.String)
    chosen = pl.when(pl.col("choose_has_gold").fill_null(False)).then(pl.lit("choose_has_gold"))
    return pl.when(outcome == "choose").then(chosen.otherwise(pl.lit("choose_without_gold"))).otherwise(outcome)


def gap_class() -> pl.Expr:
    """The gap chart's class of a graded row."""
    right = pl.when(pl.col("first_right").fill_null(False)).then(pl.lit("first is right"))
    return (
        pl.when(~pl.col("answerable")).then(pl.lit("unanswerable")).otherwise(right.otherwise(pl.lit("first is wrong")))
    )


class Titles:
    """Titles of the nodes that evidence names."""

    def __init__(self, evidence: Evidence) -> None:
        self._frame = evidence.frame.select("node_id", "title").unique("node_id", keep="first", maintain_order=True)

    def of(self, frame: pl.DataFrame, column: str) -> pl.Series:
        """Return titles in the place of ids; an id that nothing named stays."""
        found = frame.select(pl.col(column).alias("node_id")).join(
            self._frame, on="node_id", how="left", maintain_order="left"
        )
        return found.select(pl.coalesce("title", "node_id").alias(column)).to_series()

    def one(self, node: str) -> str:
        """Return the title of one node."""
        return str(self.of(pl.DataFrame({"node": [node]}), "node")[0])


def questions_frame(outcomes: Outcomes, picked: Picked, titles: Titles) -> pl.DataFrame:
    """Return the table's rows: what was asked, what came of it, and why.

    Returns
    -------
    polars.DataFrame
        ``question_id`` · ``question`` · ``outcome`` · ``answer`` (title of the resolved node) · ``gold``
        (title of the first gold node) · ``reason`` · ``gap`` (cosine) · ``lang``, in the exam's order.
    """
    rows = picked.keep(outcomes.rows).with_columns(pl.col("gold").list.first())
    return rows.select(
        "question_id",
        "question",
        segment().replace(LABELS).alias("outcome"),
        titles.of(rows, "node_id").alias("answer"),
        titles.of(rows, "gold").alias("gold"),
        pl.col("reason").cast(pl.String).str.replace_all("_", " "),
        "gap",
        "lang",
    )


def changes_frame(flipped: pl.DataFrame, titles: Titles) -> pl.DataFrame:
    """Return flips with outcomes in words and titles in the place of ids."""
    return flipped.with_columns(
        pl.col("before", "after").replace(LABELS | {"choose": LABELS["choose_without_gold"]}),
        titles.of(flipped, "node_before"),
        titles.of(flipped, "node_after"),
        pl.col("reason_after").str.replace_all("_", " "),
    )


def told_html(row: Mapping[str, Any], why: Mapping[str, str], titles: Titles) -> str:
    """Say in a few lines what became of one question."""
    gold = ", ".join(f"“{titles.one(node)}”" for node in row["gold"][:3]) or "none: it has no answer"
    more = f" and {len(row['gold']) - 3} more" if len(row["gold"]) > 3 else ""
    answer = f" “{titles.one(row['node_id'])}”" if row["node_id"] else ""
    reasons = "; ".join(why[str(reason)] for reason in row["reasons"])
    return (
        f'<div class="memlab-told"><b>{escape(row["question"])}</b><br>{escape(str(row["state"]))}{escape(answer)}: '
        f"{escape(reasons)}<br>gold: {escape(gold + more)}</div>"
    )
