"""The lab: a store that can be asked, saved, opened again, and given arms of one's own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from tiny import NOW, OVER, TrigramEncoder, lab_of, node, titles

import memlab as ml
from memlab.arms import HIT_SCHEMA, Asked
from memlab.rules import ARMS

LOOM = titles("Loom repair handbook", "Choir rehearsal", "Boat insurance")


def test_evidence_has_one_row_a_question_and_node_of_the_pool() -> None:
    evidence = lab_of(LOOM).gather([{"question": "loom"}, {"question": "choir"}])
    assert not evidence.frame.select("question_id", "node_id").is_duplicated().any()
    assert len(evidence) == 2
    assert [e.name for e in evidence.encoders] == ["tiny-trigrams"]
    assert evidence.only(["q2"]).frame["question_id"].unique().to_list() == ["q2"]


def test_the_gap_is_first_minus_second_and_never_wider_than_to_the_background() -> None:
    one = lab_of([node("n", "Loom")])
    frame = one.gather([{"question": "loom"}]).frame
    background = one.indexes.vectors[0].background
    assert frame["semantic_gap"][0] == pytest.approx(frame["semantic_similarity"][0] - background, abs=1e-6)
    several = lab_of(titles("Loom repair", "Loom repairs", "Choir rehearsal"))
    nearest = several.gather([{"question": "loom repair"}]).frame.sort("semantic_rank")
    first, second = nearest["semantic_similarity"].to_list()[:2]
    assert second > several.indexes.vectors[0].background
    assert nearest["semantic_gap"].unique().to_list() == [pytest.approx(first - second, abs=1e-6)]


def test_nodes_with_one_normalised_title_have_no_gap() -> None:
    frame = lab_of(titles("Loom", "LOOM!", "Choir rehearsal")).gather([{"question": "loom"}]).frame
    assert frame["semantic_gap"].unique().to_list() == [0.0]


def test_the_graph_arm_follows_mentions_to_concepts_and_paths_from_a_node() -> None:
    nodes = [node("c", "Choir"), node("r", "Boat", "Record"), node("d", "Tax", "Decision")]
    pieces = [{"id": "p", "text": "velvet curtain", "mentions": ["c", "r"]}, {"id": "o", "text": "velvet ribbon"}]
    lab = lab_of(nodes, pieces, [{"source": "d", "type": "FROM", "target": "o"}], semantic=False)
    assert set(lab.resolve("velvet", arms=("graph",)).pool) == {"c", "d"}
    wide = replace(lab, gathering=ml.Gathering(mention_kinds=("Concept", "Record"), origin_kinds=()))
    assert set(wide.resolve("velvet", arms=("graph",)).pool) == {"c", "r"}


@pytest.mark.parametrize("bad", [{"depth": 0}, {"depth": True}, {"title_cap": "x"}, {"pieces": -1}])
def test_a_bad_depth_is_refused_by_name(bad: dict[str, object]) -> None:
    with pytest.raises(ml.MemlabError, match=f"gathering {next(iter(bad))}"):
        ml.Gathering(**bad)  # type: ignore[arg-type]


def test_a_lead_that_dropped_names_may_share_is_no_lead() -> None:
    lab = lab_of([node(f"n{n:02}", f"loom warp {n:02}") for n in range(30)], semantic=False)
    shallow = replace(lab, gathering=ml.Gathering(depth=1, title_cap=1))
    assert shallow.resolve("loom warp shuttle", as_of=NOW).state == "choose"


class Oracle:
    """An arm of one's own: another system's candidates."""

    name = "oracle"

    def search(self, asked: Asked, gathering: ml.Gathering) -> pl.DataFrame:
        hit = {"query": 0, "arm": self.name, "node": 2, "rank": 1, "score": 1.0}
        return pl.DataFrame([hit], schema=HIT_SCHEMA)


def test_an_arm_of_ones_own_joins_the_pool() -> None:
    lab = replace(lab_of(LOOM, semantic=False), extra_arms=(Oracle(),))
    answer = lab.resolve("velvet", as_of=NOW)
    third = lab.store.nodes["id"][2]
    assert third not in replace(lab, extra_arms=()).resolve("velvet", as_of=NOW).pool
    assert third in answer.pool
    assert answer.evidence.frame.filter(pl.col("node_id") == third)["first_by"].list.contains("oracle").all()


def test_no_arm_is_refused() -> None:
    with pytest.raises(ml.MemlabError, match="arms: "):
        lab_of(LOOM).gather([{"question": "loom"}], arms=[])


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ([{"question": 5}], "questions row 1 question"),
        ([{"question": "a"}, {}], "questions row 2 question"),
        ([{"question": "a", "id": "x"}, {"question": "b", "id": "x"}], "questions id: 'x' stands twice"),
        ([{"question": "a", "as_of": "soon"}], "as_of"),
    ],
)
def test_bad_questions_are_refused_by_place(rows: list[dict[str, object]], place: str) -> None:
    with pytest.raises(ml.MemlabError, match=place):
        lab_of(LOOM).gather(rows)


def test_a_lone_surrogate_in_a_question_is_no_exception() -> None:
    assert lab_of(LOOM).resolve("loom \ud800 repair", as_of=NOW).candidates.height


def test_an_instant_may_be_text_or_datetime_and_now_is_the_clock() -> None:
    lab = lab_of([node("old", "Loom", **OVER)], semantic=False)
    assert lab.resolve("loom", as_of="2015-06-01").node_id == "old"
    assert lab.resolve("loom", as_of=datetime(2015, 6, 1, tzinfo=UTC)).node_id == "old"
    assert lab.resolve("loom").reason == "all_retired"
    evidence = lab.gather([{"question": "loom"}], now=datetime(2015, 6, 1, tzinfo=UTC))
    assert ml.decide(evidence)["state"].to_list() == ["resolved"]


def test_a_saved_lab_answers_as_it_did(tmp_path: Path) -> None:
    pieces = [{"id": "p", "text": "a loom in the hall", "mentions": ["n1"]}]
    lab = lab_of(LOOM, pieces)
    lab.save(tmp_path / "a.store")
    counting = TrigramEncoder()
    again = ml.Lab.of(ml.Store.open(tmp_path / "a.store"), encoder=[counting], settings=ml.Settings())
    assert counting.encoded == []  # the vectors come from the disk
    asked = [{"question_id": "q", "question": "loom repair", "as_of": NOW}]
    assert again.gather(asked).frame.equals(lab.gather(asked).frame)


def test_a_store_opens_with_the_encoder_that_it_was_built_with(tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text('{"id": "a", "kind": "Concept", "title": "Loom"}\n', encoding="utf-8")
    ml.build_store(tmp_path / "nodes.jsonl", tmp_path / "a.store")
    lab = ml.Lab.open(tmp_path / "a.store")
    assert [e.info.name for e in lab.encoders] == ["embedded"]
    assert lab.settings.encoder == lab.encoders[0].info.key


def test_an_answer_shows_itself_and_escapes_what_it_shows() -> None:
    answer = lab_of([node("n", "<b>Loom</b> [red]x[/red]")], semantic=False).resolve("loom", as_of=NOW)
    html = answer._repr_html_()
    assert "<b>Loom</b>" not in html
    assert "&lt;b&gt;Loom" in html
    plain = answer.as_dict()
    assert plain["state"] == answer.state
    assert plain["store"] == answer.evidence.store
    assert set(plain["settings"]["arms"]) == set(ARMS)
    assert answer.why


def test_an_answer_prints_brackets_as_they_stand(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    Console(width=200).print(lab_of([node("n", "Loom [red]x[/red]")], semantic=False).resolve("loom", as_of=NOW))
    assert "[red]x[/red]" in capsys.readouterr().out
