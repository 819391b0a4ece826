"""The tuner beyond its sliders: the way back, the baseline, the questions behind a chart, and what is taken along."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import altair as alt
import polars as pl
import pytest
from synthetic import made_up
from tiny import NOW, lab_of, node

from memlab.errors import InputError
from memlab.exam import Exam
from memlab.exam.compare import flips
from memlab.rules import ARMS, PRESETS, Settings
from memlab.rules.decide import WEIGHING, Decider, decide
from memlab.widgets import Laboratory, LiveChart, ThresholdTuner
from memlab.widgets.controls import RECORDS, SECTIONS, Controls
from memlab.widgets.exporting import ExportBox
from memlab.widgets.history import History
from memlab.widgets.idle import Idle, Steps
from memlab.widgets.keep import as_code
from memlab.widgets.questions import LABELS, SHOWN, Picked, segment
from memlab.widgets.ranges import neighbours
from memlab.widgets.views import thinned

EVIDENCE, EXAM = made_up(60)
START = Settings(gap=0.05, gap_alone=0.1, floor=0.0)


@pytest.fixture
def tuner() -> ThresholdTuner:
    return ThresholdTuner(EVIDENCE, EXAM, START)


# Controls


def test_every_setting_has_a_control_or_is_a_record() -> None:
    shown = {name for names in SECTIONS.values() for name in names}
    assert shown | set(RECORDS) == {field.name for field in fields(Settings)}
    controls = Controls(START)
    assert shown == {*controls.sliders, *controls.switches, "arms", "order"}


@pytest.mark.parametrize(
    "name", ["min_share", "alone_words", "piece_floor", "veto_words", "veto_gap", "veto_pieces", "limit"]
)
def test_each_slider_moves_its_setting(tuner: ThresholdTuner, name: str) -> None:
    slider = tuner.controls.sliders[name]
    value = slider.min if slider.value != slider.min else slider.min + slider.step
    slider.value = value
    assert getattr(tuner.settings, name) == pytest.approx(value)


def test_the_order_is_a_list(tuner: ThresholdTuner) -> None:
    tuner.controls.order.value = "fused"
    assert tuner.settings.order == "fused"
    tuner.settings = START
    assert tuner.controls.order.value == "words"


def test_what_the_page_rounds_is_no_move(tuner: ThresholdTuner) -> None:
    tuner.settings = START.but(floor=0.317)
    tuner.controls.sliders["floor"].value = 0.32
    assert tuner.settings.floor == 0.317


# The way back


def test_undo_and_redo_go_step_by_step(tuner: ThresholdTuner) -> None:
    assert tuner.undo.disabled
    for value in (0.06, 0.07, 0.08):
        tuner.controls.sliders["gap"].value = value
    tuner.controls.switches["veto"].value = False
    assert not tuner.undo.disabled
    tuner.undo.click()
    assert (tuner.settings.gap, tuner.settings.veto) == (0.08, True)
    tuner.undo.click()  # a drag is one step
    assert tuner.settings == START
    assert tuner.undo.disabled
    tuner.redo.click()
    tuner.redo.click()
    assert (tuner.settings.gap, tuner.settings.veto) == (0.08, False)
    assert tuner.redo.disabled
    tuner.undo.click()
    tuner.controls.sliders["gap"].value = 0.2
    assert tuner.redo.disabled


def test_a_reset_can_be_undone(tuner: ThresholdTuner) -> None:
    tuner.controls.preset.value = "one_word"
    tuner.reset.click()
    assert tuner.settings == START
    tuner.undo.click()
    assert tuner.settings == PRESETS["one_word"]


def test_history_without_anything_stays_where_it_is() -> None:
    assert History().undo(START) == START
    assert History().redo(START) == START


# The baseline


def test_flips_are_told_against_what_was_pinned(tuner: ThresholdTuner) -> None:
    first = tuner.outcomes
    assert tuner.changed.is_empty()
    tuner.controls.preset.value = "one_word"
    tuner.finish()
    told = flips(first, tuner.outcomes)
    assert tuner.changed.height == told.height > 0
    assert tuner.rows.changes_table.frame["question_id"].to_list() == told["question_id"].to_list()
    assert tuner.tabs.titles[1] == f"changed ({told.height})"
    before = {r["segment"]: r["count"] for r in tuner.bars.rows["outcomes"] if r["setting"] == "baseline"}
    assert before["resolved_right"] == first.counts()["resolved_right"]
    tuner.pin.click()
    tuner.finish()
    assert tuner.baseline is tuner.outcomes
    assert tuner.changed.is_empty()
    assert "No question" in tuner.views.ways.value


def test_flips_are_those_of_a_whole_comparison(tuner: ThresholdTuner) -> None:
    from memlab.exam import compare

    first = tuner.outcomes
    tuner.controls.preset.value = "gap"
    whole = compare(first, tuner.outcomes, resamples=1).flips.drop("setting")
    assert flips(first, tuner.outcomes).equals(whole)


# Questions behind a chart


def test_a_click_on_a_bar_lists_its_questions(tuner: ThresholdTuner) -> None:
    tuner.bars.clicked = {"segment": "choose_has_gold", "setting": "now", "count": 24, "click": 1}
    tuner.finish()
    rows = tuner.outcomes.rows.filter(segment() == "choose_has_gold")
    assert tuner.rows.table.frame["question_id"].to_list() == rows["question_id"].to_list()
    assert tuner.rows.list.value == SHOWN["choose_has_gold"]
    assert tuner.bars.params["picked"] == "choose_has_gold"
    # It follows the settings, and a second click lets it go.
    tuner.controls.preset.value = "one_word"
    tuner.finish()
    assert set(tuner.rows.table.frame["outcome"]) <= {LABELS["choose_has_gold"]}
    tuner.bars.clicked = {"segment": "choose_has_gold", "click": 2}
    assert tuner.rows.picked == Picked()
    assert tuner.rows.table.frame.height == len(EXAM)


def test_a_click_on_a_bin_of_the_gaps_lists_as_many_as_it_counts(tuner: ThresholdTuner) -> None:
    data = pl.DataFrame(tuner.gaps.rows["gaps"])
    low, high = 0.02, 0.06
    inside = data.filter(
        (pl.col("class") == "first is right") & pl.col("gap").is_between(low - 1e-9, high - 1e-9, "left")
    )
    tuner.gaps.clicked = {"class": "first is right", "low": low, "high": high, "click": 1}
    assert tuner.rows.table.frame.height == inside["count"].sum()
    assert "gap 0.020 to 0.060" in tuner.rows.list.value


def test_a_click_on_nothing_that_stands_for_questions_does_nothing(tuner: ThresholdTuner) -> None:
    for chart, row in (("bars", {"segment": "?"}), ("gaps", {"class": "first is right"}), ("curve", {"risk": 0.1})):
        assert Picked.of_click(chart, row) is None


def test_the_list_works_without_a_mouse(tuner: ThresholdTuner) -> None:
    tuner.rows.list.value = SHOWN["unanswerable_none"]
    tuner.finish()
    assert not tuner.outcomes.rows.filter(pl.col("question_id").is_in(tuner.rows.table.frame["question_id"].implode()))[
        "answerable"
    ].any()
    tuner.rows.clear.click()
    assert tuner.rows.list.value == "all questions"


def test_a_chosen_question_is_told_in_full() -> None:
    lab = lab_of([node("git", "Move to Git"), node("svn", "Move to Subversion"), node("b", "<b>Loom</b>")])
    exam = Exam.from_rows(
        [
            {"id": "a", "question": "Move to Git", "gold": ["git"], "written_by": "Kim"},
            {"id": "b", "question": "why <i>loom</i>?", "gold": [], "answerable": False, "written_by": "Kim"},
        ],
        name="two",
    )
    settings = lab.settings
    tuner = ThresholdTuner(lab.gather(exam, now=NOW), exam, settings, lab=lab)
    tuner.finish()
    tuner.rows.table.selected = "a"
    tuner.finish()
    assert tuner.rows.explanation is not None
    assert tuner.rows.explanation.question == "Move to Git"
    assert "whole title" not in tuner.rows.told.value
    assert "gold: “Move to Git”" in tuner.rows.told.value
    assert tuner.rows.way.spec
    tuner.rows.table.selected = "b"
    tuner.finish()
    assert "why &lt;i&gt;loom&lt;/i&gt;?" in tuner.rows.told.value
    assert "<i>loom" not in tuner.rows.told.value
    # The explanation follows the settings.
    tuner.settings = settings.but(whole_title=False, min_words=100, gap_alone=10.0)
    tuner.rows.table.selected = "a"
    tuner.finish()
    assert tuner.rows.explanation.state == tuner.outcomes.rows["state"][0]


# What is taken along


def test_a_change_reads_as_code() -> None:
    assert as_code(START, START) == "settings = lab.settings"
    now = START.but(gap=0.07, arms=("title", "semantic"), veto=False)
    assert as_code(START, now) == "settings = lab.settings.but(arms=('title', 'semantic'), gap=0.07, veto=False)"
    lab = type("Lab", (), {"settings": START})
    held: dict[str, Settings] = {}
    exec(as_code(START, now), {"lab": lab}, held)
    assert held["settings"] == now


def test_settings_are_saved_and_nothing_is_lost_at_once(tuner: ThresholdTuner, tmp_path: Path) -> None:
    tuner.controls.sliders["gap"].value = 0.09
    path = tmp_path / "mine.toml"
    path.write_text("before")
    tuner.keep.path.value = str(path)
    tuner.keep.save.click()
    assert "press again" in tuner.keep.told.value
    assert path.read_text() == "before"
    tuner.keep.save.click()
    assert Settings.load(path) == tuner.chosen
    tuner.keep.path.value = " "
    tuner.keep.save.click()
    assert "memlab-error" in tuner.keep.told.value


def test_charts_are_exported_as_they_stand(tuner: ThresholdTuner, tmp_path: Path) -> None:
    tuner.controls.preset.value = "one_word"
    tuner.export.folder.value = str(tmp_path / "out")
    for name, box in tuner.export.formats.items():
        box.value = name in ("svg", "json")
    tuner.export.data.value = True
    tuner.export.button.click()
    names = {path.name for path in tuner.export.written}
    assert {"outcomes.svg", "gaps.json", "risk-coverage.svg", "outcomes.csv"} <= names
    assert all(path.stat().st_size for path in tuner.export.written)
    assert "two" not in tuner.export.told.value
    for box in tuner.export.formats.values():
        box.value = False
    tuner.export.button.click()
    assert "tick at least one format" in tuner.export.told.value


def test_a_chart_that_cannot_be_made_is_told() -> None:
    def broken() -> dict[str, object]:
        raise RuntimeError("no chart today")

    box = ExportBox(broken)  # type: ignore[arg-type]
    box.press()
    assert "no chart today" in box.told.value


# The curve


def test_the_curve_waits_and_then_shows_now_and_baseline(tuner: ThresholdTuner) -> None:
    tuner.finish()
    assert {row["setting"] for row in tuner.views.curve.rows["curve"]} == {"now", "baseline"}
    tuner.controls.preset.value = "one_word"
    points = {row["setting"]: row for row in tuner.views.curve.rows["points"]}
    counts = tuner.outcomes.counts()
    resolved = counts["resolved_right"] + counts["confident_wrong"] + counts["unanswerable_resolved"]
    assert points["now"]["answered"] == resolved


def test_a_thinned_curve_keeps_its_ends() -> None:
    points = pl.DataFrame({"coverage": [i / 5000 for i in range(1, 5001)], "risk": [0.1] * 5000})
    kept = thinned(points)
    assert kept.height < 200
    assert kept["coverage"][0] == points["coverage"][0]
    assert kept["coverage"][-1] == 1.0


# Deciding again, and waiting


@pytest.mark.parametrize("name", sorted({f.name for f in fields(Settings)} - {*RECORDS, "arms", "order"}))
def test_what_is_kept_changes_no_decision(name: str) -> None:
    decider = Decider(EVIDENCE, 4)
    decider.decide(START)
    value = getattr(START, name)
    other = START.but(**{name: not value if isinstance(value, bool) else (1 if isinstance(value, int) else 0.21)})
    assert decider.decide(other).equals(decide(EVIDENCE, other))
    assert decider.holds(START) or name in WEIGHING


def test_only_the_last_weighings_are_kept() -> None:
    decider = Decider(EVIDENCE, 2)
    for settings in (START, START.but(order="fused"), START.but(include_retired=True)):
        decider.decide(settings)
    assert not decider.holds(START)
    assert decider.holds(START.but(order="fused", gap=0.3))


def test_neighbours_are_one_switch_away() -> None:
    found = list(neighbours(START))
    assert len(found) == len(ARMS) + len(WEIGHING) - 1
    for other in found:
        assert sum(getattr(other, name) != getattr(START, name) for name in WEIGHING) == 1


def test_idle_jobs_run_in_steps_and_the_last_asked_for_wins() -> None:
    done: list[str] = []
    failed: list[Exception] = []

    def job(name: str, steps: int = 3) -> Iterator[None]:
        for step in range(steps):
            done.append(f"{name}{step}")
            yield None

    def bad() -> Steps:
        yield None
        raise RuntimeError("bad")

    async def run() -> None:
        idle = Idle(failed.append)
        idle.later("a", lambda: job("old"))
        idle.later("a", lambda: job("new"))
        idle.later("bad", bad)
        idle.later("apart", lambda: iter([lambda: done.append("thread")]))
        while idle.busy:
            await asyncio.sleep(0.01)

    asyncio.run(run())
    assert done == ["new0", "new1", "new2", "thread"]
    assert [str(error) for error in failed] == ["bad"]


def test_two_threads_that_ask_for_jobs_do_not_step_on_each_other() -> None:
    at_work: list[int] = []
    failed: list[Exception] = []
    done: list[str] = []
    idle = Idle(failed.append)

    def job(name: str) -> Steps:
        for _ in range(20):
            at_work.append(1)
            assert len(at_work) == 1
            time.sleep(0.001)
            at_work.pop()
            yield None
        done.append(name)

    def asks(name: str) -> None:
        async def run() -> None:
            for _ in range(10):
                idle.later("shared", lambda: job("shared"))
                idle.later(name, lambda: job(name))
                await asyncio.sleep(0.05)
            while idle.busy:
                await asyncio.sleep(0.01)

        asyncio.run(run())

    threads = [threading.Thread(target=asks, args=(name,)) for name in ("cells", "page")]
    for thread in threads:
        thread.start()
    for _ in range(20):
        idle.finish()
        time.sleep(0.01)
    for thread in threads:
        thread.join(60)
    assert not failed
    assert not idle.busy
    assert {"shared", "cells", "page"} <= set(done)


def test_without_a_loop_jobs_wait_until_asked() -> None:
    done: list[int] = []
    idle = Idle(lambda error: None)
    idle.later("a", lambda: iter([done.append(1)]))
    idle.later("b", lambda: iter([lambda: done.append(2)]))
    assert done == [1]
    idle.drop("a")
    idle.finish()
    assert done == [1, 2]
    assert not idle.busy


def test_a_live_chart_can_show_another_chart_or_none(tuner: ThresholdTuner) -> None:
    from memlab import charts

    view = LiveChart()
    assert view.spec == {}
    view.show(charts.gaps(tuner.outcomes))
    view.update({"gaps": charts.gaps_data(tuner.outcomes)})
    view.show(None)
    assert (view.spec, view.rows, view.params) == ({}, {}, {})


# Whatever else is done to it


def test_a_baseline_of_other_questions_is_refused_and_the_old_one_stays(tuner: ThresholdTuner) -> None:
    before = tuner.baseline
    with pytest.raises(InputError, match="baseline"):
        tuner.baseline = ThresholdTuner(*made_up(12), START).outcomes
    assert tuner.baseline is before
    with pytest.raises(InputError, match="other questions"):
        flips(before, ThresholdTuner(*made_up(12), START).outcomes)


def test_settings_that_an_observer_sets_are_those_of_every_part(tuner: ThresholdTuner) -> None:
    def back(_: object) -> None:
        if tuner.settings.gap < 0.08:
            tuner.settings = tuner.settings.but(gap=0.08)

    tuner.observe(back, "outcomes")
    tuner.controls.sliders["gap"].value = 0.02
    tuner.finish()
    assert tuner.settings.gap == tuner.controls.settings.gap == tuner.controls.sliders["gap"].value == 0.08
    assert tuner.outcomes.settings == tuner.settings
    assert "gap = 0.08" in tuner.keep.toml.text


def test_a_switch_thrown_and_thrown_back_are_two_steps(tuner: ThresholdTuner) -> None:
    gate = tuner.controls.switches["gate"]
    gate.value = True
    gate.value = False
    tuner.undo.click()
    assert tuner.settings.gate


@pytest.mark.parametrize("row", [{"segment": ["x"]}, {"segment": {}}, {"class": ["x"], "low": 0.0, "high": 1.0}])
def test_a_click_that_says_nothing_picks_nothing(tuner: ThresholdTuner, row: dict[str, object]) -> None:
    tuner.bars.clicked = row
    tuner.gaps.clicked = row
    assert tuner.error.value == ""
    assert tuner.rows.picked == Picked()


@pytest.mark.parametrize(
    ("given", "name"),
    [((EXAM, EVIDENCE), "evidence"), ((EVIDENCE, None), "exam"), ((EVIDENCE, EXAM, {"gap": 1}), "settings")],
)
def test_something_else_is_refused_by_name(given: tuple[object, ...], name: str) -> None:
    with pytest.raises(InputError, match=name):
        ThresholdTuner(*given)  # type: ignore[arg-type]  # what is tested


def test_arms_that_the_evidence_has_not_are_refused() -> None:
    with pytest.raises(InputError, match="arms"):
        ThresholdTuner(EVIDENCE, EXAM, Settings(arms=("mine",)))


@pytest.mark.parametrize("path", ["~nobody-here/x.toml", "nul\0.toml", "x" * 300])
def test_what_can_be_no_path_is_told_in_a_line(tuner: ThresholdTuner, path: str) -> None:
    tuner.keep.path.value = tuner.export.folder.value = path
    tuner.keep.press()
    tuner.export.press()
    for told in (tuner.keep.told.value, tuner.export.told.value):
        assert "memlab-error" in told
        assert "Traceback" not in told


def test_charts_go_to_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    box = ExportBox(lambda: {"one": alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")})
    for name, format_ in box.formats.items():
        format_.value = name == "json"
    box.folder.value = " ~/pictures "
    box.press()
    assert box.written == [tmp_path / "pictures/one.json"]


def test_what_is_typed_beside_a_button_is_sent_before_the_button_is_pressed() -> None:
    # Letter by letter, ipywidgets keeps back the last one while the kernel is busy, but not the press.
    tuner = ThresholdTuner(EVIDENCE, EXAM, START)
    form = Laboratory().form
    typed = [tuner.keep.path, tuner.export.folder, form.store, form.exam, form.settings]
    assert not any(field.continuous_update for field in typed)
