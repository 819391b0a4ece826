"""The waterfall of one decision: the steps that it draws, and what the drawn chart says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest
import vl_convert
from hypothesis import HealthCheck, given, settings
from tiny import NOW, OVER, Memory, lab_of, memories, node, questions, rule_sets, titles

import memlab as ml
from memlab import charts
from memlab.charts.embed import text_width
from memlab.charts.waterfall import STATUS

STEPS = ["words", "title arm", "graph arm", "semantic arm", "agreement", "title lead", "gap", "grounds", "nearness",
         "validity filter", "veto", "off-subject gate", "Concept gate", "verdict"]  # fmt: skip


def steps(told: ml.Explanation) -> dict[str, dict[str, Any]]:
    return {row["label"]: row for row in charts.waterfall_data(told).iter_rows(named=True)}


def texts(chart: alt.TopLevelMixin) -> list[str]:
    """All text of the drawn chart."""
    svg = str(vl_convert.vegalite_to_svg(chart.to_dict(), vl_version="6.4"))
    found = re.findall(r"<text[^>]*[^/]>(.*?)</text>", svg, flags=re.S)
    return [part for text in found for part in (re.findall(r"<tspan[^>]*>(.*?)</tspan>", text) or [text])]


def test_the_steps_stand_in_the_order_of_the_decision() -> None:
    told = lab_of(titles("Loom repair handbook", "Choir rehearsal")).explain("loom repair of 1999", as_of=NOW)
    data = charts.waterfall_data(told)
    assert data["label"].to_list() == STEPS
    assert data["step"].to_list() == list(range(1, len(STEPS) + 1))
    assert set(data["status"]) <= set(STATUS)


def test_each_step_has_its_value_its_bar_and_whether_it_holds() -> None:
    lab = lab_of(titles("Loom repair handbook", "Choir rehearsal"))
    told = lab.explain("loom repair shop", as_of=NOW, settings=ml.Settings(gap=0.01, gap_alone=0.01))
    seen = steps(told)
    assert (seen["words"]["value"], seen["title lead"]["value"], seen["title lead"]["bar"]) == (3.0, 2.0, 2.0)
    assert seen["gap"]["value"] == pytest.approx(told.gap.gap)
    assert seen["gap"]["bar"] == 0.01
    assert {seen[name]["status"] for name in ("title lead", "gap", "grounds", "veto")} == {"passes"}
    assert (seen["off-subject gate"]["status"], seen["off-subject gate"]["headline"]) == ("decides nothing", "off")
    assert (seen["verdict"]["status"], seen["verdict"]["headline"]) == ("resolved", "resolved: title_and_gap")
    wide = steps(lab.explain("loom repair shop", as_of=NOW, settings=ml.Settings(gap=0.9, gap_alone=0.9)))
    assert (wide["gap"]["status"], wide["gap"]["bar"], wide["grounds"]["status"]) == ("fails", 0.9, "fails")
    assert wide["verdict"]["status"] == "choose"


def test_a_hidden_rival_fails_the_filter() -> None:
    lab = lab_of([node("old", "Loom shuttle", **OVER), node("new", "loom shuttle")], semantic=False)
    seen = steps(lab.explain("loom shuttle", as_of=NOW))
    assert (seen["validity filter"]["status"], seen["validity filter"]["detail"]) == (
        "fails",
        "1 hidden, 1 of them lead",
    )
    assert "gap" not in seen


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(memories(), questions(most=1), rule_sets())
def test_the_verdict_of_the_chart_is_the_decision(
    memory: Memory, asked: list[dict[str, Any]], rules: ml.Settings
) -> None:
    told = memory.lab().explain(asked[0]["question"], as_of=asked[0]["as_of"], settings=rules)
    seen = steps(told)
    assert seen["verdict"]["status"] == told.state
    grounded = any(part["passed"].all() for _, part in told.grounds.group_by("of"))
    assert (seen["grounds"]["status"] == "passes") == grounded
    assert told.state != "resolved" or "fails" not in {seen[n]["status"] for n in ("grounds", "nearness", "veto")}


@pytest.mark.parametrize(
    ("question", "state"),
    [("베틀은 왜 있나요?", "resolved"), ("북 <script>", "choose"), ("", "none"), ("\x1b[2J x", "none")],
)
def test_the_drawn_chart_says_question_verdict_and_store(question: str, state: str) -> None:
    lab = lab_of(titles("베틀", "북 하나", "북 둘"), semantic=False)
    told = lab.explain(question, as_of=NOW)
    assert told.state == state
    chart = charts.waterfall(told)
    said = " ".join(texts(chart))
    for part in (told.state, told.reason, lab.store.checksum[:12], "no encoder", "as of 2026-01-01"):
        assert part in said
    assert (question.split(" <", maxsplit=1)[0] in said) if question.isprintable() else ("\x1b" not in said)
    assert "<script>" not in said
    assert {row["label"] for row in steps(told).values()} <= set(texts(chart))


def test_long_texts_are_broken_and_stay_within_the_panel() -> None:
    lab = lab_of([node("a", "베틀 " * 60), node("b", "Loom " * 60)], semantic=False)
    for question in ("베틀 북 " * 40, "loom " * 200, "x" * 500):
        lines = texts(charts.waterfall(lab.explain(question, as_of=NOW)))
        assert max(text_width(line, 12) for line in lines) <= 880


@pytest.mark.parametrize("form", charts.FORMATS)
def test_it_saves_in_every_format(form: str, tmp_path: Path) -> None:
    told = lab_of(titles("베틀"), semantic=False).explain("베틀은 왜?", as_of=NOW)
    (file,) = charts.save(charts.waterfall(told), tmp_path / "way", [form])
    assert file.stat().st_size > 1_000


def test_colours_are_those_of_every_chart() -> None:
    from memlab.charts import theme

    assert STATUS["passes"][0] == theme.RIGHT
    assert STATUS["fails"][0] == theme.WRONG
    # Shapes tell pass from fail where colours cannot.
    assert len({shape for _, shape in list(STATUS.values())[:3]}) == 3
    assert pl.Series([colour for colour, _ in STATUS.values()]).str.starts_with("#").all()
