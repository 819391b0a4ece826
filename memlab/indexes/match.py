"""How a question's words and a name's words cover each other, for many pairs at once.

Matching is on morphemes, counting is on words: a word is covered when all its morphemes are on the
other side, or when the other side has a word of its form (as written; without the space of a
compound). The count is the smaller of the covered words of either side, so that fragments of one
word never count as two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from memlab.indexes.coded import Coded, coded
from memlab.indexes.cover import (
    BLOCK,
    Flags,
    Hits,
    Rows,
    Whole,
    flagged,
    name_differs,
    number_differs,
    one_for_one,
    rows_of,
    seen,
    side,
)
from memlab.indexes.names import CodedNames, Names
from memlab.indexes.wording import Wording

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
        "one_for_one": pl.Boolean,
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
        ``name_differs`` · ``one_for_one`` · ``whole_title``.
    """
    if pairs.is_empty():
        return _MATCHED.to_frame()
    query, node = pairs["query"].to_numpy().astype(np.int64), pairs["node"].to_numpy().astype(np.int64)
    order = np.argsort(query, kind="stable")
    query, node = query[order], node[order]
    texts = (asked.terms["text"], asked.keys["text"])
    n_queries = 1 + max(int(column.max()) for column in (query, *(t.to_numpy() for t in texts)) if len(column))
    questions = _Questions.of(names.marks(asked), names.coded, -(-n_queries // BLOCK) * BLOCK)
    found = []
    for start in range(0, n_queries, BLOCK):
        low, high = np.searchsorted(query, [start, start + BLOCK])
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


def _match_block(query: Whole, node: Whole, start: int, asked: _Questions, names: Names) -> pl.DataFrame:
    """Match pairs whose questions lie in one block."""
    known = names.coded
    pair, name = rows_of(known.of_node, node)
    query, node = query[pair], node[pair]
    same_key = known.key[name] == asked.key[query]
    mine = Rows.of(known.words.rows, known.words.term, name)
    mine_form = Rows.of(known.words.form_rows, known.words.form, name)
    slot = mine.slots(query, asked.words.rows, asked.words.term, asked.term_slot, start, known.known.terms.height)
    form_slot = mine_form.slots(
        query, asked.words.form_rows, asked.words.form, asked.form_slot, start, known.known.forms.height
    )
    sharing = same_key | flagged(len(name), mine.owner[slot >= 0]) | flagged(len(name), mine_form.owner[form_slot >= 0])
    # Most pairs share nothing; what follows is for the others.
    mine, slot = mine.only(sharing, slot)
    mine_form, form_slot = mine_form.only(sharing, form_slot)
    query, node, name, same_key = query[sharing], node[sharing], name[sharing], same_key[sharing]
    owner, row, hit = seen(query, asked.words.rows, asked.term_slot, mine.owner, slot)
    form_owner, form_row, form_hit = seen(query, asked.words.form_rows, asked.form_slot, mine_form.owner, form_slot)
    title = side(known.words, name, Hits(mine, slot >= 0), Hits(mine_form, form_slot >= 0))
    question = side(asked.words, query, Hits(Rows(owner, row), hit), Hits(Rows(form_owner, form_row), form_hit))
    opposed = _opposed(query, name, asked, known)
    # A dictionary form makes a word, and no whole title: a meeting is not to meet.
    written = (title.exact == title.covered) & (question.exact == question.covered)
    whole = ((title.left == 0) & (question.left == 0) & (title.covered > 0) & written) | same_key
    return pl.DataFrame(
        {
            "query": query,
            "name": name,
            "node": node,
            "title_words": np.minimum(title.covered, question.covered),
            "title_size": names.names["size"].gather(name),
            "title_leftover": title.left,
            "question_leftover": question.left,
            "number_differs": number_differs(title, question),
            "name_differs": name_differs(title, question) | opposed,
            "one_for_one": one_for_one(title, question),
            # Whole titles leave nothing over, and say the same.
            "whole_title": whole & ~opposed,
        }
    ).cast(_MATCHED)


def _opposed(query: Whole, name: Whole, asked: _Questions, known: CodedNames) -> Flags:
    """Whether question and name stand on different sides of an axis."""
    if not len(known.sides):
        return np.zeros(len(name), dtype=np.bool_)
    owner, row = rows_of(asked.side_rows, query)
    other = (name[owner] * known.known.axes.height + asked.axis[row]) * 2 + ~asked.turned[row]
    place = np.minimum(np.searchsorted(known.sides, other), len(known.sides) - 1)
    return flagged(len(name), owner[known.sides[place] == other])


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
