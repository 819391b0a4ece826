"""How a question's words and a name's words cover each other, for many pairs at once.

Matching is on morphemes, counting is on words: a word is covered when all its morphemes are on the
other side, or when it stands there as written. The count is the smaller of the covered words of
either side, so that fragments of one word never count as two.
"""

from __future__ import annotations

import polars as pl

from memlab.indexes.names import Names

_PAIR = ["query", "name"]


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
    all_pairs = pairs.join(names.names.select("node", "name", "key", "size"), on="node")
    same_key = all_pairs.join(keys, on=["query", "key"]).select(*_PAIR, same_key=pl.lit(True))
    touching = _touching(all_pairs.select(_PAIR), terms, names)
    sharing = pl.concat([touching, same_key.select(_PAIR)]).unique()
    if sharing.is_empty():
        return _EMPTY
    sharing = sharing.join(all_pairs, on=_PAIR)
    name_side = _side(sharing, names.terms, "name", terms, "query")
    question_side = _side(sharing, terms, "query", names.terms, "name")
    joined = (
        sharing.select(*_PAIR, "node", "size")
        .join(name_side, on=_PAIR, how="left")
        .join(question_side, on=_PAIR, how="left", suffix="_asked")
        .join(same_key, on=_PAIR, how="left")
        .with_columns(pl.col("covered", "left", "covered_asked", "left_asked").fill_null(0))
    )
    both_left = (pl.col("left") > 0) & (pl.col("left_asked") > 0)
    # A title wholly in the question is never a substitution, and whole titles leave nothing over.
    whole = ((pl.col("left") == 0) & (pl.col("left_asked") == 0) & (pl.col("covered") > 0)) | pl.col(
        "same_key"
    ).fill_null(False)
    return joined.select(
        *_PAIR,
        "node",
        pl.min_horizontal("covered", "covered_asked").cast(pl.UInt32).alias("title_words"),
        pl.col("size").cast(pl.UInt32).alias("title_size"),
        pl.col("left").cast(pl.UInt32).alias("title_leftover"),
        pl.col("left_asked").cast(pl.UInt32).alias("question_leftover"),
        (both_left & (pl.col("number").fill_null(False) | pl.col("number_asked").fill_null(False))).alias(
            "number_differs"
        ),
        (both_left & (pl.col("proper").fill_null(False) | pl.col("proper_asked").fill_null(False))).alias(
            "name_differs"
        ),
        whole.alias("whole_title"),
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


def _touching(pairs: pl.DataFrame, terms: pl.DataFrame, names: Names) -> pl.DataFrame:
    """Pairs that share a morpheme or a word as written."""
    mine = pairs.join(names.terms.select("name", "term", "surface"), on="name")
    by_term = mine.join(terms.select("query", "term").unique(), on=["query", "term"], how="semi")
    by_surface = mine.join(terms.select("query", "surface").unique(), on=["query", "surface"], how="semi")
    return pl.concat([by_term.select(_PAIR), by_surface.select(_PAIR)]).unique()


def _side(pairs: pl.DataFrame, mine: pl.DataFrame, own: str, theirs: pl.DataFrame, other: str) -> pl.DataFrame:
    """Covered and left-over words of one side of each pair.

    ``number`` and ``proper`` say whether a word left over holds an unmatched number or name.
    """
    rows = pairs.select(_PAIR).join(mine, on=own)
    same_term = theirs.select(other, "term").unique().with_columns(hit=pl.lit(True))
    same_surface = theirs.select(other, "surface").unique().with_columns(written=pl.lit(True))
    words = (
        rows.join(same_term, on=[other, "term"], how="left")
        .join(same_surface, on=[other, "surface"], how="left")
        .group_by(*_PAIR, "word")
        .agg(
            covered=pl.col("hit").is_not_null().all() | pl.col("written").is_not_null().any(),
            number=(pl.col("number") & pl.col("hit").is_null()).any(),
            proper=(pl.col("proper") & pl.col("hit").is_null()).any(),
        )
    )
    return words.group_by(_PAIR).agg(
        covered=pl.col("covered").sum(),
        left=(~pl.col("covered")).sum(),
        number=(pl.col("number") & ~pl.col("covered")).any(),
        proper=(pl.col("proper") & ~pl.col("covered")).any(),
    )


def best_names(matched: pl.DataFrame, names: Names) -> pl.DataFrame:
    """Keep each node's best single name: never added up over names, a title no better than an alias."""
    return (
        matched.join(names.names.select("name", "is_title", "text"), on="name")
        .sort(
            "query",
            "node",
            "whole_title",
            "title_words",
            "title_leftover",
            "question_leftover",
            "is_title",
            "text",
            descending=[False, False, True, True, False, False, True, False],
        )
        .unique(["query", "node"], keep="first", maintain_order=True)
        .rename({"text": "name_used"})
    )


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
    sizes = names.terms.group_by("name").agg(pl.col("term").n_unique().alias("terms"))
    named = (
        best.filter((pl.col("title_leftover") == 0) & (pl.col("title_words") > 0))
        .select("query", "node", "name")
        .join(sizes, on="name")
    )
    pairs = (
        named.join(named, on="query", suffix="_longer")
        .filter(pl.col("terms") < pl.col("terms_longer"))
        .select("name", "name_longer", "terms")
        .unique()
    )
    words = names.terms.select("name", "term").unique()
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
