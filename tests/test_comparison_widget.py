"""The comparison widget by its traits: which measures, which flips, and one question before and after."""

from __future__ import annotations

import pytest
from synthetic import made_up
from tiny import NOW, lab_of, titles

import memlab as ml
from memlab.errors import InputError
from memlab.exam import Exam, Outcomes, compare, grade
from memlab.rules import Settings, decide
from memlab.widgets import ComparisonWidget

EVIDENCE, EXAM = made_up(80)


def graded(**changes: float) -> Outcomes:
    settings = Settings(gap=0.05, gap_alone=0.1, floor=0.0).but(**changes)
    return grade(decide(EVIDENCE, settings), EXAM, settings=settings)


@pytest.fixture
def widget() -> ComparisonWidget:
    return ComparisonWidget(graded(), {"strict": graded(gap_alone=0.2), "loose": graded(gap_alone=0.02)})


def test_it_shows_what_compare_says(widget: ComparisonWidget) -> None:
    expected = compare(graded(), {"strict": graded(gap_alone=0.2), "loose": graded(gap_alone=0.02)})
    assert widget.comparison.table.equals(expected.table)
    assert widget.setting == "strict"
    assert widget.flips.equals(expected.flips.filter(setting="strict"))
    row = expected.table.filter(setting="strict", measure="wrong").row(0, named=True)
    shown = widget.measures.frame.filter(measure="wrong").row(0, named=True)
    assert shown["before"] == f"{row['before']} of {row['n']} ({row['before'] / row['n']:.3f})"
    assert shown["difference"] == f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
    assert shown["only"] == f"{row['only_before']} / {row['only_after']}"
    assert widget.measures.frame.filter(measure="risk")["p"].item() == "–"
    assert str(expected.standing().mark) in widget.children[0].value
    assert "지어낸 &lt;i&gt;시험&lt;/i&gt;" in widget.children[0].value


def test_a_choice_of_setting_changes_measures_and_flips(widget: ComparisonWidget) -> None:
    widget.way = "worse"
    widget.choice.value = "loose"
    assert widget.setting == "loose"
    assert set(widget.flips["setting"]) == {"loose"}
    assert set(widget.flips["way"]) == {"worse"}
    assert widget.measures.frame.height == widget.comparison.table.filter(setting="loose").height


def test_flips_are_filtered_by_way_and_measure(widget: ComparisonWidget) -> None:
    widget.setting = "loose"
    every = widget.flips
    labels = dict(widget.ways.options)
    assert f"all ({every.height})" in labels
    for label, way in widget.ways.options[1:]:
        widget.ways.value = way
        assert set(widget.flips["way"]) <= {way}
        assert label == f"{way} ({widget.flips.height})"
    widget.ways.value = "all"
    for measure in widget.measures.frame["measure"]:
        widget.of.value = measure
        assert widget.measures.selected == measure
        row = widget.comparison.table.filter(setting="loose", measure=measure).row(0, named=True)
        if measure not in ("in_pool", "first"):  # what is found or first can differ, with the same outcome
            assert widget.flips.height == row["only_before"] + row["only_after"]
    widget.measures.selected = "wrong"
    assert (widget.measure, widget.of.value) == ("wrong", "wrong")
    widget.measures.selected = ""
    assert widget.flips.equals(every)


def test_a_question_is_shown_before_and_after(widget: ComparisonWidget) -> None:
    assert widget._close.layout.display == "none"
    row = widget.flips.row(0, named=True)
    widget.table.selected = row["question_id"]
    assert widget.selected == row["question_id"]
    assert row["question"] in widget.question.value
    assert row["reason_before"] in widget.before.value
    assert row["reason_after"] in widget.after.value
    assert widget.explain.layout.display == "none"  # no lab, no waterfalls
    widget.way = next(way for _, way in widget.ways.options[1:] if way != row["way"])
    assert (widget.selected, widget._close.layout.display) == ("", "none")


def test_with_a_lab_both_ways_are_drawn() -> None:
    lab = lab_of(titles("Weft beam <b>", "Warp beam", "Loom"))
    exam = Exam.from_rows([{"id": "a", "question": "which weft?", "gold": ["n1"], "as_of": "2026-01-01"}])
    evidence = lab.gather(exam, now=NOW)
    before, after = (grade(decide(evidence, one), exam, settings=one) for one in (Settings(), ml.PRESETS["one_word"]))
    widget = ComparisonWidget(before, after, lab=lab)
    assert widget.choice.layout.display == "none"
    widget.selected = "a"
    assert "Weft beam &lt;b&gt; · n1" in widget.after.value
    assert widget.charts == []
    widget.explain.value = True
    assert widget.error.value == ""
    assert [chart.spec["title"]["text"] for chart in widget.charts] == [["which weft?"]] * 2
    assert widget.charts[0].spec != widget.charts[1].spec
    widget.charts[1].error = "no such signal"
    assert "no such signal" in widget.error.value


def test_a_fault_is_shown(widget: ComparisonWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broke")

    monkeypatch.setattr("memlab.widgets.comparison.flips", broken)
    widget.ways.value = "worse"
    assert "RuntimeError: broke" in widget.error.value


def test_a_comparison_that_was_made_is_taken() -> None:
    made = compare(graded(), graded(gap=0.2))
    assert ComparisonWidget(made).comparison is made


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="give Outcomes or a Comparison, not dict"):
        ComparisonWidget({}, graded())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="give one or more graded settings"):
        ComparisonWidget(graded())
    with pytest.raises(InputError, match="way: must be one of all, worse"):
        ComparisonWidget(graded(), graded(gap=0.2)).way = "sideways"
