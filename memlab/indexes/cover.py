"""Rows of the words of many pairs of texts: which strings each side shares, and what is left over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memlab.indexes.coded import Coded
from memlab.indexes.wording import CASELESS, COUNTING, HANGUL, LEARNED, NAME, NUMBER, OPENING, UNKNOWN

# Questions whose words are laid out in one table at a time.
BLOCK = 512
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


def expand(first: Whole, counts: Whole) -> tuple[Whole, Whole]:
    """Lay out ranges one behind the other: which range each place belongs to, and the row it means."""
    ends = np.cumsum(counts)
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) + np.repeat(first - ends + counts, counts)


def rows_of(rows: Whole, text: Whole) -> tuple[Whole, Whole]:
    """Lay out the rows of some texts: which of the texts each is of, and the row."""
    return expand(rows[text], rows[text + 1] - rows[text])


def _table(codes: Whole, query: Whole, slots: Whole, n_codes: int) -> tuple[Whole, NDArray[np.int32]]:
    """Column of each code, and by question and column the slot there, or -1."""
    kept = codes >= 0
    here = np.unique(codes[kept])
    columns = np.zeros(n_codes, dtype=np.int64)
    columns[here] = np.arange(1, len(here) + 1)
    table = np.full((BLOCK, len(here) + 1), -1, dtype=np.int32)
    table[query[kept], columns[codes[kept]]] = slots[kept]
    return columns, table


def flagged(size: int, places: Whole) -> Flags:
    """Flags that hold at some places."""
    out = np.zeros(size, dtype=np.bool_)
    out[places] = True
    return out


def seen(first: Whole, rows: Whole, slots: Whole, owner: Whole, slot: Whole) -> tuple[Whole, Whole, Flags]:
    """The questions' rows of each pair, and which of them the name's slots hit."""
    asked_owner, asked_row = rows_of(rows, first)
    # No question has more distinct strings than rows, so its rows' places hold the slots, too.
    offset = np.searchsorted(asked_owner, np.arange(len(first)))
    hit = slot >= 0
    seen = flagged(len(asked_row), offset[owner[hit]] + slot[hit])
    return asked_owner, asked_row, seen[offset[asked_owner] + slots[asked_row]]


class Rows(NamedTuple):
    """Rows of the names or questions of many pairs: the pair of each, and the row."""

    owner: Whole
    row: Whole
    code: Whole | None = None

    @classmethod
    def of(cls, rows: Whole, codes: Whole, text: Whole) -> Rows:
        """Take the rows of some texts, with the number of the string of each."""
        owner, row = rows_of(rows, text)
        return cls(owner, row, codes[row])

    def slots(self, query: Whole, rows: Whole, codes: Whole, slots: Whole, start: int, n_codes: int) -> Whole:
        """Slot of each row's string in the question of its pair, or -1."""
        own = slice(rows[start], rows[start + BLOCK])
        within = np.repeat(np.arange(BLOCK), np.diff(rows[start : start + BLOCK + 1]))
        columns, table = _table(codes[own], within, slots[own], n_codes)
        found = table[query[self.owner] - start, columns[self.code]]
        return found.astype(np.int64)

    def only(self, pairs: Flags, slots: Whole) -> tuple[Rows, Whole]:
        """Keep the rows of some pairs, which are numbered anew."""
        kept = pairs[self.owner]
        return Rows((np.cumsum(pairs) - 1)[self.owner[kept]], self.row[kept]), slots[kept]


class Hits(NamedTuple):
    """Rows, and which of them the other side has."""

    rows: Rows
    hit: Flags


class Side(NamedTuple):
    """One side of each pair: its words covered and left over, and the flags of what is left.

    ``exact`` are the words that are covered as they are written, and not by a dictionary form alone.
    """

    exact: Whole
    covered: Whole
    left: Whole
    flags: NDArray[np.uint8]


def side(words: Coded, text: Whole, terms: Hits, forms: Hits) -> Side:
    """Cover the words of one side of each pair, whose text on that side is ``text``."""
    counts = words.words[text]
    first_word = np.cumsum(counts) - counts
    total, n = int(counts.sum()), len(text)
    word = np.cumsum(words.opens[terms.rows.row]) - 1
    form_word = first_word[forms.rows.owner] + words.form_word[forms.rows.row]
    as_written = forms.hit & words.form_exact[forms.rows.row]
    exact = ~flagged(total, word[~terms.hit]) | flagged(total, form_word[as_written])
    covered = exact | flagged(total, form_word[forms.hit])
    of_word = np.repeat(np.arange(n), counts)
    left_over = np.where(terms.hit | covered[word], 0, words.flags[terms.rows.row]).astype(np.uint8)
    flags = np.zeros(n, dtype=np.uint8)
    some = np.flatnonzero(counts)
    if len(some):
        # Rows of a pair stand together, so each range ends where that of the next pair begins.
        begins = np.searchsorted(terms.rows.owner, some)
        flags[some] = np.bitwise_or.reduceat(left_over, begins)
    exactly, known, left = (np.bincount(of_word[which], minlength=n) for which in (exact, covered, ~covered))
    return Side(exactly, known, left, flags)


# A few words for a few: what stands in for what is then plain, and a word that may be a name is enough.
_FEW = 2


def number_differs(title: Side, question: Side) -> Flags:
    """Whether a number is left over against something, or a number word against a number.

    A title wholly in the question is never a substitution.
    """
    return _both_left(title, question) & _numbers(title, question)


def _numbers(title: Side, question: Side) -> Flags:
    either, both = title.flags | question.flags, title.flags & question.flags
    return ((either & NUMBER) > 0) | ((both & COUNTING) > 0)


def name_differs(title: Side, question: Side) -> Flags:
    """Whether a name is left over against something, or what may be a name against the like."""
    either, both = title.flags | question.flags, title.flags & question.flags
    few = (title.left <= _FEW) & (question.left <= _FEW)
    named, known = NAME | LEARNED, NAME | LEARNED | UNKNOWN
    stands_in = ((title.flags & named) > 0) & ((question.flags & known) > 0)
    maybe = few & (((both & OPENING) > 0) | stands_in)
    # One Korean noun for one other: the tagger does not know every name (이사, 이사회).
    maybe |= one_for_one(title, question) & ((both & HANGUL) > 0) & ~_numbers(title, question)
    return _both_left(title, question) & (((either & NAME) > 0) | ((both & CASELESS) > 0) | maybe)


def one_for_one(title: Side, question: Side) -> Flags:
    """Whether one word of the title stands for one of the question, whatever the two are."""
    single: Flags = (title.left == 1) & (question.left == 1)
    return single


def _both_left(title: Side, question: Side) -> Flags:
    return (title.left > 0) & (question.left > 0)
