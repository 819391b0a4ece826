"""Names: the titles and aliases of all nodes, cut into words, once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from memlab.indexes.words import WordIndex
from memlab.text import segment


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


def word_keys(terms: pl.DataFrame, by: str, n: int) -> pl.DataFrame:
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
class Names:
    """All names of a store and their words.

    Attributes
    ----------
    names : polars.DataFrame
        ``name`` u32 · ``node`` u32 (row in the store's nodes) · ``text`` · ``is_title`` ·
        ``key`` (words, order aside) · ``size`` (distinct content words) · ``title_cased`` (every
        content word capitalised, so that capitals say nothing).
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
            names.join(word_keys(cut, "name", names.height), on="name", how="left", maintain_order="left")
            .join(sizes, on="name", how="left", maintain_order="left")
            .with_columns(pl.col("size").fill_null(0))
        )
        index = WordIndex.build(units(cut, "name").rename({"name": "document"}), names.height)
        return cls(names, terms.select("name", "word", "term", "surface", "number", "proper"), index)

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


def proper(terms: pl.DataFrame, by: str) -> pl.DataFrame:
    """Add ``proper``: tagged as a name, or capitalised in a text whose words are not all so.

    The first word of a sentence says nothing by its capital, nor do the capitals of a title in
    which every content word has one.
    """
    # The opening word may be lower-case by rule of its position only, so it is not asked.
    telling = pl.col("capital") | (pl.col("word") == pl.col("word").min().over(by))
    shouting = telling.all().over(by)
    return terms.with_columns(proper=pl.col("tagged") | (pl.col("capital") & ~shouting))
