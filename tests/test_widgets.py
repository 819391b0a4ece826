"""The threshold tuner, moved by its traits: what follows what."""

from __future__ import annotations

import tomllib

import pytest
from synthetic import made_up

from memlab import charts
from memlab.errors import InputError
from memlab.exam import Exam, grade, standing
from memlab.rules import PRESETS, Settings, decide
from memlab.widgets import LiveChart, ThresholdTuner
from memlab.widgets.controls import SWITCHES
from memlab.widgets.figures import figures

EVIDENCE, EXAM = made_up(60)
# Of its own, so that tuning the defaults changes no test.
START = Settings(gap=0.05, gap_alone=0.1, floor=0.0)


@pytest.fixture
def tuner() -> ThresholdTuner:
    return ThresholdTuner(EVIDENCE, EXAM, START)


def shown_counts(tuner: ThresholdTuner) -> dict[str, int]:
    return {row["segment"]: row["count"] for row in tuner.bars.rows["outcomes"] if row["setting"] == "now"}


def test_it_starts_at_the_settings_given() -> None:
    given = Settings(gap=0.123, min_words=3, arms=("title", "semantic"))
    tuner = ThresholdTuner(EVIDENCE, EXAM, given)
    assert tuner.settings == given
    assert tuner.controls.sliders["gap"].value == 0.123
    assert tuner.controls.sliders["min_words"].value == 3
    assert not tuner.controls.arms["graph"].value
    assert tuner.controls.preset.value == "as given"
    assert tuner.outcomes is not None
    assert tuner.outcomes.settings == given
    tuner.controls.sliders["gap"].value = 0.2
    assert tuner.controls.preset.value == "(own)"


@pytest.mark.parametrize(("name", "value"), [("min_words", 3), ("gap", 0.15), ("gap_alone", 0.15), ("floor", 0.7)])
def test_a_slider_moves_its_setting_and_the_views(tuner: ThresholdTuner, name: str, value: float) -> None:
    tuner.controls.sliders[name].value = value
    assert getattr(tuner.settings, name) == value
    expected = grade(decide(EVIDENCE, START.but(**{name: value})), EXAM)
    assert tuner.outcomes is not None
    assert tuner.outcomes.counts() == expected.counts()
    assert shown_counts(tuner) == dict(charts.outcomes_data(expected).select("segment", "count").iter_rows())
    tuner.finish()
    assert tomllib.loads(tuner.keep.toml.text)[name] == value
    assert tuner.controls.preset.value == "(own)"


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_turns_its_setting(tuner: ThresholdTuner, name: str) -> None:
    before = getattr(tuner.settings, name)
    tuner.controls.switches[name].value = not before
    assert getattr(tuner.settings, name) is (not before)
    assert tuner.outcomes is not None
    assert tuner.outcomes.settings == tuner.settings


def test_a_move_rebuilds_no_chart(tuner: ThresholdTuner) -> None:
    before = tuner.bars.spec, tuner.gaps.spec
    tuner.controls.sliders["gap"].value = 0.15
    assert (tuner.bars.spec, tuner.gaps.spec) == before
    assert tuner.gaps.params == {"threshold": 0.15, "threshold_alone": 0.1}


def test_the_slider_of_a_gap_keeps_three_decimals(tuner: ThresholdTuner) -> None:
    tuner.controls.sliders["gap"].value = 0.1 + 0.2 - 0.2 + 1e-12
    assert tuner.settings.gap == 0.1


def test_the_right_end_turns_a_ground_off(tuner: ThresholdTuner) -> None:
    for name in ("gap_alone", "min_words"):
        slider = tuner.controls.sliders[name]
        slider.value = slider.max
    assert tuner.settings.gap_alone == 10
    assert tuner.settings.min_words == 100
    assert tuner.gaps.params["threshold_alone"] is None
    assert tuner.controls.captions["gap_alone"].value.count("off")


@pytest.mark.parametrize("name", sorted(PRESETS.keys() - {"default"}))
def test_a_preset_sets_everything(tuner: ThresholdTuner, name: str) -> None:
    tuner.controls.sliders["gap"].value = 0.21
    tuner.controls.preset.value = name
    assert tuner.settings == PRESETS[name]
    assert tuner.controls.preset.value == name


def test_reset_returns_to_where_it_started() -> None:
    first = Settings(gap=0.07)
    tuner = ThresholdTuner(EVIDENCE, EXAM, first)
    tuner.controls.preset.value = "one_word"
    tuner.reset.click()
    assert tuner.settings == first
    assert tuner.controls.sliders["gap"].value == 0.07


def test_settings_set_in_python_move_the_controls(tuner: ThresholdTuner) -> None:
    seen = []
    tuner.observe(lambda change: seen.append(change["new"]), "outcomes")
    tuner.settings = Settings(gap=0.15, include_retired=True)
    assert tuner.controls.sliders["gap"].value == 0.15
    assert tuner.controls.switches["include_retired"].value
    assert tuner.settings == Settings(gap=0.15, include_retired=True)
    assert len(seen) == 1


def test_a_move_decides_once(tuner: ThresholdTuner, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    decided = tuner._decider.decide
    monkeypatch.setattr(tuner._decider, "decide", lambda settings: asked.append(settings) or decided(settings))
    tuner.controls.sliders["gap"].value = 0.15
    tuner.controls.preset.value = "two_words"
    tuner.settings = Settings(floor=0.5)
    assert len(asked) == 3


def test_settings_out_of_a_sliders_reach_are_kept(tuner: ThresholdTuner) -> None:
    tuner.settings = Settings(gap=3.0, limit=3, veto_gap=0.2)
    assert tuner.settings.gap == 3.0
    tuner.controls.sliders["floor"].value = 0.5
    assert tuner.settings == Settings(gap=3.0, limit=3, veto_gap=0.2, floor=0.5)


def test_the_last_arm_cannot_be_taken_away_and_that_is_said(tuner: ThresholdTuner) -> None:
    for arm in ("title", "graph", "semantic"):
        tuner.controls.arms[arm].value = False
    assert tuner.settings.arms == ("semantic",)
    assert tuner.controls.arms["semantic"].value
    assert "arms" in tuner.error.value
    tuner.controls.arms["title"].value = True
    assert set(tuner.settings.arms) == {"title", "semantic"}
    assert tuner.error.value == ""


def test_a_fault_in_a_callback_is_shown_and_the_views_stay(
    tuner: ThresholdTuner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("<b>the rules broke</b>")

    before = tuner.outcomes
    monkeypatch.setattr(tuner._decider, "decide", broken)
    tuner.controls.sliders["gap"].value = 0.15
    assert "RuntimeError: &lt;b&gt;the rules broke" in tuner.error.value
    assert "Traceback" in tuner.error.value
    assert tuner.outcomes is before
    monkeypatch.undo()
    tuner.controls.sliders["gap"].value = 0.19
    assert tuner.error.value == ""


def test_an_error_of_the_page_is_shown(tuner: ThresholdTuner) -> None:
    tuner.bars.error = "Unrecognized signal name"
    assert "Unrecognized signal name" in tuner.error.value


def test_the_figures_carry_counts_and_intervals(tuner: ThresholdTuner) -> None:
    assert tuner.outcomes is not None
    risk = figures(tuner.outcomes).row(0, named=True)
    assert risk["measure"] == "risk"
    assert risk["share"] == pytest.approx(tuner.outcomes.risk)
    assert f"{risk['count']} of {risk['n']}" in tuner.views.figures.value
    assert f"{risk['low']:.3f} to {risk['high']:.3f}" in tuner.views.figures.value


def test_nothing_resolved_shows_no_interval() -> None:
    never = Settings(min_words=100, gap_alone=10.0, whole_title=False)
    assert "0 of 0 resolved are wrong<br>no interval" in ThresholdTuner(EVIDENCE, EXAM, never).views.figures.value


def test_an_exam_of_another_store_is_refused() -> None:
    other = Exam.from_rows([{"id": "z", "question": "왜?", "gold": ["n"], "written_by": "Kim"}])
    with pytest.raises(InputError, match="gather the evidence for this exam"):
        ThresholdTuner(EVIDENCE, other)


def test_sliders_reach_the_widest_gap_of_the_evidence(tuner: ThresholdTuner) -> None:
    assert tuner.controls.sliders["gap"].max >= EVIDENCE.frame["semantic_gap"].max()


def test_without_a_semantic_arm_it_still_works() -> None:
    from dataclasses import replace

    import polars as pl

    names = ("semantic_rank", "semantic_similarity", "semantic_gap")
    bare = EVIDENCE.frame.with_columns(pl.lit(None).cast(EVIDENCE.frame.schema[n]).alias(n) for n in names)
    tuner = ThresholdTuner(replace(EVIDENCE, frame=bare), EXAM)
    tuner.controls.sliders["min_words"].value = 1
    assert tuner.error.value == ""
    assert tuner.settings.min_words == 1


def test_a_live_chart_sends_rows_and_parameters_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    graded = grade(decide(EVIDENCE, Settings()), EXAM)
    view = LiveChart(charts.gaps(graded, threshold=0.05))
    sent: list[set[str]] = []
    monkeypatch.setattr(view, "send_state", lambda key=None: sent.append(set(key or ())))
    view.update({"gaps": charts.gaps_data(graded)}, {"threshold": 0.1})
    assert view.rows["gaps"][0]["class"] == "first is right"
    assert view.params == {"threshold": 0.1}
    assert sent == [{"rows", "params"}]


def test_what_is_moved_carries_the_exam_that_it_was_chosen_on(tuner: ThresholdTuner) -> None:
    assert tuner.chosen == tuner.settings
    tuner.controls.sliders["gap"].value = 0.123
    tuner.finish()
    kept = Settings.from_dict(tomllib.loads(tuner.keep.toml.text))
    assert kept == tuner.chosen
    assert (kept.gap, kept.fitted[-1].exam, kept.fitted[-1].what) == (0.123, EXAM.name, ("gap",))
    assert standing(EXAM, kept).counts["fitted"] == len(EXAM)
    assert not standing(EXAM, tuner.settings).counts["fitted"]
