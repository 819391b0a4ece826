"""Order: the pool of one question, best first."""

from __future__ import annotations

import polars as pl

# Reciprocal rank fusion's constant (Cormack, Clarke and Buettcher, SIGIR 2009).
RRF_K = 60
# A whole title beats every title that is not one, whatever the word counts.
WHOLE = 10_000


def standing(*, by_share: bool = False) -> pl.Expr:
    """How a node stands by title: words, half a step down inside a longer named title, whole on top.

    Returns an integer expression; twice the words so that the half step is exact. ``by_share`` counts
    per mille of the title's own words instead, which lets a short title win on one word.
    """
    words = 2 * pl.col("title_words").cast(pl.Int32)
    if by_share:
        words = 2 * (1000 * pl.col("title_words") / pl.max_horizontal("title_size", 1)).round().cast(pl.Int32)
    return (
        pl.when(pl.col("whole_title"))
        .then(2 * WHOLE)
        .otherwise(words - pl.col("named_inside").cast(pl.Int32))
        .alias("standing")
    )


def fused(ranks: list[str]) -> pl.Expr:
    """Reciprocal ranks of all arms, summed; rounded so that the order of addition cannot matter."""
    parts = [(1 / (RRF_K + pl.col(rank))).fill_null(0.0) for rank in ranks]
    return pl.sum_horizontal(parts).round(9).alias("fused")


def nearest_rank() -> pl.Expr:
    """The better of a node's ranks by meaning and by pieces; by meaning first where they are equal.

    The semantic rank alone would put whatever only pieces lead to behind everything else, and a
    question whose words stand in the text and not in the title finds its node there.
    """
    far = 1_000_000
    by_meaning = 2 * pl.col("semantic_rank").cast(pl.Int32).fill_null(far)
    by_pieces = 2 * pl.col("graph_rank").cast(pl.Int32).fill_null(far) + 1
    return pl.min_horizontal(by_meaning, by_pieces).alias("nearest_rank")


def sort_keys(order: str) -> tuple[list[str], list[bool]]:
    """Columns to sort a question's pool by, and which of them fall.

    ``content_rank`` is last: the place of the node among all nodes by content, then id.
    """
    if order == "words":
        return (
            ["whole_title", "agree", "standing", "nearest_rank", "fused", "content_rank"],
            [True, True, True, False, True, False],
        )
    return ["whole_title", "agree", "fused", "standing", "content_rank"], [True, True, True, True, False]
