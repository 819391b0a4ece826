"""Calibration with a guarantee: the split, the bound, the path, and the command."""

from __future__ import annotations

import json
import os
import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from test_cli import Run, lines
from tiny import NOW, lab_of, memories, questions, rule_sets, some, titles

import memlab as ml
from memlab.errors import InputError
from memlab.exam.certify import certified, enough, least, p_value, upper_bound
from memlab.exam.path import path
from memlab.rules import PRESETS

# The split ---------------------------------------------------------------------------------------

NODES = ("a", "b", "c", "d", "e")


@st.composite
def exams(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = []
    for number in range(draw(st.integers(2, 14))):
        gold = draw(st.lists(st.sampled_from(NODES), max_size=2, unique=True))
        talk = f"conversation:{draw(st.integers(1, 5))}"
        rows.append(
            {
                "id": f"q{number}",
                "question": draw(st.sampled_from(["what?", "who?", f"which {number}?"])),
                "gold": gold,
                "tags": [talk] if draw(st.integers(0, 4)) else [],
            }
        )
    return rows


def halves(rows: list[dict[str, Any]], **more: Any) -> Any:
    exam = ml.Exam.from_rows(rows)
    if str(more.get("by", "")).startswith("tag:") and not any(row["tags"] for row in rows):
        return None
    try:
        return ml.split(exam, **more)
    except InputError:
        # Everything hangs together.
        return None


@some
@given(exams(), st.sampled_from(["auto", "gold", "tag:conversation"]), st.floats(0.05, 0.95), st.integers(0, 5))
def test_every_question_is_on_one_side_and_neighbours_are_together(
    rows: list[dict[str, Any]], by: str, share: float, seed: int
) -> None:
    made = halves(rows, share=share, by=by, seed=seed)
    if made is None:
        return
    sides = [set(half.questions["question_id"]) for half in made[:2]]
    assert not sides[0] & sides[1]
    assert sides[0] | sides[1] == {row["id"] for row in rows}
    assert all(sides)
    for one, other in product(rows, rows):
        shared = set(one["gold"]) & set(other["gold"])
        if made.groups.by == "tag:conversation":
            shared |= set(one["tags"]) & set(other["tags"])
        elif one["question"] == other["question"]:
            shared.add(one["question"])
        assert not shared or (one["id"] in sides[0]) == (other["id"] in sides[0])


@some
@given(exams(), st.randoms(use_true_random=False), st.integers(0, 5))
def test_the_order_of_rows_does_not_matter(rows: list[dict[str, Any]], chance: random.Random, seed: int) -> None:
    made, again = halves(rows, seed=seed), halves(chance.sample(rows, len(rows)), seed=seed)
    assert (made is None) == (again is None)
    if made is not None:
        assert made.calibration.checksum == again.calibration.checksum
        assert made.report.checksum == again.report.checksum


def rows_of(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "question": f"what is {n}?", "gold": [f"n{n}"], **more} for n in range(count)]


def test_a_question_asked_again_does_not_stand_on_both_sides() -> None:
    rows: list[dict[str, Any]] = [
        {"id": f"q{n}", "question": ("Who pays?", "who pays")[n % 2], "tags": [f"talk:{n}"]} for n in range(2)
    ]
    rows += [{"id": f"o{n}", "question": f"other {n}", "tags": [f"talk:{n % 8}"]} for n in range(8)]
    for by in ("gold", "tag:talk"):
        for seed in range(8):
            sides = ml.split(ml.Exam.from_rows(rows), by=by, seed=seed).groups.rows
            assert sides.filter(pl.col("question_id").str.starts_with("q"))["side"].n_unique() == 1


def test_another_seed_gives_another_split_and_the_share_is_met() -> None:
    exam = ml.Exam.from_rows(rows_of(200))
    made = [ml.split(exam, 0.3, seed=seed).calibration for seed in range(3)]
    assert [len(half) for half in made] == [60, 60, 60]
    assert len({half.checksum for half in made}) == 3


def test_auto_takes_the_conversation_where_every_question_has_one() -> None:
    rows = [row | {"tags": [f"conversation:{n % 4}"]} for n, row in enumerate(rows_of(20))]
    made = ml.split(ml.Exam.from_rows(rows))
    assert (made.groups.by, made.groups.count("calibration"), made.groups.count("report")) == ("tag:conversation", 2, 2)
    assert "chosen by auto" in str(made.groups)
    assert ml.split(ml.Exam.from_rows([*rows, rows_of(21)[-1]])).groups.by == "gold"
    few = [row | {"tags": [f"conversation:{n % 3}"]} for n, row in enumerate(rows_of(20))]
    assert ml.split(ml.Exam.from_rows(few)).groups.by == "gold"


def test_nodes_of_one_document_stay_together() -> None:
    pieces = [{"id": f"p{n}", "document": f"d{n // 5}", "text": f"text {n}"} for n in range(20)]
    edges = [{"source": f"n{n + 1}", "type": "FROM", "target": f"p{n}"} for n in range(20)]
    store = lab_of(titles(*(f"Title {n}" for n in range(20))), pieces, edges, semantic=False).store
    rows = [row | {"gold": [f"n{n + 1}"]} for n, row in enumerate(rows_of(20))]
    groups = ml.split(ml.Exam.from_rows(rows), by="document", store=store).groups
    assert (groups.count("calibration"), groups.count("report")) == (2, 2)
    with pytest.raises(InputError, match="needs the store"):
        ml.split(ml.Exam.from_rows(rows), by="document")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"share": 0}, "share: must be more than 0"),
        ({"share": 1.0}, "share: must be more than 0"),
        ({"share": True}, "share: must be more than 0"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"by": "colour"}, "by: one of auto, gold, document, tag:PREFIX"),
        ({"by": "tag:"}, "by: one of auto"),
        ({"by": "tag:topic"}, "no question has a tag topic:…; there are lang"),
        ({"by": "tag:lang"}, "make 1 group by tag:lang, so a side would be empty"),
    ],
)
def test_a_split_that_cannot_be_is_refused(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ml.split(ml.Exam.from_rows(rows_of(8, tags=["lang:en"])), **more)


# The bound ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("risk", "confidence"), [(0.05, 0.9), (0.1, 0.9), (0.01, 0.95), (0.5, 0.5), (0.3, 0.2)])
def test_the_least_that_certifies_is_the_formula_s(risk: float, confidence: float) -> None:
    number = least(risk, confidence)
    assert number == max(1, int(np.ceil(np.log(1 - confidence) / np.log(1 - risk) - 1e-9)))
    for wrong in (0, 1, 5):
        number = least(risk, confidence, wrong)
        assert p_value(wrong, number, risk) <= 1 - confidence < p_value(wrong, number - 1, risk)


def test_forty_five_without_a_wrong_one_certify_and_forty_four_do_not() -> None:
    assert certified([(45, 0)], 0.05, 0.9) == (range(1), range(1))
    assert certified([(44, 0)], 0.05, 0.9) == (range(0), range(0))
    # mapie's controller would count two wrong here, as 77 · (1 - 76/77) is a little more than one.
    assert certified([(77, 1)], 0.05, 0.9)[1] == range(1)
    assert certified([(77, 2)], 0.05, 0.9) == (range(1), range(0))
    # Strict ones that can show nothing are passed over, and none after one that failed is tested.
    assert certified([(3, 0), (50, 0), (80, 1), (90, 9), (900, 1)], 0.05, 0.9) == (range(2, 4), range(2, 3))
    # Where one wrong can be borne only by looser settings than those in use, the test begins before.
    assert certified([(3, 0), (50, 0), (80, 9)], 0.05, 0.9, latest=1) == (range(1, 3), range(1, 2))


def test_the_bound_and_the_p_value_say_the_same() -> None:
    for resolved, wrong in ((44, 0), (45, 0), (76, 1), (77, 1), (200, 5), (200, 6)):
        assert (p_value(wrong, resolved, 0.05) <= 0.1) == (upper_bound(wrong, resolved, 0.9) <= 0.05)
    assert (p_value(0, 0, 0.05), upper_bound(0, 0, 0.9)) == (1.0, 1.0)


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.02, 0.04, 0.0499, 0.05, 0.2])
def test_so_many_would_do_at_the_rate_seen(rate: float) -> None:
    number = enough(rate, 0.05, 0.9)
    if rate >= 0.0499:
        assert number is None
        return
    assert number is not None
    assert p_value(int(rate * number), number, 0.05) <= 0.1
    # Far fewer would not do.
    assert p_value(int(np.ceil(rate * (number // 2))), number // 2, 0.05) > 0.1


# How often each level of settings comes to resolve a question, and how often that is wrong.
WORLDS = {
    "just above the target": ([0.1] * 8, [0.055] * 8),
    "rising": ([0.12, 0.03, 0.03, 0.05, 0.1, 0.2], [0.02, 0.04, 0.1, 0.12, 0.3, 0.5]),
    "falling again": ([0.1, 0.1, 0.2, 0.3], [0.06, 0.08, 0.05, 0.02]),
    "a bad start that is rare": ([0.02, 0.4], [0.9, 0.01]),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("questions", "latest"), [(150, None), (600, None), (600, 1)])
def test_the_true_risk_exceeds_the_target_as_seldom_as_promised(world: str, questions: int, latest: int | None) -> None:
    runs, risk, confidence = 1000, 0.05, 0.9
    shares, wrongs = (np.array(part) for part in WORLDS[world])
    true = np.cumsum(shares * wrongs) / np.cumsum(shares)
    chance = np.random.default_rng(20260101)
    drawn = chance.multinomial(questions, [*shares, 1 - shares.sum()], size=runs)[:, :-1]
    wrong = np.cumsum(chance.binomial(drawn, wrongs), axis=1)
    resolved = np.cumsum(drawn, axis=1)
    broken = 0
    for n, w in zip(resolved.tolist(), wrong.tolist(), strict=True):
        passed = certified(list(zip(n, w, strict=True)), risk, confidence, latest=latest)[1]
        broken += len(passed) > 0 and true[passed[-1]] > risk
    # Three standard errors above what is promised.
    assert broken <= binom.ppf(0.999, runs, 1 - confidence)
    if world == "just above the target":
        # And the test is no emptier than it has to be: exact bounds nearly use up what they may.
        assert broken > 0.02 * runs


# The path ----------------------------------------------------------------------------------------


@some
@given(memories(), questions(), rule_sets())
def test_each_step_of_a_path_resolves_all_that_the_stricter_one_does(
    memory: Any, asked: list[dict[str, Any]], rules: ml.Settings
) -> None:
    evidence = memory.lab().gather(asked)
    before: dict[str, str] = {}
    for step in path(rules)[::3]:
        decisions = ml.decide(evidence, step.settings).filter(pl.col("state") == "resolved")
        now = dict(decisions.select("question_id", "node_id").iter_rows())
        assert before.items() <= now.items()
        before = now


def test_a_path_moves_bars_and_nothing_else() -> None:
    base = ml.Settings(gap=0.04, gap_alone=10.0, gate=True, encoder="mine")
    steps = path(base)
    assert base in [step.settings for step in steps]
    for step in steps:
        assert step.settings.but(gap=base.gap, min_words=base.min_words) == base
    assert [step.settings.min_words for step in path(PRESETS["two_words"])] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert {step.settings.gate for step in path(ml.Settings())} == {False}


# Calibrating --------------------------------------------------------------------------------------

FIRST = ("red", "blue", "old", "tall", "round", "loud", "warm", "thin", "deep", "late")
SECOND = ("loom", "shuttle", "kiln", "ladder", "anchor", "lantern", "bridge", "orchard", "violin", "harbour")
NAMES = [f"{one} {two}" for one, two in product(FIRST, SECOND)]


def calibrated(right: int, wrong: int = 0, unanswerable: int = 0, **more: Any) -> ml.Calibration:
    """Questions that are titles, and so resolve: some with other gold, and some with none."""
    lab = lab_of(titles(*NAMES), semantic=False)
    golds = [[f"n{n + 1}"] for n in range(right)] + [["n100"]] * wrong + [[]] * unanswerable
    rows = [
        {"id": f"q{n}", "question": NAMES[n], "gold": gold, "written_by": "Ada", "as_of": "2026-01-01"}
        for n, gold in enumerate(golds)
    ]
    exam = ml.Exam.from_rows(rows).for_store(lab.store)
    return ml.calibrate(lab.gather(exam, now=NOW), exam, ml.Settings(fitted_by=("Bo",)), **more)


def test_forty_five_resolved_right_certify_five_percent() -> None:
    found = calibrated(45)
    assert found.certified
    assert (found.resolved, found.wrong, found.least) == (45, 0, 45)
    assert found.bound == pytest.approx(0.05, abs=0.001)
    assert found.settings is not None
    assert found.settings.fitted_by == ("Ada", "Bo")
    assert (found.settings.gate, found.settings.concept_gate) == (False, False)
    # Every step resolves the same: the strictest of them is taken.
    assert found.settings.min_words == 8
    assert found.table["certified"].all()


def test_forty_four_are_too_few_and_it_says_how_many_would_do() -> None:
    found = calibrated(44)
    assert (found.certified, found.settings) == (False, None)
    assert not found.table["tested"].any()
    assert (found.resolved_needed, found.questions_needed) == (45, 45)
    assert "45 resolved with none wrong are the least" in found.why()
    assert "about 45 such questions" in found.why()


def test_a_wrong_one_is_a_wrong_one_whether_it_had_an_answer_or_not() -> None:
    for found in (calibrated(45, wrong=1), calibrated(45, unanswerable=1)):
        assert (found.certified, found.resolved, found.wrong) == (False, 46, 1)
        assert "which may be luck" in found.why()
        assert found.resolved_needed is not None
        assert found.resolved_needed > 77
    assert calibrated(76, unanswerable=1).certified
    assert calibrated(80, wrong=9, risk=0.2).certified


def test_where_too_many_are_wrong_no_number_would_do() -> None:
    found = calibrated(45, wrong=5)
    assert (found.certified, found.resolved_needed) == (False, None)
    assert "too many are wrong" in found.why()
    assert "would not help" in found.why()
    nothing = ml.calibrate(*_unresolved())
    assert nothing.row is None
    assert "nothing resolved" in nothing.why()
    assert json.dumps(nothing.as_dict() | found.as_dict())


def _unresolved() -> tuple[ml.Evidence, ml.Exam]:
    lab = lab_of(titles("Loom"), semantic=False)
    exam = ml.Exam.from_rows([{"id": "q", "question": "velvet", "answerable": False}]).for_store(lab.store)
    return lab.gather(exam, now=NOW), exam


def test_a_path_of_one_s_own_goes_from_strict_to_loose() -> None:
    loose, strict = ml.Settings(), ml.Settings(whole_title=False, min_words=50)
    assert calibrated(50, candidates=[strict, loose]).settings is not None
    with pytest.raises(InputError, match="candidate 2 does not resolve"):
        calibrated(50, candidates=[loose, strict])
    with pytest.raises(InputError, match="one or more settings"):
        calibrated(50, candidates=[])


@pytest.mark.parametrize("value", [0, 1, -0.1, 5, float("nan"), True, "0.05", None])
def test_a_risk_and_a_confidence_are_shares(value: Any) -> None:
    for name in ("risk", "confidence"):
        with pytest.raises(InputError, match=f"{name}: must be more than 0 and less than 1"):
            calibrated(3, **{name: value})


def test_questions_that_were_not_gathered_are_refused() -> None:
    evidence, _ = _unresolved()
    other = ml.Exam.from_rows([{"id": "other", "question": "velvet", "answerable": False}])
    with pytest.raises(InputError, match="'other' was not gathered"):
        ml.calibrate(evidence, other)


# The command --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and its exam."""
    folder = tmp_path_factory.mktemp("tune")
    nodes = [{"id": f"n{n}", "kind": "Concept", "title": name} for n, name in enumerate(NAMES)]
    exam = [{"id": f"q{n}", "question": name, "gold": [f"n{n}"], "written_by": "Ada", "as_of": "2026-01-01"}
            for n, name in enumerate(NAMES)]  # fmt: skip
    (folder / "nodes.jsonl").write_text(lines(nodes), encoding="utf-8")
    (folder / "exam.jsonl").write_text(lines(exam), encoding="utf-8")
    ml.build_store(folder / "nodes.jsonl", folder / "a.store")
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    return Run(monkeypatch, capfd)


def test_tuning_writes_settings_that_open_and_reports_on_the_other_half(run: Run, made: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    code, out, err = run("tune", made / "a.store", made / "exam.jsonl", "--to", file)
    said = " ".join(out.split())
    assert (code, err) == (0, "")
    assert "certified: a risk of at most 5 % with 90 % confidence; 0 of 50 resolved were wrong" in said
    assert "on the 50 questions that were not calibrated on" in said
    assert "held-out questions of the same author" in said
    settings = ml.Settings.load(file)
    assert "Ada" in settings.fitted_by
    assert (settings.fitted[-1].exam, settings.fitted[-1].n) == (f"{made.name} (calibration)", 50)
    assert not settings.gate
    assert ml.Lab.open(made / "a.store", settings=file).settings == settings
    assert [f.name for f in tmp_path.iterdir()] == ["s.toml"]


def test_an_exam_that_is_too_small_leaves_the_file_as_it_was(run: Run, made: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text("gap = 0.5\n")
    code, out, _ = run("tune", made / "a.store", made / "exam.jsonl", "--risk", 0.01, "--to", file)
    said = " ".join(out.split())
    assert code == 1
    assert "not certified: the exam is too small: 230 resolved with none wrong are the least" in said
    assert "an exam of about 460 questions" in said
    assert "was not written" in said
    assert file.read_text() == "gap = 0.5\n"
    code, out, _ = run("tune", made / "a.store", made / "exam.jsonl", "--risk", 0.01, "--json")
    told = json.loads(out)
    assert (code, told["certified"], told["report"], told["least_resolved"]) == (1, False, None, 230)


def test_two_runs_print_the_same(run: Run, made: Path) -> None:
    named = ("--seed", 3, "--share", 0.6, "--as-of", "2026-01-01")
    asked = ("tune", made / "a.store", made / "exam.jsonl", "--json", *named)
    first = run(*asked)
    assert first == run(*asked)
    told = json.loads(first[1])
    assert (told["questions"], told["split"]["report"]["questions"], told["report"]["n_answerable"]) == (60, 40, 40)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--risk", 0), "risk: must be more than 0"),
        (("--confidence", 1), "confidence: must be more than 0"),
        (("--share", 1.5), "share: must be more than 0"),
        (("--seed", -1), "seed: must be a whole number"),
        (("--group", "colour"), "one of auto, gold, document, tag:PREFIX"),
        (("--group", "tag:topic"), "no question has a tag topic:"),
        (("--to", "nowhere/s.toml"), "nowhere/s.toml cannot be written"),
        (("--as-of", "soon"), "soon"),
    ],
)
def test_bad_input_is_one_line_and_status_two(run: Run, made: Path, more: tuple[object, ...], problem: str) -> None:
    code, out, err = run("tune", made / "a.store", made / "exam.jsonl", *more)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


REAL = os.environ.get("MEMLAB_REAL_DATA")


@pytest.mark.skipif(not REAL, reason="MEMLAB_REAL_DATA does not say where the real data lies")
def test_the_faq_exam_certifies_ten_percent_and_is_too_small_for_five(tmp_path: Path) -> None:
    data = Path(str(REAL)) / "python_faq_ko"
    ml.build_store(data / "nodes.jsonl", tmp_path / "a.store")
    ten = ml.tune(tmp_path / "a.store", data / "exam.jsonl", risk=0.1)
    assert ten.calibration.certified
    assert ten.outcomes is not None
    assert ten.outcomes.risk is not None
    assert ten.outcomes.risk <= 0.1
    assert any("no longer held out" in note for note in ten.notes())
    five = ml.tune(tmp_path / "a.store", data / "exam.jsonl", risk=0.05)
    assert not five.calibration.certified
    assert five.outcomes is None
    with pytest.raises(InputError, match="nothing was certified"):
        five.save(tmp_path / "s.toml")
    assert not (tmp_path / "s.toml").exists()


@pytest.mark.parametrize("share", [5e-324, 1e-17, 1 - 1e-16])
def test_a_share_that_no_exam_could_show_is_refused(share: float) -> None:
    exam = ml.Exam.from_rows([{"id": "q", "question": "loom", "gold": ["n1"]}])
    evidence = lab_of(titles("loom")).gather(exam, now=NOW)
    for name in ("risk", "confidence"):
        with pytest.raises(InputError, match=f"{name}: must be more than 0"):
            ml.calibrate(evidence, exam, **{name: share})
    assert least(1e-9, 0.9) == 2302585092
    with pytest.raises(InputError, match="give one or more settings"):
        ml.calibrate(evidence, exam, candidates=[3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="one of auto"):
        ml.split(exam, by=None)  # type: ignore[arg-type]
