"""Nodes found in pieces by their names."""

from __future__ import annotations

import polars as pl

from memlab.readers import find_mentions


def mentions(names: dict[str, list[str]], *texts: str) -> list[set[str]]:
    nodes = pl.DataFrame(
        {"id": list(names), "title": [n[0] for n in names.values()], "aliases": [n[1:] for n in names.values()]},
        schema={"id": pl.String, "title": pl.String, "aliases": pl.List(pl.String)},
    )
    pieces = pl.DataFrame({"id": [str(n) for n in range(len(texts))], "text": list(texts)})
    found = find_mentions(nodes, pieces)
    return [set(found.filter(source=str(n))["target"]) for n in range(len(texts))]


def test_titles_and_aliases_are_found_whole() -> None:
    names = {"hints": ["Type Hints", "PEP 484"], "pep8": ["Style Guide", "PEP 8"]}
    assert mentions(names, "We use TYPE hints.", "see pep 484", "see PEP 48", "a type of hints") == [
        {"hints"},
        {"hints"},
        set(),
        set(),
    ]


def test_the_longest_name_wins_where_one_lies_inside_another() -> None:
    names = {"hints": ["type hints"], "type": ["type"], "stub": ["hints file"]}
    assert mentions(names, "type hints", "a type and type hints", "type hints file") == [
        {"hints"},
        {"hints", "type"},
        {"hints", "stub"},
    ]


def test_neighbours_are_both_found() -> None:
    assert mentions({"a": ["Loom"], "b": ["Shuttle"]}, "loom shuttle loom") == [{"a", "b"}]


def test_nodes_of_one_name_are_all_found() -> None:
    assert mentions({"a": ["Loom"], "b": ["loom", "Loom"]}, "The loom") == [{"a", "b"}]


def test_short_names_and_stop_words_count_only_as_written() -> None:
    names = {"go": ["Go"], "who": ["The Who"], "c": ["C"]}
    assert mentions(names, "we go on", "written in Go", "the who and why", "The Who played", "in C, not c") == [
        set(),
        {"go"},
        set(),
        {"who"},
        {"c"},
    ]


def test_korean_particles_do_not_hide_a_name() -> None:
    assert mentions({"a": ["보관함"], "b": ["열쇠"]}, "보관함에서 열쇠를 찾았다") == [{"a", "b"}]


def test_nothing_to_find_is_no_error() -> None:
    assert mentions({}, "text") == [set()]
    assert mentions({"a": ["!!!"]}, "!!!") == [set()]
    assert mentions({"a": ["Loom"]}) == []
