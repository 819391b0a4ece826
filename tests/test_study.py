"""The chapter's experiments on a small store: what each counts, what it concludes, and the report that tells it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from tiny import NOW, OVER, lab_of, memories, node, questions, some

import memlab as ml
from memlab.charts.study import draw
from memlab.errors import InputError, MemlabError
from memlab.exam.study import CLAIMS, EXPERIMENTS, Finding, Study, study
from memlab.exam.study.rows import kept
from memlab.reporting.folder import replace_folder
from memlab.reporting.study import _places, as_csv, study_charts, study_tables

THINGS = ("loom", "shuttle", "warp beam", "heddle", "treadle", "reed", "bobbin", "spindle", "distaff", "carder")
KINDS = ("Concept", "Record", "Decision", "Episode")


def rows() -> Iterator[dict[str, Any]]:
    for number, thing in enumerate(THINGS):
        yield node(f"c{number}", thing, "Concept")
        yield node(f"r{number}", f"the {thing} of room {200 + number} was mended with oak by the whole guild", "Record")
        yield node(f"d{number}", f"Buy another {thing} for the workshop", "Decision")
        yield node(f"e{number}", f"The {thing} broke in spring", "Episode")
    yield node("k", "베틀 수리", "Decision")
    yield node("old", "Sell the loom", "Decision", **OVER)
    yield node("new", "Sell the loom now", "Decision")


def asked() -> Iterator[dict[str, Any]]:
    ask = {"Concept": "what is a {}", "Record": "room {1} {0} mended oak", "Decision": "buy another {}",
           "Episode": "{} broke in spring"}  # fmt: skip
    for number, thing in enumerate(THINGS):
        for kind, words in ask.items():
            yield {"id": f"{kind[0].lower()}{number}", "question": words.format(thing, 200 + number), "lang": "en",
                   "gold": [f"{kind[0].lower()}{number}"], "written_by": "Ada"}  # fmt: skip
    for number in range(12):
        yield {
            "id": f"ko{number}",
            "question": f"베틀 {number}",
            "lang": "ko",
            "gold": [f"c{number % 10}"],
            "written_by": "Bo",
        }
    for number, tag in enumerate(("near-miss", "off-subject", "gold_removed", "Off Topic", "hard")):
        yield {"id": f"u{number}", "question": f"sell the {THINGS[number]} to Ruby", "gold": [], "written_by": "Bo",
               "tags": [tag]}  # fmt: skip


@cache
def small() -> ml.Lab:
    pieces = [
        {"id": f"p{n}", "text": f"A note on the {thing}", "mentions": [f"c{n}"]} for n, thing in enumerate(THINGS)
    ]
    return lab_of(rows(), pieces)


@cache
def made() -> Study:
    off = ml.Exam.from_rows(
        [{"id": f"o{n}", "question": f"tax law {n}", "gold": [], "written_by": "Cy"} for n in range(6)]
    )
    exam = ml.Exam.from_rows(asked(), name="길쌈 <b>")
    return study(
        small(), exam, now=NOW, encoders=["none"], off_subject=off, others={"two words": ml.PRESETS["two_words"]}
    )


def table(name: str, part: str = "") -> pl.DataFrame:
    return made().findings[name].tables[part or name]


def test_every_claim_of_the_chapter_has_an_experiment_and_every_finding_a_verdict() -> None:
    assert set(CLAIMS) == set(EXPERIMENTS) == set(made().findings)
    for name, one in made().findings.items():
        assert one.verdict in ("holds", "does not hold", "cannot be told"), name
        assert one.here.endswith("."), name
        assert one.claim.chapter != one.here


def test_a_deeper_pool_never_holds_less() -> None:
    for _, part in table("depth").group_by("arms"):
        counts = part.sort("depth")["count"].to_list()
        assert counts == sorted(counts)
    whole = table("depth").filter(pl.col("arms") == "all arms", pl.col("times") == 1.0)["count"][0]
    assert whole == table("arms", "sets").filter(pl.any_horizontal("title", "graph", "semantic"))["count"].sum()


def test_sets_of_arms_add_up_to_the_answerable_questions() -> None:
    counts = made().bench.outcomes.counts()
    assert table("arms", "sets")["count"].sum() == counts["n_answerable"]
    for row in table("arms", "arms").iter_rows(named=True):
        assert row["count"] >= row["only_by_it"]
        assert row["only_by_it"] + row["without_it"] <= counts["n_answerable"]


def test_without_episodes_their_questions_have_no_gold_in_the_pool() -> None:
    out = table("kinds").filter(pl.col("gold_kind") == "Episode", pl.col("episodes") == "out")
    assert out["count"].sum() == 0
    inside = table("kinds").filter(pl.col("gold_kind") == "Episode", pl.col("episodes") == "in")
    assert inside["count"].sum() > 0


@some
@given(memories(), questions())
def test_keeping_every_candidate_changes_nothing(memory: Any, asked_of: Any) -> None:
    lab = memory.lab()
    evidence = lab.gather(asked_of)
    again = kept(evidence, pl.lit(True))
    for name in evidence.frame.columns:
        assert evidence.frame[name].equals(again.frame[name]), name


def test_a_node_that_is_left_alone_keeps_the_gap_to_the_background() -> None:
    lab = lab_of([node("a", "loom shuttle"), node("e", "loom shuttles of spring", "Episode")])
    row = {"question_id": "q", "question": "loom", "as_of": NOW}
    left = kept(lab.gather([row]), pl.col("node_id") == "a").frame["semantic_gap"].to_list()
    similarity = lab.gather([row]).frame.filter(pl.col("node_id") == "a")["semantic_similarity"][0]
    assert left == [round(max(0.0, similarity - lab.indexes.vectors[0].background), 6)]


@some
@given(memories(), questions())
def test_keeping_some_is_as_if_the_others_had_not_been_put_forward(memory: Any, asked_of: Any) -> None:
    """Similarity and ranks of what is left agree with an order taken anew."""
    part = kept(memory.lab().gather(asked_of), pl.col("kind").cast(pl.String) != "Episode").frame
    for _, rows_ in part.group_by("question_id"):
        found = rows_.filter(pl.col("semantic_rank").is_not_null()).sort("semantic_similarity", descending=True)
        if found.height:
            assert found["semantic_rank"][0] == 1
            best = found["semantic_similarity"]
            second = best[1] if found.height > 1 else -1.0
            assert (
                part.filter(pl.col("question_id") == rows_["question_id"][0])["semantic_gap"][0]
                <= best[0] - second + 1e-6
            )


def test_auc_is_that_of_a_library_and_the_classes_are_counted() -> None:
    from sklearn.metrics import roc_auc_score

    firsts = table("signals", "questions")
    for row in table("signals").iter_rows(named=True):
        right = (firsts["class"].cast(pl.String) == "first is right").to_numpy()
        assert row["auc"] == pytest.approx(roc_auc_score(right, firsts[row["signal"]].to_numpy()))
        assert row["low"] <= row["auc"] <= row["high"]
        assert 0 <= row["overlap"] <= 1
        assert row["right"] + row["not_right"] == firsts.height


def test_titles_are_counted_in_words_by_kind() -> None:
    medians = dict(table("titles", "lengths").select("kind", "median").iter_rows())
    assert medians["Record"] > medians["Episode"] > medians["Concept"]
    won = table("titles", "won")
    assert won["count"].sum() == made().bench.outcomes.counts()["n_answerable"]


def test_the_cells_of_the_factorial_are_what_the_plain_rule_does_and_effects_their_differences() -> None:
    cells = {(row["bar"], row["order"], row["gap"]): row for row in table("factorial", "cells").iter_rows(named=True)}
    assert len(cells) == 8
    n = len(made().bench.exam)
    net = {key: (row["right"] - row["wrong"]) / n for key, row in cells.items()}
    effects = {
        row["effect"]: row["score"]
        for row in table("factorial", "effects").filter(pl.col("cost") == 1).iter_rows(named=True)
    }
    base = net[1, "words", "none"]
    assert effects["bar alone"] == pytest.approx(net[2, "words", "none"] - base)
    assert effects["all together"] == pytest.approx(net[2, "agreement", "gap"] - base)
    assert effects["bar × gap"] == pytest.approx(
        net[2, "words", "gap"] - net[2, "words", "none"] - net[1, "words", "gap"] + base
    )
    # A higher bar and a gap only ever take answers away.
    for order in ("words", "agreement"):
        for loose, strict in (((1, order, "none"), (2, order, "none")), ((1, order, "none"), (1, order, "gap"))):
            assert cells[strict]["right"] + cells[strict]["wrong"] <= cells[loose]["right"] + cells[loose]["wrong"]


def test_the_language_axis_counts_both_sorts_in_every_stratum() -> None:
    shown = table("language").filter(pl.col("measure") == "first is gold")
    whole = shown.filter(pl.col("reuse") == "all")
    assert whole["n"].sum() == made().bench.outcomes.counts()["n_answerable"]
    assert shown.filter(pl.col("reuse") != "all")["n"].sum() == whole["n"].sum()
    assert whole.filter(pl.col("question and title") == "other script")["n"][0] == 12


def test_unanswerable_questions_are_told_apart_by_their_tags() -> None:
    told = dict(table("unanswerable").select("unanswerable", "n").unique().iter_rows())
    removed = next(part for part in made().bench.parts if part.name == "gold removed")
    assert told == {"near miss": 1, "off subject": 2 + 6, "gold removed": 1 + len(removed.exam), "of no stated kind": 1}
    assert not removed.exam.questions["answerable"].any()
    by_kind = made().bench.outcomes.table("unanswerable").filter(pl.col("measure") == "unanswerable_none")
    assert dict(by_kind.select("group", "n").iter_rows()) == {
        "near miss": 1, "off subject": 2, "gold removed": 1, "of no stated kind": 1}  # fmt: skip


def test_the_filter_never_changes_an_answer() -> None:
    assert " 0 resolve otherwise" in made().findings["validity"].here


def test_an_exam_too_small_says_so_and_never_a_verdict_of_chance() -> None:
    exam = ml.Exam.from_rows([{"id": "a", "question": "what is a loom", "gold": ["c0"], "written_by": "Ada"}])
    told = study(small(), exam, now=NOW, encoders=["none"], gold_removed=0)
    for name in ("signals", "language", "kinds", "encoder", "unanswerable", "titles"):
        assert told.findings[name].verdict == "cannot be told", name
    for one in told.findings.values():
        draw(one)
    nothing = ml.Exam.from_rows([{"id": "a", "question": "tax law", "gold": [], "written_by": "Ada"}])
    assert study(small(), nothing, now=NOW).findings["depth"].verdict == "cannot be told"


def test_another_encoder_takes_the_place_of_the_first() -> None:
    exam = ml.Exam.from_rows(asked())
    told = study(small(), exam, now=NOW, only=["encoder"], encoders=["embedded"], gold_removed=0).findings["encoder"]
    names = told.tables["encoder"]["encoder"].unique(maintain_order=True).to_list()
    assert names == ["tiny-trigrams", "embedded"]
    own = ml.Lab.of(small().store, encoder="embedded", settings=ml.Settings())
    alone = ml.grade(ml.decide(own.gather(exam, now=NOW), ml.Settings(arms=("semantic",))), exam)
    shown = told.tables["encoder"].filter(pl.col("encoder") == "embedded", pl.col("arms") == "semantic arm alone",
                                          pl.col("measure") == "first is gold")  # fmt: skip
    assert shown["count"][0] == alone.counts()["first"]


def test_what_cannot_be_run_is_refused_by_name() -> None:
    exam = ml.Exam.from_rows(asked())
    with pytest.raises(InputError, match="no such experiment as 'deep'"):
        study(small(), exam, now=NOW, only=["deep"])
    with pytest.raises(InputError, match="questions with an answer"):
        study(small(), exam, now=NOW, off_subject=exam)


# The report ---------------------------------------------------------------------------------------


def test_the_report_holds_everything_and_asks_for_nothing(tmp_path: Path) -> None:
    files = ml.write_study(made(), tmp_path / "out", command="memlab study a.store exam.jsonl --to out")
    names = {str(file.relative_to(tmp_path / "out")) for file in files}
    assert {"index.html", "study.json", "settings.toml", "tables/summary.csv", "tables/comparison.csv"} <= names
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    assert "길쌈 &lt;b&gt;" in page
    assert "memlab study a.store exam.jsonl --to out" in page
    for one in made().findings.values():
        assert f'id="{one.name}"' in page
    about = json.loads((tmp_path / "out" / "study.json").read_text(encoding="utf-8"))
    assert about["exam"]["checksum"] == made().exam.checksum
    assert about["store"]["checksum"] == small().store.checksum
    assert {"polars", "numpy", "memlab", "python"} <= set(about["versions"])
    assert about["standing"]["mark"] in ("held out", "same author", "fitted")
    assert ml.Settings.load(tmp_path / "out" / "settings.toml") == made().bench.settings


def test_the_same_study_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    exam = ml.Exam.from_rows(reversed(list(asked())), name="길쌈 <b>")
    again = study(lab_of(reversed(list(rows())), [
        {"id": f"p{n}", "text": f"A note on the {thing}", "mentions": [f"c{n}"]} for n, thing in enumerate(THINGS)
    ]), exam, now=NOW, encoders=["none"], others={"two words": ml.PRESETS["two_words"]}, off_subject=ml.Exam.from_rows(
        [{"id": f"o{n}", "question": f"tax law {n}", "gold": [], "written_by": "Cy"} for n in range(6)]))  # fmt: skip
    first, second = study_tables(made()), study_tables(again)
    assert list(first) == list(second)
    for name in first:
        if name != "flips":
            assert as_csv(first[name]) == as_csv(second[name]), name


def test_what_stands_there_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(MemlabError, match="holds other files"):
        ml.write_study(made(), tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text(encoding="utf-8") == "dear"
    with pytest.raises(InputError, match="no such chart format"):
        ml.write_study(made(), tmp_path / "new", formats=["gif"])
    assert not (tmp_path / "new").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]
    for _ in range(2):
        ml.write_study(made(), tmp_path / "new", formats=["json"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "new"]


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_every_finding_is_drawn_with_its_question_and_where_it_comes_from(name: str) -> None:
    chart = study_charts(made()).get(name)
    if chart is None:
        assert name == "encoder"
        return
    text = re.sub(r"<[^>]+>", " ", ml.charts.export.as_svg(chart))
    assert made().findings[name].claim.title.split("'")[0] in text.replace("&#39;", "'")
    assert "n = 57 (52 answerable, 5 not)" in text
    assert "길쌈" in text


def test_a_finding_of_nothing_is_not_drawn() -> None:
    assert draw(Finding("encoder", "Nothing.", "cannot be told", {"encoder": pl.DataFrame()})) is None


def test_an_exam_of_nothing_and_a_borrowed_name_are_refused() -> None:
    exam = ml.Exam.from_rows(list(asked()))
    with pytest.raises(InputError, match="holds no questions"):
        study(small(), ml.Exam(exam.questions.clear(), "none"), now=NOW)
    with pytest.raises(InputError, match="name these otherwise"):
        study(small(), exam, now=NOW, others={"as set": ml.Settings()})


def test_pieces_alone_may_be_the_arms() -> None:
    graph = ml.Settings(arms=("graph",))
    made = study(small(), ml.Exam.from_rows(list(asked())), now=NOW, settings=graph, only=["pieces", "pieces"])
    assert list(made.findings) == ["pieces"]


def test_names_of_settings_do_not_take_each_others_files() -> None:
    places = _places(["as set", "a b", "a-b", "A B", "by-lang", "", "x" * 400, "../a"])
    assert len({place.casefold() for place in places.values()}) == len(places)
    assert places["as set"] == ""
    assert not any(place.startswith("-by-") or "/" in place for place in places.values())
    assert max(map(len, places.values())) < 80


def test_an_earlier_report_is_back_where_a_new_one_cannot_be_put(tmp_path: Path) -> None:
    place = tmp_path / "out"
    replace_folder(place, "m", lambda made: (made / "m").write_text("first", encoding="utf-8") and None)

    def lost(made: Path) -> None:
        shutil.rmtree(made)

    with pytest.raises(MemlabError, match="nothing was changed"):
        replace_folder(place, "m", lost)
    assert (place / "m").read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_strict_gold_is_reported_beside_lenient_where_an_exam_has_it(tmp_path: Path) -> None:
    assert made().strict is None
    rows_ = [{**row, "gold_strict": row["gold"][:1]} if row["id"] in ("c0", "c1") else row for row in asked()]
    told = study(small(), ml.Exam.from_rows(rows_), now=NOW, only=["bar"], encoders=["none"])
    assert told.strict is not None
    ml.write_study(told, tmp_path / "out")
    assert (tmp_path / "out" / "tables" / "outcomes-strict-gold.csv").exists()
    assert "outcomes-strict-gold.csv" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
