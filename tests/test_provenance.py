"""Whose questions, and who chose the thresholds: what is fitted, same author or held out."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import memlab as ml
from memlab.errors import InputError
from memlab.exam import fitted_on, standing
from memlab.exam.provenance import fingerprints, marks, pack, unpack
from memlab.rules import Fitted, settings_for, shipped


def exam(*questions: str, by: str = "ann", name: str = "mine") -> ml.Exam:
    return ml.Exam.from_rows(
        [{"id": f"q{n}", "question": text, "gold": ["a"], "written_by": by} for n, text in enumerate(questions)],
        name=name,
    )


MINE = exam("How do we deploy?", "Who signed the lease?")


def test_questions_that_thresholds_were_chosen_on_are_fitted_whoever_is_said_to_have_written_them() -> None:
    settings = fitted_on(ml.Settings(gap=0.1), MINE)
    assert standing(MINE, settings).mark == "fitted"
    # The same words by another name, in capitals and other spaces.
    copied = exam("HOW do  we deploy?", "Another one", by="bob")
    assert marks(copied, settings).to_list() == ["fitted", "held out"]
    assert standing(copied, settings).mark == "fitted"


def test_other_questions_of_an_author_are_same_author_and_those_of_others_held_out() -> None:
    settings = fitted_on(ml.Settings(), MINE)
    assert standing(exam("Something else"), settings).mark == "same author"
    held = standing(exam("Something else", by="bob"), settings)
    assert (held.mark, held.has_last_word) == ("held out", True)
    assert not standing(exam("Something else"), settings).has_last_word
    # A log joins those who picked.
    assert standing(exam("Something else", by="bob, ann"), settings).mark == "same author"


def test_nobodys_questions_have_no_last_word() -> None:
    told = standing(exam("Something else", by="unknown"), fitted_on(ml.Settings(), MINE))
    assert told.mark == "same author"
    assert "nobody says who wrote" in str(told)


def test_the_exams_that_the_package_was_looked_at_on_are_never_held_out() -> None:
    sample = ml.Exam.read(ml.sample_exam())
    for settings in (None, ml.Settings(), settings_for("embedded"), settings_for("somebody/else")):
        assert standing(sample, settings).mark == "fitted"
    assert standing(exam("Anything new", by="memlab-authors")).mark == "same author"


REAL = os.environ.get("MEMLAB_REAL_DATA")


@pytest.mark.skipif(not REAL, reason="MEMLAB_REAL_DATA does not say where the real data lies")
def test_the_shipped_fingerprints_are_those_of_the_exams() -> None:
    data = Path(str(REAL))
    for path in ("python_faq_ko/exam.jsonl", "locomo/locomo.json", "pep_exam/exam.jsonl", "off_topic/exam.jsonl"):
        read = ml.Exam.read(data / path)
        record = next(one for one in shipped().values() if one.checksum == read.checksum)
        assert (record.n, unpack(record.questions)) == (len(read), frozenset(fingerprints(read.questions["question"])))


def test_settings_carry_what_they_were_fitted_on_through_a_file(tmp_path: Path) -> None:
    settings = fitted_on(ml.Settings(gap=0.1), MINE, ("gap",))
    settings.save(tmp_path / "s.toml")
    back = ml.Settings.load(tmp_path / "s.toml")
    assert back == settings
    assert back.fitted[0] == Fitted("mine", MINE.checksum, ("ann",), 2, ("gap",), back.fitted[0].questions)
    assert back.fitted_by == ("ann",)
    held = tomllib.loads((tmp_path / "s.toml").read_text(encoding="utf-8"))
    assert held["fitted"][0]["exam"] == "mine"
    # The same record twice is one record.
    assert fitted_on(settings, MINE, ("gap",)).fitted == settings.fitted


@pytest.mark.parametrize(
    ("value", "problem"),
    [("mine", "list of tables"), ([{"authors": ["ann"]}], "name the exam"), ([{"exam": "a", "n": -1}], "whole number"),
     ([{"exam": "a", "authors": "ann"}], "list of texts"), ([{"exam": "a", "hue": 1}], "no such setting")],
)  # fmt: skip
def test_a_damaged_record_is_refused_by_field(value: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ml.Settings.from_dict({"fitted": value})


def test_a_gate_stays_off_until_it_is_turned_on_by_name_and_is_then_told() -> None:
    assert not any(one.gate or one.concept_gate for one in (*ml.PRESETS.values(), settings_for("embedded")))
    # What was looked at for a gate alone does not touch figures without it.
    looked = fitted_on(ml.Settings(), MINE, ("gate",)).but(fitted_by=())
    assert "ann" in looked.gate_by
    fresh = exam("How do we deploy?", by="bob")
    assert standing(fresh, looked.but(fitted=tuple(one for one in looked.fitted))).mark == "held out"
    turned_on = standing(fresh, looked.but(gate=True))
    assert turned_on.mark == "fitted"
    assert "turned on by name" in str(turned_on)


def test_packed_fingerprints_read_back_and_damage_is_none() -> None:
    prints = fingerprints(["a", "b", "a"])
    assert unpack(pack(prints)) == frozenset(prints)
    assert unpack("not base64!") == frozenset()


def test_an_exam_by_several_is_counted_by_mark() -> None:
    both = ml.Exam.from_rows([
        {"id": "a", "question": "How do we deploy?", "gold": ["a"], "written_by": "ann"},
        {"id": "b", "question": "Another of ann's", "gold": ["a"], "written_by": "ann"},
        {"id": "c", "question": "One of bob's", "gold": ["a"], "written_by": "bob"},
    ])  # fmt: skip
    told = standing(both, fitted_on(ml.Settings(), MINE))
    assert told.counts == {"held out": 1, "same author": 1, "fitted": 1}
    assert isinstance(marks(both, None), pl.Series)


@pytest.mark.parametrize(
    "text",
    [
        "how do we deploy",
        "How do we deploy ?!",
        "“How do we deploy?”",
        "How do\u00a0we de\u200bploy…",
        "How do we, deploy.",
    ],
)
def test_a_question_is_known_again_however_it_is_punctuated(text: str) -> None:
    assert standing(exam(text, by="bob"), fitted_on(ml.Settings(), MINE)).mark == "fitted"


def test_a_question_of_signs_alone_is_known_by_them() -> None:
    settings = fitted_on(ml.Settings(), exam("?!"))
    assert marks(exam("?!", "??", by="bob"), settings).to_list() == ["fitted", "held out"]


@pytest.mark.parametrize(
    "by", ["Ann", " ann ", "ＡＮＮ", "bob; ann", "bob and Ann", "bob & ann", "ann\u200b", "Ann,", "ann  "]
)
def test_an_author_is_known_again_however_the_name_is_written(by: str) -> None:
    assert standing(exam("Something else", by=by), fitted_on(ml.Settings(), MINE)).mark == "same author"


@pytest.mark.parametrize("by", ["Unknown", ",", " ", "bob, unknown"])
def test_whoever_may_be_anybody_is_no_other_author(by: str) -> None:
    assert standing(exam("Something else", by=by), fitted_on(ml.Settings(), MINE)).mark == "same author"


def test_a_name_that_holds_the_word_and_is_one_name() -> None:
    assert standing(exam("Something else", by="brand"), fitted_on(ml.Settings(), exam("x", by="br"))).mark == "held out"


@pytest.mark.parametrize("questions", ["not base64!", "AAAA", "AAAAAAA"])
def test_damaged_fingerprints_are_refused_rather_than_read_as_none(questions: str) -> None:
    with pytest.raises(InputError, match=r"fitted questions: damaged"):
        ml.Settings.from_dict({"fitted": [{"exam": "mine", "authors": ["ann"], "questions": questions}]})


def test_fingerprints_that_are_gone_leave_nothing_held_out() -> None:
    settings = fitted_on(ml.Settings(), MINE)
    gone = settings.but(fitted=tuple(replace(one, questions="") for one in settings.fitted))
    # The exam itself is still known by its checksum.
    assert standing(MINE, gone).mark == "fitted"
    told = standing(exam("Something else", by="bob"), gone)
    assert told.mark == "same author"
    assert "do not say which questions of 'mine'" in str(told)
    # Those that the package ships are looked up in it.
    assert standing(exam("Something else", by="bob"), settings_for("embedded")).mark == "held out"


def test_figures_by_settings_that_nobody_names_say_so() -> None:
    assert "nobody says by which settings" in str(standing(exam("Something else", by="bob")))
