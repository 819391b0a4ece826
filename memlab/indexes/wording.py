"""What of a text is matched: its terms, the forms that its words are found under, and their flags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl

from memlab.text.inflection import lemma
from memlab.text.senses import senses

# Flags of a term, as bits: what it means when it is left over.
NUMBER = 1
COUNTING = 2
NAME = 4
# Of a script without capitals, so it may be a name.
CASELESS = 8
# The first content word of its text, where a capital says nothing.
OPENING = 16
# Known to the store as a name, wherever it stands and however it is written.
LEARNED = 32
# Not among the words of the store, in a script where a name may be typed in small letters.
UNKNOWN = 64
HANGUL = 128
# Opens a dictionary form among the forms of a word, and keeps it apart from a word that is written so.
LEMMA = "~"
_SCRIPTS = (
    "Han Hiragana Katakana Thai Lao Khmer Myanmar Arabic Hebrew Devanagari Bengali Tamil Telugu Georgian Ethiopic"
)
_CASELESS = "^[" + "".join(rf"\p{{{script}}}" for script in _SCRIPTS.split()) + "]"
_HANGUL = r"^\p{Hangul}+$"


@dataclass(frozen=True)
class Wording:
    """The wording of many texts.

    Attributes
    ----------
    terms : polars.DataFrame
        Distinct content words: ``text`` · ``word`` · ``term`` · ``surface`` · ``flags``.
    forms : polars.DataFrame
        ``text`` · ``word`` · ``form``: what a word is found under as a whole, its surface among them.
    senses : polars.DataFrame
        ``text`` · ``axis`` · ``turned`` (see :mod:`memlab.text.senses`).
    keys : polars.DataFrame
        ``text`` · ``key``: one a text, equal where nothing tells the words apart, order aside.
    """

    PARTS: ClassVar = ("terms", "forms", "senses", "keys")

    terms: pl.DataFrame
    forms: pl.DataFrame
    senses: pl.DataFrame
    keys: pl.DataFrame

    @classmethod
    def of(cls, cut: pl.DataFrame) -> Wording:
        """Take what :func:`memlab.text.segment` gave."""
        terms = _flagged(distinct_words(cut))
        return cls(terms, forms(terms), senses(cut), word_keys(cut))

    def parts(self) -> dict[str, pl.DataFrame]:
        """Its frames, by name."""
        return {part: getattr(self, part) for part in self.PARTS}

    def marked(self, flag: int, which: pl.Expr) -> Wording:
        """Set a flag of the terms for which an expression holds."""
        flags = pl.when(which).then(pl.col("flags") | flag).otherwise("flags")
        return replace(self, terms=self.terms.with_columns(flags=flags))

    @property
    def units(self) -> pl.DataFrame:
        """``text`` · ``unit``, what is looked up in postings: terms, and forms behind ``=``."""
        return pl.concat(
            [
                self.terms.select("text", pl.col("term").alias("unit")),
                self.forms.select("text", (pl.lit("=") + pl.col("form")).alias("unit")),
            ]
        ).unique()

    @property
    def sizes(self) -> pl.DataFrame:
        """``text`` · ``size``: distinct content words."""
        return self.terms.group_by("text").agg(pl.col("word").n_unique().alias("size"))


def distinct_words(cut: pl.DataFrame) -> pl.DataFrame:
    """Drop what is said more than once: a word with the same terms as an earlier one of its text.

    Keeps content terms only.
    """
    content = cut.filter("content")
    words = content.group_by("text", "word", maintain_order=True).agg(
        pl.col("term").unique().sort().str.join("\x1f").alias("key")
    )
    kept = words.unique(["text", "key"], keep="first", maintain_order=True).select("text", "word")
    return content.join(kept, on=["text", "word"], maintain_order="left").unique(
        ["text", "word", "term"], keep="first", maintain_order=True
    )


def word_keys(cut: pl.DataFrame) -> pl.DataFrame:
    """One key a text: its distinct content terms; of a text of stop words alone, those words."""
    key = pl.col("term").unique().sort().str.join("\x1f")
    content = cut.filter("content").group_by("text").agg(key=pl.lit("c\x1f") + key)
    stops = (
        cut.group_by("text")
        .agg(pl.col("content").any(), (pl.lit("s\x1f") + key).alias("key"))
        .filter(~pl.col("content"))
    )
    return pl.concat([content.select("text", "key"), stops.select("text", "key")])


def forms(terms: pl.DataFrame) -> pl.DataFrame:
    """What each word is found under as a whole.

    That is the word as written; its dictionary form, where it is a plain Latin word and no name; and, of
    Korean words that stand side by side, what they are without the space: 데이터 베이스 is 데이터베이스.
    """
    words = terms.unique(["text", "word"], keep="first", maintain_order=True).select("text", "word", form="surface")
    korean = words.filter(pl.col("form").str.contains(_HANGUL))
    parts = [words]
    for size in (2, 3):
        run = [pl.col("form").shift(-n) for n in range(size)]
        beside = (pl.col("text").shift(1 - size) == pl.col("text")) & (
            pl.col("word").shift(1 - size) == pl.col("word") + (size - 1)
        )
        joined = korean.with_columns(joined=pl.concat_str(run), beside=beside).filter("beside")
        parts += [joined.select("text", pl.col("word") + n, form="joined") for n in range(size)]
    return pl.concat([*parts, _lemmas(terms)]).unique().sort("text", "word", "form")


def _lemmas(terms: pl.DataFrame) -> pl.DataFrame:
    """Dictionary forms of words that are one term, and no name, number or identifier."""
    whole = (pl.len().over("text", "word") == 1) & (pl.col("term") == pl.col("surface"))
    plain = terms.filter(whole & ((pl.col("flags") & (NAME | NUMBER | COUNTING)) == 0))
    known = pl.DataFrame({"term": plain["term"].unique(maintain_order=True)})
    known = known.with_columns(form=pl.Series([lemma(term) for term in known["term"]], dtype=pl.String)).drop_nulls()
    return plain.join(known, on="term").select("text", "word", form=pl.lit(LEMMA) + pl.col("form"))


def _flagged(terms: pl.DataFrame) -> pl.DataFrame:
    """Add ``flags``.

    The first word of a sentence says nothing by its capital, nor do the capitals of a title in
    which every content word has one.
    """
    shouting = pl.col("upper").all().over("text")
    name = pl.col("tagged") | (pl.col("capital") & ~shouting)
    opening = pl.col("word") == pl.col("word").min().over("text")
    bits = {
        NUMBER: pl.col("number"),
        COUNTING: pl.col("counting"),
        NAME: name,
        CASELESS: pl.col("term").str.contains(_CASELESS),
        OPENING: opening,
        HANGUL: pl.col("term").str.contains(_HANGUL),
    }
    flags = pl.sum_horizontal(flag.cast(pl.UInt8) * bit for bit, flag in bits.items()).cast(pl.UInt8)
    return terms.select("text", "word", "term", "surface", "upper", "capital", flags=flags)
