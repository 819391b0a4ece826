"""The table: what stands on the page after a heading, a search, a page or a new frame."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny import some

from memlab.errors import InputError
from memlab.widgets import Table

COLUMNS = {"question": "question", "outcome": "outcome", "gap": "gap (cosine)"}
OUTCOMES = pl.Enum(["right", "wrong", "choose"])


def frame_of(n: int = 25, **more: Any) -> pl.DataFrame:
    made = pl.DataFrame(
        {
            "question_id": [f"q{at}" for at in range(n)],
            "question": [f"왜 {at}번째 질문인가, Loom {at % 3}?" for at in range(n)],
            "outcome": pl.Series(["choose", "right", "wrong"] * n, dtype=pl.String)[:n].cast(OUTCOMES),
            "gap": [None if at % 5 == 4 else at * 7 % n / 100 for at in range(n)],
        }
    )
    return made.with_columns(**more)


@pytest.fixture
def table() -> Table:
    return Table(frame_of(), COLUMNS)


def keys(table: Table) -> list[str]:
    """The page's keys, as the page gets them."""
    there = [row[0] for row in table.view["rows"]]
    assert there == table.shown["question_id"].to_list()
    return there


def test_only_a_page_is_sent(table: Table) -> None:
    assert keys(table) == [f"q{at}" for at in range(10)]
    assert table.view["rows"][1] == ["q1", "왜 1번째 질문인가, Loom 1?", "right", "0.070"]
    assert (table.view["found"], table.view["total"]) == (25, 25)
    assert [(h["label"], h["kind"]) for h in table.headings] == [
        ("question", "short"), ("outcome", "short"), ("gap (cosine)", "number"),
    ]  # fmt: skip


def test_pages_are_turned_and_end_where_rows_do(table: Table) -> None:
    table.start = 20
    assert keys(table) == [f"q{at}" for at in range(20, 25)]
    for asked, there in ((1000, 20), (-3, 0), (17, 10)):
        table.start = asked
        assert table.start == there
    table.page = 4
    assert len(keys(table)) == 4


def test_a_heading_sorts_and_ties_keep_their_order(table: Table) -> None:
    table.sort = "outcome"
    assert keys(table)[:9] == [f"q{at}" for at in range(1, 25, 3)] + ["q2"]  # in the order of the enum
    table.set_state({"sort": "gap", "descending": True, "start": 0})
    assert table.shown["gap"].to_list() == sorted(frame_of()["gap"].drop_nulls(), reverse=True)[:10]
    table.start = 20
    assert table.shown["gap"].null_count() == 5  # what is not known comes last, either way
    table.sort = "no such column"
    assert (table.sort, keys(table)[0]) == ("", "q20")


def test_a_search_keeps_rows_with_all_words(table: Table) -> None:
    table.start = 10
    table.set_state({"search": "LOOM 1 질문", "start": 0})
    found = frame_of().filter(pl.col("question").str.contains("1") & pl.col("question").str.contains("질문"))
    assert keys(table) == found["question_id"].head(10).to_list()
    assert table.view["found"] == found.height
    table.search = "(["
    assert table.view["rows"] == []
    table.search = ""
    assert table.view["found"] == 25


def test_a_new_frame_keeps_heading_search_page_and_selection(table: Table) -> None:
    table.set_state({"sort": "gap", "search": "loom", "start": 10, "selected": "q3"})
    table.frame = frame_of(23)
    assert (table.sort, table.search, table.start, table.selected) == ("gap", "loom", 10, "q3")
    table.frame = frame_of(3, question=pl.lit("another loom"))
    assert (table.start, table.selected, keys(table)) == (0, "", ["q0", "q1", "q2"])
    table.frame = frame_of(0)
    assert table.view == {"rows": [], "start": 0, "found": 0, "total": 0}


def test_a_row_is_selected_by_its_key(table: Table) -> None:
    seen = []
    table.observe(lambda change: seen.append(change["new"]), "selected")
    table.selected = "q24"
    table.selected = "gone"
    assert seen == ["q24", ""]


def test_an_update_sends_one_small_message(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[set[str]] = []
    big = Table(frame_of(10_000), COLUMNS)
    monkeypatch.setattr(big, "send_state", lambda key=None: sent.append(set(key or ())))
    big.frame = frame_of(10_000, gap=pl.lit(0.5))
    assert sent == [{"view"}]
    assert len(str(big.view)) < 2_000


def test_every_sort_of_value_is_text_on_one_line() -> None:
    hostile = "<script>alert(1)</script>\n\u202eRTL \x1b[31m " + "x" * 5000
    rows = pl.DataFrame(
        {"k": [1, 2], "a": [hostile, None], "b": [["p", "q"], []], "c": [True, False], "d": [3, None]},
        schema_overrides={"d": pl.UInt32},
    ).with_columns(e=pl.datetime(2026, 1, 2))
    table = Table(rows, {name: name for name in "abcde"}, key="k")
    first, second = table.view["rows"]
    assert first[0] == "1"
    assert first[1].startswith("<script>alert(1)</script> \ufffdRTL \ufffd[31m x")
    assert len(first[1]) == 2000
    assert first[2:] == ["p, q", "yes", "3", "2026-01-02"]
    assert second[1:] == ["–", "–", "–", "–", "2026-01-02"]
    assert [h["kind"] for h in table.headings] == ["text", "text", "short", "number", "short"]
    table.sort = "b"
    assert table.view["rows"][0][0] == "2"


def test_a_column_of_long_text_stays_one(table: Table) -> None:
    long = table.frame.with_columns(question=pl.lit("a question of more than a few words"))
    for frame in (long, frame_of(3)):
        table.frame = frame
        assert table.headings[0]["kind"] == "text"


def test_colours_go_with_their_column() -> None:
    table = Table(frame_of(), COLUMNS, colours={"outcome": {"right": "#009E73"}})
    assert [h["colours"] for h in table.headings] == [{}, {"right": "#009E73"}, {}]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"columns": {"lang": "lang"}}, "lang: missing; the frame has question_id, question"),
        ({"key": "outcome"}, "outcome: names two rows, or none"),
        ({"page": 0}, "page: must be a whole number"),
    ],
)
def test_what_cannot_be_shown_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Table(**{"frame": frame_of(), "columns": COLUMNS, **change})


def test_a_refused_frame_leaves_the_old_one(table: Table) -> None:
    with pytest.raises(InputError):
        table.frame = frame_of().drop("gap")
    assert keys(table) == [f"q{at}" for at in range(10)]


rows = st.lists(st.tuples(st.sampled_from(["Loom", "loom", "베틀", ""]), st.one_of(st.none(), st.integers(0, 3))))


@some
@given(rows, st.sampled_from(["", "t", "n"]), st.booleans(), st.sampled_from(["", "LOOM", "틀"]), st.integers(1, 4))
def test_the_pages_together_are_the_rows_sorted_and_searched(
    rows: list[tuple[str, int | None]], sort: str, down: bool, search: str, page: int
) -> None:
    frame = pl.DataFrame(
        {"k": [str(at) for at in range(len(rows))], "t": [t for t, _ in rows], "n": [n for _, n in rows]},
        schema={"k": pl.String, "t": pl.String, "n": pl.Int64},
    )
    table = Table(frame, {"t": "text", "n": "number"}, key="k", page=page)
    table.set_state({"sort": sort, "descending": down, "search": search})
    expected = [(str(at), t, n) for at, (t, n) in enumerate(rows) if search.lower() in t.lower()]
    # Python's sort is stable in either direction.
    if sort == "t":
        expected.sort(key=lambda row: row[1].lower(), reverse=down)
    if sort == "n":
        known = [row for row in expected if row[2] is not None]
        expected = sorted(known, key=lambda row: row[2] or 0, reverse=down) + [r for r in expected if r[2] is None]
    seen = []
    for start in range(0, max(1, len(expected)), page):
        table.start = start
        seen += [row[0] for row in table.view["rows"]]
    assert seen == [row[0] for row in expected]


def test_lists_of_lists_are_shown_and_do_not_stop_a_search() -> None:
    frame = pl.DataFrame({"question_id": ["a", "b"], "nested": [[["x"]], None], "text": ["one", "two"]})
    table = Table(frame, {"nested": "nested", "text": "text"})
    table.search = "two"
    assert table.view["rows"] == [["b", "–", "two"]]
    table.sort = "nested"
    assert table.view["found"] == 1


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(InputError, match="frame"):
        Table([1], {"text": "text"})  # type: ignore[arg-type]  # what is tested
