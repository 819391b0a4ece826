"""Settings compared on the same questions: exact tests, intervals by group, and which questions flipped."""

from __future__ import annotations

import polars as pl
import pytest
from scipy.stats import binomtest
from synthetic import made_up

import memlab as ml
from memlab.errors import InputError
from memlab.exam import compare, fitted_on, groups_by_tag, ranking

EVIDENCE, EXAM = made_up(120)


def graded(**changes: object) -> ml.Outcomes:
    settings = ml.Settings().but(**changes)
    return ml.grade(ml.decide(EVIDENCE, settings), EXAM, settings=settings)


def line(made: ml.Comparison, measure: str, setting: str = "after") -> dict[str, object]:
    return made.table.filter(pl.col("measure") == measure, pl.col("setting") == setting).row(0, named=True)


def test_mcnemar_is_exact_on_the_questions_that_differ() -> None:
    before, after = graded(gap=0.2, gap_alone=0.3), graded(gap=0.0, gap_alone=0.05)
    made = compare(before, after)
    right = [
        set(one.rows.filter(pl.col("outcome").cast(pl.String) == "resolved_right")["question_id"])
        for one in (before, after)
    ]
    only_before, only_after = len(right[0] - right[1]), len(right[1] - right[0])
    told = line(made, "resolved_right")
    assert (told["only_before"], told["only_after"]) == (only_before, only_after)
    assert told["p"] == pytest.approx(binomtest(only_before, only_before + only_after).pvalue)
    assert told["low"] <= told["difference"] <= told["high"]  # type: ignore[operator]


def test_settings_beside_themselves_differ_nowhere() -> None:
    made = compare(graded(), graded())
    assert made.flips.is_empty()
    assert set(made.table["p"].drop_nulls()) == {1.0}
    assert set(made.table["difference"].drop_nulls()) == {0.0}


def test_holm_is_over_every_row_and_never_smaller_than_p() -> None:
    made = compare(graded(), {"loose": graded(gap=0.0, gap_alone=0.01), "tight": graded(gap=0.3, gap_alone=0.5)})
    known = made.table.drop_nulls("p")
    assert (known["p_holm"] >= known["p"]).all()
    smallest = known.sort("p").row(0, named=True)
    assert smallest["p_holm"] == pytest.approx(min(1.0, smallest["p"] * known.height))
    assert made.table.filter(pl.col("measure") == "risk")["p"].null_count() == 2


def test_flips_say_which_way() -> None:
    made = compare(graded(gap=0.3, gap_alone=0.5), graded(gap=0.0, gap_alone=0.0))
    ways = set(made.flips["way"])
    assert ways <= {"better", "worse", "other node"}
    worse = made.flips.filter(pl.col("after").is_in(["confident_wrong", "unanswerable_resolved"]),
                              ~pl.col("before").is_in(["confident_wrong", "unanswerable_resolved"]))  # fmt: skip
    assert worse.height
    assert set(worse["way"]) == {"worse"}
    right = made.flips.filter(pl.col("after") == "resolved_right", pl.col("before") != "resolved_right")
    assert set(right["way"]) == {"better"}


def test_whole_groups_are_drawn_together() -> None:
    before, after = graded(gap=0.2, gap_alone=0.3), graded(gap=0.0, gap_alone=0.05)
    tagged = ml.Exam(
        EXAM.questions.with_row_index("i").with_columns(
            tags=pl.concat_list(pl.format("conversation:{}", pl.col("i") // 30))
        ).drop("i"), "grouped",
    )  # fmt: skip
    groups = groups_by_tag(tagged, "conversation:")
    assert groups["group"].n_unique() == 4
    alone, together = compare(before, after), compare(before, after, groups=groups)
    assert line(alone, "resolved_right")["difference"] == line(together, "resolved_right")["difference"]
    assert line(alone, "resolved_right")["low"] != line(together, "resolved_right")["low"]
    with pytest.raises(InputError, match="has no tag that begins with 'page:'"):
        groups_by_tag(tagged, "page:")
    with pytest.raises(InputError, match="some questions have no group"):
        compare(before, after, groups=groups.head(3))


def test_other_questions_and_nothing_to_compare_with_are_refused() -> None:
    with pytest.raises(InputError, match="one or more"):
        compare(graded(), {})
    evidence, exam = made_up(20)
    other = ml.grade(ml.decide(evidence, ml.Settings()), exam)
    with pytest.raises(InputError, match="same exam"):
        compare(graded(), {"other": other})
    with pytest.raises(InputError, match="give Outcomes"):
        compare(graded(), {"other": "x"})  # type: ignore[dict-item]


def test_the_same_seed_gives_the_same_interval_whatever_the_order_of_rows() -> None:
    before, after = graded(gap=0.2, gap_alone=0.3), graded(gap=0.0, gap_alone=0.05)
    turned = ml.Outcomes(after.rows.reverse(), after.exam, after.settings)
    assert compare(before, after).table.equals(compare(before, turned).table)


def test_ranking_agrees_with_what_is_first() -> None:
    one = graded()
    table = {row["measure"]: row for row in ranking(one).iter_rows(named=True)}
    counts = one.counts()
    assert table["R@50"]["mean"] == pytest.approx(counts["in_pool"] / counts["n_answerable"])
    assert table["Success@1"]["mean"] == pytest.approx(
        one.rows.filter("answerable").select(
            (pl.col("pool").list.first().is_in(pl.col("gold"))).fill_null(False).mean()
        ).item()
    )  # fmt: skip
    nothing = ml.Exam(EXAM.questions.filter(~pl.col("answerable")), "none")
    assert ranking(ml.Outcomes(one.rows.filter(~pl.col("answerable")), nothing)).is_empty()


def test_differences_are_held_out_no_further_than_any_of_the_settings() -> None:
    before, after = graded(), graded(gap=0.2)
    tuned = ml.Outcomes(after.rows, after.exam, fitted_on(ml.Settings(gap=0.2), after.exam))
    assert before.standing().mark != "fitted"
    told = compare(before, {"tuned": tuned}).standing()
    assert told.mark == "fitted"
    assert "tuned: fitted" in str(told)
    assert compare(before, {"other": after}).standing() == before.standing()


def test_groups_that_are_none_are_refused() -> None:
    ids = EXAM.questions["question_id"].to_list()
    twice = pl.DataFrame({"question_id": [*ids, ids[0]], "group": "a"})
    for groups, problem in (
        (twice, "stands in it twice"),
        (twice.rename({"group": "g"}), "frame of"),
        ("a", "frame of"),
    ):
        with pytest.raises(InputError, match=problem):
            compare(graded(), graded(), groups=groups)  # type: ignore[arg-type]
    for bad in ({"seed": -1}, {"resamples": 0}):
        with pytest.raises(InputError, match="whole number"):
            compare(graded(), graded(), **bad)


def test_no_questions_make_no_difference() -> None:
    one = graded()
    nothing = ml.Outcomes(one.rows.clear(), ml.Exam(EXAM.questions.clear(), "none"), one.settings)
    assert compare(nothing, nothing).table["measure"].to_list() == ["risk"]
