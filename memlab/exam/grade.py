"""Grade: what became of each question, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from memlab.errors import InputError
from memlab.exam.intervals import wilson
from memlab.exam.questions import Exam
from memlab.rules import Settings

OUTCOMES = (
    "resolved_right",
    "confident_wrong",
    "choose",
    "none",
    "unanswerable_resolved",
    "unanswerable_choose",
    "unanswerable_none",
)
OUTCOME = pl.Enum(OUTCOMES)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of an exam.

    Attributes
    ----------
    rows : polars.DataFrame
        One question each: the decision, the exam's row, ``in_pool`` (a gold node among the first 50
        of the ordered pool), ``first_right``, ``choose_has_gold``, ``outcome`` and ``gold_kind``.
    exam : Exam
    settings : Settings or None
        What was decided by, where the caller said so.
    """

    rows: pl.DataFrame
    exam: Exam
    settings: Settings | None = None

    def counts(self) -> dict[str, int]:
        """Return the counts of the whole exam, by name."""
        return _counts(self.rows)

    def table(self, by: str | None = None) -> pl.DataFrame:
        """Return every measure with its count, n, share and Wilson 95 % interval.

        Parameters
        ----------
        by : {"lang", "kind", "author", "tag"}, optional
            Group by the question's language, its gold's kind, its author, or each of its tags.

        Returns
        -------
        polars.DataFrame
            ``group`` · ``measure`` · ``count`` · ``n`` · ``share`` · ``low`` · ``high``.
        """
        groups = [("all", self.rows)] if by is None else self._groups(by)
        lines = [{"group": group} | line for group, rows in groups for line in _lines(_counts(rows))]
        schema = {"group": pl.String, "measure": pl.String, "count": pl.Int64, "n": pl.Int64,
                  "share": pl.Float64, "low": pl.Float64, "high": pl.Float64}  # fmt: skip
        return pl.DataFrame(lines, schema=schema)

    def _groups(self, by: str) -> list[tuple[str, pl.DataFrame]]:
        columns = {"lang": "lang", "kind": "gold_kind", "author": "written_by", "tag": "tags"}
        if by not in columns:
            raise ValueError(f"by: one of {', '.join(columns)}, not {by!r}")
        rows = self.rows.with_columns(group=pl.col(columns[by]))
        if by == "tag":
            rows = rows.explode("group")
        rows = rows.with_columns(pl.col("group").fill_null("–").replace("", "–"))
        return [(str(key), part) for (key,), part in sorted(rows.group_by("group"), key=lambda item: str(item[0][0]))]

    @property
    def risk(self) -> float | None:
        """Confident wrong over resolved, answerable and unanswerable questions together."""
        counts = self.counts()
        resolved = counts["resolved_right"] + counts["confident_wrong"] + counts["unanswerable_resolved"]
        return None if not resolved else 1 - counts["resolved_right"] / resolved

    def _repr_html_(self) -> str:
        from html import escape

        authors = ", ".join(self.exam.authors)
        head = f"<div>{escape(self.exam.name)} · written by {escape(authors)} · n = {self.rows.height}</div>"
        # Every measure, and no more digits than the counts bear.
        with pl.Config(tbl_rows=-1, float_precision=3, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True):
            return head + self.table().drop("group")._repr_html_()


def grade(
    decisions: pl.DataFrame, exam: Exam, *, kinds: pl.DataFrame | None = None, settings: Settings | None = None
) -> Outcomes:
    """Grade decisions against an exam.

    Parameters
    ----------
    decisions : polars.DataFrame
        What :func:`memlab.decide` returned, for questions of the exam.
    exam : Exam
    kinds : polars.DataFrame, optional
        The store's nodes (``id`` · ``kind``), to tell the kind of each question's gold.
    settings : Settings, optional
        Kept with the outcomes.

    Raises
    ------
    InputError
        If the decisions are of another exam.

    Notes
    -----
    Of an unanswerable question every ``resolved`` is a confident wrong one.
    """
    if not isinstance(decisions, pl.DataFrame) or not {"question_id", "state", "pool"} <= set(decisions.columns):
        got = "another frame" if isinstance(decisions, pl.DataFrame) else type(decisions).__name__
        raise InputError(f"give what memlab.decide(evidence, settings) returned, not {got}", field="decisions")
    if not isinstance(exam, Exam):
        raise InputError(f"give an Exam, not {type(exam).__name__}", field="exam")
    c = pl.col
    # Part of an exam may be graded (strict gold drops questions), another exam may not.
    if decisions.height and decisions.join(exam.questions, on="question_id", how="semi").is_empty():
        raise InputError(f"none of the {decisions.height} decisions is of this exam; grade the exam that was gathered")
    rows = exam.questions.join(decisions, on="question_id", how="inner", maintain_order="left")
    state = c("state").cast(pl.String)
    right = c("gold").list.contains(c("node_id")).fill_null(False)
    rows = rows.with_columns(
        in_pool=c("answerable") & (c("gold").list.set_intersection(c("pool")).list.len() > 0),
        first_right=c("answerable") & c("gold").list.contains(c("first")).fill_null(False),
        choose_has_gold=c("answerable")
        & (state == "choose")
        & (c("gold").list.set_intersection(c("candidates")).list.len() > 0),
        outcome=pl.when(~c("answerable"))
        .then(pl.lit("unanswerable_") + state)
        .when(state != "resolved")
        .then(state)
        .when(right)
        .then(pl.lit("resolved_right"))
        .otherwise(pl.lit("confident_wrong"))
        .cast(OUTCOME),
    )
    if kinds is None:
        rows = rows.with_columns(gold_kind=pl.lit(None, pl.String))
    else:
        named = kinds.select(gold="id", gold_kind=c("kind").cast(pl.String))
        found = (
            rows.select("question_id", c("gold")).explode("gold").join(named, on="gold")
            .group_by("question_id").agg(c("gold_kind").min())
        )  # fmt: skip
        rows = rows.join(found, on="question_id", how="left", maintain_order="left")
    return Outcomes(rows, exam, settings)


def _counts(rows: pl.DataFrame) -> dict[str, int]:
    outcome = pl.col("outcome").cast(pl.String)
    names = {name: (outcome == name).sum() for name in OUTCOMES}
    found: dict[str, Any] = rows.select(
        n_answerable=pl.col("answerable").sum(),
        in_pool=pl.col("in_pool").sum(),
        first=pl.col("first_right").sum(),
        resolved_right=names["resolved_right"],
        confident_wrong=names["confident_wrong"],
        choose=names["choose"],
        choose_has_gold=pl.col("choose_has_gold").sum(),
        none=names["none"],
        n_unanswerable=(~pl.col("answerable")).sum(),
        unanswerable_resolved=names["unanswerable_resolved"],
        unanswerable_choose=names["unanswerable_choose"],
        unanswerable_none=names["unanswerable_none"],
    ).row(0, named=True)
    return {name: int(value) for name, value in found.items()}


def _lines(counts: dict[str, int]) -> list[dict[str, Any]]:
    answerable, unanswerable = counts["n_answerable"], counts["n_unanswerable"]
    wrong = counts["confident_wrong"] + counts["unanswerable_resolved"]
    measures = [
        ("in_pool", counts["in_pool"], answerable),
        ("first", counts["first"], answerable),
        ("resolved_right", counts["resolved_right"], answerable),
        ("confident_wrong", counts["confident_wrong"], answerable),
        ("risk", wrong, wrong + counts["resolved_right"]),
        ("choose", counts["choose"], answerable),
        ("choose_has_gold", counts["choose_has_gold"], counts["choose"]),
        ("none", counts["none"], answerable),
        ("unanswerable_resolved", counts["unanswerable_resolved"], unanswerable),
        ("unanswerable_choose", counts["unanswerable_choose"], unanswerable),
        ("unanswerable_none", counts["unanswerable_none"], unanswerable),
    ]
    lines = []
    for measure, count, n in measures:
        low, high = wilson(count, n)
        lines.append(
            {"measure": measure, "count": count, "n": n, "share": count / n if n else None, "low": low, "high": high}
        )
    return lines
