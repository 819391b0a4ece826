"""Along the curve: from risk against coverage to the settings that stand there."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import made_up

from memlab.exam.curve import STRICTNESS, confidence_of, stricter
from memlab.rules import Settings
from memlab.widgets import ThresholdTuner
from memlab.widgets.views import BASELINE, NOW
from memlab.widgets.walking import factor_of, standing_at

EVIDENCE, EXAM = made_up(60)
FEW, ITS_EXAM = made_up(30)
START = Settings(gap=0.02, gap_alone=0.06, floor=0.0)


@pytest.fixture
def tuner() -> ThresholdTuner:
    return ThresholdTuner(EVIDENCE, EXAM, START)


def counts(tuner: ThresholdTuner) -> tuple[int, int]:
    told = tuner.outcomes.counts()
    wrong = told["confident_wrong"] + told["unanswerable_resolved"]
    return wrong + told["resolved_right"], wrong


def test_fewer_wrong_is_one_press_away_and_can_be_undone(tuner: ThresholdTuner) -> None:
    answered, wrong = counts(tuner)
    assert wrong > 0
    tuner.walk.fewer.click()
    assert tuner.error.value == ""
    assert counts(tuner)[1] < wrong
    assert tuner.settings.gap > START.gap
    assert f"were {wrong} of {answered}" in tuner.walk.told.value
    # Nothing but the gaps is moved.
    assert tuner.settings.but(gap=START.gap, gap_alone=START.gap_alone) == START
    tuner.undo.click()
    assert tuner.settings == START
    assert tuner.walk.told.value == ""


def test_pressed_again_and_again_it_comes_to_an_end_and_says_so(tuner: ThresholdTuner) -> None:
    seen = [counts(tuner)[1]]
    while "no stricter gap" not in tuner.walk.told.value:
        tuner.walk.fewer.click()
        seen.append(counts(tuner)[1])
        assert len(seen) < 100
    *steps, last = seen
    assert all(after < before for before, after in pairwise(steps))
    assert last == steps[-1]


def test_more_resolved_is_the_way_back(tuner: ThresholdTuner) -> None:
    tuner.settings = START.but(gap=0.004, gap_alone=0.01)
    answered, _ = counts(tuner)
    tuner.walk.more.click()
    assert counts(tuner)[0] > answered
    while "no looser gap" not in tuner.walk.told.value:
        tuner.walk.more.click()
    assert tuner.settings.gap == 0.0


def test_a_click_on_the_curve_stands_there(tuner: ThresholdTuner) -> None:
    tuner.finish()
    rows = [row for row in tuner.views.curve.rows["curve"] if row["setting"] == NOW and row["confidence"] > 1]
    point = rows[-1]
    tuner.views.curve.clicked = {**point, "click": 1}
    assert tuner.error.value == ""
    # Gaps stand on a slider's steps: at least as strict as the point, and no stricter than the next step.
    answered, wrong = counts(tuner)
    assert answered <= point["answered"] < counts(ThresholdTuner(EVIDENCE, EXAM, START))[0]
    assert wrong <= point["wrong"]
    # A point of the baseline's curve is of the baseline's settings.
    tuner.settings = START.but(min_words=3, gap=0.3)
    tuner.finish()
    tuner.views.curve.clicked = {"setting": BASELINE, "confidence": 1.0, "click": 2}
    assert tuner.settings == START


def test_what_no_gap_leads_to_moves_nothing(tuner: ThresholdTuner) -> None:
    tuner.finish()
    nothing = [{}, *({"confidence": value} for value in (None, -3.2, True, "1", math.nan, -math.inf))]
    for click, row in enumerate(nothing):
        assert factor_of(row) is None
        tuner.views.curve.clicked = {"setting": NOW, **row, "click": click}
    tuner.views.curve.clicked = {"setting": "elsewhere", "confidence": 2.0, "click": 10}
    assert tuner.settings == START
    assert tuner.error.value == ""


def test_a_gap_of_nothing_is_no_gap_to_make_stricter(tuner: ThresholdTuner) -> None:
    tuner.settings = START.but(gap=0.0, gap_alone=10.0, title_needs_gap=False, min_words=1)
    assert counts(tuner)[1] > 0
    tuner.walk.fewer.click()
    assert "move it off 0 first" in tuner.walk.told.value
    assert tuner.settings.gap == 0.0


def test_a_ground_that_is_off_stays_off(tuner: ThresholdTuner) -> None:
    assert standing_at(START.but(gap_alone=10.0), 3.0).gap_alone == 10.0
    assert standing_at(START, 1.0) == START


@settings(max_examples=6, deadline=None)
@given(gap=st.floats(0.0, 0.4), alone=st.floats(0.0, 0.4), factor=st.sampled_from(STRICTNESS))
def test_what_is_stood_at_holds_back_or_lets_through_what_the_point_does(
    gap: float, alone: float, factor: float
) -> None:
    start = Settings(gap=round(gap, 3), gap_alone=round(alone, 3), floor=0.0)
    sure = confidence_of(FEW, ITS_EXAM, start)
    meant = int((sure["confidence"] >= factor).sum())
    stood = standing_at(start, factor)
    assert math.isclose(stood.gap, stricter(start, factor).gap, abs_tol=0.001)
    answered = confidence_of(FEW, ITS_EXAM, stood)["resolved"].sum()
    assert answered <= meant if factor > 1 else answered >= meant
