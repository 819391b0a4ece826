"""Decision documents in the style of PEPs."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from memlab.errors import MemlabError
from memlab.readers import read_store
from memlab.readers.sections import passages, plain
from memlab.store import Store, validity

BODY = """
Abstract
========

This replaces :pep:`7`.  See ``code`` and `a link <http://x>`_ [1]_ and
:pep:`the style guide <8>`::

    secret = code()

Prose *after* the code.

.. code-block:: python

   more_secret()

.. note::

   Worth a note.

References
==========

.. [1] elsewhere

Copyright
=========

Public domain.
"""


def pep(number: str, status: str = "Final", created: str = "05-Jul-2001", extra: str = "", body: str = BODY) -> str:
    return f"PEP: {number}\nTitle: Number\n  {number}\nAuthor: Ä\nStatus: {status}\n{extra}Created: {created}\n\n{body}"


def store_of(path: Path, **files: str) -> Store:
    for name, text in files.items():
        (path / f"{name.replace('_', '-')}.rst").write_text(text, encoding="utf-8")
    return read_store(path)


def test_each_document_is_one_decision(tmp_path: Path) -> None:
    store = store_of(tmp_path, pep_0007=pep("7"), pep_0008=pep("8"))
    node = store.nodes.filter(id="pep-7").row(0, named=True)
    assert (node["kind"], node["title"], node["aliases"]) == ("Decision", "Number 7", ["PEP 7"])
    assert node["valid_from"] == datetime(2001, 7, 5, tzinfo=UTC)
    assert (store.about.reader, store.about.exam_include_retired) == ("peps", True)


def test_passages_are_prose_without_code_and_back_matter() -> None:
    assert list(passages(BODY)) == [
        "Abstract\n\nThis replaces PEP 7. See code and a link and the style guide (PEP 8):\n\n"
        "Prose after the code.\n\nWorth a note."
    ]


def test_passages_have_a_sensible_length() -> None:
    body = "Title\n=====\n\n" + "\n\n".join(["A sentence of some length stands here. " * 10] * 6 + ["Long one. " * 300])
    lengths = [len(text) for text in passages(body)]
    assert max(lengths) <= 1000
    assert min(lengths[:-1]) >= 400


def test_markdown_headings_and_fences_are_read() -> None:
    text = "# Context\n\nSome [prose](http://x).\n\n```go\nfunc()\n```\n\n## References\n\nx\n"
    assert list(passages(text, "adr")) == ["Context\n\nSome prose."]


def test_inline_signs_come_off() -> None:
    assert plain(r"**Bold**, :ref:`text <target>`, :class:`~a.B`, `odd`, 2 * 3 * 4, a\ b") == (
        "Bold, text, a.B, odd, 2 * 3 * 4, ab"
    )


def test_references_become_edges_and_mentions(tmp_path: Path) -> None:
    store = store_of(tmp_path, pep_0007=pep("7"), pep_0008=pep("8", body="See PEP 7 and PEP 99."), pep_0009=pep("9"))
    edges = set(store.edges.rows())
    assert ("pep-9", "REFERENCES", "pep-8") in edges
    assert ("pep-8", "REFERENCES", "pep-7") in edges
    assert ("pep-7", "REFERENCES", "pep-7") not in edges
    assert {("pep-9", "FROM", "pep-9#0"), ("pep-9#0", "MENTIONS", "pep-7"), ("pep-8#0", "MENTIONS", "pep-7")} <= edges


@pytest.mark.parametrize(
    ("status", "ended"),
    [("Superseded", True), ("Rejected", True), ("withdrawn", True), ("Deprecated.", True), ("Obsolete", True),
     ("Draft", False), ("Deferred", False), ("Proposed", False), ("Final", False), ("Active", False)],
)  # fmt: skip
def test_status_words(tmp_path: Path, status: str, ended: bool) -> None:
    assert store_of(tmp_path, pep_1=pep("1", status)).nodes["ended"].to_list() == [ended]


def test_succession_has_a_date_where_the_successor_has_one(tmp_path: Path) -> None:
    store = store_of(
        tmp_path,
        pep_1=pep("1", "Superseded", "01-Jan-2000", "Superseded-By: 3, PEP 4\n"),
        pep_2=pep("2", "Final", "2000-01-01 (draft)", "Superseded-By: 3\n"),
        pep_3=pep("3", "Final", "1 June 2010"),
        pep_4=pep("4", "Final", "01-Jan-2005"),
    )

    def state(year: int) -> dict[str, str]:
        return dict(zip(store.nodes["id"], validity(store.nodes, datetime(year, 6, 2, tzinfo=UTC)), strict=True))

    assert state(2004) == {"pep-1": "current", "pep-2": "current", "pep-3": "future", "pep-4": "future"}
    assert state(2006) == {"pep-1": "retired", "pep-2": "current", "pep-3": "future", "pep-4": "current"}
    assert state(2010) == {"pep-1": "retired", "pep-2": "retired", "pep-3": "current", "pep-4": "current"}


def test_a_successor_that_is_not_here_means_ended_with_a_note(tmp_path: Path) -> None:
    store = store_of(tmp_path, pep_1=pep("1", extra="Superseded-By: 77\n"), pep_2=pep("2", created="some day"))
    assert dict(store.nodes.select("id", "ended").rows()) == {"pep-1": True, "pep-2": False}
    notes = "\n".join(store.about.notes)
    assert "pep-1.rst: superseded by pep-77, which is not here: read as ended" in notes
    assert "1 documents have no date that can be read: pep-2.rst" in notes


def test_other_series_and_files_without_headers(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Hello")
    store = store_of(tmp_path, adr_005_queue="Title: Queue\nStatus: Accepted\nDate: x\n\nSee ADR 6.\n",
                     adr_006="Title: Broker\nStatus: Accepted\n\nBody\n")  # fmt: skip
    assert set(store.nodes["id"]) == {"adr-5", "adr-6"}
    assert ("adr-5", "REFERENCES", "adr-6") in store.edges.rows()
    assert "1 files without headers left out: README.md" in store.about.notes


def test_faults_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(MemlabError, match="no document with headers"):
        read_store(tmp_path, reader="peps")
    with pytest.raises(MemlabError, match=r"pep-8\.rst: pep-8 is also the number of pep-0008\.rst"):
        store_of(tmp_path, pep_0008=pep("8"), pep_8=pep("8"))
    (tmp_path / "pep-8.rst").write_text(pep("9").replace("Title: Number\n  9", "Title:"))
    with pytest.raises(MemlabError, match=r"^pep-8\.rst: nodes row 2 title: blank"):
        read_store(tmp_path)


@pytest.fixture(scope="module")
def real() -> Path:
    folder = os.environ.get("MEMLAB_REAL_DATA")
    if not folder or not (Path(folder) / "peps").is_dir():
        pytest.skip("MEMLAB_REAL_DATA names no folder with the real documents")
    return Path(folder)


@pytest.fixture(scope="module")
def real_store(real: Path) -> Store:
    begin = time.perf_counter()
    store = read_store(real / "peps")
    assert time.perf_counter() - begin < 120  # half a minute alone; machines differ and are busy
    return store


def test_every_real_document_is_read(real: Path, real_store: Store) -> None:
    store = real_store
    files = list((real / "peps").glob("pep-*.rst"))
    assert store.nodes.height == len(files)
    assert store.nodes["valid_from"].null_count() == 0
    assert set(store.nodes["id"]) - set(store.edges.filter(type="FROM")["source"]) == {"pep-210"}  # it has no text
    assert store.nodes.filter(id="pep-8")["title"].to_list() == ["Style Guide for Python Code"]
    gold = {g for line in (real / "pep_exam" / "exam.jsonl").open() for g in json.loads(line)["gold"]}
    assert gold <= set(store.nodes["id"])
    final = {i for i, s in store.nodes.select("id", "superseded_by").rows() if s} - set(
        store.nodes.filter(ended=True)["id"]
    )
    assert {"pep-248", "pep-333"} <= final


def test_real_headers_and_references_agree_with_the_index(real: Path, real_store: Store) -> None:
    store = real_store
    index = [json.loads(line) for line in (real / "peps" / "index.jsonl").open()]
    titles = {f"pep-{row['pep']}": " ".join(row["title"].split()) for row in index}
    assert dict(store.nodes.select("id", "title").rows()) == titles
    found = set(store.edges.filter(type="REFERENCES").select("source", "target").rows())
    ids = set(titles)
    told = {
        (f"pep-{r['pep']}", f"pep-{m}") for r in index for m in r["mentions"] if m != r["pep"] and f"pep-{m}" in ids
    }
    assert told <= found
    successors = {f"pep-{r['pep']}": re.findall(r"\d+", r["superseded_by"]) for r in index if r["superseded_by"]}
    assert dict(store.nodes.filter(pl.col("superseded_by").list.len() > 0).select("id", "superseded_by").rows()) == {
        i: [f"pep-{int(n)}" for n in names] for i, names in successors.items()
    }
