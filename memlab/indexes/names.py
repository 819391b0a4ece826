"""Names: the titles and aliases of all nodes, cut into words, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.indexes.coded import Coded, Known, coded
from memlab.indexes.wording import LEARNED, NAME, UNKNOWN, Wording
from memlab.indexes.words import WordIndex
from memlab.text import segment, title_key


@dataclass(frozen=True)
class CodedNames:
    """The names' words as numbers, so that many pairs can be matched at once.

    Attributes
    ----------
    of_node : ndarray of int64 ``[n_nodes + 1]``
        Where the names of each node begin.
    words : Coded
        Their words, a text a name.
    key : ndarray of int64 ``[n_names]``
        Number of the name's key, or -1.
    sides : ndarray of int64
        The sides that names take, sorted: number of the name and of the axis, and whether turned.
    turned_axes : ndarray of bool
        By number of the axis: whether any name is on its turned side.
    known : Known
        What the numbers mean.
    """

    of_node: NDArray[np.int64]
    words: Coded
    key: NDArray[np.int64]
    sides: NDArray[np.int64]
    turned_axes: NDArray[np.bool_]
    known: Known


@dataclass(frozen=True)
class Names:
    """All names of a store and their words.

    Attributes
    ----------
    names : polars.DataFrame
        ``name`` u32 · ``node`` u32 (row in the store's nodes) · ``text`` · ``is_title`` ·
        ``key`` (words, order aside) · ``size`` (distinct content words) ·
        ``title_key`` (of a title; null for an alias).
    wording : Wording
        Their words, a text a name.
    words : WordIndex
        Postings of the names' units.
    """

    names: pl.DataFrame
    wording: Wording
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
        wording = Wording.of(segment(names["text"].to_list()))
        wording = wording.marked(LEARNED, pl.col("term").is_in(learned(wording.terms)["term"].implode()))
        names = (
            names.join(wording.keys.rename({"text": "name"}), on="name", how="left", maintain_order="left")
            .join(wording.sizes.rename({"text": "name"}), on="name", how="left", maintain_order="left")
            .with_columns(pl.col("size").fill_null(0))
        )
        index = WordIndex.build(wording.units.rename({"text": "document"}), names.height)
        return cls(_with_title_keys(names), wording, index)

    @cached_property
    def title_keys(self) -> pl.Series:
        """Key of every node's title, by row of the node: equal keys are one title."""
        return self.names.filter("is_title")["title_key"]

    @property
    def terms(self) -> pl.DataFrame:
        """Distinct content words: ``name`` · ``word`` · ``term`` · ``surface``."""
        return self.wording.terms.select(pl.col("text").alias("name"), "word", "term", "surface")

    @cached_property
    def distinct_terms(self) -> pl.DataFrame:
        """``name`` · ``term``, each once."""
        return self.terms.select("name", "term").unique(maintain_order=True)

    def marks(self, asked: Wording) -> Wording:
        """Mark the words of questions that the store knows as names, and those that it does not know."""
        terms = self.wording.terms
        named = terms.filter((pl.col("flags") & LEARNED) > 0)["term"].unique()
        asked = asked.marked(LEARNED, pl.col("term").is_in(named.implode()))
        strange = ~pl.col("term").is_in(terms["term"].unique().implode())
        return asked.marked(UNKNOWN, strange & pl.col("term").str.contains(r"^[\p{Latin}\p{Cyrillic}\p{Greek}']+$"))

    @cached_property
    def coded(self) -> CodedNames:
        """The names' words as numbers; made on first use."""
        n = self.names.height
        node = self.names["node"].to_numpy()
        known = Known.of(self.wording)
        senses = self.wording.senses
        axis = coded(senses["axis"], known.axes)
        turned = senses["turned"].to_numpy()
        turned_axes = np.zeros(known.axes.height + 1, dtype=np.bool_)
        turned_axes[axis[turned]] = True
        side = (senses["text"].to_numpy().astype(np.int64) * known.axes.height + axis) * 2 + turned
        return CodedNames(
            np.searchsorted(node, np.arange(int(node.max()) + 2 if n else 1)),
            Coded.of(self.wording.terms, self.wording.forms, n, known),
            coded(self.names["key"], known.keys),
            np.sort(side),
            turned_axes,
            known,
        )

    def write(self, folder: Path) -> None:
        """Write to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.names.write_parquet(folder / "names.parquet")
        for part, frame in self.wording.parts().items():
            frame.write_parquet(folder / f"{part}.parquet")
        self.words.write(folder / "words")

    @classmethod
    def read(cls, folder: Path) -> Names:
        """Read what :meth:`write` wrote."""
        return cls(
            pl.read_parquet(folder / "names.parquet"),
            Wording(**{part: pl.read_parquet(folder / f"{part}.parquet") for part in Wording.PARTS}),
            WordIndex.read(folder / "words"),
        )


def _with_title_keys(names: pl.DataFrame) -> pl.DataFrame:
    """Add ``title_key`` (null for an alias)."""
    keys = [title_key(text) if is_title else None for text, is_title in names.select("text", "is_title").iter_rows()]
    return names.with_columns(pl.Series("title_key", keys, dtype=pl.String))


def learned(terms: pl.DataFrame) -> pl.DataFrame:
    """``term``: words that some name has with a capital amid small letters, and none in small letters.

    Such a word is a name wherever it stands, also where its capital says nothing: as the first word,
    in a title that capitalises every word, in a question typed in small letters. Names in which
    more than half of the words have capitals teach nothing.
    """
    plain = terms.filter(pl.col("upper").mean().over("text") <= 0.5)
    named = plain.filter(((pl.col("flags") & NAME) > 0) & pl.col("capital"))
    return named.select("term").unique().join(terms.filter(~pl.col("upper")), on="term", how="anti")
