"""Grade: what became of each question, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl

from memlab.display import html_table
from memlab.errors import InputError
from memlab.exam.measures import OUTCOME, OUTCOMES, TABLE, counts, lines
from memlab.exam.provenance import Standing, marks, standing
from memlab.exam.questions import Exam
from memlab.rules import Settings
from memlab.rules.decide import weighing
from memlab.text.script import script, script_of_language

__all__ = ["GROUPS", "OUTCOMES", "UNANSWERABLE", "Outcomes", "grade"]

# Kinds of questions without an answer, kept apart wherever they are counted, and the tags that say so.
UNANSWERABLE: Final = {
    "near miss": ("near-miss",),
    "off subject": ("off-subject", "off-topic"),
    "gold removed": ("gold-removed",),
}
OTHER: Final = "of no stated kind"
# What outcomes can be grouped by, and the column of the rows.
GROUPS: Final = {
    "lang": "lang", "kind": "gold_kind", "pair": "pair", "author": "written_by", "tag": "tags",
    "unanswerable": "unanswerable", "standing": "standing",
}  # fmt: skip
# Groupings that set questions without an answer apart.
_WITHOUT_ANSWERS: Final = ("kind", "pair", "unanswerable")
_NO_GROUP: Final = "–"
# Questions without an answer have no gold, and so neither its kind nor its script.
_UNANSWERED: Final = "no answer"


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """What became of an exam.

    Attributes
    ----------
    rows : polars.DataFrame
        One question each: the decision, the exam's row, ``in_pool`` (a gold node among the first 50
        of the ordered pool), ``first_right``, ``choose_has_gold``, ``outcome``, ``gold_kind``, ``pair``
        (the question's language and the script of its gold's title), ``crosses`` (they differ in
        script) and ``unanswerable`` (near miss, off subject, gold removed, by the question's tags).
    exam : Exam
    settings : Settings or None
        What was decided by, where the caller said so.
    """

    rows: pl.DataFrame
    exam: Exam
    settings: Settings | None = None

    def counts(self) -> dict[str, int]:
        """Return the counts of the whole exam, by name."""
        return dict(self._counts)

    @cached_property
    def _counts(self) -> dict[str, int]:
        # Every view of a graded exam asks for them.
        return counts(self.rows)

    def table(self, by: str | None = None) -> pl.DataFrame:
        """Return every measure with its count, n, share and Wilson 95 % interval.

        Parameters
        ----------
        by : {"lang", "kind", "pair", "author", "tag", "unanswerable", "standing"}, optional
            Group by the question's language, its gold's kind, the pair of its language and its
            gold's script, its author, each of its tags, the kind of unanswerable question, or whether
            it is held out.

        Returns
        -------
        polars.DataFrame
            ``group`` · ``measure`` · ``count`` · ``n`` · ``share`` · ``low`` · ``high``.
        """
        groups = [("all", self.counts())] if by is None else [(group, counts(rows)) for group, rows in self._groups(by)]
        made = [{"group": group} | line for group, found in groups for line in lines(found)]
        table = pl.DataFrame(made, schema=TABLE)
        if by not in _WITHOUT_ANSWERS:
            return table
        # Of a group that has no answer every resolved one is wrong, which says nothing of risk.
        n = pl.col("n").filter(pl.col("measure") == "first").first().over("group")
        void = (pl.col("measure") == "risk") & (n == 0)
        zeros = {name: pl.when(~void).then(name).otherwise(0).alias(name) for name in ("count", "n")}
        nulls = {name: pl.when(~void).then(name).alias(name) for name in ("share", "low", "high")}
        return table.with_columns(*zeros.values(), *nulls.values())

    def choose_lists(self) -> pl.DataFrame:
        """Return the lists that were handed back, by size, for answerable and unanswerable questions.

        Returns
        -------
        polars.DataFrame
            ``answerable`` · ``size`` (candidates) · ``count`` · ``has_gold``.
        """
        chosen = self.rows.filter(pl.col("state").cast(pl.String) == "choose")
        return (
            chosen.group_by("answerable", size=pl.col("candidates").list.len())
            .agg(count=pl.len(), has_gold=pl.col("choose_has_gold").sum())
            .sort("answerable", "size", descending=[True, False])
        )

    def standing(self) -> Standing:
        """Say how far these figures can be believed: fitted, same author or held out."""
        return standing(self.exam, self.settings)

    def _groups(self, by: str) -> list[tuple[str, pl.DataFrame]]:
        if by not in GROUPS:
            raise ValueError(f"by: one of {', '.join(GROUPS)}, not {by!r}")
        rows = self.rows
        if by == "standing":
            told = self.exam.questions.select("question_id").with_columns(marks(self.exam, self.settings))
            rows = rows.join(told, on="question_id", how="left", maintain_order="left")
        if by == "unanswerable":
            rows = rows.filter(~pl.col("answerable"))
        rows = rows.with_columns(group=pl.col(GROUPS[by]))
        if by == "tag":
            rows = rows.explode("group")
        if by in ("kind", "pair"):
            group = pl.col("group").cast(pl.String)
            rows = rows.with_columns(group=pl.when(~pl.col("answerable")).then(pl.lit(_UNANSWERED)).otherwise(group))
        rows = rows.with_columns(pl.col("group").cast(pl.String).fill_null(_NO_GROUP).replace("", _NO_GROUP))
        return [(str(key), part) for (key,), part in sorted(rows.group_by("group"), key=lambda item: str(item[0][0]))]

    @property
    def risk(self) -> float | None:
        """Confident wrong over resolved, answerable and unanswerable questions together."""
        found = self.counts()
        resolved = found["resolved_right"] + found["confident_wrong"] + found["unanswerable_resolved"]
        return None if not resolved else 1 - found["resolved_right"] / resolved

    def __repr__(self) -> str:
        found = self.counts()
        wrong = found["confident_wrong"] + found["unanswerable_resolved"]
        told = f"{found['resolved_right']} right, {wrong} wrong, {found['choose']} handed back, {found['none']} none"
        return (
            f"<Outcomes of {self.exam.name or 'an exam'}: {told}; {self.rows.height} questions, {self.standing().told}>"
        )

    def _repr_html_(self) -> str:
        authors = ", ".join(self.exam.authors)
        about = f"{self.exam.name} · written by {authors} · n = {self.rows.height} · {self.standing().told}"
        table = self.table().drop("group")
        return html_table(table.columns, table.iter_rows(), about, right=range(1, table.width))


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
        The store's nodes (``id`` · ``kind``, and ``title`` where language pairs are wanted), to tell
        what each question's gold is.
    settings : Settings, optional
        Kept with the outcomes, and needed to say what is held out.

    Raises
    ------
    InputError
        If the decisions are of another exam.

    Notes
    -----
    Of an unanswerable question every ``resolved`` is a confident wrong one.
    """
    if not isinstance(exam, Exam):
        raise InputError(f"give an Exam, not {type(exam).__name__}", field="exam")
    return Grader(exam, kinds).grade(decisions, settings)


class Grader:
    """Grade decisions of one exam and one evidence again and again; what no threshold changes is kept.

    Parameters
    ----------
    exam : Exam
    kinds : polars.DataFrame, optional
        As for :func:`grade`.
    """

    def __init__(self, exam: Exam, kinds: pl.DataFrame | None = None) -> None:
        self._exam, self._kinds = exam, kinds
        self._questions = exam.questions.with_columns(unanswerable=_unanswerable_kind())
        self._in_pool: tuple[Settings, pl.Series, pl.Series] | None = None

    def grade(self, decisions: pl.DataFrame, settings: Settings | None = None) -> Outcomes:
        """Return what :func:`grade` returns."""
        if not isinstance(decisions, pl.DataFrame) or not {"question_id", "state", "pool"} <= set(decisions.columns):
            got = "another frame" if isinstance(decisions, pl.DataFrame) else type(decisions).__name__
            raise InputError(f"give what memlab.decide(evidence, settings) returned, not {got}", field="decisions")
        c = pl.col
        rows = self._with_decisions(decisions)
        # Part of an exam may be graded (strict gold drops questions), another exam may not.
        if decisions.height and rows.is_empty():
            raise InputError(
                f"none of the {decisions.height} decisions is of this exam; grade the exam that was gathered"
            )
        state = c("state").cast(pl.String)
        right = c("gold").list.contains(c("node_id")).fill_null(False)
        rows = rows.with_columns(
            in_pool=c("answerable") & self._gold_in_pool(rows, settings),
            first_right=c("answerable") & c("gold").list.contains(c("first")).fill_null(False),
            choose_has_gold=c("answerable") & (state == "choose") & _hold_gold(rows, "candidates"),
            outcome=pl.when(~c("answerable"))
            .then(pl.lit("unanswerable_") + state)
            .when(state != "resolved")
            .then(state)
            .when(right)
            .then(pl.lit("resolved_right"))
            .otherwise(pl.lit("confident_wrong"))
            .cast(OUTCOME),
        ).select(pl.exclude("unanswerable"), "unanswerable")
        return Outcomes(_with_gold(rows, self._kinds), self._exam, settings)

    def _with_decisions(self, decisions: pl.DataFrame) -> pl.DataFrame:
        """Return the questions with what was decided, in the exam's order."""
        shared = set(decisions.columns) & set(self._questions.columns)
        if shared == {"question_id"} and decisions["question_id"].equals(self._questions["question_id"]):
            return self._questions.hstack(decisions.drop("question_id"))
        return self._questions.join(decisions, on="question_id", how="inner", maintain_order="left")

    def _gold_in_pool(self, rows: pl.DataFrame, settings: Settings | None) -> pl.Series:
        """Whether gold is in the pools, from memory while only thresholds move."""
        key = None if settings is None else weighing(settings)
        if key is not None and self._in_pool is not None:
            known, ids, held = self._in_pool
            if known == key and ids.equals(rows["question_id"]):
                return held
        found = _hold_gold(rows, "pool")
        self._in_pool = None if key is None else (key, rows["question_id"], found)
        return found


def _hold_gold(rows: pl.DataFrame, name: str) -> pl.Series:
    """Whether each question's list holds one of its gold nodes."""
    # Gold is short and the list is long: looking each gold node up is ten times as quick as intersecting sets.
    flat = rows.select("gold", pl.col(name).alias("held")).with_row_index("row").explode("gold")
    held = np.zeros(rows.height, dtype=np.bool_)
    held[flat.filter(pl.col("held").list.contains(pl.col("gold")))["row"].to_numpy()] = True
    return pl.Series(held)


def _unanswerable_kind() -> pl.Expr:
    tags = pl.col("tags").list.eval(pl.element().str.to_lowercase().str.replace_all("[_ ]", "-"))
    kind: pl.Expr = pl.lit(OTHER)
    for name, words in reversed(UNANSWERABLE.items()):
        kind = pl.when(tags.list.set_intersection(list(words)).list.len() > 0).then(pl.lit(name)).otherwise(kind)
    return pl.when(~pl.col("answerable")).then(kind)


def _with_gold(rows: pl.DataFrame, kinds: pl.DataFrame | None) -> pl.DataFrame:
    """Add what the gold of each question is; of several, the one in the question's own script first."""
    nothing = {"gold_kind": pl.String, "pair": pl.String, "crosses": pl.Boolean}
    if kinds is None:
        return rows.with_columns(pl.lit(None, kind).alias(name) for name, kind in nothing.items())
    title = pl.col("title") if "title" in kinds.columns else pl.lit(None, pl.String)
    named = kinds.select(gold="id", gold_kind=pl.col("kind").cast(pl.String), title=title)
    asked = pl.col("lang").replace("", None)
    found = (
        rows.select("question_id", "lang", "gold", spoken=pl.coalesce(script_of_language("lang"), script("question")))
        .explode("gold")
        .join(named, on="gold")
        .with_columns(written=pl.when(pl.col("title").is_not_null()).then(script("title")))
        .with_columns(crosses=pl.col("spoken") != pl.col("written"))
        .with_columns(pair=pl.coalesce(asked, "spoken") + pl.lit(" → ") + pl.col("written"))
        .sort("question_id", "crosses", "gold_kind", "gold")
        .group_by("question_id", maintain_order=True)
        .agg(pl.col("gold_kind").min(), pl.col("pair", "crosses").first())
    )
    return rows.join(found, on="question_id", how="left", maintain_order="left")
