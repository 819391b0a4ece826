"""The words of a question and of a name, with their places in the source, and which of them meet.

The counting is that of :mod:`memlab.indexes.match`, done one pair at a time and with the places kept:
what a person is shown, never what is decided by.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

import polars as pl

from memlab.indexes.wording import COUNTING, NAME, NUMBER, Wording
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
        """Whether the two share a morpheme, or a form of the whole word."""
        return self.content and other.content and bool(self.terms & other.terms or self.written & other.written)


def words_of(texts: Sequence[str]) -> list[list[Word]]:
    """Cut texts into their words, stop words too, in reading order."""
    cut = segment(texts)
    wording = Wording.of(cut)
    flags: dict[tuple[int, frozenset[str]], int] = {}
    for row in wording.terms.group_by("text", "word", maintain_order=True).agg("term", "flags").iter_rows(named=True):
        flags[row["text"], frozenset(row["term"])] = reduce(or_, row["flags"])
    written = {
        (row["text"], row["word"]): frozenset(row["form"])
        for row in wording.forms.group_by("text", "word").agg("form").iter_rows(named=True)
    }
    content = pl.col("content")
    rows = cut.group_by("text", "word", maintain_order=True).agg(
        pl.col("start").min(), pl.col("end").max(), content.any(), terms=pl.col("term").filter(content)
    )
    found: list[list[Word]] = [[] for _ in texts]
    first: dict[tuple[int, frozenset[str]], int] = {}
    for row in rows.iter_rows(named=True):
        text, number, terms = row["text"], row["word"], frozenset(row["terms"])
        flag = flags.get((text, terms), 0)
        earlier = first.setdefault((text, terms), number) if row["content"] else number
        found[text].append(
            Word(
                number,
                texts[text][row["start"] : row["end"]],
                row["start"],
                row["end"],
                row["content"],
                bool(flag & (NUMBER | COUNTING)),
                bool(flag & NAME),
                earlier != number,
                terms,
                # A word said again is found under what the first is found under.
                written.get((text, earlier), frozenset()),
            )
        )
    return found


def covered(mine: Sequence[Word], theirs: Sequence[Word]) -> list[bool]:
    """Which of my words stand wholly on the other side; a stop word never does.

    A word said again shares the fate of the first.
    """
    counting = [word for word in theirs if word.content and not word.again]
    terms = frozenset().union(*(word.terms for word in counting))
    written = frozenset().union(*(word.written for word in counting))
    return [word.content and (word.terms <= terms or bool(word.written & written)) for word in mine]


def left_over(mine: Sequence[Word], theirs: Sequence[Word]) -> list[Word]:
    """My content words that the other side does not have, each once."""
    return [
        word
        for word, there in zip(mine, covered(mine, theirs), strict=True)
        if word.content and not word.again and not there
    ]
