"""How a question's words and a name's words cover each other, for many pairs at once.

Matching is on morphemes, counting is on words: a word is covered when all its morphemes are on the
other side, or when the other side has a word of its form (as written; without the space of a
compound). The count is the smaller of the covered words of either side, so that fragments of one
word never count as two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.indexes.names import CodedNames, Names
from memlab.indexes.wording import (
    CASELESS,
    COUNTING,
    HANGUL,
    LEARNED,
    NAME,
    NUMBER,
    OPENING,
    UNKNOWN,
    Coded,
    Wording,
    coded,
)

# Questions whose words are laid out in one table at a time.
_BLOCK = 512
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
_MATCHED = pl.Schema(
    {
        "query": pl.UInt32,
        "name": pl.UInt32,
        "node": pl.UInt32,
        "title_words": pl.UInt32,
        "title_size": pl.UInt32,
        "title_leftover": pl.UInt32,
        "question_leftover": pl.UInt32,
        "number_differs": pl.Boolean,
        "name_differs": pl.Boolean,
        "whole_title": pl.Boolean,
    }
)


def match_names(pairs: pl.DataFrame, asked: Wording, names: Names) -> pl.DataFrame:
    """Match every name of each (question, node) pair.

    Parameters
    ----------
    pairs : polars.DataFrame
        ``query`` · ``node``.
    asked : Wording
        Of the questions, a text a question.
    names : Names

    Returns
    -------
    polars.DataFrame
        One row a question and name that share something: ``query`` · ``node`` · ``name`` ·
        ``title_words`` · ``title_leftover`` · ``question_leftover`` · ``number_differs`` ·
        ``name_differs`` · ``whole_title``.
    """
    if pairs.is_empty():
        return _MATCHED.to_frame()
    query, node = pairs["query"].to_numpy().astype(np.int64), pairs["node"].to_numpy().astype(np.int64)
    order = np.argsort(query, kind="stable")
    query, node = query[order], node[order]
    texts = (asked.terms["text"], asked.keys["text"])
    n_queries = 1 + max(int(column.max()) for column in (query, *(t.to_numpy() for t in texts)) if len(column))
    questions = _Questions.of(names.marks(asked), names.coded, -(-n_queries // _BLOCK) * _BLOCK)
    found = []
    for start in range(0, n_queries, _BLOCK):
        low, high = np.searchsorted(query, [start, start + _BLOCK])
        if low < high:
            found.append(_match_block(query[low:high], node[low:high], start, questions, names))
    return pl.concat(found) if found else _MATCHED.to_frame()


@dataclass(frozen=True)
class _Questions:
    """The questions' words as numbers, in rows by question."""

    words: Coded
    key: Whole
    # Number of each term, and of each form, among the distinct ones of its question.
    term_slot: Whole
    form_slot: Whole
    # The sides that questions take: by question where its rows begin, the axis, and whether turned.
    side_rows: Whole
    axis: Whole
    turned: Flags

    @classmethod
    def of(cls, asked: Wording, known: CodedNames, n: int) -> _Questions:
        terms = asked.terms.sort("text", "word", maintain_order=True)
        forms = asked.forms.sort("text", "word", maintain_order=True)
        key = np.full(n, -2, dtype=np.int64)
        codes = coded(asked.keys["key"], known.known.keys)
        key[asked.keys["text"].to_numpy()] = np.where(codes < 0, -2, codes)
        axis = coded(asked.senses["axis"], known.known.axes)
        turned = asked.senses["turned"].to_numpy()
        # Where no name is on the turned side, a question on the straight side is opposed to none.
        telling = (axis >= 0) & (turned | known.turned_axes[axis])
        return cls(
            Coded.of(terms, forms, n, known.known),
            key,
            _slots(terms, "term"),
            _slots(forms, "form"),
            np.searchsorted(asked.senses["text"].to_numpy()[telling], np.arange(n + 1)),
            axis[telling],
            turned[telling],
        )


def _slots(rows: pl.DataFrame, column: str) -> Whole:
    slots: Whole = rows.select((pl.col(column).rank("dense").over("text") - 1).cast(pl.Int64)).to_series().to_numpy()
    return slots


def _expand(first: Whole, counts: Whole) -> tuple[Whole, Whole]:
    """Lay out ranges one behind the other: which range each place belongs to, and the row it means."""
    ends = np.cumsum(counts)
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) + np.repeat(first - ends + counts, counts)


def _rows_of(rows: Whole, text: Whole) -> tuple[Whole, Whole]:
    return _expand(rows[text], rows[text + 1] - rows[text])


def _table(codes: Whole, query: Whole, slots: Whole, n_codes: int) -> tuple[Whole, NDArray[np.int32]]:
    """Column of each code, and by question and column the slot there, or -1."""
    kept = codes >= 0
    here = np.unique(codes[kept])
    columns = np.zeros(n_codes, dtype=np.int64)
    columns[here] = np.arange(1, len(here) + 1)
    table = np.full((_BLOCK, len(here) + 1), -1, dtype=np.int32)
    table[query[kept], columns[codes[kept]]] = slots[kept]
    return columns, table


def _flags(size: int, places: Whole) -> Flags:
    out = np.zeros(size, dtype=np.bool_)
    out[places] = True
    return out


def _seen(first: Whole, rows: Whole, slots: Whole, owner: Whole, slot: Whole) -> tuple[Whole, Whole, Flags]:
    """The questions' rows of each pair, and which of them the name's slots hit."""
    asked_owner, asked_row = _rows_of(rows, first)
    # No question has more distinct strings than rows, so its rows' places hold the slots, too.
    offset = np.searchsorted(asked_owner, np.arange(len(first)))
    hit = slot >= 0
    seen = _flags(len(asked_row), offset[owner[hit]] + slot[hit])
    return asked_owner, asked_row, seen[offset[asked_owner] + slots[asked_row]]


def _match_block(query: Whole, node: Whole, start: int, asked: _Questions, names: Names) -> pl.DataFrame:
    """Match pairs whose questions lie in one block."""
    known = names.coded
    pair, name = _rows_of(known.of_node, node)
    query, node = query[pair], node[pair]
    same_key = known.key[name] == asked.key[query]
    mine = _Rows.of(known.words.rows, known.words.term, name)
    mine_form = _Rows.of(known.words.form_rows, known.words.form, name)
    slot = mine.slots(query, asked.words.rows, asked.words.term, asked.term_slot, start, known.known.terms.height)
    form_slot = mine_form.slots(
        query, asked.words.form_rows, asked.words.form, asked.form_slot, start, known.known.forms.height
    )
    sharing = same_key | _flags(len(name), mine.owner[slot >= 0]) | _flags(len(name), mine_form.owner[form_slot >= 0])
    # Most pairs share nothing; what follows is for the others.
    mine, slot = mine.only(sharing, slot)
    mine_form, form_slot = mine_form.only(sharing, form_slot)
    query, node, name, same_key = query[sharing], node[sharing], name[sharing], same_key[sharing]
    owner, row, hit = _seen(query, asked.words.rows, asked.term_slot, mine.owner, slot)
    form_owner, form_row, form_hit = _seen(query, asked.words.form_rows, asked.form_slot, mine_form.owner, form_slot)
    title = _side(known.words, name, _Hits(mine, slot >= 0), _Hits(mine_form, form_slot >= 0))
    question = _side(asked.words, query, _Hits(_Rows(owner, row), hit), _Hits(_Rows(form_owner, form_row), form_hit))
    opposed = _opposed(query, name, asked, known)
    whole = ((title.left == 0) & (question.left == 0) & (title.covered > 0)) | same_key
    return pl.DataFrame(
        {
            "query": query,
            "name": name,
            "node": node,
            "title_words": np.minimum(title.covered, question.covered),
            "title_size": names.names["size"].gather(name),
            "title_leftover": title.left,
            "question_leftover": question.left,
            "number_differs": _number_differs(title, question),
            "name_differs": _name_differs(title, question) | opposed,
            # Whole titles leave nothing over, and say the same.
            "whole_title": whole & ~opposed,
        }
    ).cast(_MATCHED)


class _Rows(NamedTuple):
    """Rows of the names or questions of many pairs: the pair of each, and the row."""

    owner: Whole
    row: Whole
    code: Whole | None = None

    @classmethod
    def of(cls, rows: Whole, codes: Whole, text: Whole) -> _Rows:
        owner, row = _rows_of(rows, text)
        return cls(owner, row, codes[row])

    def slots(self, query: Whole, rows: Whole, codes: Whole, slots: Whole, start: int, n_codes: int) -> Whole:
        """Slot of each row's string in the question of its pair, or -1."""
        own = slice(rows[start], rows[start + _BLOCK])
        within = np.repeat(np.arange(_BLOCK), np.diff(rows[start : start + _BLOCK + 1]))
        columns, table = _table(codes[own], within, slots[own], n_codes)
        found = table[query[self.owner] - start, columns[self.code]]
        return found.astype(np.int64)

    def only(self, pairs: Flags, slots: Whole) -> tuple[_Rows, Whole]:
        """Keep the rows of some pairs, which are numbered anew."""
        kept = pairs[self.owner]
        return _Rows((np.cumsum(pairs) - 1)[self.owner[kept]], self.row[kept]), slots[kept]


class _Hits(NamedTuple):
    """Rows, and which of them the other side has."""

    rows: _Rows
    hit: Flags


class _Side(NamedTuple):
    """One side of each pair: its words covered and left over, and the flags of what is left."""

    covered: Whole
    left: Whole
    flags: NDArray[np.uint8]


def _side(words: Coded, text: Whole, terms: _Hits, forms: _Hits) -> _Side:
    """Cover the words of one side of each pair, whose text on that side is ``text``."""
    counts = words.words[text]
    first_word = np.cumsum(counts) - counts
    total, n = int(counts.sum()), len(text)
    word = np.cumsum(words.opens[terms.rows.row]) - 1
    form_word = first_word[forms.rows.owner] + words.form_word[forms.rows.row]
    covered = ~_flags(total, word[~terms.hit]) | _flags(total, form_word[forms.hit])
    of_word = np.repeat(np.arange(n), counts)
    left_over = np.where(terms.hit | covered[word], 0, words.flags[terms.rows.row]).astype(np.uint8)
    flags = np.zeros(n, dtype=np.uint8)
    some = np.flatnonzero(counts)
    if len(some):
        # Rows of a pair stand together, so each range ends where that of the next pair begins.
        begins = np.searchsorted(terms.rows.owner, some)
        flags[some] = np.bitwise_or.reduceat(left_over, begins)
    return _Side(np.bincount(of_word[covered], minlength=n), np.bincount(of_word[~covered], minlength=n), flags)


# A few words for a few: what stands in for what is then plain, and a word that may be a name is enough.
_FEW = 2


def _number_differs(title: _Side, question: _Side) -> Flags:
    """Whether a number is left over against something, or a number word against a number.

    A title wholly in the question is never a substitution.
    """
    either, both = title.flags | question.flags, title.flags & question.flags
    return _both_left(title, question) & (((either & NUMBER) > 0) | ((both & COUNTING) > 0))


def _name_differs(title: _Side, question: _Side) -> Flags:
    """Whether a name is left over against something, or what may be a name against the like."""
    either, both = title.flags | question.flags, title.flags & question.flags
    few = (title.left <= _FEW) & (question.left <= _FEW)
    named, known = NAME | LEARNED, NAME | LEARNED | UNKNOWN
    stands_in = ((title.flags & named) > 0) & ((question.flags & known) > 0)
    maybe = few & (((both & OPENING) > 0) | stands_in)
    # One Korean noun for one other: the tagger does not know every name (이사, 이사회).
    maybe |= (title.left == 1) & (question.left == 1) & ((both & HANGUL) > 0)
    return _both_left(title, question) & (((either & NAME) > 0) | ((both & CASELESS) > 0) | maybe)


def _both_left(title: _Side, question: _Side) -> Flags:
    return (title.left > 0) & (question.left > 0)


def _opposed(query: Whole, name: Whole, asked: _Questions, known: CodedNames) -> Flags:
    """Whether question and name stand on different sides of an axis."""
    if not len(known.sides):
        return np.zeros(len(name), dtype=np.bool_)
    owner, row = _rows_of(asked.side_rows, query)
    other = (name[owner] * known.known.axes.height + asked.axis[row]) * 2 + ~asked.turned[row]
    place = np.minimum(np.searchsorted(known.sides, other), len(known.sides) - 1)
    return _flags(len(name), owner[known.sides[place] == other])


def best_names(matched: pl.DataFrame, names: Names) -> pl.DataFrame:
    """Keep each node's best single name: never added up over names, a title no better than an alias."""
    held = matched.hstack(names.names.select("is_title", name_used="text")[matched["name"]])
    order, several = _by_pair(held)
    single, tied = held[order[~several]], held[order[several]]
    if tied.is_empty():
        return single
    best = tied.sort(
        "query",
        "node",
        "whole_title",
        "title_words",
        "title_leftover",
        "question_leftover",
        "is_title",
        "name_used",
        descending=[False, False, True, True, False, False, True, False],
    ).unique(["query", "node"], keep="first", maintain_order=True)
    both = pl.concat([single, best])
    return both[_by_pair(both)[0]]


def _by_pair(frame: pl.DataFrame) -> tuple[Whole, Flags]:
    """Order of the rows by question and node, and which rows in that order share their pair."""
    key = frame["query"].to_numpy().astype(np.int64) << 32 | frame["node"].to_numpy()
    order = np.argsort(key, kind="stable")
    same = np.diff(key[order]) == 0
    several = np.zeros(len(key), dtype=np.bool_)
    several[1:] |= same
    several[:-1] |= same
    return order, several


def named_inside(best: pl.DataFrame, names: Names) -> pl.DataFrame:
    """Nodes whose name stands inside another, longer name that the question names whole.

    Parameters
    ----------
    best : polars.DataFrame
        What :func:`best_names` gave.

    Returns
    -------
    polars.DataFrame
        ``query`` · ``node``.
    """
    named = best.filter((pl.col("title_leftover") == 0) & (pl.col("title_words") > 0)).select("query", "node", "name")
    words = names.distinct_terms.join(named.select("name").unique(), on="name", how="semi")
    named = named.join(words.group_by("name").agg(pl.len().alias("terms")), on="name")
    pairs = (
        named.join(named, on="query", suffix="_longer")
        .filter(pl.col("terms") < pl.col("terms_longer"))
        .select("name", "name_longer", "terms")
        .unique()
    )
    inside = (
        pairs.join(words, on="name")
        .join(words.rename({"name": "name_longer"}), on=["name_longer", "term"])
        .group_by("name", "name_longer", "terms")
        .len()
        .filter(pl.col("len") == pl.col("terms"))
    )
    return (
        named.join(named.select("query", pl.col("name").alias("name_longer")), on="query")
        .join(inside, on=["name", "name_longer"], how="semi")
        .select("query", "node")
        .unique()
    )
