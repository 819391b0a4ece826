"""Decide: evidence and settings in, one decision a question out.

The verdict is reached on the full pool, hidden nodes included; the filter acts only afterwards
(chapter 18, section 8). So what resolves with the filter on resolves to the same node with it off.
"""

from __future__ import annotations

from threading import Lock
from typing import Protocol

import polars as pl

from memlab.rules.reasons import REASON
from memlab.rules.settings import Settings
from memlab.rules.thresholds import settings_of
from memlab.rules.verdict import judge
from memlab.rules.weigh import facts, lists, ordered


class EvidenceLike(Protocol):
    """What the rules need of evidence: its frame, its questions, and the store's background."""

    @property
    def frame(self) -> pl.DataFrame:
        """One row a question and node of the pool."""

    @property
    def questions(self) -> pl.DataFrame:
        """One row a question."""

    @property
    def backgrounds(self) -> tuple[float, ...]:
        """Background similarity of the store, by each encoder."""


def decide(evidence: EvidenceLike, settings: Settings | None = None) -> pl.DataFrame:
    """Decide every question of the evidence.

    Parameters
    ----------
    evidence : Evidence
        What was gathered (``docs/architecture.md`` names the columns).
    settings : Settings, optional
        When left out, the defaults for the evidence's first encoder: careful ones where nobody measured it.

    Returns
    -------
    polars.DataFrame
        One row a question, in the order of ``evidence.questions``: ``question_id``, ``state``,
        ``node_id`` (resolved only), ``candidates`` (at most ``limit``), ``reason``, ``reasons`` (all
        that apply), ``gap`` and ``similarity`` of the first by meaning (raw cosine), ``hidden``
        (the first nodes of the pool that the filter hid), ``rivals`` (those of them that lead, by
        title or by meaning), ``first`` and ``pool`` (the ordered pool's first visible node, and its
        first 50), ``leftover`` (content words that the first's title did not consume) and
        ``off_subject`` (whether they touch nothing that search returned).
    """
    return Decider(evidence).decide(settings or settings_of(evidence))


class Decider:
    """Decide the same evidence again and again, and do again only what hangs on what changed.

    Thresholds act on a row a question; only some settings (:data:`WEIGHING`) change how the pools
    themselves are weighed, which is the slow part. What was weighed last is kept.

    Parameters
    ----------
    evidence : Evidence
    keep : int
        How many weighings are kept.
    """

    def __init__(self, evidence: EvidenceLike, keep: int = 1) -> None:
        self.evidence = evidence
        self._keep = keep
        self._weighed: dict[Settings, pl.DataFrame] = {}
        # What may be asked for next is weighed in another thread.
        self._lock = Lock()

    def decide(self, settings: Settings) -> pl.DataFrame:
        """Return what :func:`decide` returns."""
        c = pl.col
        nothing = pl.lit([], pl.List(pl.String))
        return self.judge(settings).select(
            "question_id",
            "state",
            pl.when("resolved").then("picked").alias("node_id"),
            # The node of a resolved answer stands first among what is handed back.
            pl.when("is_none")
            .then(nothing)
            .when("resolved")
            .then(pl.concat_list("picked", "candidates").list.unique(maintain_order=True))
            .otherwise("candidates")
            .list.head(settings.limit)
            .alias("candidates"),
            c("reasons").list.first().cast(REASON).alias("reason"),
            c("reasons").cast(pl.List(REASON)),
            "gap",
            "similarity",
            c("hidden").fill_null(nothing),
            c("rivals").fill_null(nothing),
            "first",
            c("pool").fill_null(nothing),
            c("leftover").cast(pl.UInt32),
            "off_subject",
        )

    def judge(self, settings: Settings) -> pl.DataFrame:
        """Return what :func:`judged_by` returns."""
        return judge(self.weigh(settings), settings)

    def weigh(self, settings: Settings) -> pl.DataFrame:
        """Return the facts of every question, from memory where nothing that they hang on has changed."""
        key = weighing(settings)
        with self._lock:
            found = self._weighed.get(key)
        if found is None:
            found = _weighed(self.evidence, settings)
        with self._lock:
            # The one used last stands last, and the first goes when there are too many.
            self._weighed.pop(key, None)
            self._weighed[key] = found
            while len(self._weighed) > self._keep:
                del self._weighed[next(iter(self._weighed))]
        return found

    def holds(self, settings: Settings) -> bool:
        """Say whether the weighing of these settings is there."""
        return weighing(settings) in self._weighed


# Settings that change how a pool is ordered and weighed; the others act on what was found.
WEIGHING = ("arms", "order", "normalise_length", "succession", "include_retired")


def weighing(settings: Settings) -> Settings:
    """Return the part of the settings that pools are weighed by, the rest as it is by default."""
    return Settings(**{name: getattr(settings, name) for name in WEIGHING})


def judged_by(evidence: EvidenceLike, settings: Settings) -> pl.DataFrame:
    """Decide every question and keep everything that was asked on the way.

    Returns
    -------
    polars.DataFrame
        One row a question: the facts (:func:`memlab.rules.weigh.facts`), the verdict's columns
        (:func:`memlab.rules.verdict.judge`) and the lists ``candidates``, ``hidden``, ``pool``.
    """
    return Decider(evidence).judge(settings)


def _weighed(evidence: EvidenceLike, settings: Settings) -> pl.DataFrame:
    pool = ordered(evidence.frame, evidence.questions, settings)
    questions = evidence.questions
    near = pl.col("piece_similarity") if "piece_similarity" in questions.columns else pl.lit(None, pl.Float64)
    frame = questions.select("question_id", "content_words", piece_similarity=near).with_row_index("query")
    background = evidence.backgrounds[0] if evidence.backgrounds else 0.0
    for part in (*facts(pool, settings, background), *lists(pool)):
        frame = frame.join(part, on="query", how="left", maintain_order="left")
    asked = pl.col("n_pool").is_not_null()
    return frame.with_columns(
        # What nothing of a pool shows is a count of none; of no pool at all, nothing is known.
        *(pl.when(asked).then(pl.col(c).fill_null(0)) for c in ("leaders", "leaders_visible")),
        *(
            pl.when(asked).then(pl.col(c).fill_null(False))
            for c in ("number_differs", "name_differs", "nearest_differs", "title_unsettled", "meaning_unsettled")
        ),
        pl.col("candidates").fill_null(pl.lit([], pl.List(pl.String))),
    )
