"""Tables of nodes, edges and pieces, in every format, sound and broken."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memlab.errors import MemlabError
from memlab.readers import read_exam, read_store, registry

NODES = [
    {"id": "a", "kind": "Concept", "title": "Loom", "aliases": ["weaving machine", "베틀"]},
    {"id": "b", "kind": "Decision", "title": "Old shuttle", "ended": True, "superseded_by": ["c"]},
    {"id": "c", "kind": "Decision", "title": "New shuttle", "valid_from": "2020-01-01"},
]
PIECES = [{"id": "p", "document": "d", "text": "The loom is old.", "position": 2, "mentions": ["c"]}]
EDGES = [{"source": "a", "type": "RELATES", "target": "b"}]


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def folder_of(path: Path, form: str) -> Path:
    parts = {"nodes": NODES, "edges": EDGES, "pieces": PIECES}
    path.mkdir()
    for part, rows in parts.items():
        file = path / f"{part}.{form}"
        if form in ("jsonl", "ndjson"):
            file.write_text(lines(rows), encoding="utf-8")
        elif form == "json":
            file.write_text(json.dumps(rows), encoding="utf-8")
        elif form == "parquet":
            pl.DataFrame(rows).write_parquet(file)
        else:
            flat = pl.DataFrame(rows).with_columns(pl.col(pl.List(pl.String)).list.join("|"))
            file.write_text("\ufeff" + flat.write_csv(), encoding="utf-8")
    return path


def test_every_format_gives_the_same_store(tmp_path: Path) -> None:
    stores = {
        form: read_store(folder_of(tmp_path / form, form)) for form in ("jsonl", "ndjson", "json", "csv", "parquet")
    }
    assert len({store.checksum for store in stores.values()}) == 1
    store = stores["csv"]
    assert store.about.reader == "tables"
    assert store.nodes.filter(id="a")["aliases"].to_list() == [["weaving machine", "베틀"]]
    assert set(store.edges.rows()) == {
        ("a", "RELATES", "b"),
        ("b", "SUPERSEDED_BY", "c"),
        ("p", "MENTIONS", "a"),
        ("p", "MENTIONS", "c"),
    }


def test_one_file_is_read_alone_and_a_json_object_may_hold_all_parts(tmp_path: Path) -> None:
    folder_of(tmp_path / "all", "jsonl")
    assert read_store(tmp_path / "all" / "nodes.jsonl").pieces.is_empty()
    file = tmp_path / "graph.json"
    file.write_text(json.dumps({"nodes": NODES, "edges": EDGES, "pieces": PIECES}))
    assert read_store(file).checksum == read_store(tmp_path / "all").checksum


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nodes.jsonl", lines(NODES[:1]) + '\n{"id": "b", "ti\n', "nodes row 2: not JSON"),
        ("nodes.jsonl", lines(NODES[:1]) + '{"id": "b", "kind": "Concept"}\n', "nodes row 2 title: missing"),
        ("nodes.jsonl", "[1]\n", "nodes row 1: [1] is a list"),
        ("nodes.jsonl", '{"id": "a", "id": "b"}', "nodes row 1: not JSON: the field 'id' stands there twice"),
        ("nodes.jsonl", '{"id": NaN}', "nodes row 1: not JSON: NaN"),
        ("nodes.jsonl", "[" * 100_000, "nodes row 1: not JSON"),
        ("nodes.jsonl", '{"id": ' + "9" * 5000 + "}", "nodes row 1: not JSON"),
        ("nodes.json", '{"a": 1}', "nodes: is not a list of objects"),
        ("nodes.json", "{", "not JSON"),
        ("nodes.csv", "id,kind,title\na,Concept,Loom\nb,Concept\n", "nodes row 2: has 2 fields where the header has 3"),
        ("nodes.csv", 'id,kind,title\na,Concept,"Loom\n', "nodes row 1: not CSV"),
        ("nodes.csv", "id,kind,title,ended\na,Concept,Loom,ja\n", "nodes row 1 ended: 'ja' is no truth value"),
        ("nodes.csv", 'id,kind,title,aliases\na,Concept,Loom,"[1"\n', "nodes row 1 aliases: no JSON list"),
        ("nodes.csv", "id,kind,title,title\na,Concept,Loom,x\n", "nodes: two columns are called 'title'"),
        ("nodes.csv", "id,kind\na,Concept\n", "nodes row 1 title: missing"),
        ("nodes.csv", "id,kind,title\n,Concept,Loom\n", "nodes row 1 id: missing"),
        ("nodes.parquet", "no parquet", "is no parquet file"),
    ],
)  # fmt: skip
def test_a_broken_table_names_file_row_and_field(tmp_path: Path, name: str, content: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    with pytest.raises(MemlabError) as caught:
        read_store(file)
    assert str(caught.value).startswith(f"{name}: {said}")


def test_the_error_names_the_file_of_its_part(tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text(lines(NODES))
    (tmp_path / "edges.csv").write_text("source,type,target\na,X,zz\n")
    with pytest.raises(MemlabError, match=r"^edges\.csv: edges row 1 target: 'zz' is neither"):
        read_store(tmp_path)


def test_another_encoding_is_told(tmp_path: Path) -> None:
    file = tmp_path / "nodes.csv"
    file.write_bytes("id,kind,title\na,Concept,베틀\n".encode("cp949"))
    with pytest.raises(MemlabError, match=r"nodes\.csv: line 2 is not UTF-8"):
        read_store(file)
    file.write_text("id,kind,title\na,Concept,Loom\n", encoding="utf-16")
    with pytest.raises(MemlabError, match="is UTF-16; save it as UTF-8"):
        read_store(file)


def test_two_tables_of_one_part_are_refused(tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text(lines(NODES))
    (tmp_path / "nodes.csv").write_text("id,kind,title\n")
    with pytest.raises(MemlabError, match=r"more than one table of nodes: nodes\.csv, nodes\.jsonl"):
        read_store(tmp_path)


def test_what_no_reader_knows_is_told(tmp_path: Path) -> None:
    with pytest.raises(MemlabError, match="no such file or folder"):
        read_store(tmp_path / "none")
    with pytest.raises(MemlabError, match="no reader knows this source"):
        read_store(tmp_path)
    with pytest.raises(MemlabError, match="reader 'csv' is unknown; use auto or one of locomo, peps"):
        read_store(tmp_path, reader="csv")
    assert read_exam(tmp_path) is None
    assert list(registry())[-1] == "tables"


def test_line_separators_inside_a_text_end_no_row(tmp_path: Path) -> None:
    file = tmp_path / "nodes.jsonl"
    file.write_text(
        lines([{**NODES[0], "title": "Loom\u2028and\u0085shuttle"}]).replace("\n", "\r\n"), encoding="utf-8"
    )
    assert read_store(file).nodes["title"].to_list() == ["Loom\u2028and\u0085shuttle"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.sampled_from(["nodes.jsonl", "nodes.csv", "nodes.json", "nodes.parquet"]), st.binary(max_size=60))
def test_hostile_bytes_raise_our_error_or_make_a_store(tmp_path: Path, name: str, content: bytes) -> None:
    heads = {"nodes.csv": b"id,kind,title,aliases\n", "nodes.jsonl": b'{"id": "a", "kind": "Concept", "title": '}
    file = tmp_path / name
    for bytes_ in (content, heads.get(name, b"PAR1") + content):
        file.write_bytes(bytes_)
        try:
            read_store(file)
        except MemlabError as error:
            str(error).encode()
