"""The sample store: how much it holds, how its exam is balanced, and whether its facts are true."""

from __future__ import annotations

import email
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from tiny import lab_of, titles

import memlab as ml
from memlab.sample import sample_source

REAL = os.environ.get("MEMLAB_REAL_DATA")
OVER = {"Superseded", "Rejected", "Withdrawn", "Deprecated", "Obsolete"}
HANGUL = r"\p{Hangul}"


@pytest.fixture(scope="module")
def store() -> ml.Store:
    return ml.read_store(sample_source())


@pytest.fixture(scope="module")
def exam(store: ml.Store) -> ml.Exam:
    return ml.Exam.read(ml.sample_exam()).for_store(store)


def test_it_holds_enough_of_every_kind(store: ml.Store) -> None:
    counts = dict(store.nodes["kind"].cast(pl.String).value_counts().iter_rows())
    for kind, least in {"Decision": 120, "Concept": 80, "Record": 120, "Episode": 40}.items():
        assert counts[kind] >= least
    assert store.pieces.height >= 300
    assert store.pieces["text"].str.contains(HANGUL).mean() > 0.2
    assert (store.edges["type"] == "MENTIONS").sum() > 300


def test_something_has_ended_among_every_kind(store: ml.Store) -> None:
    over = store.nodes.filter(
        pl.col("ended") | pl.col("valid_to").is_not_null() | (pl.col("superseded_by").list.len() > 0)
    )
    assert set(over["kind"].cast(pl.String)) == {"Concept", "Record", "Decision", "Episode"}


def test_about_half_of_the_concepts_have_a_korean_title(store: ml.Store) -> None:
    concepts = store.nodes.filter(pl.col("kind") == "Concept")
    assert 0.4 <= concepts["title"].str.contains(HANGUL).mean() <= 0.6


def test_every_episode_says_when_it_happened_and_what(store: ml.Store) -> None:
    episodes = store.nodes.filter(pl.col("kind") == "Episode")
    assert episodes["valid_from"].null_count() == 0
    assert episodes["summary"].str.len_chars().min() > 40


def test_the_exam_is_balanced(exam: ml.Exam, store: ml.Store) -> None:
    answerable, traps = exam.questions.filter("answerable"), exam.questions.filter(~pl.col("answerable"))
    assert answerable.height >= 60
    assert traps.height >= 24
    for part in (answerable, traps):
        languages = dict(part["lang"].value_counts().iter_rows())
        assert set(languages) == {"en", "ko"}
        assert min(languages.values()) >= 0.4 * part.height
    tags = dict(answerable["tags"].explode().value_counts().iter_rows())
    kinds = [tags[f"kind:{kind}"] for kind in ("Concept", "Record", "Decision", "Episode")]
    assert min(kinds) >= 0.8 * max(kinds)
    assert min(tags["own-words"], tags["other-words"]) >= 0.4 * answerable.height
    assert {"near-miss", "off-subject"} <= set(traps["tags"].explode())


def test_the_exam_says_who_wrote_it(exam: ml.Exam) -> None:
    assert exam.authors == ("memlab-authors",)


@pytest.mark.skipif(not REAL, reason="MEMLAB_REAL_DATA does not say where the real PEPs lie")
def test_every_decision_is_what_the_header_of_its_pep_says(store: ml.Store) -> None:
    wrong = []
    decisions = store.nodes.filter(pl.col("kind") == "Decision")
    for row in decisions.iter_rows(named=True):
        number = int(re.fullmatch(r"pep-(\d{4})", row["id"])[1])  # type: ignore[index]
        text = (Path(str(REAL)) / "peps" / f"pep-{number:04}.rst").read_text(encoding="utf-8")
        header = email.message_from_string(text.lstrip("\ufeff\n"))
        created = datetime.strptime(header["Created"].strip(), "%d-%b-%Y").replace(tzinfo=UTC)
        successors = sorted(f"pep-{int(n):04}" for n in re.findall(r"\d+", header["Superseded-By"] or ""))
        said = (int(header["PEP"]), " ".join(header["Title"].split()), created, header["Status"].strip() in OVER,
                successors)  # fmt: skip
        kept = (number, row["title"], row["valid_from"], row["ended"], sorted(row["superseded_by"]))
        if said != kept or f"PEP {number}" not in row["aliases"] or row["valid_to"] is not None:
            wrong.append((said, kept))
    assert decisions.height >= 120
    assert wrong == []


def test_it_is_built_once_and_again_when_something_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlab.encoders.cache_folder", lambda: tmp_path / "cache")
    built: list[Path] = []

    def counted(source: Path, target: Path, **_: object) -> object:
        built.append(target)
        return lab_of(titles("Loom", "Choir"), semantic=False).save(target)

    monkeypatch.setattr("memlab.sample.build_store", counted)
    path = ml.sample_store()
    assert ml.sample_store() == path
    assert built == [path]
    # Another store in its place, another place, other code: it is built again.
    lab_of(titles("Loom"), semantic=False).save(path)
    assert ml.Store.open(ml.sample_store()).nodes.height == 2
    elsewhere = ml.sample_store(tmp_path / "elsewhere.store")
    assert ml.sample_store(elsewhere) == elsewhere == tmp_path / "elsewhere.store"
    assert ml.sample_store() == path
    assert built == [path, path, elsewhere]
    (tmp_path / "memlab" / "data").mkdir(parents=True)
    (tmp_path / "memlab" / "rules.py").write_text("other = 1\n")
    (tmp_path / "memlab" / "data" / "python-memory").symlink_to(sample_source())
    monkeypatch.setattr("memlab.sample._HERE", tmp_path / "memlab")
    assert ml.sample_store() == path
    assert built[3:] == [path]
