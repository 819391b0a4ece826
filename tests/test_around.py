"""What is around a node: connected, and each thing still itself (chapter 18, section 6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console
from tiny import NOW, Memory, lab_of, memories, node

import memlab as ml

NODES = [
    node("c", "Weaving", aliases=["베틀 일"]),
    node("r1", "The loom broke", "Record"),
    node("r2", "The loom was mended", "Record", valid_from="2021-01-01"),
    node("d1", "Buy a loom", "Decision", valid_from="2010-01-01", superseded_by=["d2"]),
    node("d2", "Rent a loom", "Decision", valid_from="2015-01-01", superseded_by=["d3"]),
    node("d3", "Borrow a loom", "Decision", valid_from="2020-01-01"),
    node("e", "The first weaving day", "Episode", summary="We met in Ulm, <b>and</b> it rained."),
    node("far", "Boat", "Concept"),
]
EDGES = [
    {"source": "r1", "type": "ABOUT", "target": "c"},
    {"source": "r2", "type": "ABOUT", "target": "c"},
    {"source": "c", "type": "RELATES", "target": "e"},
    {"source": "e", "type": "HAS", "target": "far"},
    {"source": "e", "type": "FROM", "target": "p1"},
]
PIECES = [
    {"id": "p1", "text": "It rained all day.", "document": "a.md", "mentions": ["r1"]},
    {"id": "p2", "text": "Weaving is slow.", "document": "b.md", "mentions": ["c"]},
]


@pytest.fixture(scope="module")
def lab() -> ml.Lab:
    return lab_of(NODES, PIECES, EDGES, semantic=False)


def edges(found: ml.Neighbourhood) -> set[tuple[str, str, str, int]]:
    return set(found.edges.select("direction", "type", "node_id", "distance").rows())


def test_a_concept_and_its_records_are_connected_and_distinct(lab: ml.Lab) -> None:
    found = lab.around("c", as_of="2020-06-01")
    assert edges(found) == {("in", "ABOUT", "r1", 1), ("in", "ABOUT", "r2", 1), ("out", "RELATES", "e", 1)}
    assert found.nodes["node_id"].n_unique() == found.nodes.height == 4
    told = {row["node_id"]: row for row in found.nodes.iter_rows(named=True)}
    assert (told["r2"]["kind"], told["r2"]["validity"], told["r2"]["hidden_by"]) == (
        "Record",
        "future",
        "from 2021-01-01",
    )
    assert (told["r1"]["validity"], told["r1"]["hidden_by"]) == ("current", None)
    assert found.pieces.select("piece_id", "type", "direction").rows() == [("p2", "MENTIONS", "in")]


def test_a_summary_is_material_and_a_piece_connects(lab: ml.Lab) -> None:
    found = lab.around("e", as_of=NOW)
    assert found.material.select("node_id", "text").rows() == [("e", "We met in Ulm, <b>and</b> it rained.")]
    assert found.pieces.select("piece_id", "type", "direction").rows() == [("p1", "FROM", "out")]
    through = found.edges.filter(pl.col("through").is_not_null())
    assert through.select("source", "type", "target", "through").rows() == [("e", "MENTIONS", "r1", "p1")]
    assert lab.resolve("rained in Ulm", as_of=NOW).node_id != "e"
    assert "&lt;b&gt;and" in found._repr_html_()


@pytest.mark.parametrize(("start", "places"), [("d1", [0, 1, 2]), ("d2", [-1, 0, 1]), ("d3", [-2, -1, 0])])
def test_the_whole_chain_of_successions_is_shown(lab: ml.Lab, start: str, places: list[int]) -> None:
    found = lab.around(start, as_of="2016-01-01", depth=1)
    assert found.timeline.select("place", "node_id", "validity").rows() == [
        (places[0], "d1", "retired"),
        (places[1], "d2", "current"),
        (places[2], "d3", "future"),
    ]
    ends = found.timeline["effective_to"].to_list()
    assert ends == [datetime(2015, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC), None]
    assert set(found.nodes["node_id"]) == {"d1", "d2", "d3"}


def test_a_cycle_of_successions_survives() -> None:
    nodes = [node(f"d{n}", f"Plan {n}", "Decision", superseded_by=[f"d{(n + 1) % 3}"]) for n in range(3)]
    found = lab_of(nodes, semantic=False).around("d0", as_of=NOW)
    assert set(found.timeline["node_id"]) == {"d0", "d1", "d2"}
    assert found.timeline["in_cycle"].all()
    assert found.timeline["validity"].to_list() == ["current"] * 3


def test_depth_goes_as_far_as_asked(lab: ml.Lab) -> None:
    away = [
        dict(lab.around("r1", as_of=NOW, depth=d).nodes.select("node_id", "distance").iter_rows()) for d in (0, 1, 2)
    ]
    assert away == [{"r1": 0}, {"r1": 0, "c": 1, "e": 1}, {"r1": 0, "c": 1, "e": 1, "r2": 2, "far": 2}]


def test_an_answer_stands_for_its_node_at_its_instant(lab: ml.Lab) -> None:
    answer = lab.resolve("Rent a loom", as_of="2016-01-01")
    found = lab.around(answer)
    assert (found.node_id, found.as_of) == ("d2", datetime(2016, 1, 1, tzinfo=UTC))
    assert lab.around(answer, as_of="2030-01-01").node["validity"] == "retired"


def test_an_answer_without_a_node_is_refused(lab: ml.Lab) -> None:
    with pytest.raises(ml.InputError, match=r"the answer is choose .*pick one of"):
        lab.around(lab.resolve("loom", as_of=NOW))
    with pytest.raises(ml.InputError, match=r"the answer is none \(empty_pool\)"):
        lab.around(lab.resolve("velvet", as_of=NOW))


@pytest.mark.parametrize(
    ("asked", "near"),
    [("weaving", r"c \('Weaving'\)"), ("베틀 일", r"c \('Weaving'\)"), ("Buy a lom", r"d1 \('Buy a loom'\)"),
     ("D2", r"d2 \('Rent a loom'\)")],
)  # fmt: skip
def test_an_unknown_id_names_the_nearest(lab: ml.Lab, asked: str, near: str) -> None:
    with pytest.raises(ml.InputError, match=f"node: no node '{asked}'.*nearest: .*{near}"):
        lab.around(asked)


@pytest.mark.parametrize("bad", [-1, 1.5, True, "1"])
def test_a_bad_depth_is_refused(lab: ml.Lab, bad: object) -> None:
    with pytest.raises(ml.InputError, match="depth"):
        lab.around("c", depth=bad)  # type: ignore[arg-type]


def test_nothing_near_is_refused_plainly(lab: ml.Lab) -> None:
    with pytest.raises(ml.InputError, match=r"no node 'zzzzzzzzzz' in this store$"):
        lab.around("zzzzzzzzzz")
    with pytest.raises(ml.InputError, match="must be the id"):
        lab.around(5)  # type: ignore[arg-type]


def test_displays_show_text_as_text() -> None:
    lab = lab_of([node("a", "<b>Loom</b> [red]x[/red]\x1b[31m"), node("b", "Loom " * 40)],
                 [{"id": "p", "text": "<i>loom</i>", "mentions": ["a"]}],
                 [{"source": "a", "type": "HAS", "target": "b"}], semantic=False)  # fmt: skip
    found = lab.around("a", as_of=NOW)
    html = found._repr_html_()
    assert "<b>Loom</b>" not in html
    assert "&lt;i&gt;loom" in html
    import io

    console = Console(width=80, file=io.StringIO())
    console.print(found)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in text
    assert "[red]x[/red]" in text
    assert max(map(len, text.splitlines())) <= 80


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(memories(), st.integers(0, 3))
def test_every_edge_joins_two_nodes_that_are_shown(memory: Memory, depth: int) -> None:
    lab = memory.lab()
    store = lab.store
    for name in store.nodes["id"]:
        found = lab.around(name, as_of=NOW, depth=depth)
        shown = dict(found.nodes.select("node_id", "distance").iter_rows())
        assert shown[name] == 0
        assert len(shown) == found.nodes.height
        real = set(store.edges.select("source", "type", "target").rows())
        for row in found.edges.iter_rows(named=True):
            assert {row["source"], row["target"]} <= shown.keys()
            assert shown[row["node_id"]] == row["distance"] == max(shown[row["source"]], shown[row["target"]])
            start = row["through"] or row["source"]
            assert (start, row["type"], row["target"]) in real
            if row["through"]:
                assert (row["source"], "FROM", row["through"]) in real
        if depth:
            direct = {b if a == name else a for a, _, b in real if name in (a, b)} & set(store.nodes["id"])
            assert direct - {name} <= {n for n, d in shown.items() if d <= 1}
        after = dict(store.nodes.select("id", "superseded_by").iter_rows())
        chain = set(found.timeline["node_id"])
        for row in found.timeline.iter_rows(named=True):
            if row["place"] >= 0:
                assert set(after[row["node_id"]]) <= chain
            if row["place"] <= 0:
                assert {n for n, later in after.items() if row["node_id"] in later} <= chain
        json.dumps(found.as_dict())
