"""Evidence with some candidates taken out before anything is compared: what an early filter would have left."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from memlab.pool import Evidence, first_by


def kept(evidence: Evidence, condition: pl.Expr) -> Evidence:
    """Keep the candidates for which a condition holds, as if the others had never been put forward.

    Ranks, first places and gaps are taken anew among those that are left; how deep each arm went stays.

    Parameters
    ----------
    evidence : Evidence
    condition : polars.Expr
        Over the columns of the evidence's frame.
    """
    frame = evidence.frame.filter(condition)
    arms = [name.removesuffix("_rank") for name in frame.columns if name.endswith("_rank") and name != "content_rank"]
    frame = frame.with_columns(
        pl.col(f"{arm}_rank").rank("min").over("question_id").cast(pl.UInt32).alias(f"{arm}_rank") for arm in arms
    )
    by_meaning = [arm for arm in arms if arm.startswith("semantic")]
    for arm, background in zip(by_meaning, evidence.backgrounds, strict=False):
        frame = frame.with_columns(_gap(arm, background))
    return replace(evidence, frame=frame.with_columns(first_by=first_by(arms, "question_id")))


def _gap(arm: str, background: float) -> pl.Expr:
    """First minus second similarity of a question; none where the first shares its title."""
    similarity = pl.col(f"{arm}_similarity")
    # The arm's own first, by raw cosine; a correction may have put another node before it.
    best = similarity == similarity.filter(pl.col(f"{arm}_rank") == 1).max()
    first = best & (pl.col(f"{arm}_rank") == 1)
    second = pl.when(~first | (first.cum_sum() > 1)).then(similarity).max()
    gap = (similarity.filter(first).first() - pl.max_horizontal(second, pl.lit(background))).clip(0.0).round(6)
    bearers = (pl.col("title_key") == pl.col("title_key").filter(first).first()).sum()
    return pl.when(bearers > 1).then(0.0).otherwise(gap).over("question_id").alias(f"{arm}_gap")
