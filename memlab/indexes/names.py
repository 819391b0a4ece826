"""Names: the titles and aliases of all nodes, cut into words, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.indexes.words import WordIndex
from memlab.text import segment, title_key


def distinct_words(terms: pl.DataFrame, by: str) -> pl.DataFrame:
    """Drop what is said more than once: a word with the same terms as an earlier one of its text.

    ``by`` is the column that tells the texts apart. Keeps content terms only.
    """
    content = terms.filter("content")
    words = content.group_by(by, "word", maintain_order=True).agg(
        pl.col("term").unique().sort().str.join("\x1f").alias("key")
    )
    kept = words.unique([by, "key"], keep="first", maintain_order=True).select(by, "word")
    return content.join(kept, on=[by, "word"], maintain_order="left").unique(
        [by, "word", "term"], keep="first", maintain_order=True
    )


def word_keys(terms: pl.DataFrame, by: str) -> pl.DataFrame:
    """One key a text: its distinct content terms; of a text of stop words alone, those words."""
    content = (
        terms.filter("content").group_by(by).agg(key=pl.lit("c\x1f") + pl.col("term").unique().sort().str.join("\x1f"))
    )
    stops = (
        terms.group_by(by)
        .agg(pl.col("content").any(), (pl.lit("s\x1f") + pl.col("term").unique().sort().str.join("\x1f")).alias("key"))
        .filter(~pl.col("content"))
        .select(by, "key")
    )
    return pl.concat([content.select(by, "key"), stops.select(by, "key")])


def units(terms: pl.DataFrame, by: str) -> pl.DataFrame:
    """What is looked up: content terms, and content words as written (behind ``=``)."""
    content = terms.filter("content")
    return pl.concat(
        [
            content.select(by, pl.col("term").alias("unit")),
            content.select(by, (pl.lit("=") + pl.col("surface")).alias("unit")),
        ]
    ).unique()


@dataclass(frozen=True)
class CodedNames:
    """The names' words as numbers, so that many pairs can be matched at once.

    Attributes
    ----------
    of_node : ndarray of int64 ``[n_nodes + 1]``
        Where the names of each node begin.
    rows : ndarray of int64 ``[n_names + 1]``
        Where the rows of each name begin in the arrays below.
    term, surface : ndarray of int64
        Numbers of the strings in ``terms`` and ``surfaces``.
    opens : ndarray of bool
        Whether the row begins a word.
    number, proper : ndarray of bool
    key : ndarray of int64 ``[n_names]``
        Number of the name's key in ``keys``, or -1.
    terms, surfaces, keys : polars.DataFrame
        ``text`` · ``code``.
    """

    of_node: NDArray[np.int64]
    rows: NDArray[np.int64]
    term: NDArray[np.int64]
    surface: NDArray[np.int64]
    opens: NDArray[np.bool_]
    number: NDArray[np.bool_]
    proper: NDArray[np.bool_]
    key: NDArray[np.int64]
    terms: pl.DataFrame
    surfaces: pl.DataFrame
    keys: pl.DataFrame


def _codes(texts: pl.Series) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Number the distinct strings of a column; a null has -1."""
    known = texts.drop_nulls().unique(maintain_order=True).alias("text").to_frame()
    known = known.with_columns(code=pl.int_range(pl.len(), dtype=pl.Int64))
    return known, coded(texts, known)


def coded(texts: pl.Series, known: pl.DataFrame) -> NDArray[np.int64]:
    """Numbers of strings among known ones, -1 for the others."""
    found = texts.alias("text").to_frame().join(known, on="text", how="left", maintain_order="left")
    codes: NDArray[np.int64] = found["code"].fill_null(-1).to_numpy()
    return codes


@dataclass(frozen=True)
class Names:
    """All names of a store and their words.

    Attributes
    ----------
    names : polars.DataFrame
        ``name`` u32 · ``node`` u32 (row in the store's nodes) · ``text`` · ``is_title`` ·
        ``key`` (words, order aside) · ``size`` (distinct content words) ·
        ``title_key`` (of a title; null for an alias).
    terms : polars.DataFrame
        Distinct content words of every name: ``name`` · ``word`` · ``term`` · ``surface`` ·
        ``number`` · ``proper`` (a name by tag or by capital).
    words : WordIndex
        Postings of the names' units.
    """

    names: pl.DataFrame
    terms: pl.DataFrame
    words: WordIndex

    @classmethod
    def build(cls, nodes: pl.DataFrame) -> Names:
        """Segment the titles and aliases of ``nodes`` (in the store's order)."""
        rows = nodes.with_row_index("node").select(
            "node", pl.concat_list(pl.concat_list("title"), "aliases").alias("text")
        )
        names = (
            rows.explode("text")
            .with_columns(is_title=pl.int_range(pl.len()).over("node") == 0)
            .filter(pl.col("text").is_not_null())
            .unique(["node", "text"], keep="first", maintain_order=True)
            .with_row_index("name")
        )
        cut = segment(names["text"].to_list()).rename({"text": "name"})
        terms = proper(distinct_words(cut, "name"), "name")
        sizes = terms.group_by("name").agg(pl.col("word").n_unique().alias("size"))
        names = (
            names.join(word_keys(cut, "name"), on="name", how="left", maintain_order="left")
            .join(sizes, on="name", how="left", maintain_order="left")
            .with_columns(pl.col("size").fill_null(0))
        )
        names = _with_title_keys(names)
        index = WordIndex.build(units(cut, "name").rename({"name": "document"}), names.height)
        return cls(names, terms.select("name", "word", "term", "surface", "number", "proper"), index)

    @cached_property
    def title_keys(self) -> pl.Series:
        """Key of every node's title, by row of the node: equal keys are one title."""
        return self.names.filter("is_title")["title_key"]

    @cached_property
    def distinct_terms(self) -> pl.DataFrame:
        """``name`` · ``term``, each once."""
        return self.terms.select("name", "term").unique(maintain_order=True)

    @cached_property
    def coded(self) -> CodedNames:
        """The names' words as numbers; made on first use."""
        terms = self.terms.sort("name", "word", maintain_order=True)
        n = self.names.height
        node, name, word = (c.to_numpy() for c in (self.names["node"], terms["name"], terms["word"]))
        opens = np.ones(terms.height, dtype=np.bool_)
        opens[1:] = (name[1:] != name[:-1]) | (word[1:] != word[:-1])
        known_terms, term = _codes(terms["term"])
        known_surfaces, surface = _codes(terms["surface"])
        known_keys, key = _codes(self.names["key"])
        return CodedNames(
            np.searchsorted(node, np.arange(int(node.max()) + 2 if n else 1)),
            np.searchsorted(name, np.arange(n + 1)),
            term,
            surface,
            opens,
            terms["number"].to_numpy(),
            terms["proper"].to_numpy(),
            key,
            known_terms,
            known_surfaces,
            known_keys,
        )

    def write(self, folder: Path) -> None:
        """Write to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.names.write_parquet(folder / "names.parquet")
        self.terms.write_parquet(folder / "terms.parquet")
        self.words.write(folder / "words")

    @classmethod
    def read(cls, folder: Path) -> Names:
        """Read what :meth:`write` wrote."""
        return cls(
            pl.read_parquet(folder / "names.parquet"),
            pl.read_parquet(folder / "terms.parquet"),
            WordIndex.read(folder / "words"),
        )


def _with_title_keys(names: pl.DataFrame) -> pl.DataFrame:
    """Add ``title_key`` (null for an alias)."""
    keys = [title_key(text) if is_title else None for text, is_title in names.select("text", "is_title").iter_rows()]
    return names.with_columns(pl.Series("title_key", keys, dtype=pl.String))


def proper(terms: pl.DataFrame, by: str) -> pl.DataFrame:
    """Add ``proper``: tagged as a name, or capitalised in a text whose words are not all so.

    The first word of a sentence says nothing by its capital, nor do the capitals of a title in
    which every content word has one.
    """
    shouting = pl.col("upper").all().over(by)
    return terms.with_columns(proper=pl.col("tagged") | (pl.col("capital") & ~shouting))
