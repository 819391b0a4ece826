"""Sampling and labelling by hand: a sitting over a log, its widget, and the exam that comes of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ipywidgets import HTML
from tiny import NOW, OVER, lab_of, node

import memlab as ml
from memlab.errors import InputError
from memlab.exam import Labelling, sample_questions
from memlab.log import DecisionLog
from memlab.widgets import LabellingWidget

NODES = [
    node("loom", "Loom", aliases=["베틀"]), node("warp", "Warp beam", "Record"), node("weft", "Weft beam", "Record"),
    node("old", "Shuttle <b>", "Decision", **OVER),
    node("night", "The night of the loom", "Episode", summary="Velvet & <i>silk</i> were woven."),
]  # fmt: skip
ASKED: list[dict[str, Any]] = [
    {"id": "a", "question": "what is a loom?", "lang": "en"},
    {"id": "b", "question": "beam <script>", "lang": "en", "gold": ["weft"]},
    {"id": "c", "question": "베틀이 뭐야?", "lang": "ko"},
    {"id": "d", "question": "shuttle", "as_of": "2015-01-01"},
]


@pytest.fixture(scope="module")
def lab() -> ml.Lab:
    return lab_of(NODES)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "labels.jsonl"


def sitting(lab: ml.Lab, log: Path, by: str = "Ada", **more: Any) -> Labelling:
    return Labelling(lab, ASKED, log, by=by, **{"now": NOW, **more})


def at(session: Labelling) -> str | None:
    return None if session.current is None else session.current.question_id


# Sampling -----------------------------------------------------------------------------------------

rows = st.lists(
    st.fixed_dictionaries({"lang": st.sampled_from(["en", "ko", ""]), "state": st.sampled_from(["choose", "none"])}),
    min_size=6, max_size=40,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(rows, st.integers(0, 5), st.integers(6, 40), st.booleans(), st.randoms())
def test_a_sample_can_be_weighted_back_and_no_row_order_changes_it(
    rows: list[dict[str, Any]], seed: int, n: int, equal: bool, random: Any
) -> None:
    asked = [{"id": f"q{at}", "question": f"x{at}", **row} for at, row in enumerate(rows)]
    n = min(n, len(asked))
    sample = sample_questions(asked, n, seed=seed, by=("state", "lang"), equal=equal)
    assert sample.height == n
    assert sample["question_id"].is_unique().all()
    assert sample["weight"].sum() == pytest.approx(len(asked))
    full = pl.DataFrame(asked).group_by("state", "lang").len()
    assert sample.select("state", "lang").unique().height == full.height
    for size, drawn in sample.select("stratum_size", "stratum_sampled").rows():
        assert 1 <= drawn <= size
    turned = random.sample(asked, len(asked))
    assert sample_questions(turned, n, seed=seed, by=("state", "lang"), equal=equal).equals(sample)


def test_strata_come_by_size_or_equal() -> None:
    asked = [{"id": f"q{at}", "question": "x", "lang": "ko" if at < 4 else "en"} for at in range(40)]
    drawn = {
        equal: dict(sample_questions(asked, 10, seed=1, by=("lang",), equal=equal).group_by("lang").len().iter_rows())
        for equal in (False, True)
    }
    assert drawn == {False: {"ko": 1, "en": 9}, True: {"ko": 4, "en": 6}}


def test_the_strata_of_decisions_and_of_a_log_are_the_same(lab: ml.Lab, log: Path) -> None:
    decisions = ml.decide(lab.gather(ASKED, now=NOW), lab.settings)
    ml.Resolver.of(lab, log=log).resolve_many(ASKED, now=NOW)
    by = ("state", "reason", "lang")
    told = [sample_questions(source, 4, seed=3, by=by, decisions=made)
            for source, made in ((ASKED, decisions), (log, None))]  # fmt: skip
    assert told[0].drop("as_of", "include_retired").equals(told[1].drop("as_of", "include_retired"))
    assert set(told[0]["state"]) >= {"resolved", "choose"}
    assert told[1]["as_of"].null_count() == 0


def test_questions_of_every_sort_of_file_are_sampled(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("what is a loom?\n\n베틀이 뭐야?\n", encoding="utf-8")
    (tmp_path / "q.csv").write_text("question,lang\nwhat is a loom?,en\n베틀이 뭐야?,ko\n", encoding="utf-8")
    frames = [sample_questions(tmp_path / name, 2, seed=1) for name in ("q.txt", "q.csv")]
    assert set(frames[0]["question"]) == {"what is a loom?", "베틀이 뭐야?"}
    # An id made of the question is the same from whichever file it came.
    assert frames[0]["question_id"].to_list() == frames[1]["question_id"].to_list()
    exam = ml.Exam.from_rows([{"id": "a", "question": "x", "gold": ["n"]}])
    assert "gold" not in sample_questions(exam, 1, seed=1).columns


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"n": 5}, "n: must be a whole number from 1 to 4"),
        ({"n": 1, "by": ("lang",)}, "n: 3 strata need a question each, and n is 1"),
        ({"n": 4, "by": ("mood",)}, "by: the questions have no 'mood', but: lang"),
    ],
)
def test_a_sample_that_cannot_be_is_refused(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        sample_questions(ASKED, seed=1, **arguments)
    with pytest.raises(InputError, match="questions: there are none"):
        sample_questions([], 1, seed=1)
    with pytest.raises(InputError, match="'x' stands twice"):
        sample_questions([{"question": "x"}, {"question": "x"}], 1, seed=1)


# The sitting --------------------------------------------------------------------------------------


def test_every_question_is_asked_once_and_what_is_skipped_comes_back(lab: ml.Lab, log: Path) -> None:
    session = sitting(lab, log)
    assert (at(session), session.done, session.total) == ("a", 0, 4)
    session.pick("loom", now=NOW)
    session.skip(now=NOW)
    assert (at(session), session.skipped) == ("c", 1)
    session.none(now=NOW)
    session.pick("old", now=NOW)
    assert (at(session), session.done) == ("b", 3)
    session.skip(now=NOW)
    assert at(session) == "b"
    session.pick("warp", now=NOW)
    assert (session.current, session.done, session.skipped) == (None, 4, 0)
    with pytest.raises(InputError, match="every question of this sample is judged"):
        session.none(now=NOW)
    exam = session.exam()
    assert exam.questions.sort("question_id").select("question_id", "gold", "answerable", "written_by").rows() == [
        ("a", ["loom"], True, "Ada"), ("b", ["warp"], True, "Ada"),
        ("c", [], False, "Ada"), ("d", ["old"], True, "Ada"),
    ]  # fmt: skip
    assert dict(exam.questions.select("question_id", "as_of").iter_rows())["d"] == datetime(2015, 1, 1, tzinfo=UTC)
    said = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [e["line"] for e in said].count("decision") == 4
    assert {e["chosen_at"] for e in said if e["line"] in ("choice", "skip")} == {NOW.isoformat()}


def test_it_goes_on_where_this_labeller_stopped(lab: ml.Lab, log: Path) -> None:
    first = sitting(lab, log)
    first.skip(now=NOW)
    first.pick("warp", now=NOW)
    again = sitting(lab, log, now=datetime(2030, 1, 1, tzinfo=UTC))
    assert (at(again), again.done, again.skipped) == ("c", 1, 1)
    assert again.current is not None
    assert again.current.as_of == NOW  # as it was asked at first
    other = sitting(lab, log, by="김서연")
    assert (at(other), other.done) == ("a", 0)
    other.pick("weft")
    lines = [json.loads(line)["line"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert lines.count("decision") == 4
    again.none()
    again.none()
    assert at(again) == "a"


def test_going_back_the_last_pick_counts(lab: ml.Lab, log: Path) -> None:
    session = sitting(lab, log)
    assert not session.can_go_back
    session.back()
    session.pick("warp")
    session.pick("weft")
    session.back()
    session.back()
    assert session.current is not None
    assert (at(session), session.current.judged, session.current.picked) == ("a", True, "warp")
    session.skip()  # leaves it as it was
    assert (at(session), session.done) == ("c", 2)
    session.back()
    assert at(session) == "b"
    session.pick("loom")
    assert (at(session), session.done) == ("c", 2)
    assert dict(session.exam().questions.select("question_id", "gold").iter_rows()) == {"a": ["warp"], "b": ["loom"]}


def test_blind_order_says_nothing_of_the_rules(lab: ml.Lab, log: Path) -> None:
    blind, open_ = sitting(lab, log), sitting(lab, log, blind=False)
    orders = {b: [] for b in (True, False)}
    while blind.current is not None and open_.current is not None:
        for session, shown in ((blind, True), (open_, False)):
            assert session.current is not None
            orders[shown].append([o.node for o in session.current.options])
            assert (session.current.state is None) == shown
        for session in (blind, open_):
            session.none()
    store = lab.store.nodes["id"].to_list()
    assert all(order == sorted(order, key=store.index) for order in orders[True])
    assert [sorted(order) for order in orders[True]] == [sorted(order) for order in orders[False]]
    assert orders[True] != orders[False]
    first = dict(ml.decide(lab.gather(ASKED, now=NOW), lab.settings).select("question_id", "first").iter_rows())
    assert [order[0] for order in orders[False]] == list(first.values())


def test_hidden_candidates_are_shown_with_what_they_are(lab: ml.Lab, log: Path) -> None:
    session = Labelling(lab, [{"id": "x", "question": "shuttle"}], log, by="Ada", now=NOW)
    assert session.current is not None
    assert ("old", "retired") in [(o.node, o.validity) for o in session.current.options]


def test_any_node_is_found_by_words_of_its_names_or_its_id(lab: ml.Lab, log: Path) -> None:
    session = sitting(lab, log)
    assert [o.node for o in session.find("LOOM")] == ["loom", "night"]
    assert [o.node for o in session.find("loom night")] == ["night"]
    assert [o.node for o in session.find("베틀")] == ["loom"]
    assert [o.node for o in session.find(" weft ")] == ["weft"]
    assert session.find("  ") == session.find("velvet") == []  # a summary is never matched


def test_what_is_wrong_is_refused_and_nothing_is_logged(lab: ml.Lab, log: Path) -> None:
    with pytest.raises(InputError, match="by: give the labeller's name"):
        sitting(lab, log, by=" ")
    session = sitting(lab, log)
    before = log.read_bytes()
    with pytest.raises(InputError, match="'zz' is no node"):
        session.pick("zz")
    assert (at(session), log.read_bytes()) == ("a", before)
    for changed in ({"question": "another"}, {"as_of": "1999-01-01"}):
        with pytest.raises(InputError, match="'a' was another question, or asked at another instant"):
            Labelling(lab, [ASKED[0] | changed], log, by="Ada", now=NOW)


def test_a_line_that_a_crash_cut_short_stops_nobody(lab: ml.Lab, log: Path) -> None:
    session = sitting(lab, log)
    session.pick("loom")
    for cut in (b'{"line": "choice", "question_id": "b", "node": "\xeb\xb2', b"{"):
        log.write_bytes(log.read_bytes() + cut)
        at_ = len(log.read_bytes().split(b"\n"))
        assert f"line {at_} was cut short and is left out" in session.exam().notes
        assert session.exam().questions["question_id"].to_list() == ["a"]
        if cut == b"{":
            continue
        # What is written afterwards is read, too.
        sitting(lab, log).pick("warp")
        assert sitting(lab, log).done == 2
        assert len(session.exam()) == 2
        log.write_bytes(log.read_bytes().rpartition(b'{"line": "choice"')[0])


# The widget ---------------------------------------------------------------------------------------


def widget_of(lab: ml.Lab, log: Path, **more: Any) -> LabellingWidget:
    return LabellingWidget(sitting(lab, log, **more), now=lambda: NOW)


def picks_of(lab: ml.Lab, log: Path) -> dict[str, str | None]:
    del lab
    said = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return {e["question_id"]: e["node"] for e in said if e["line"] == "choice"}


def html(widget: Any) -> str:
    """All HTML of a widget and what is in it."""
    own = widget.value if isinstance(widget, HTML) else ""
    return own + "".join(html(child) for child in getattr(widget, "children", ()))


def test_buttons_judge_and_the_log_holds_it(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    assert "0 of 4 judged · as Ada" in widget.progress.value
    assert "what is a loom?" in widget.question.value
    assert widget.back.disabled
    assert "<b>1</b> · Concept · loom" in html(widget.options)
    next(b for b in widget.picks if b.tooltip == "loom").click()
    widget.skip.click()
    widget.none.click()
    assert "2 of 4 judged · 1 skipped" in widget.progress.value
    widget.back.click()
    assert "judged before" in widget.question.value
    assert widget.none.button_style == "info"
    widget.skip.click()
    assert picks_of(lab, log) == {"a": "loom", "c": None}
    for _ in range(2):
        widget.none.click()
    assert "All 4 questions are judged" in widget.question.value
    assert widget.none.disabled
    assert widget.skip.disabled
    assert not widget.back.disabled
    widget.back.click()
    assert "beam" in widget.question.value


def test_a_node_that_is_no_candidate_is_found_and_picked(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    widget.find.value = "weft"
    assert [b.tooltip for b in widget.others] == ["weft"]
    widget.find.value = "weft zz"
    assert widget.others == []
    assert "no such node" in html(widget.found)
    widget.find.value = "weft"
    widget.others[0].click()
    assert (picks_of(lab, log), widget.find.value, widget.others) == ({"a": "weft"}, "", [])


def test_what_a_title_or_a_question_holds_is_text(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    widget.none.click()
    assert "beam &lt;script&gt;" in widget.question.value
    for text in ("shuttle", "night"):
        widget.find.value = text
        assert "<i>silk" not in html(widget)
    assert "Velvet &amp; &lt;i&gt;silk&lt;/i&gt;" in html(widget.found)
    assert "Episode · night" in html(widget.found)


def test_a_late_click_is_not_for_the_next_question(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    old, none = widget.picks[0], widget.none
    old.click()
    for late in (old, none):
        late.click()
    assert set(picks_of(lab, log)) == {"a"}


def test_keys_do_what_the_buttons_do(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    first = widget.picks[0].tooltip

    def press(key: str, task: str) -> None:
        widget.keyboard.hear(widget.keyboard, {"key": key, "task": task}, [])

    press("1", "b")  # late
    press("b", "a")  # nowhere to go back to
    assert picks_of(lab, log) == {}
    press("1", "a")
    press("s", "b")
    press("n", "c")
    press("b", "d")
    assert picks_of(lab, log) == {"a": first, "c": None}
    assert widget.session.current is not None
    assert widget.session.current.question_id == "c"


def test_a_fault_is_shown_and_the_question_stays(lab: ml.Lab, log: Path) -> None:
    widget = widget_of(lab, log)
    log.unlink()
    log.mkdir()
    widget.none.click()
    assert "memlab-error" in widget.error.value
    assert "what is a loom?" in widget.question.value
    log.rmdir()
    widget.skip.click()
    assert widget.error.value == ""


def test_what_the_rules_say_is_shown_where_it_is_asked_for(lab: ml.Lab, log: Path) -> None:
    assert "resolved: " in widget_of(lab, log, blind=False).question.value
    assert "resolved" not in html(widget_of(lab, log))


def test_how_far_two_labellers_agree(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "two.jsonl")
    said = {"q1": ("a", "a"), "q2": ("a", "b"), "q3": (None, None), "q4": ("b", None), "q5": ("b", "b")}
    for name, (ada, bo) in said.items():
        log.append([
            {"line": "decision", "question_id": name, "question": name, "as_of": NOW.isoformat(), "state": "choose"},
            {"line": "choice", "question_id": name, "node": ada, "by": "Ada"},
            {"line": "choice", "question_id": name, "node": bo, "by": "Bo"},
        ])  # fmt: skip
    row = ml.agreement(tmp_path / "two.jsonl").row(0, named=True)
    assert (row["one"], row["other"], row["both"], row["agreed"]) == ("Ada", "Bo", 5, 3)
    # Chance: a 2/5·1/5, b 2/5·2/5, none 1/5·2/5.
    chance = (2 * 1 + 2 * 2 + 1 * 2) / 25
    assert row["kappa"] == pytest.approx((3 / 5 - chance) / (1 - chance))
    with pytest.raises(InputError, match="no log"):
        ml.agreement(tmp_path / "none.jsonl")
