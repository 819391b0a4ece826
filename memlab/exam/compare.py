"""Compare settings on the same questions: what changed, for which questions, and whether it is more than chance.

Each question is its own control. For a measure that is true or false of a question, McNemar's exact
test counts those on which two settings differ (McNemar, Psychometrika 1947); the difference has a paired
bootstrap interval that resamples whole groups where questions come in groups. Where several settings or
measures are tested together, Holm's correction keeps the chance of any false alarm (Holm, 1979).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.errors import InputError
from memlab.exam.grade import Outcomes
from memlab.exam.intervals import SEED
from memlab.exam.provenance import MARKS, Standing
from memlab.exam.questions import Exam
from memlab.plain import check_number

RESAMPLES: Final = 2000
_WRONG: Final = ("confident_wrong", "unanswerable_resolved")
_OUTCOME: Final = pl.col("outcome").cast(pl.String)
# What is true or false of a question, whichever questions it can be true of, and whether more is better.
MEASURES: Final[dict[str, tuple[pl.Expr, pl.Expr, bool]]] = {
    "in_pool": (pl.col("in_pool"), pl.col("answerable"), True),
    "first": (pl.col("first_right"), pl.col("answerable"), True),
    "resolved_right": (_OUTCOME == "resolved_right", pl.col("answerable"), True),
    "wrong": (_OUTCOME.is_in(_WRONG), pl.lit(True), False),
    "choose_has_gold": (pl.col("choose_has_gold"), pl.col("answerable"), True),
    "none": (_OUTCOME == "none", pl.col("answerable"), False),
    "unanswerable_none": (_OUTCOME == "unanswerable_none", ~pl.col("answerable"), True),
}
# From the worst that can become of a question to the best.
_WORTH: Final = {
    "confident_wrong": 0, "none": 1, "choose": 2, "choose_has_gold": 3, "resolved_right": 4,
    "unanswerable_resolved": 0, "unanswerable_choose": 2, "unanswerable_none": 4,
}  # fmt: skip
_TABLE: Final = pl.Schema(
    {"setting": pl.String, "measure": pl.String, "n": pl.Int64, "n_before": pl.Int64, "before": pl.Int64,
     "after": pl.Int64,
     "only_before": pl.Int64, "only_after": pl.Int64, "difference": pl.Float64, "low": pl.Float64,
     "high": pl.Float64, "p": pl.Float64, "p_holm": pl.Float64}
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Settings beside a baseline, on the same questions.

    Attributes
    ----------
    table : polars.DataFrame
        ``setting`` · ``measure`` · ``n`` (questions that it can be true of; ``n_before`` the same of the
        baseline) · ``before`` and ``after``
        (counts) · ``only_before`` and ``only_after`` (questions on which the two differ) ·
        ``difference`` (of shares) · ``low`` and ``high`` (bootstrap 95 %) · ``p`` (McNemar, exact) ·
        ``p_holm``. The measure ``risk`` is a ratio of counts: its n are the resolved, and it has
        an interval and no test.
    flips : polars.DataFrame
        ``setting`` · ``question_id`` · ``question`` · ``way`` (better, worse, other node) ·
        ``before`` and ``after`` (outcomes) · ``node_before`` · ``node_after`` · ``reason_before`` ·
        ``reason_after``; one row a question whose outcome or node changed.
    baseline : Outcomes
    others : dict of str to Outcomes
    """

    table: pl.DataFrame
    flips: pl.DataFrame
    baseline: Outcomes
    others: dict[str, Outcomes]

    def standing(self) -> Standing:
        """Say how far the differences can be believed: no further than the figures of any of the settings."""
        known = [self.baseline.standing(), *(one.standing() for one in self.others.values())]
        worst = max(known, key=lambda one: MARKS.index(one.mark))
        names = ("the baseline", *self.others)
        told = [f"{name}: {one}" for name, one in zip(names, known, strict=True) if one.mark == worst.mark]
        return worst if worst == known[0] else replace(worst, reasons=tuple(told))

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.others)} with a baseline: {self.flips.height} questions flipped>"

    def _repr_html_(self) -> str:
        with pl.Config(tbl_rows=-1, float_precision=3, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True):
            return str(self.table._repr_html_())


def compare(
    baseline: Outcomes,
    others: Outcomes | Mapping[str, Outcomes],
    *,
    groups: pl.DataFrame | None = None,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare one or more graded settings with a baseline, question by question.

    Parameters
    ----------
    baseline : Outcomes
    others : Outcomes, or mapping of str to Outcomes
        Of the same questions; a mapping names its settings.
    groups : polars.DataFrame, optional
        ``question_id`` · ``group``: questions that hang together (a conversation, a document) are
        drawn together in the bootstrap. The exact test takes every question by itself.
    seed, resamples : int
        Of the bootstrap.

    Raises
    ------
    InputError
        If the questions are not the same.
    """
    check_number("", "seed", seed, 0, 2**63, whole=True)
    check_number("", "resamples", resamples, 1, 10**6, whole=True)
    if not isinstance(baseline, Outcomes):
        raise InputError(f"give Outcomes, what ml.grade(...) returned, not {type(baseline).__name__}", field="baseline")
    if not isinstance(others, Outcomes | Mapping):
        told = f"give Outcomes, one or several by name, not {type(others).__name__}"
        raise InputError(told, field="others")
    named = {"after": others} if isinstance(others, Outcomes) else dict(others)
    if not named:
        raise InputError("give one or more graded settings to compare with", field="others")
    first = baseline.rows.sort("question_id")
    lines: list[dict[str, Any]] = []
    flips = []
    for name, other in named.items():
        if not isinstance(other, Outcomes):
            raise InputError(f"give Outcomes, not {type(other).__name__}", field=name)
        second = other.rows.sort("question_id")
        if first["question_id"].to_list() != second["question_id"].to_list():
            raise InputError("graded on other questions than the baseline; grade both on the same exam", field=name)
        places = _groups(first, groups)
        lines += [{"setting": name} | line for line in _lines(first, second, places, seed, resamples)]
        flips.append(_flips(name, first, second))
    table = pl.DataFrame(lines, schema=_TABLE)
    return Comparison(table.with_columns(p_holm=_holm(table["p"])), pl.concat(flips), baseline, named)


def flips(before: Outcomes, after: Outcomes) -> pl.DataFrame:
    """Return the questions whose outcome or node changed, without any test: quick enough for a slider.

    Parameters
    ----------
    before, after : Outcomes
        Of the same questions.

    Returns
    -------
    polars.DataFrame
        As :attr:`Comparison.flips`, without ``setting``.

    Raises
    ------
    InputError
        If the questions are not the same.
    """
    first, second = (one.rows.sort("question_id") for one in (before, after))
    if not first["question_id"].equals(second["question_id"]):
        raise InputError("graded on other questions; grade both on the same exam", field="after")
    return _flips("", first, second).drop("setting")


def groups_by_tag(exam: Exam, prefix: str) -> pl.DataFrame:
    """Group questions by their tag with a prefix: ``question_id`` · ``group``.

    Raises
    ------
    InputError
        If a question has no such tag.
    """
    tag = pl.col("tags").list.eval(pl.element().filter(pl.element().str.starts_with(prefix))).list.first()
    found = exam.questions.select("question_id", group=tag)
    if found["group"].null_count():
        bad = found.filter(pl.col("group").is_null())["question_id"][0]
        raise InputError(f"question {bad!r} has no tag that begins with {prefix!r}", field="groups")
    return found


def _lines(
    first: pl.DataFrame, second: pl.DataFrame, places: NDArray[np.int64], seed: int, resamples: int
) -> list[dict[str, Any]]:
    weights = _drawn(places, seed, resamples)
    lines = []
    for measure, (held, of, _) in MEASURES.items():
        counts = (
            first.select(of.alias("of"))["of"]
            if measure != "wrong"
            else pl.Series([True] * first.height, dtype=pl.Boolean)
        )
        if not counts.any():
            continue
        before, after = (frame.select(held.fill_null(False).alias("x"))["x"] & counts for frame in (first, second))
        only_before, only_after = int((before & ~after).sum()), int((after & ~before).sum())
        n = int(counts.sum())
        change = after.cast(pl.Int8).to_numpy().astype(float) - before.cast(pl.Int8).to_numpy()
        size = counts.to_numpy().astype(float)
        low, high = _interval(weights @ change, weights @ size)
        lines.append(
            {"measure": measure, "n": n, "n_before": n, "before": int(before.sum()), "after": int(after.sum()),
             "only_before": only_before, "only_after": only_after,
             "difference": (only_after - only_before) / n, "low": low, "high": high,
             "p": _mcnemar(only_before, only_after)}
        )  # fmt: skip
    return [*lines, _risk(first, second, weights)]


def _risk(first: pl.DataFrame, second: pl.DataFrame, weights: NDArray[np.float64]) -> dict[str, Any]:
    wrong = [frame.select(_OUTCOME.is_in(_WRONG).alias("x"))["x"].to_numpy().astype(float) for frame in (first, second)]
    resolved = [
        frame.select((pl.col("state").cast(pl.String) == "resolved").alias("x"))["x"].to_numpy().astype(float)
        for frame in (first, second)
    ]
    risks = [w.sum() / r.sum() if r.sum() else None for w, r in zip(wrong, resolved, strict=True)]
    line = {"measure": "risk", "n": int(resolved[1].sum()), "n_before": int(resolved[0].sum()),
            "before": int(wrong[0].sum()), "after": int(wrong[1].sum()),
            "only_before": int(((wrong[0] > 0) & (wrong[1] == 0)).sum()),
            "only_after": int(((wrong[1] > 0) & (wrong[0] == 0)).sum())}  # fmt: skip
    if None in risks:
        return line | {"difference": None, "low": None, "high": None, "p": None}
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = (weights @ wrong[1]) / (weights @ resolved[1]) - (weights @ wrong[0]) / (weights @ resolved[0])
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return line | {"difference": float(risks[1] - risks[0]), "low": float(low), "high": float(high), "p": None}  # type: ignore[operator]


def _groups(rows: pl.DataFrame, groups: pl.DataFrame | None) -> NDArray[np.int64]:
    """Number the group of each question; each its own where none are given."""
    if groups is None:
        return np.arange(rows.height)
    if not isinstance(groups, pl.DataFrame) or not {"question_id", "group"} <= set(groups.columns):
        raise InputError("give a frame of question_id and group", field="groups")
    if groups["question_id"].is_duplicated().any():
        bad = groups.filter(pl.col("question_id").is_duplicated())["question_id"][0]
        raise InputError(f"{bad!r} stands in it twice; a question is of one group", field="groups")
    told = rows.select("question_id").join(groups, on="question_id", how="left", maintain_order="left")["group"]
    if told.null_count():
        raise InputError("some questions have no group; give every question one", field="groups")
    return told.rank("dense").cast(pl.Int64).to_numpy() - 1


def _drawn(places: NDArray[np.int64], seed: int, resamples: int) -> NDArray[np.float64]:
    """How often each question is drawn in each resample, ``[resamples, n]``: whole groups at once."""
    n = int(places.max()) + 1 if len(places) else 0
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=resamples) if n else np.zeros((resamples, 0), dtype=np.int64)
    weights: NDArray[np.float64] = drawn[:, places].astype(np.float64)
    return weights


def _interval(change: NDArray[np.float64], size: NDArray[np.float64]) -> tuple[float, float]:
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = np.nanquantile(change / size, [0.025, 0.975])
    return float(low), float(high)


def _mcnemar(only_before: int, only_after: int) -> float:
    """Exact p, two-sided: among the questions that differ, either way is as likely."""
    from scipy.stats import binomtest

    differ = only_before + only_after
    return float(binomtest(only_before, differ, 0.5).pvalue) if differ else 1.0


def _holm(p: pl.Series) -> pl.Series:
    from statsmodels.stats.multitest import multipletests

    known = p.is_not_null()
    corrected = multipletests(p.drop_nulls().to_numpy(), method="holm")[1] if known.any() else np.empty(0)
    values = iter(corrected)
    return pl.Series("p_holm", [float(next(values)) if one else None for one in known], dtype=pl.Float64)


def _flips(name: str, first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    worth = pl.DataFrame({"before": list(_WORTH), "worth": list(_WORTH.values())})
    told = [_told(frame, when) for frame, when in ((first, "before"), (second, "after"))]
    both = first.select("question_id", "question").hstack(told[0]).hstack(told[1])
    both = both.join(worth, on="before", how="left", maintain_order="left").join(
        worth.rename({"before": "after", "worth": "worth_after"}), on="after", how="left", maintain_order="left"
    )
    way = (
        pl.when(pl.col("worth_after") > pl.col("worth"))
        .then(pl.lit("better"))
        .when(pl.col("worth_after") < pl.col("worth"))
        .then(pl.lit("worse"))
        .otherwise(pl.lit("other node"))
    )
    changed = (pl.col("before") != pl.col("after")) | pl.col("node_before").ne_missing(pl.col("node_after"))
    order = pl.col("way").cast(pl.Enum(["worse", "better", "other node"]))
    return (
        both.filter(changed)
        .with_columns(setting=pl.lit(name), way=way)
        .sort(order, "worth_after", "question_id")
        .select("setting", "question_id", "question", "way", "before", "after", "node_before", "node_after",
                "reason_before", "reason_after")
    )  # fmt: skip


def _told(frame: pl.DataFrame, when: str) -> pl.DataFrame:
    outcome = pl.when(pl.col("choose_has_gold").fill_null(False)).then(pl.lit("choose_has_gold")).otherwise(_OUTCOME)
    return frame.select(
        outcome.alias(when),
        pl.col("node_id").alias(f"node_{when}"),
        pl.col("reason").cast(pl.String).alias(f"reason_{when}"),
    )
