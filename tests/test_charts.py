"""Charts: the frames they draw, worked by hand, and what the drawn chart says."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import polars as pl
import pytest
import vl_convert

from memlab import charts
from memlab.charts import theme
from memlab.charts.signs import CLASSES
from memlab.exam import Exam, Outcomes
from memlab.exam.grade import OUTCOME


def graded(rows: list[tuple[str, bool, bool, float | None]], name: str = "시험 <script>") -> Outcomes:
    """Outcomes of rows of outcome, first_right, choose_has_gold and gap."""
    answerable = [not outcome.startswith("unanswerable") for outcome, *_ in rows]
    exam = Exam.from_rows(
        {"id": f"q{i}", "question": "왜?", "gold": ["n"] if yes else [], "answerable": yes, "written_by": "Kim"}
        for i, yes in enumerate(answerable)
    )
    frame = pl.DataFrame(
        {
            "question_id": [f"q{i}" for i in range(len(rows))],
            "answerable": pl.Series(answerable, dtype=pl.Boolean),
            "outcome": pl.Series([row[0] for row in rows], dtype=OUTCOME),
            "first_right": pl.Series([row[1] for row in rows], dtype=pl.Boolean),
            "in_pool": pl.Series([row[1] for row in rows], dtype=pl.Boolean),
            "choose_has_gold": pl.Series([row[2] for row in rows], dtype=pl.Boolean),
            "gap": pl.Series([row[3] for row in rows], dtype=pl.Float64),
        }
    )
    return Outcomes(frame, Exam(exam.questions, name))


SMALL = graded(
    [
        ("resolved_right", True, False, 0.20),
        ("resolved_right", True, False, 0.0509),
        ("choose", True, True, 0.05),
        ("confident_wrong", False, False, 0.0499999),
        ("choose", False, False, 0.0004),
        ("none", False, False, None),
        ("unanswerable_resolved", False, False, 0.1),
        ("unanswerable_choose", False, False, 0.01),
        ("unanswerable_none", False, False, 0.01),
    ]
)


def drawn(chart: alt.TopLevelMixin) -> str:
    return str(vl_convert.vegalite_to_svg(chart.to_dict(), vl_version="6.4"))


def texts(chart: alt.TopLevelMixin) -> list[str]:
    """All text of the drawn chart, in the order of drawing."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", drawn(chart))
    return [part for text in found for part in (re.findall(r"<tspan[^>]*>(.*?)</tspan>", text) or [text])]


def test_gaps_are_counted_by_what_came_first_and_rounded_down() -> None:
    data = charts.gaps_data(SMALL)
    assert data.select("class", "gap", "count", "n", "missing").rows() == [
        ("first is right", 0.05, 2, 3, 0),
        ("first is right", 0.2, 1, 3, 0),
        ("first is wrong", 0.0, 1, 2, 1),
        ("first is wrong", 0.049, 1, 2, 1),
        ("unanswerable", 0.01, 2, 3, 0),
        ("unanswerable", 0.1, 1, 3, 0),
    ]


@pytest.mark.parametrize("thousandths", range(1, 400, 7))
def test_a_gap_on_the_grid_stays_where_it_is(thousandths: int) -> None:
    gap = round(thousandths / 1000, 6)
    assert charts.gaps_data(graded([("choose", True, True, gap)]))["gap"].to_list() == [gap]


def test_the_gap_chart_counts_what_reaches_each_line() -> None:
    said = texts(charts.gaps(SMALL, threshold=0.05, alone=0.2))
    assert "3 of 3 (1.00) reach 0.050 · 1 reach 0.200" in said
    assert "0 of 2 (0.00) reach 0.050 · 0 reach 0.200" in said
    assert "1 of 3 (0.33) reach 0.050 · 0 reach 0.200" in said
    assert set(CLASSES) <= set(said)
    assert "left out, having no gap: 1 of 9" in said


def test_charts_say_n_exam_and_author_as_plain_text() -> None:
    line = "n = 9 (6 answerable, 3 not) · exam 시험 &lt;script&gt; · written by Kim"
    for chart in (charts.gaps(SMALL), charts.gaps(SMALL, kind="ecdf"), charts.outcomes(SMALL)):
        assert line in texts(chart)


def test_without_a_threshold_there_is_no_line() -> None:
    assert not [text for text in texts(charts.gaps(SMALL)) if "reach" in text]
    lines = [drawn(charts.gaps(SMALL, threshold=t)).count("mark-rule") for t in (None, 0.05)]
    assert lines[0] == lines[1]  # the layer stays, so that the parameter can bring the line later


def test_a_gap_that_turns_a_ground_off_is_no_line() -> None:
    assert charts.gap_lines(0.05, 10.0) == {"threshold": 0.05, "threshold_alone": None}


@pytest.mark.parametrize("kind", ["bars", "density", "ecdf"])
def test_the_threshold_moves_by_parameter(kind: Any) -> None:
    alt.JupyterChart.enable_offline()
    view = alt.JupyterChart(charts.gaps(SMALL, threshold=0.05, kind=kind))
    before = view.spec
    view.params.threshold = 0.1
    assert view.spec is before
    assert view._params["threshold"] == 0.1


def test_moving_the_parameter_moves_the_line_and_its_count() -> None:
    spec = charts.gaps(SMALL, threshold=0.05).to_dict()
    next(p for p in spec["params"] if p["name"] == "threshold")["value"] = 0.15
    moved = str(vl_convert.vegalite_to_svg(spec, vl_version="6.4"))
    assert "1 of 3 (0.33) reach 0.150" in moved
    still = drawn(charts.gaps(SMALL, threshold=0.05))
    at = [re.findall(r'mark-rule role-mark.*?transform="translate\(([\d.]+)', svg) for svg in (still, moved)]
    assert at[0]
    assert at[1]
    assert float(at[1][0]) > float(at[0][0])


def test_outcome_segments_are_laid_end_to_end() -> None:
    data = charts.outcomes_data(SMALL)
    assert dict(data.select("segment", "count").iter_rows()) == {
        "resolved_right": 2,
        "confident_wrong": 1,
        "choose_has_gold": 1,
        "choose_without_gold": 1,
        "none": 1,
        "unanswerable_resolved": 1,
        "unanswerable_choose": 1,
        "unanswerable_none": 1,
    }
    answerable = data.filter(pl.col("group") == "answerable")
    assert answerable["n"].to_list() == [6] * 5
    assert answerable["start"].to_list() == pytest.approx([0, 2 / 6, 3 / 6, 4 / 6, 5 / 6])
    assert answerable["end"][-1] == pytest.approx(1)
    # Wilson, 2 of 6 by hand: centre (1/3 + 1.9207/6) / (1 + 3.8415/6).
    assert answerable.row(0, named=True)["low"] == pytest.approx(0.0968, abs=1e-3)
    assert answerable.row(0, named=True)["high"] == pytest.approx(0.7000, abs=1e-3)


def test_outcome_bars_say_counts_shares_and_risk() -> None:
    said = texts(charts.outcomes(SMALL))
    assert "0.33" in said
    assert said.count("1") >= 4
    assert any(re.fullmatch(r"risk 0\.500 \(0\.150 to 0\.850\): 2 of 4 resolved are wrong", text) for text in said)


def test_thin_segments_keep_their_count_beside_the_bar() -> None:
    thin = graded([("choose", True, True, 0.1)] * 96 + [("confident_wrong", False, False, 0.1)] * 4)
    assert "4 (0.04)" in texts(charts.outcomes(thin))


def test_nothing_resolved_has_no_risk() -> None:
    nothing = graded([("choose", True, True, 0.1), ("unanswerable_none", False, False, 0.0)])
    assert charts.risk_data(nothing).select("wrong", "resolved", "risk").rows() == [(0, 0, None)]
    assert "nothing resolved, so no risk to state" in texts(charts.outcomes(nothing))


def test_several_settings_stand_one_under_the_other() -> None:
    said = texts(charts.outcomes({"기본": SMALL, "gap 0.1": SMALL}))
    assert said.count("기본") == 2
    assert said.count("gap 0.1") == 2
    assert charts.outcomes_data([SMALL, SMALL])["setting"].unique(maintain_order=True).to_list() == [
        "setting 1",
        "setting 2",
    ]


def test_an_empty_exam_draws() -> None:
    empty = graded([])
    assert charts.gaps_data(empty).is_empty()
    for chart in (charts.gaps(empty, threshold=0.05), charts.gaps(empty, kind="ecdf"), charts.outcomes(empty)):
        assert "n = 0" in " ".join(texts(chart))


def test_no_semantic_arm_draws_without_gaps() -> None:
    assert charts.gaps_data(graded([("choose", True, True, None)])).is_empty()
    assert "left out, having no gap: 1 of 1" in texts(charts.gaps(graded([("choose", True, True, None)])))


def test_a_large_exam_is_drawn_whole() -> None:
    many = graded([("choose", i % 2 == 0, True, (i % 499) / 1000) for i in range(10_000)])
    assert charts.gaps_data(many)["count"].sum() == 10_000
    assert "5000 of 5000 (1.00) reach 0.000" in texts(charts.gaps(many, threshold=0.0))


def test_numbers_in_tooltips_have_at_most_three_decimals() -> None:
    def tooltips(node: Any) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [found for item in node for found in tooltips(item)]
        if not isinstance(node, dict):
            return []
        return list(node.get("tooltip", [])) + [t for value in node.values() for t in tooltips(value)]

    for chart in (charts.gaps(SMALL), charts.gaps(SMALL, kind="ecdf"), charts.outcomes(SMALL)):
        found = tooltips(chart.to_dict())
        counts = {"count", "n", "reached"}
        assert found
        assert all(
            tip["format"] == ".3~f" for tip in found if tip["type"] == "quantitative" and tip["field"] not in counts
        )


def test_a_colour_means_one_thing() -> None:
    for chart, colours in (
        (charts.gaps(SMALL), {theme.RIGHT, theme.WRONG, theme.UNANSWERABLE}),
        (charts.outcomes(SMALL), {theme.RIGHT, theme.WRONG, theme.CHOOSE, theme.CHOOSE_WITHOUT, theme.NONE}),
    ):
        assert colours <= set(re.findall(r'fill="(#[0-9A-Fa-f]{6})"', drawn(chart)))


def test_charts_of_this_package_join() -> None:
    said = texts(charts.beside(charts.outcomes(SMALL), charts.gaps(SMALL, threshold=0.05)))
    assert "What became of the questions" in said
    assert "How far the first candidate stands in front of the second" in said


# The charts of measuring --------------------------------------------------------------------------


def test_the_funnel_counts_who_reaches_each_stage() -> None:
    table = {row["stage"]: row for row in charts.funnel_data(SMALL).iter_rows(named=True)}
    counts = SMALL.counts()
    assert table["gold first"]["count"] == counts["first"]
    assert table["gold resolved or handed back"]["count"] == counts["resolved_right"] + counts["choose_has_gold"]
    assert {row["n"] for row in table.values()} == {counts["n_answerable"]}
    shown = texts(charts.funnel({"as set": SMALL, "tight": SMALL}))
    assert "tight" in shown
    assert any("written by Kim" in text for text in shown)


def test_shares_are_drawn_with_count_and_n_and_what_counts_nothing_is_left_out() -> None:
    data = pl.DataFrame(
        {"way": ["on", "off", "off"], "what": ["빨강", "빨강", "nothing"], "count": [3, 1, 0], "n": [4, 4, 0],
         "share": [0.75, 0.25, None], "low": [0.3, 0.05, None], "high": [0.95, 0.7, None]}
    )  # fmt: skip
    shown = texts(charts.shares(data, y="what", color="way", title="A title", subtitle=["n = 4"]))
    assert {"3 of 4", "1 of 4", "빨강", "on", "off", "A title", "n = 4"} <= set(shown)
    assert "nothing" not in shown


def test_groups_are_drawn_for_whatever_can_be_grouped_by() -> None:
    rows = SMALL.rows.with_columns(
        lang=pl.lit("ko"), gold_kind=pl.lit("Record"), pair=pl.lit("ko → Hangul"), written_by=pl.lit("Kim"),
        tags=pl.lit(["a", "b"]), unanswerable=pl.when(~pl.col("answerable")).then(pl.lit("near miss")),
    )  # fmt: skip
    outcomes = Outcomes(rows, SMALL.exam)
    for by, name in (("pair", "ko → Hangul"), ("kind", "Record"), ("author", "Kim"), ("tag", "a"), ("lang", "ko")):
        assert name in texts(charts.groups(outcomes, by)), by
