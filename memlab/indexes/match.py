"""How a question's words and a name's words cover each other, for many pairs at once.

Matching is on morphemes, counting is on words: a word is covered when all its morphemes are on the
other side, or when it stands there as written. The count is the smaller of the covered words of
either side, so that fragments of one word never count as two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.indexes.names import CodedNames, Names, coded


def match_names(pairs: pl.DataFrame, terms: pl.DataFrame, keys: pl.DataFrame, names: Names) -> pl.DataFrame:
    """Match every name of each (question, node) pair.

    Parameters
    ----------
    pairs : polars.DataFrame
        ``query`` · ``node``.
    terms, keys : polars.DataFrame
        Of the questions, as :class:`memlab.arms.Asked` holds them.
    names : Names

    Returns
    -------
    polars.DataFrame
        One row a question and name that share something: ``query`` · ``node`` · ``name`` ·
        ``title_words`` · ``title_leftover`` · ``question_leftover`` · ``number_differs`` ·
        ``name_differs`` · ``whole_title``.
    """
    if pairs.is_empty():
        return _EMPTY
    known = names.coded
    query, node = pairs["query"].to_numpy().astype(np.int64), pairs["node"].to_numpy().astype(np.int64)
    order = np.argsort(query, kind="stable")
    query, node = query[order], node[order]
    n_queries = 1 + max(
        int(column.max()) for column in (query, terms["query"].to_numpy(), keys["query"].to_numpy()) if len(column)
    )
    asked = _Questions.of(terms, keys, known, n_queries)
    found = []
    for start in range(0, n_queries, _BLOCK):
        low, high = np.searchsorted(query, [start, start + _BLOCK])
        if low < high:
            found.append(_match_block(query[low:high], node[low:high], start, asked, known, names))
    return pl.concat(found) if found else _EMPTY


# Questions whose words are laid out in one table at a time.
_BLOCK = 512
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class _Questions:
    """The questions' words as numbers, in rows by question."""

    rows: Whole
    query: Whole
    opens: Flags
    term: Whole
    surface: Whole
    # Number of the term, and of the surface, among the distinct ones of its question.
    term_slot: Whole
    surface_slot: Whole
    number: Flags
    proper: Flags
    key: Whole

    @classmethod
    def of(cls, terms: pl.DataFrame, keys: pl.DataFrame, known: CodedNames, n_queries: int) -> _Questions:
        terms = terms.sort("query", "word", maintain_order=True)
        slots = terms.select(
            (pl.col(c).rank("dense").over("query") - 1).cast(pl.Int64) for c in ("term", "surface")
        )  # fmt: skip
        query, word = terms["query"].to_numpy().astype(np.int64), terms["word"].to_numpy()
        n = -(-n_queries // _BLOCK) * _BLOCK
        opens = np.ones(terms.height, dtype=np.bool_)
        opens[1:] = (query[1:] != query[:-1]) | (word[1:] != word[:-1])
        key = np.full(n, -2, dtype=np.int64)
        codes = coded(keys["key"], known.keys)
        key[keys["query"].to_numpy()] = np.where(codes < 0, -2, codes)
        return cls(
            np.searchsorted(query, np.arange(n + 1)),
            query,
            opens,
            coded(terms["term"], known.terms),
            coded(terms["surface"], known.surfaces),
            slots["term"].to_numpy(),
            slots["surface"].to_numpy(),
            terms["number"].to_numpy(),
            terms["proper"].to_numpy(),
            key,
        )


def _expand(first: Whole, counts: Whole) -> tuple[Whole, Whole]:
    """Lay out ranges one behind the other: which range each place belongs to, and the row it means."""
    ends = np.cumsum(counts)
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) + np.repeat(first - ends + counts, counts)


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


def _match_block(
    query: Whole, node: Whole, start: int, asked: _Questions, known: CodedNames, names: Names
) -> pl.DataFrame:
    """Match pairs whose questions lie in one block."""
    pair, name = _expand(known.of_node[node], known.of_node[node + 1] - known.of_node[node])
    query, node = query[pair] - start, node[pair]
    same_key = known.key[name] == asked.key[query + start]
    own = slice(asked.rows[start], asked.rows[start + _BLOCK])
    within = asked.query[own] - start
    columns, table = _table(asked.term[own], within, asked.term_slot[own], known.terms.height)
    owner, row = _expand(known.rows[name], known.rows[name + 1] - known.rows[name])
    slot = table[query[owner], columns[known.term[row]]]
    columns, table = _table(asked.surface[own], within, asked.surface_slot[own], known.surfaces.height)
    surface_slot = table[query[owner], columns[known.surface[row]]]
    sharing = same_key | _flags(len(name), owner[(slot >= 0) | (surface_slot >= 0)])
    # Most pairs share nothing; what follows is for the others.
    kept = sharing[owner]
    owner, row, slot, surface_slot = (np.cumsum(sharing) - 1)[owner[kept]], row[kept], slot[kept], surface_slot[kept]
    query, node, name, same_key = query[sharing], node[sharing], name[sharing], same_key[sharing]
    n = len(name)
    first = asked.rows[query + start]
    counts = asked.rows[query + start + 1] - first
    # No question has more distinct terms than rows, so its rows' places hold the slots, too.
    offset = np.cumsum(counts) - counts
    asked_owner, asked_row = _expand(first, counts)
    places = len(asked_row)
    hit, written = slot >= 0, surface_slot >= 0
    term_seen = _flags(places, offset[owner[hit]] + slot[hit])
    surface_seen = _flags(places, offset[owner[written]] + surface_slot[written])
    asked_hit = term_seen[offset[asked_owner] + asked.term_slot[asked_row]]
    asked_written = surface_seen[offset[asked_owner] + asked.surface_slot[asked_row]]
    mine = _side(n, owner, known.opens[row], hit, written, known.number[row], known.proper[row])
    theirs = _side(n, asked_owner, asked.opens[asked_row], asked_hit, asked_written, asked.number[asked_row],
                   asked.proper[asked_row])  # fmt: skip
    both_left = (mine.left > 0) & (theirs.left > 0)
    return pl.DataFrame(
        {
            "query": (query + start).astype(np.uint32),
            "name": name.astype(np.uint32),
            "node": node.astype(np.uint32),
            "title_words": np.minimum(mine.covered, theirs.covered).astype(np.uint32),
            "title_size": names.names["size"].cast(pl.UInt32).gather(name),
            "title_leftover": mine.left.astype(np.uint32),
            "question_leftover": theirs.left.astype(np.uint32),
            # A title wholly in the question is never a substitution.
            "number_differs": both_left & (mine.number | theirs.number),
            "name_differs": both_left & (mine.proper | theirs.proper),
            # Whole titles leave nothing over.
            "whole_title": ((mine.left == 0) & (theirs.left == 0) & (mine.covered > 0)) | same_key,
        }
    )


_EMPTY = pl.DataFrame(
    schema={
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


class _Side(NamedTuple):
    """One side of each pair: its words covered and left over, and whether a number or name is left."""

    covered: Whole
    left: Whole
    number: Flags
    proper: Flags


def _side(n: int, owner: Whole, opens: Flags, hit: Flags, written: Flags, number: Flags, proper: Flags) -> _Side:
    """Cover the words of one side of ``n`` pairs; ``owner`` is the pair of each row."""
    # A pair's first row begins a word, whatever stood before it.
    word = np.cumsum(opens) - 1
    total = int(word[-1]) + 1 if len(word) else 0
    of_word = owner[opens]
    covered = ~_flags(total, word[~hit]) | _flags(total, word[written])
    open_number = _flags(total, word[number & ~hit]) & ~covered
    open_proper = _flags(total, word[proper & ~hit]) & ~covered
    return _Side(
        np.bincount(of_word[covered], minlength=n),
        np.bincount(of_word[~covered], minlength=n),
        _flags(n, of_word[open_number]),
        _flags(n, of_word[open_proper]),
    )


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
