"""Risk against coverage: areas by hand, ties as one point, and how sure the rules are."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import made_up
from tiny import some

import memlab as ml
from memlab.exam import confidence_of, risk_coverage


def test_areas_by_hand() -> None:
    curve = risk_coverage([4, 3, 2, 1], [True, False, True, True])
    # Risk 0, 1/2, 1/3, 1/4 at coverage 1/4, 1/2, 3/4, 1; up to the first point it is that of the first.
    assert curve.points["risk"].to_list() == pytest.approx([0, 1 / 2, 1 / 3, 1 / 4])
    assert curve.aurc == pytest.approx(0.25 * (0 + 0.25 + (1 / 2 + 1 / 3) / 2 + (1 / 3 + 1 / 4) / 2))
    assert curve.augrc == pytest.approx(0.25 * (0 + 0.125 + 0.25 + 0.25))
    assert curve.at_risk(0.3) == 1.0
    assert curve.at_risk(0.0) == 0.25


def test_the_best_order_is_best_and_the_worst_worst() -> None:
    right = [True] * 6 + [False] * 4
    best, worst = (risk_coverage(order, right) for order in (range(10, 0, -1), range(10)))
    tied = risk_coverage([1] * 10, right)
    assert best.augrc < tied.augrc < worst.augrc
    assert (best.augrc, worst.augrc) == (pytest.approx(0.08), pytest.approx(0.32))
    # One point, so the straight line to the base rate: half of it.
    assert (tied.points.height, tied.augrc, tied.aurc) == (1, pytest.approx(0.2), pytest.approx(0.4))


@some
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40), st.randoms())
def test_ties_are_one_point_so_the_order_of_questions_changes_nothing(rows: list[tuple[int, bool]], chance) -> None:  # type: ignore[no-untyped-def]
    shuffled = rows.copy()
    chance.shuffle(shuffled)
    one, other = (risk_coverage([c for c, _ in part], [r for _, r in part]) for part in (rows, shuffled))
    assert one.points.equals(other.points)
    assert (one.aurc, one.augrc) == (other.aurc, other.augrc)
    assert one.points.height == len({c for c, _ in rows})
    assert 0 <= one.augrc <= 0.5
    assert one.points["coverage"][-1] == 1.0


def test_what_has_no_confidence_comes_last_and_nothing_is_no_number() -> None:
    curve = risk_coverage([None, 0.5, math.nan], [True, True, False])  # type: ignore[list-item]
    assert curve.points["answered"].to_list() == [1, 3]
    empty = risk_coverage([], [])
    assert math.isnan(empty.aurc)
    assert empty.selective().is_empty()
    with pytest.raises(ValueError, match="2 confidences and 1 verdicts"):
        risk_coverage([1, 2], [True])


def test_selective_accuracy_takes_the_first_point_that_reaches_a_coverage() -> None:
    curve = risk_coverage([3, 2, 2, 1], [True, True, False, True])
    table = curve.selective([0.25, 0.3, 1.0])
    assert table["answered"].to_list() == [1, 3, 4]
    assert table["accuracy"].to_list() == pytest.approx([1, 2 / 3, 3 / 4])
    assert (table["low"] <= table["accuracy"]).all()
    assert (table["accuracy"] <= table["high"]).all()


def test_how_sure_the_rules_are_agrees_with_what_they_decide() -> None:
    evidence, exam = made_up(60)
    settings = ml.Settings()
    sure = confidence_of(evidence, exam, settings)
    decided = ml.decide(evidence, settings)
    resolved = decided.filter(pl.col("state").cast(pl.String) == "resolved")
    assert sure.filter("resolved")["question_id"].to_list() == resolved["question_id"].to_list()
    assert (sure.filter("resolved")["confidence"] >= 1.0).all()
    assert (sure.filter(~pl.col("resolved"))["confidence"] < 1.0).all()
    # The point of the settings lies on their own curve.
    outcomes = ml.grade(decided, exam)
    counts = outcomes.counts()
    curve = risk_coverage(sure["confidence"], sure["right"])
    point = curve.points.filter(pl.col("confidence") >= 1.0).tail(1)
    assert point["answered"][0] == resolved.height
    assert point["wrong"][0] == counts["confident_wrong"] + counts["unanswerable_resolved"]


def test_the_bootstrap_is_seeded() -> None:
    chance = np.random.default_rng(0)
    sure, right = chance.random(50), chance.random(50) > 0.4
    one, same, other = (risk_coverage(sure, right, seed=seed) for seed in (1, 1, 2))
    assert one.aurc_interval == same.aurc_interval != other.aurc_interval
    assert one.aurc_interval[0] <= one.aurc <= one.aurc_interval[1]


def test_the_chart_says_where_the_settings_stand(tmp_path: Path) -> None:
    evidence, exam = made_up(60)
    settings = ml.Settings()
    sure = confidence_of(evidence, exam, settings)
    curve, outcomes = risk_coverage(sure["confidence"], sure["right"]), ml.grade(ml.decide(evidence, settings), exam)
    counts = outcomes.counts()
    wrong = counts["confident_wrong"] + counts["unanswerable_resolved"]
    (file,) = ml.charts.save(ml.charts.risk_coverage(curve, outcomes), tmp_path / "risk", ["svg"])
    svg = file.read_text(encoding="utf-8")
    assert f"{wrong} of {wrong + counts['resolved_right']} wrong" in svg
    assert f"AURC {curve.aurc:.3f}" in svg
