"""What a store refuses, what it notes, and that the order of its input says nothing."""

from __future__ import annotations

from datetime import UTC, date, datetime

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memlab.errors import InputError, MemlabError
from memlab.store import EDGE_SCHEMA, KINDS, NODE_SCHEMA, PIECE_SCHEMA, Store

LOOM = {"id": "a", "kind": "Concept", "title": "Loom"}
SHUTTLE = {"id": "b", "kind": "Concept", "title": "Shuttle"}


def refused(nodes: object, edges: object = None, pieces: object = None) -> str:
    with pytest.raises(MemlabError) as caught:
        Store.from_frames(nodes, edges, pieces)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize(
    ("second", "place"),
    [
        ({"kind": "Concept", "title": "x"}, "nodes row 2 id: missing"),
        ({**SHUTTLE, "id": " "}, "nodes row 2 id: blank"),
        ({**SHUTTLE, "id": "a"}, "nodes row 2 id: 'a' is already the id of row 1"),
        ({**SHUTTLE, "id": 7}, "nodes row 2 id: 7 is a number"),
        ({**SHUTTLE, "kind": "Person"}, "nodes row 2 kind: 'Person' is unknown; use one of Concept, Record"),
        ({**SHUTTLE, "kind": None}, "nodes row 2 kind: missing"),
        ({**SHUTTLE, "title": "\u200b \t\u3164"}, "nodes row 2 title: blank"),
        ({**SHUTTLE, "title": 3.5}, "nodes row 2 title: 3.5 is a number"),
        ({**SHUTTLE, "title": 10**5000}, "nodes row 2 title: … is a number"),
        ({**SHUTTLE, "title": ["x"]}, "nodes row 2 title: ['x'] is a list"),
        ({**SHUTTLE, "title": "a\x00b"}, "nodes row 2 title: holds a NUL"),
        ({**SHUTTLE, "title": "a\ud800"}, "nodes row 2 title: holds half a surrogate pair"),
        ({**SHUTTLE, "summary": "a\ud800"}, "nodes row 2 summary"),
        ({**SHUTTLE, "aliases": "x"}, "nodes row 2 aliases: 'x' is text"),
        ({**SHUTTLE, "aliases": ["x", 1]}, "nodes row 2 aliases: in the list, 1 is a number"),
        ({**SHUTTLE, "aliases": ["x", None]}, "nodes row 2 aliases"),
        ({**SHUTTLE, "aliases": ["\x00"]}, "nodes row 2 aliases: holds a NUL"),
        ({**SHUTTLE, "text": ["x", {}]}, "nodes row 2 text"),
        ({**SHUTTLE, "ended": "yes"}, "nodes row 2 ended: 'yes' is text; write true or false"),
        ({**SHUTTLE, "ended": 1}, "nodes row 2 ended"),
        ({**SHUTTLE, "valid_from": "last spring"}, "nodes row 2 valid_from: 'last spring' is no date"),
        ({**SHUTTLE, "valid_to": 1700000000}, "nodes row 2 valid_to"),
        ({**SHUTTLE, "valid_to": "0001-01-01T00:00:00+14:00"}, "nodes row 2 valid_to"),
        ({**SHUTTLE, "valid_from": "2020-01-02", "valid_to": "2020-01-01"}, "nodes row 2 valid_to"),
        ({**SHUTTLE, "superseded_by": ["zz"]}, "nodes row 2 superseded_by: 'zz' is no node"),
        ({**SHUTTLE, "superseded_by": ["b"]}, "nodes row 2 superseded_by: 'b' supersedes itself"),
        ({**SHUTTLE, "superseded_by": "a"}, "nodes row 2 superseded_by: 'a' is text; write a list"),
        (["b"], "nodes row 2: ['b'] is a list"),
        (None, "nodes row 2: nothing"),
    ],
)
def test_a_bad_node_is_refused_by_row_and_field(second: object, place: str) -> None:
    assert place in refused([LOOM, second])


@pytest.mark.parametrize(
    ("edges", "pieces", "place"),
    [
        ([{"source": "a", "type": "X", "target": "b"}] * 2 + [{"source": "b", "type": "X", "target": "zz"}], None,
         "edges row 3 target: 'zz' is neither a node nor a piece"),
        ([{"source": "zz", "type": "X", "target": "yy"}], None, "edges row 1 source"),
        ([{"source": "a", "target": "b"}], None, "edges row 1 type: missing"),
        ([{"source": "a", "type": 1, "target": "b"}], None, "edges row 1 type"),
        (None, [{"id": "p", "text": "x"}, {"id": "p", "text": "y"}], "pieces row 2 id: 'p' is already"),
        (None, [{"id": "a", "text": "x"}], "pieces row 1 id: 'a' is also the id of a node"),
        (None, [{"id": "p", "text": " "}], "pieces row 1 text: blank"),
        (None, [{"id": "p", "text": "x", "position": -1}], "pieces row 1 position"),
        (None, [{"id": "p", "text": "x", "position": True}], "pieces row 1 position"),
        (None, [{"id": "p", "text": "x", "mentions": ["a", "zz"]}], "pieces row 1 mentions: 'zz' is no node"),
    ],
)  # fmt: skip
def test_a_bad_edge_or_piece_is_refused_by_row_and_field(edges: object, pieces: object, place: str) -> None:
    assert place in refused([LOOM, SHUTTLE], edges, pieces)


def test_several_bad_rows_name_the_first_and_count_the_rest() -> None:
    assert refused([LOOM, {**SHUTTLE, "title": ""}, {**SHUTTLE, "id": "c", "title": ""}]).endswith("(and 1 more row)")


def test_what_is_no_table_is_refused() -> None:
    assert "nodes: give a polars DataFrame or a list of dicts" in refused("nodes.csv")
    assert "nodes: give a polars DataFrame or a list of dicts" in refused(pl.LazyFrame())


def test_an_error_carries_its_place() -> None:
    with pytest.raises(InputError) as caught:
        Store.from_frames([LOOM, {**SHUTTLE, "title": None}])
    error = caught.value.in_file("nodes.jsonl")
    assert (error.part, error.row, error.field, error.file) == ("nodes", 2, "title", "nodes.jsonl")
    assert str(error).startswith("nodes.jsonl: nodes row 2 title: missing")


def test_polars_frames_of_odd_types_are_refused_by_row() -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "kind": ["Concept"] * 2, "title": ["Loom", "Shuttle"]})
    assert "nodes row 1 id" in refused(frame.with_columns(id=pl.Series([1, 2])))
    assert "nodes row 1 title" in refused(frame.with_columns(title=pl.Series([{"x": 1}, {"x": 2}])))
    assert "nodes row 2 aliases" in refused(frame.with_columns(aliases=pl.Series([None, [1]])))
    assert "nodes row 1 ended" in refused(frame.with_columns(ended=pl.Series([0, 1])))
    assert "nodes row 1 title" in refused(frame.with_columns(title=pl.Series([object(), "x"], dtype=pl.Object)))
    far = pl.Series([0, 10**18], dtype=pl.Int64).cast(pl.Datetime("us"))
    assert "nodes row 2 valid_from" in refused(frame.with_columns(valid_from=far))


def test_polars_frames_keep_dates_and_zones() -> None:
    frame = pl.DataFrame(
        {
            "id": ["a"],
            "kind": pl.Series(["Record"], dtype=pl.Categorical()),
            "title": ["Freeze"],
            "valid_from": [date(2024, 3, 1)],
            "valid_to": pl.Series([datetime(2024, 3, 10)]).dt.replace_time_zone("Asia/Seoul"),
        }
    )
    node = Store.from_frames(frame).nodes.row(0, named=True)
    assert node["valid_from"] == datetime(2024, 3, 1, tzinfo=UTC)
    assert node["valid_to"] == datetime(2024, 3, 9, 15, tzinfo=UTC)


def test_what_is_odd_but_readable_is_noted() -> None:
    store = Store.from_frames(
        [
            {**LOOM, "aliases": ["x", " ", "x"], "colour": "red", "valid_from": "2024-01-01", "valid_to": "2024-01-01"},
            {**SHUTTLE, "valid_from": "2024-01-01T10:00:00", "text": ["one", " "]},
        ],
        [{"source": "a", "type": "X", "target": "b"}] * 2 + [{"source": "a", "type": "SUPERSEDED_BY", "target": "b"}],
    )
    notes = "\n".join(store.about.notes)
    assert store.nodes.filter(id="a")["aliases"].to_list() == [["x"]]
    for said in (
        "unknown columns left out: colour",
        "1 blank alias left out",
        "1 instant without a time zone read as UTC",
        "1 empty interval kept",
        "1 blank text left out",
        "1 repeated edge left out",
        "1 SUPERSEDED_BY edge left out",
    ):
        assert said in notes
    assert store.edges.filter(type="SUPERSEDED_BY").is_empty()


def test_an_unprintable_unknown_column_can_still_be_noted_and_saved(tmp_path: object) -> None:
    store = Store.from_frames([{**LOOM, "\ud800": 1, 5: 2}])
    assert "'\\ud800', 5" in store.about.notes[0]
    store.save(f"{tmp_path}/s")


def test_text_becomes_pieces_and_mentions_become_edges() -> None:
    store = Store.from_frames(
        [{**LOOM, "text": ["First.", "Second."]}, {**SHUTTLE, "text": "Only."}],
        pieces=[{"id": "p", "text": "A shuttle.", "mentions": ["b"], "document": "d", "position": 3}],
    )
    assert store.pieces.filter(document="a").sort("position").rows() == [
        ("a#0", "a", "First.", 0),
        ("a#1", "a", "Second.", 1),
    ]
    assert set(store.edges.rows()) == {
        ("a", "FROM", "a#0"),
        ("a", "FROM", "a#1"),
        ("b", "FROM", "b#0"),
        ("p", "MENTIONS", "b"),
    }
    assert "nodes row 1 text" in refused([{**LOOM, "text": "x"}], pieces=[{"id": "a#0", "text": "y"}])


def test_superseded_by_edges_come_from_the_column() -> None:
    store = Store.from_frames([{**LOOM, "superseded_by": ["b"]}, SHUTTLE])
    assert store.edges.rows() == [("a", "SUPERSEDED_BY", "b")]


def test_an_empty_store_is_a_store() -> None:
    store = Store.from_frames([])
    assert (store.nodes.schema, store.edges.schema, store.pieces.schema) == (NODE_SCHEMA, EDGE_SCHEMA, PIECE_SCHEMA)
    assert store.nodes.is_empty()


def test_with_edges_adds_each_edge_once_and_refuses_strays() -> None:
    store = Store.from_frames([LOOM, SHUTTLE])
    edge = pl.DataFrame({"source": ["a"], "type": ["NEAR"], "target": ["b"]})
    richer = store.with_edges(edge).with_edges(edge, ["added"])
    assert richer.edges.rows() == [("a", "NEAR", "b")]
    assert richer.about.notes == ("added",)
    assert richer.checksum != store.checksum
    with pytest.raises(MemlabError, match="leads to or from nothing"):
        store.with_edges(edge.with_columns(target=pl.lit("zz")))


words = st.sampled_from(["Loom", "Shuttle", "베틀", "C++", "loom"])
days = st.one_of(st.none(), st.dates(date(1990, 1, 1), date(2030, 1, 1)).map(str))


@st.composite
def loose_nodes(draw: st.DrawFn) -> list[dict[str, object]]:
    size = draw(st.integers(1, 7))
    rows = []
    for n in range(size):
        later = [f"n{m}" for m in range(size) if m != n]
        start, end = sorted([draw(days) or "", draw(days) or ""])
        rows.append(
            {
                "id": f"n{n}",
                "kind": draw(st.sampled_from(KINDS)),
                "title": draw(words),
                "aliases": draw(st.lists(words, max_size=2)),
                "valid_from": start or None,
                "valid_to": end or None,
                "ended": draw(st.sampled_from([None, True, False])),
                "superseded_by": draw(st.lists(st.sampled_from(later), max_size=2)) if later else [],
                "text": draw(st.lists(words, max_size=2)),
            }
        )
    return rows


@settings(deadline=None)
@given(loose_nodes(), st.randoms())
def test_the_order_of_the_input_says_nothing(rows: list[dict[str, object]], random: object) -> None:
    edges = [{"source": a["id"], "type": "RELATES", "target": b["id"]} for a in rows for b in rows[:2]]
    pieces = [{"id": f"p{n}", "text": "Loom", "mentions": [row["id"]]} for n, row in enumerate(rows)]
    first = Store.from_frames(rows, edges, pieces)
    for part in (rows, edges, pieces):
        random.shuffle(part)  # type: ignore[attr-defined]
    second = Store.from_frames(rows, edges, pieces)
    assert first.checksum == second.checksum
    assert first.nodes.equals(second.nodes)
    assert first.edges.equals(second.edges)
    assert first.pieces.equals(second.pieces)


anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.dates(), st.datetimes(),
        st.sampled_from(["a", "b", "Concept", "2024-01-01", "\ud800", "\x00", "", "10" * 3000, 10**4000]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=2)),
    max_leaves=5,
)  # fmt: skip


def garbage(fields: list[str]) -> st.SearchStrategy[object]:
    row = st.dictionaries(st.one_of(st.sampled_from(fields), st.text(max_size=3)), anything, max_size=6)
    sound = st.fixed_dictionaries(
        {"id": st.sampled_from("abcd"), "kind": st.just("Concept"), "title": st.just("Loom"), "text": st.just("x"),
         "source": st.just("a"), "type": st.just("X"), "target": st.just("a")},
    )  # fmt: skip
    return st.lists(st.one_of(row, sound, st.tuples(sound, row).map(lambda two: {**two[0], **two[1]})), max_size=4)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=300, deadline=None)
@given(
    garbage([*NODE_SCHEMA, "text"]),
    st.one_of(st.none(), garbage(list(EDGE_SCHEMA))),
    st.one_of(st.none(), garbage([*PIECE_SCHEMA, "mentions"])),
)
def test_hostile_rows_raise_our_error_or_make_a_store(nodes: object, edges: object, pieces: object) -> None:
    try:
        store = Store.from_frames(nodes, edges, pieces)  # type: ignore[arg-type]
    except MemlabError as error:
        str(error).encode()  # a message that no terminal can print would be a traceback after all
    else:
        assert store.nodes.schema == NODE_SCHEMA
