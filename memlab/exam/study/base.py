"""What an experiment is handed, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.arms import Gathering
from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import SEED, wilson
from memlab.exam.questions import Exam
from memlab.exam.study.claims import CLAIMS, Claim
from memlab.lab import Lab
from memlab.pool import Evidence
from memlab.rules import Settings, decide

Verdict: TypeAlias = Literal["holds", "does not hold", "cannot be told"]
HOLDS: Final[Verdict] = "holds"
FAILS: Final[Verdict] = "does not hold"
OPEN: Final[Verdict] = "cannot be told"
RESAMPLES: Final = 2000
# A change smaller than this is none worth speaking of.
NOTHING: Final = 0.02
# Questions under which a share says next to nothing.
FEW: Final = 10


@dataclass(frozen=True, eq=False)
class Finding:
    """What the chapter found, and what this store shows, side by side.

    Attributes
    ----------
    name : str
        Short name of the experiment.
    here : str
        What this store and exam show, with counts and intervals.
    verdict : {"holds", "does not hold", "cannot be told"}
        Of the chapter's claim, by the claim's rule.
    tables : dict of str to polars.DataFrame
        The figures; the first is the one that the chart draws.
    notes : tuple of str
        What a reader must know.
    """

    name: str
    here: str
    verdict: Verdict
    tables: dict[str, pl.DataFrame]
    notes: tuple[str, ...] = ()

    @property
    def claim(self) -> Claim:
        """What the chapter found, and the rule of the verdict."""
        return CLAIMS[self.name]


@dataclass(frozen=True, eq=False)
class Part:
    """Questions without an answer that were added to an exam, with the lab that is asked them.

    Attributes
    ----------
    name : str
        ``off subject`` or ``gold removed``.
    lab : Lab
        The store itself, or the store without the nodes that were gold.
    exam : Exam
    """

    name: str
    lab: Lab
    exam: Exam


@dataclass(frozen=True, eq=False)
class Bench:
    """A store and its exam on the bench: evidence is gathered once for each way of gathering.

    Attributes
    ----------
    lab : Lab
    exam : Exam
        Filled in for the store.
    settings : Settings
    now : datetime
        The instant of questions that name none.
    others : sequence of str
        Encoders to try in the place of the lab's own.
    parts : sequence of Part
        Unanswerable questions beside the exam.
    seed : int
        Of every bootstrap.
    """

    lab: Lab
    exam: Exam
    settings: Settings
    now: datetime
    others: Sequence[str] = ()
    parts: Sequence[Part] = ()
    seed: int = SEED
    _held: dict[Gathering, Evidence] = field(default_factory=dict, repr=False)

    @cached_property
    def kinds(self) -> pl.DataFrame:
        """The nodes as grading wants them."""
        return self.lab.store.nodes.select("id", "kind", "title")

    @cached_property
    def evidence(self) -> Evidence:
        """What is gathered as the lab gathers."""
        return self.gather()

    @cached_property
    def outcomes(self) -> Outcomes:
        """The exam under the settings."""
        return self.graded(self.settings)

    def gather(self, gathering: Gathering | None = None) -> Evidence:
        """Gather the exam, once for each way of gathering."""
        way = gathering or self.lab.gathering
        if way not in self._held:
            self._held[way] = replace(self.lab, gathering=way).gather(self.exam, now=self.now)
        return self._held[way]

    def graded(self, settings: Settings, evidence: Evidence | None = None) -> Outcomes:
        """Decide and grade."""
        decisions = decide(self.evidence if evidence is None else evidence, settings)
        return grade(decisions, self.exam, kinds=self.kinds, settings=settings)

    @cached_property
    def gold(self) -> pl.DataFrame:
        """Gold nodes of answerable questions: ``question_id`` · ``node_id``."""
        return self.exam.questions.filter("answerable").select("question_id", node_id="gold").explode("node_id")

    @cached_property
    def asked_of_parts(self) -> list[Evidence]:
        """The evidence of the added questions, part by part."""
        return [part.lab.gather(part.exam, now=self.now) for part in self.parts]

    def unanswerable(self, settings: Settings) -> pl.DataFrame:
        """Decide every question without an answer: ``unanswerable`` (its kind) · ``state``, a row each."""
        told = [self.graded(settings).rows]
        told += [
            grade(decide(evidence, settings), part.exam, settings=settings).rows
            for part, evidence in zip(self.parts, self.asked_of_parts, strict=True)
        ]
        kept = [
            rows.filter(~pl.col("answerable")).select("unanswerable", pl.col("state").cast(pl.String)) for rows in told
        ]
        return pl.concat(kept)

    @property
    def n_answerable(self) -> int:
        """Questions that have an answer."""
        return int(self.exam.questions["answerable"].sum())


def of(count: int, n: int) -> str:
    """Say a share in words: count, n, share, interval."""
    low, high = wilson(count, n)
    if low is None or high is None:
        return "none of none"
    return f"{count} of {n} ({count / n:.2f}; 95 % {low:.2f} to {high:.2f})"


def shares(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Make a frame of rows with ``count`` and ``n``, and add share and Wilson 95 % interval."""
    made = []
    for row in rows:
        low, high = wilson(int(row["count"]), int(row["n"]))
        share = row["count"] / row["n"] if row["n"] else None
        made.append({**row, "share": share, "low": low, "high": high})
    return pl.DataFrame(made, infer_schema_length=None)


def measured(one: Outcomes) -> list[dict[str, Any]]:
    """Count what every switch may move: ``measure`` · ``count`` · ``n``, from the pool to wrong of resolved."""
    counts = one.counts()
    wrong, n = counts["confident_wrong"] + counts["unanswerable_resolved"], counts["n_answerable"]
    told = (
        ("gold in the first 50", counts["in_pool"], n),
        ("first is gold", counts["first"], n),
        ("resolved right", counts["resolved_right"], n),
        ("wrong of resolved", wrong, wrong + counts["resolved_right"]),
    )
    return [{"measure": measure, "count": count, "n": of_all} for measure, count, of_all in told]


def flags(frame: pl.DataFrame, column: str, ids: pl.Series) -> NDArray[np.bool_]:
    """Return a column of a frame as flags in the order of some question ids; false where one is absent."""
    told = (
        ids.alias("question_id")
        .to_frame()
        .join(frame.select("question_id", flag=pl.col(column)), on="question_id", how="left", maintain_order="left")[
            "flag"
        ]
    )
    return np.asarray(told.fill_null(False).to_numpy(), dtype=bool)


def difference(before: NDArray[np.bool_], after: NDArray[np.bool_], seed: int) -> tuple[float, float, float]:
    """Return the difference of two shares on the same questions, with a paired bootstrap 95 % interval."""
    return mean_with_interval(after.astype(float) - before.astype(float), seed)


def mean_with_interval(values: NDArray[np.float64], seed: int) -> tuple[float, float, float]:
    """Return a mean and its bootstrap 95 % interval over questions; NaN of nothing."""
    if not len(values):
        return float("nan"), float("nan"), float("nan")
    drawn = np.random.default_rng(seed).multinomial(len(values), np.full(len(values), 1 / len(values)), size=RESAMPLES)
    low, high = np.quantile(drawn @ values / len(values), [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def said(value: tuple[float, float, float]) -> str:
    """Say a difference with its interval."""
    return f"{value[0]:+.3f} (95 % {value[1]:+.3f} to {value[2]:+.3f})"
