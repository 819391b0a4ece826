"""Instants, intervals and succession: what holds at a moment."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import InputError
from memlab.store import Store, intervals, parse_instant, validity, validity_expr


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def states(as_of: str, *nodes: dict[str, object]) -> dict[str, str]:
    store = Store.from_frames([{"kind": "Decision", "title": str(n["id"]), **n} for n in nodes])
    return dict(zip(store.nodes["id"], validity(store.nodes, at(as_of)), strict=True))


def test_instants_are_read_as_utc() -> None:
    assert parse_instant(None) is None
    assert parse_instant("2024-05-31") == at("2024-05-31")
    assert parse_instant(date(2024, 5, 31)) == at("2024-05-31")
    assert parse_instant("2024-05-31T09:00:00+09:00") == at("2024-05-31")
    assert parse_instant("2024-05-31T00:00:00Z") == at("2024-05-31")


def test_an_instant_without_a_zone_is_utc_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="as_of: 2024-05-31T10:00:00 has no time zone"):
        assert parse_instant("2024-05-31T10:00:00") == at("2024-05-31T10:00:00")
    with pytest.warns(UserWarning, match="since"):
        parse_instant(datetime(2024, 5, 31, 10), "since")


@pytest.mark.parametrize("value", ["last spring", "", "2024-13-01", "24", 5, True, ["2024-01-01"], b"2024-01-01"])
def test_what_is_no_instant_is_refused_by_field(value: object) -> None:
    with pytest.raises(InputError, match=r"^as_of: .* is no date"):
        parse_instant(value)  # type: ignore[arg-type]


def test_an_interval_is_half_open() -> None:
    node = {"id": "a", "valid_from": "2022-01-01", "valid_to": "2023-01-01"}
    assert states("2021-12-31T23:59:59", node) == {"a": "future"}
    assert states("2022-01-01", node) == {"a": "current"}
    assert states("2022-12-31T23:59:59", node) == {"a": "current"}
    assert states("2023-01-01", node) == {"a": "retired"}


def test_a_node_without_a_stated_validity_is_current() -> None:
    assert states("1950-01-01", {"id": "a"}) == {"a": "current"}


def test_an_empty_interval_is_never_current() -> None:
    node = {"id": "a", "valid_from": "2022-01-01", "valid_to": "2022-01-01"}
    assert states("2021-01-01", node) == {"a": "future"}
    assert states("2022-01-01", node) == {"a": "retired"}


def test_ended_without_a_date_is_retired_at_every_instant() -> None:
    assert states("1990-01-01", {"id": "a", "ended": True, "valid_from": "2000-01-01"}) == {"a": "retired"}


def test_ended_with_a_date_is_that_date() -> None:
    node = {"id": "a", "ended": True, "valid_to": "2020-01-01"}
    assert states("2019-12-31", node) == {"a": "current"}
    assert states("2020-01-01", node) == {"a": "retired"}


def test_a_successor_retires_from_its_own_beginning() -> None:
    old, new = {"id": "old", "superseded_by": ["new"]}, {"id": "new", "valid_from": "2020-01-01"}
    assert states("2019-12-31", old, new) == {"old": "current", "new": "future"}
    assert states("2020-01-01", old, new) == {"old": "retired", "new": "current"}


def test_a_successor_without_a_date_retires_at_every_instant() -> None:
    old = {"id": "old", "superseded_by": ["new"], "valid_to": "2030-01-01"}
    assert states("1950-01-01", old, {"id": "new"}) == {"old": "retired", "new": "current"}


def test_of_several_successors_the_earliest_stated_counts() -> None:
    old = {"id": "old", "superseded_by": ["x", "y", "z"]}
    others = [{"id": "x"}, {"id": "y", "valid_from": "2021-01-01"}, {"id": "z", "valid_from": "2020-01-01"}]
    assert states("2019-12-31", old, *others)["old"] == "current"
    assert states("2020-01-01", old, *others)["old"] == "retired"


def test_the_earlier_of_own_end_and_succession_counts() -> None:
    new = {"id": "new", "valid_from": "2020-01-01"}
    assert states("2018-06-01", {"id": "o", "superseded_by": ["new"], "valid_to": "2018-01-01"}, new)["o"] == "retired"
    assert states("2020-06-01", {"id": "o", "superseded_by": ["new"], "valid_to": "2022-01-01"}, new)["o"] == "retired"


def test_a_circle_retires_nobody_and_is_noted() -> None:
    nodes = [{"id": n, "superseded_by": [m]} for n, m in ("ab", "bc", "ca")]
    assert set(states("2024-01-01", *nodes).values()) == {"current"}
    store = Store.from_frames([{"kind": "Concept", "title": "x", **n} for n in nodes])
    assert store.about.notes == ("nodes: superseded_by runs in a circle, which retires nobody: a, b, c",)


def test_a_circle_does_not_shield_from_a_successor_outside() -> None:
    nodes = [{"id": "a", "superseded_by": ["b", "c"]}, {"id": "b", "superseded_by": ["a"]}, {"id": "c"}]
    tail = {"id": "d", "superseded_by": ["a"]}
    found = states("2024-01-01", *nodes, tail)
    assert found == {"a": "retired", "b": "current", "c": "current", "d": "retired"}


def test_a_long_chain_is_read() -> None:
    nodes = [{"id": f"n{n}", "valid_from": "2020-01-01", "superseded_by": [f"n{n + 1}"]} for n in range(5_000)]
    found = states("2024-01-01", *nodes, {"id": "n5000", "valid_from": "2020-01-01"})
    assert [name for name, state in found.items() if state == "current"] == ["n5000"]


def test_intervals_say_when_each_node_held() -> None:
    store = Store.from_frames(
        [
            {"id": "old", "kind": "Decision", "title": "a", "superseded_by": ["new"], "valid_to": "2022-01-01"},
            {"id": "new", "kind": "Decision", "title": "b", "valid_from": "2020-01-01"},
            {"id": "over", "kind": "Decision", "title": "c", "ended": True},
            {"id": "lost", "kind": "Decision", "title": "d", "superseded_by": ["over"]},
        ]
    )
    assert intervals(store.nodes).select("id", "ended_always", "effective_to").rows() == [
        ("old", False, at("2020-01-01")),
        ("new", False, None),
        ("over", True, None),
        ("lost", True, None),
    ]


def test_validity_can_be_asked_for_many_instants_at_once() -> None:
    store = Store.from_frames([{"id": "a", "kind": "Record", "title": "x", "valid_to": "2020-01-01"}])
    asked = pl.DataFrame(
        {"as_of": [at("2019-01-01"), at("2021-01-01"), None]}, schema={"as_of": pl.Datetime("us", "UTC")}
    )
    joined = store.timeline.join(asked, how="cross").select(validity_expr(pl.col("as_of")))
    assert joined.to_series().to_list()[:2] == ["current", "retired"]


moments = st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)).map(lambda m: m.replace(tzinfo=UTC))


@settings(deadline=None)
@given(moments, st.timedeltas(timedelta(0), timedelta(days=900)), moments)
def test_current_is_exactly_the_half_open_interval(start: datetime, length: timedelta, moment: datetime) -> None:
    end = start + length
    store = Store.from_frames([{"id": "a", "kind": "Record", "title": "x", "valid_from": start, "valid_to": end}])
    for instant in (moment, start, end):
        state = validity(store.nodes, instant).to_list()
        assert state == ["current" if start <= instant < end else "retired" if end <= instant else "future"]


def test_validity_of_many_nodes_is_fast() -> None:
    count = 100_000
    nodes = Store.from_frames([{"id": "x", "kind": "Record", "title": "x", "valid_to": "2020-01-01"}]).nodes
    many = pl.concat([nodes] * count).with_columns(id=pl.int_range(count).cast(pl.String))
    many = many.with_columns(superseded_by=pl.concat_list(pl.col("id").shift(-1, fill_value="0")))
    validity(many.head(10), at("2024-01-01"))
    begin = time.perf_counter()
    validity(many, at("2024-01-01"))
    assert time.perf_counter() - begin < 2
