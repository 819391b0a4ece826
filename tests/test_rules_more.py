"""Successions, floors, Concepts, lengths and corrections: a small readable example of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from tiny import NOW, OVER, Memory, by_title, lab_of, node, titles

import memlab as ml
from memlab.errors import InputError

HELD = ml.Settings(succession=True)


def asked(lab: ml.Lab, question: str, settings: ml.Settings | None = None, **more: Any) -> ml.Answer:
    return lab.resolve(question, as_of=NOW, settings=settings, **more)


# Successions


def followed(**old: Any) -> ml.Lab:
    nodes = [node("old", "Travel rules", superseded_by=["new"], **old), node("new", "Travel rules")]
    return lab_of(nodes, semantic=False)


def test_a_predecessor_is_a_rival_unless_the_setting_lets_the_succession_settle_it() -> None:
    lab = followed()
    assert asked(lab, "travel rules").reason == "retired_rival"
    assert asked(lab, "travel rules", HELD).node_id == "new"


def test_the_setting_acts_with_the_filter_on_and_off_alike() -> None:
    lab = followed()
    shown = asked(lab, "travel rules", HELD, include_retired=True)
    assert (shown.state, shown.node_id) == ("resolved", "new")
    assert "old" in shown.candidates["node_id"]


def test_a_succession_settles_through_a_chain() -> None:
    nodes = [node("a", "Travel rules", superseded_by=["b"]), node("b", "Journey notes", superseded_by=["c"]),
             node("c", "Travel rules")]  # fmt: skip
    assert asked(lab_of(nodes, semantic=False), "travel rules", HELD).node_id == "c"


def test_the_predecessor_of_something_else_still_blocks() -> None:
    nodes = [node("old", "Travel rules", superseded_by=["heir"]), node("heir", "Journey notes"),
             node("other", "Travel rules abroad")]  # fmt: skip
    answer = asked(lab_of(nodes, semantic=False), "travel rules", HELD)
    assert answer.state == "choose"
    assert answer.node_id is None


def test_what_has_merely_ended_still_blocks() -> None:
    nodes = [node("old", "Travel rules", **OVER), node("new", "Travel rules")]
    assert asked(lab_of(nodes, semantic=False), "travel rules", HELD).reason == "retired_rival"


def test_two_successors_with_one_title_are_a_tie() -> None:
    nodes = [
        node("old", "Travel rules", superseded_by=["a", "b"]),
        node("a", "Travel rules"),
        node("b", "Travel rules"),
    ]
    assert asked(lab_of(nodes, semantic=False), "travel rules", HELD).reason == "tie"


def test_the_gap_is_taken_without_predecessors_of_the_first() -> None:
    nodes = [node("old", "loom repair handbook", superseded_by=["new"]), node("new", "loom repair handbooks"),
             node("far", "Choir rehearsal")]  # fmt: skip
    lab = lab_of(nodes)
    question = "loom repair handbooks chapter"
    assert asked(lab, question, ml.Settings(gap=0.2)).state == "choose"
    answer = asked(lab, question, HELD.but(gap=0.2))
    assert (answer.node_id, answer.reason) == ("new", "title_and_gap")


# What was hidden, and by what


@pytest.mark.parametrize(
    ("more", "by"),
    [
        ({"superseded_by": ["new"]}, "superseded"),
        ({"valid_to": "2020-01-01"}, "ended"),
        ({"ended": True}, "ended_undated"),
        ({"ended": True, "valid_to": "2020-01-01"}, "ended"),
        ({"valid_from": "2999-01-01"}, "not_yet"),
    ],
)
def test_the_decision_names_the_hidden_rival_and_what_hides_it(more: dict[str, Any], by: str) -> None:
    lab = lab_of([node("old", "Travel rules", **more), node("new", "Travel rules")], semantic=False)
    evidence = lab.gather([{"question": "travel rules", "as_of": NOW}])
    row = ml.decide(evidence).row(0, named=True)
    assert row["rivals"] == row["hidden"] == ["old"]
    hidden = evidence.frame.filter(pl.col("node_id") == "old")["hidden_by"].cast(pl.String)
    assert hidden.to_list() == [by]


def test_a_whole_title_that_has_ended_is_not_replaced_by_what_merely_lies_near() -> None:
    lab = lab_of([node("old", "Loom", **OVER), node("near", "Loomish"), node("far", "Choir rehearsal")])
    answer = asked(lab, "loom")
    assert (answer.state, answer.reason, answer.hidden["node_id"].to_list()) == ("none", "all_retired", ["old"])
    sharing = lab_of([node("old", "Loom repair", **OVER), node("near", "Loom shed")])
    assert asked(sharing, "loom repair").reason == "retired_rival"


def test_a_whole_title_that_has_ended_hands_back_what_followed_it() -> None:
    lab = lab_of([node("old", "Loom", superseded_by=["new"]), node("new", "Weaving engine"), node("far", "Choir")])
    answer = asked(lab, "loom")
    assert (answer.state, answer.reason) == ("choose", "retired_rival")
    assert "new" in answer.candidates["node_id"]


def test_one_title_in_two_spellings_leaves_no_gap_whatever_stands_between() -> None:
    lab = lab_of(titles("loom-repair handbook", "LOOM-REPAIR HANDBOOK.", "loom-repair handbook annex", "Choir"))
    frame = lab.gather([{"question": "a loom repair handbook question", "as_of": NOW}], arms=("semantic",)).frame
    assert frame["semantic_gap"].unique().to_list() == [0.0]


# Floors


def test_floors_are_the_stores_own() -> None:
    lab = ml.Lab.of(ml.Store.from_frames(titles("Beehive inspection log", "Choir rehearsal")))
    assert lab.settings.floor == round(float(np.quantile(lab.indexes.vectors[0].reach, 0.5)), 3)
    assert lab.settings.piece_floor > 1
    pieces = [{"id": "p", "text": "The bees were calm and the queen was seen."}]
    told = ml.Lab.of(ml.Store.from_frames(titles("Beehive inspection log"), (), pieces))
    assert told.settings.floor == round(float(np.quantile(told.indexes.vectors[0].reach, 0.95)), 3)
    assert told.settings.piece_floor == round(float(np.quantile(told.indexes.pieces.reach, 0.95)), 3)


@pytest.mark.parametrize("question", ["banana", "What is the capital of Mongolia?", "asdf qwer zxcv"])
def test_another_subject_is_none(question: str) -> None:
    store = ml.Store.from_frames(titles("Beehive inspection log", "Boat insurance", "Choir rehearsal"))
    answer = ml.Lab.of(store).resolve(question, as_of=NOW)
    assert answer.state != "resolved"


def test_a_near_piece_keeps_a_far_question_from_being_none() -> None:
    pieces = [{"id": "p", "text": "velvet curtain", "mentions": ["n1"]}]
    lab = lab_of(titles("Choir rehearsal", "Boat insurance"), pieces)
    high = ml.Settings(floor=0.9)
    assert asked(lab, "velvet curtain", high).reason == "below_floor"
    assert asked(lab, "velvet curtain", high.but(piece_floor=0.5)).state == "choose"


# Concepts


def friends(*edges: tuple[str, str, str]) -> ml.Lab:
    nodes = [node("c", "Caroline"), node("m", "Melanie"), node("fact", "Kiln of the pottery class", "Record"),
             node("hers", "Bicycle tour", "Record")]  # fmt: skip
    told = [{"source": s, "type": t, "target": o} for s, t, o in (("hers", "ABOUT", "c"), *edges)]
    return lab_of(nodes, (), told, semantic=False)


GATED = ml.Settings(concept_gate=True, substitution=False)
QUESTION = "Which kiln does Caroline use in the pottery class?"


def test_a_fact_about_another_of_the_same_sort_is_handed_back() -> None:
    lab = friends(("fact", "ABOUT", "m"))
    assert asked(lab, QUESTION, GATED.but(concept_gate=False)).node_id == "fact"
    answer = asked(lab, QUESTION, GATED)
    assert (answer.state, answer.reason) == ("choose", "gate")


def test_a_fact_about_both_or_about_nobody_is_not() -> None:
    assert asked(friends(("fact", "ABOUT", "m"), ("fact", "ABOUT", "c")), QUESTION, GATED).node_id == "fact"
    assert asked(friends(), QUESTION, GATED).node_id == "fact"
    # A place that it lies IN is another sort than a person that it is ABOUT.
    assert asked(friends(("fact", "IN", "m")), QUESTION, GATED).node_id == "fact"


def test_whoever_said_the_piece_that_a_fact_came_from_is_connected_to_it() -> None:
    nodes = [node("c", "Caroline"), node("m", "Melanie"), node("fact", "Kiln of the pottery class", "Record"),
             node("hers", "Bicycle tour", "Record")]  # fmt: skip
    pieces = [{"id": "p1", "text": "I fired it twice."}, {"id": "p2", "text": "We rode for a week."}]
    edges = [("fact", "FROM", "p1"), ("hers", "FROM", "p2"), ("p1", "SAID_BY", "m"), ("p2", "SAID_BY", "c")]
    lab = lab_of(nodes, pieces, [{"source": s, "type": t, "target": o} for s, t, o in edges], semantic=False)
    assert asked(lab, QUESTION, GATED).reason == "gate"


# Lengths, hubs and corrections


def test_the_share_of_a_title_lets_a_short_title_win_on_one_word() -> None:
    names = ("Loom", "Loom repair handbook of the northern valley weavers")
    question = "Who wrote the loom repair handbook about belts?"
    assert by_title(question, *names).node_id == "n2"
    by_share = by_title(question, *names, settings=ml.Settings(normalise_length=True, min_words=1))
    assert by_share.node_id == "n1"


def test_a_concept_that_every_piece_mentions_does_not_win_by_that() -> None:
    pieces = [{"id": f"p{n}", "text": f"velvet curtain {n}", "mentions": ["hub"]} for n in range(30)]
    pieces[3]["mentions"] = ["hub", "c1"]
    lab = lab_of([node("hub", "Platform group"), node("c1", "Theatre")], pieces)
    evidence = lab.gather([{"question": "velvet curtain 3", "as_of": NOW}], arms=("graph",))
    ranks = dict(evidence.frame.select("node_id", "graph_rank").rows())
    assert ranks["c1"] < ranks["hub"]


def test_each_path_of_the_graph_arm_is_a_setting() -> None:
    nodes = [node("d", "Something else", "Decision"), node("e", "Evening call", "Episode"), node("c", "Theatre")]
    pieces = [{"id": "p1", "text": "velvet curtain", "mentions": ["c"]}, {"id": "p2", "text": "velvet ribbon"}]
    edges = [{"source": "d", "type": "FROM", "target": "p1"}, {"source": "e", "type": "FROM", "target": "p2"}]
    lab = lab_of(nodes, pieces, edges, semantic=False)

    def found(**paths: Any) -> set[str]:
        evidence = replace(lab, gathering=ml.Gathering(**paths)).gather([{"question": "velvet"}], arms=("graph",))
        return set(evidence.frame["node_id"])

    assert found() == {"c", "d", "e"}
    assert found(origin_kinds=("Decision",)) == {"c", "d"}
    assert found(mention_kinds=(), origin_kinds=("Episode",)) == {"e"}
    with pytest.raises(InputError, match="origin_kinds"):
        ml.Gathering(origin_kinds=("Novel",))


@pytest.mark.parametrize("way", [{"centred": True}, {"hub": 0.5}, {"centred": True, "hub": 1.0}])
def test_a_correction_orders_and_leaves_similarities_raw(way: dict[str, Any]) -> None:
    memory = Memory(titles("Loom repair handbook", "Loom warranty", "Choir rehearsal", "Boat insurance"))
    plain = memory.lab()
    question = [{"question": "loom repair", "as_of": NOW}]
    raw = plain.gather(question, arms=("semantic",)).frame.sort("node_id")
    other = replace(plain, gathering=ml.Gathering(**way)).gather(question, arms=("semantic",)).frame.sort("node_id")
    assert raw["semantic_similarity"].equals(other["semantic_similarity"])
    assert other["semantic_rank"].sort().to_list() == [1, 2, 3, 4]


def test_where_a_correction_puts_another_node_first_no_gap_is_left() -> None:
    lab = Memory(titles("Loom repair handbook", "Loom repair")).lab()
    vectors = lab.indexes.vectors[0]
    # The nearest title by cosine is made a hub by hand.
    hubs = np.where(np.arange(2) == lab.store.nodes["title"].to_list().index("Loom repair"), 5, 0).astype(np.float32)
    bent = replace(lab, indexes=replace(lab.indexes, vectors=(replace(vectors, hubs=hubs, _corrected={}),)),
                   gathering=ml.Gathering(hub=1.0))  # fmt: skip
    frame = bent.gather([{"question": "loom repairs", "as_of": NOW}], arms=("semantic",)).frame
    assert frame.filter(pl.col("semantic_rank") == 1)["title"].to_list() == ["Loom repair handbook"]
    assert frame["semantic_gap"].to_list() == [0.0, 0.0]


def test_references_are_stored_with_the_index(tmp_path: Any) -> None:
    lab = Memory(titles("Loom", "Choir"), [{"id": "p", "text": "velvet", "mentions": []}]).lab()
    saved = lab.save(tmp_path / "a.store")
    again = ml.Lab.of(ml.Store.open(tmp_path / "a.store"), encoder=list(lab.encoders))
    for one, two in ((saved.indexes.vectors[0], again.indexes.vectors[0]),):
        assert np.array_equal(one.reach, two.reach)
        assert np.array_equal(one.centres, two.centres)
        assert np.array_equal(one.hubs, two.hubs)
    assert np.array_equal(saved.indexes.pieces.reach, again.indexes.pieces.reach)


def test_settings_and_gathering_travel_in_one_file(tmp_path: Any) -> None:
    lab = replace(Memory(titles("Loom", "Choir")).lab(), gathering=ml.Gathering(depth=7, origin_kinds=("Record",)))
    path = tmp_path / "settings.toml"
    lab.save_settings(path, ml.Settings(gap=0.07))
    again = ml.Lab.of(lab.store, encoder=list(lab.encoders), settings=path)
    assert (again.settings, again.gathering) == (ml.Settings(gap=0.07), lab.gathering)
    assert ml.Settings.load(path) == ml.Settings(gap=0.07)
    path.write_text(path.read_text().replace("depth", "dept"))
    with pytest.raises(InputError, match=r"settings\.toml: gathering dept: no such setting"):
        ml.Lab.of(lab.store, encoder=list(lab.encoders), settings=path)
