"""Succession: a predecessor of the survivor is no rival of it, where the settings say so."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from memlab.rules.settings import Settings

_PAIR = ["query", "node_id"]
UNSETTLED = pl.Schema({"query": pl.UInt32, "title_unsettled": pl.Boolean, "meaning_unsettled": pl.Boolean})


@dataclass(frozen=True)
class Settled:
    """The pool without the predecessors of what holds now.

    Attributes
    ----------
    rivals : polars.DataFrame
        The other rows, with ranks and gaps by meaning taken among them anew.
    apart : polars.DataFrame
        The predecessors, with their ``successors``.
    """

    rivals: pl.DataFrame
    apart: pl.DataFrame

    def unsettled(self, leaders: pl.DataFrame, nearest: pl.DataFrame) -> pl.DataFrame:
        """Questions in which a predecessor of something else ties with or beats what leads.

        Returns
        -------
        polars.DataFrame
            :data:`UNSETTLED`.
        """
        c = pl.col
        apart = (
            self.apart.join(leaders.select("query", "leader"), on="query", how="left")
            .join(nearest.select("query", "nearest"), on="query", how="left")
            .join(self.rivals.group_by("query").agg(best=c("standing").max(), top=c("semantic_similarity").max()),
                  on="query", how="left")
        )  # fmt: skip
        follows_leader = c("successors").list.contains(c("leader")).fill_null(False)
        follows_nearest = c("successors").list.contains(c("nearest")).fill_null(False)
        beats_title = (c("standing") > 0) & (c("standing") >= c("best").fill_null(0))
        beats_meaning = (c("semantic_similarity") >= c("top").fill_null(-1.0)).fill_null(False)
        return apart.group_by("query").agg(
            title_unsettled=(beats_title & ~follows_leader).any(),
            meaning_unsettled=(beats_meaning & ~follows_nearest).any(),
        )


def settle(pool: pl.DataFrame, settings: Settings, background: float) -> Settled | None:
    """Set the predecessors of current candidates apart; None where nothing is to be settled.

    Whether a row is set apart hangs on validity and never on what is visible, so that the filter
    changes no verdict (chapter 18, section 8).

    Parameters
    ----------
    pool : polars.DataFrame
        The ordered pool.
    settings : Settings
    background : float
        The store's background similarity, in cosine: no gap is taken to less.
    """
    if not settings.succession:
        return None
    c = pl.col
    current = pool.filter(c("validity") == "current").select(_PAIR)
    followed = (
        pool.filter((c("validity") == "retired") & (c("successors").list.len() > 0))
        .select(*_PAIR, follower="successors")
        .explode("follower")
        .join(current, left_on=["query", "follower"], right_on=_PAIR, how="semi")
        .select(_PAIR)
        .unique()
    )
    if followed.is_empty():
        return None
    apart = pool.join(followed, on=_PAIR, how="semi", maintain_order="left")
    rivals = pool.join(followed, on=_PAIR, how="anti", maintain_order="left")
    touched = apart.select("query").unique()
    stays = rivals.join(touched, on="query", how="anti", maintain_order="left")
    again = _ranked_anew(rivals.join(touched, on="query", how="semi", maintain_order="left"), apart, background)
    return Settled(
        pl.concat([stays, again]).sort("query", maintain_order=True).with_columns(c("query").set_sorted()), apart
    )


def _ranked_anew(rivals: pl.DataFrame, apart: pl.DataFrame, background: float) -> pl.DataFrame:
    """Take rank and gap by meaning among rivals; what precedes something else still counts as a second."""
    c = pl.col
    rank = c("semantic_similarity").rank("min", descending=True).over("query").cast(pl.UInt32)
    rivals = rivals.with_columns(semantic_rank=pl.when(c("semantic_rank").is_not_null()).then(rank))
    first = (
        rivals.filter(c("semantic_rank") == 1)
        .group_by("query")
        .agg(
            first=c("node_id").first(),
            firsts=pl.len(),
            top=c("semantic_similarity").first(),
            key=c("title_key").first(),
        )
    )
    behind = rivals.join(first, on="query").filter(c("node_id") != c("first"))
    others = apart.join(first, on="query").filter(~c("successors").list.contains(c("first")))
    rest = pl.concat([part.select("query", "semantic_similarity", "title_key", "key") for part in (behind, others)])
    second = rest.group_by("query").agg(second=c("semantic_similarity").max(), twin=(c("title_key") == c("key")).any())
    held = pl.max_horizontal(c("second"), pl.lit(background))
    shared = (c("firsts") > 1) | c("twin").fill_null(False)
    gaps = first.join(second, on="query", how="left").select(
        "query", semantic_gap=pl.when(shared).then(0.0).otherwise((c("top") - held).clip(0.0).round(6))
    )
    columns = rivals.columns
    return rivals.drop("semantic_gap").join(gaps, on="query", how="left", maintain_order="left").select(columns)
