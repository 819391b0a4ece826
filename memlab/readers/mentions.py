"""Nodes found in pieces by their titles and aliases (chapter 18, section 1: the graph arm's road).

Names and pieces are compared as sequences of terms, the way the title arm reads them, with one
pass of an Aho-Corasick automaton over each piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ahocorasick
import polars as pl

from memlab.text import segment

MENTION_SCHEMA = pl.Schema({"source": pl.String(), "target": pl.String()})

_SEPARATOR = "\x1f"
_CHUNK = 2_000
_SHORT = 2


def find_mentions(
    nodes: pl.DataFrame,
    pieces: pl.DataFrame,
    progress: Callable[[str, int, int], None] | None = None,
) -> pl.DataFrame:
    """Find which pieces name which nodes.

    Parameters
    ----------
    nodes
        ``id``, ``title``, ``aliases``.
    pieces
        ``id``, ``text``.
    progress
        Called with a stage, the pieces done and their number.

    Returns
    -------
    DataFrame
        ``source`` (piece id) and ``target`` (node id), each pair once.

    Notes
    -----
    The longest name wins where one lies inside another. A name of stop words alone, or of one term
    of at most two characters, counts only where it is written exactly so.
    """
    names = _names(nodes)
    if names.is_empty() or pieces.is_empty():
        return pl.DataFrame(schema=MENTION_SCHEMA)
    keys = names.select(pl.col("key").unique(maintain_order=True)).to_series()
    automaton = ahocorasick.Automaton()
    for number, key in enumerate(keys):
        automaton.add_word(key, (number, len(key)))
    automaton.make_automaton()

    found = []
    for begin in range(0, pieces.height, _CHUNK):
        if progress is not None:
            progress("mentions", begin, pieces.height)
        found.append(_search(automaton, keys, names, pieces.slice(begin, _CHUNK)))
    if progress is not None:
        progress("mentions", pieces.height, pieces.height)
    return pl.concat(found).unique().sort("source", "target")


def _names(nodes: pl.DataFrame) -> pl.DataFrame:
    """Every name with its terms as one key: ``id``, ``key``, ``exact``, ``written``."""
    named = (
        nodes.select("id", name=pl.concat_list(pl.concat_list("title"), "aliases"))
        .explode("name", empty_as_null=True)
        .filter(pl.col("name").is_not_null())
    )
    texts = named["name"].unique(maintain_order=True)
    keys = (
        segment(texts.to_list())
        .group_by("text", maintain_order=True)
        .agg(
            key=pl.col("term").str.join(_SEPARATOR),
            exact=~pl.col("content").any() | ((pl.len() == 1) & (pl.col("term").first().str.len_chars() <= _SHORT)),
            start=pl.col("start").min(),
            end=pl.col("end").max(),
        )
        .with_columns(key=pl.format(f"{_SEPARATOR}{{}}{_SEPARATOR}", "key"), name=pl.lit(texts).gather("text"))
        .with_columns(written=pl.col("name").str.slice("start", pl.col("end") - pl.col("start")))
    )
    return named.join(keys, on="name").select("id", "key", "exact", "written").unique(maintain_order=True)


def _search(
    automaton: ahocorasick.Automaton, keys: pl.Series, names: pl.DataFrame, pieces: pl.DataFrame
) -> pl.DataFrame:
    terms = segment(pieces["text"].to_list()).select(
        "text",
        "term",
        "start",
        "end",
        at=(pl.col("term").str.len_chars() + 1).cum_sum().over("text") - (pl.col("term").str.len_chars() + 1),
    )
    joined = terms.group_by("text", maintain_order=True).agg(pl.col("term").str.join(_SEPARATOR))
    hits = pl.DataFrame(
        list(_hits(automaton, joined)),
        schema={"text": pl.UInt32, "name": pl.UInt32, "at": pl.UInt32, "until": pl.UInt32},
        orient="row",
    )
    if hits.is_empty():
        return pl.DataFrame(schema=MENTION_SCHEMA)
    spans = (
        hits.join(terms.select("text", "at", "start"), on=["text", "at"])
        .join(
            terms.select("text", "end", until=pl.col("at") + pl.col("term").str.len_chars()),
            on=["text", "until"],
        )
        .with_columns(
            key=pl.lit(keys).gather("name"),
            piece=pl.lit(pieces["id"]).gather("text"),
            shown=pl.lit(pieces["text"]).gather("text").str.slice("start", pl.col("end") - pl.col("start")),
        )
    )
    allowed = spans.join(names, on="key").filter(~pl.col("exact") | (pl.col("shown") == pl.col("written")))
    widest = allowed.group_by("text", "at").agg(pl.col("until").max()).sort("text", "at")
    outer = widest.filter((pl.col("until") > pl.col("until").cum_max().shift(1).over("text")).fill_null(True))
    return allowed.join(outer, on=["text", "at", "until"], how="semi").select(source="piece", target="id").unique()


def _hits(automaton: ahocorasick.Automaton, joined: pl.DataFrame) -> Iterator[tuple[int, int, int, int]]:
    """Piece, name and place ``[at, until)`` of every occurrence, in the joined terms of the piece."""
    for text, line in joined.iter_rows():
        for last, (name, length) in automaton.iter(f"{_SEPARATOR}{line}{_SEPARATOR}"):
            yield text, name, last - length + 1, last - 1
