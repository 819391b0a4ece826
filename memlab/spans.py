"""The words of a question and of a name, with their places in the source, and which of them meet.

The counting is that of :mod:`memlab.indexes.match`, done one pair at a time and with the places kept:
what a person is shown, never what is decided by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from memlab.indexes.names import distinct_words, proper
from memlab.text import segment


class Word(NamedTuple):
    """One word of a text.

    ``[start, end)`` is its place in the source; ``again`` is true where it says what an earlier word
    said, which never counts twice.
    """

    word: int
    surface: str
    start: int
    end: int
    content: bool
    number: bool
    name: bool
    again: bool
    terms: frozenset[str]
    written: frozenset[str]

    def meets(self, other: Word) -> bool:
        """Whether the two share a morpheme, or are written alike."""
        return self.content and other.content and bool(self.terms & other.terms or self.written & other.written)


def words_of(texts: Sequence[str]) -> list[list[Word]]:
    """Cut texts into their words, stop words too, in reading order."""
    cut = segment(texts)
    flagged = proper(distinct_words(cut, "text"), "text")
    flags: dict[tuple[int, frozenset[str]], tuple[bool, bool]] = {}
    for row in flagged.group_by("text", "word", maintain_order=True).agg(
        pl.col("term"), pl.col("number").any(), pl.col("proper").any()
    ).iter_rows(named=True):  # fmt: skip
        flags[row["text"], frozenset(row["term"])] = (row["number"], row["proper"])
    content = pl.col("content")
    rows = cut.group_by("text", "word", maintain_order=True).agg(
        pl.col("start").min(),
        pl.col("end").max(),
        content.any(),
        terms=pl.col("term").filter(content),
        written=pl.col("surface").filter(content),
    )
    found: list[list[Word]] = [[] for _ in texts]
    said: set[tuple[int, frozenset[str]]] = set()
    for row in rows.iter_rows(named=True):
        terms = frozenset(row["terms"])
        key = (row["text"], terms)
        number, name = flags.get(key, (False, False))
        surface = texts[row["text"]][row["start"] : row["end"]]
        found[row["text"]].append(
            Word(row["word"], surface, row["start"], row["end"], row["content"], number, name,
                 row["content"] and key in said, terms, frozenset(row["written"]))
        )  # fmt: skip
        said.add(key)
    return found


def covered(mine: Sequence[Word], theirs: Sequence[Word]) -> list[bool]:
    """Which of my words stand wholly on the other side; a stop word never does.

    A word said again shares the fate of the first.
    """
    counting = [word for word in theirs if word.content and not word.again]
    terms = frozenset().union(*(word.terms for word in counting))
    written = frozenset().union(*(word.written for word in counting))
    first = {word.terms: word for word in reversed(mine) if word.content}
    return [word.content and (word.terms <= terms or bool(first[word.terms].written & written)) for word in mine]


def left_over(mine: Sequence[Word], theirs: Sequence[Word]) -> list[Word]:
    """My content words that the other side does not have, each once."""
    return [
        word
        for word, there in zip(mine, covered(mine, theirs), strict=True)
        if word.content and not word.again and not there
    ]
