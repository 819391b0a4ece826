"""The pool: all candidates of one question under one standard, as evidence (chapter 18, section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from memlab.arms import Asked, Gathering
from memlab.encoders import EncoderInfo
from memlab.indexes import Indexes
from memlab.indexes.match import best_names, match_names, named_inside
from memlab.store import Store
from memlab.text import title_key

_PAIR = ["query", "node"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was gathered about a batch of questions; everything that rules need.

    Attributes
    ----------
    frame : polars.DataFrame
        One row a question and node of its pool; ``docs/architecture.md`` names the columns.
    questions : polars.DataFrame
        ``question_id`` · ``question`` · ``lang`` · ``as_of`` · ``include_retired`` · ``content_words``.
    encoders : tuple of EncoderInfo
        One a semantic arm. Every threshold on a gap belongs to the first.
    store : str
        Checksum of the store.
    gathering : Gathering
        How deep the arms went.
    """

    frame: pl.DataFrame
    questions: pl.DataFrame
    encoders: tuple[EncoderInfo, ...]
    store: str
    gathering: Gathering

    def __len__(self) -> int:
        return self.questions.height

    def only(self, question_ids: Sequence[str]) -> Evidence:
        """Return the evidence of some of the questions."""
        wanted = pl.Series(list(question_ids), dtype=pl.String).implode()
        return Evidence(
            self.frame.filter(pl.col("question_id").is_in(wanted)),
            self.questions.filter(pl.col("question_id").is_in(wanted)),
            self.encoders,
            self.store,
            self.gathering,
        )


def pool(
    hits: pl.DataFrame,
    asked: Asked,
    store: Store,
    indexes: Indexes,
    *,
    gathering: Gathering,
    pieces: pl.DataFrame | None = None,
    beyond: pl.DataFrame | None = None,
    encoders: Sequence[EncoderInfo] = (),
) -> Evidence:
    """Pool the hits of all arms under one standard.

    Parameters
    ----------
    hits : polars.DataFrame
        Hits of all arms (``memlab.arms.HIT_SCHEMA``).
    asked : Asked
        The questions.
    store, indexes : Store, Indexes
    gathering : Gathering
    pieces : polars.DataFrame, optional
        The counting pieces of each question (``query`` · ``piece``).
    beyond : polars.DataFrame, optional
        What the title arm's cap cut off (``query`` · ``title_beyond``).
    encoders : sequence of EncoderInfo
        Of the semantic arms.
    """
    pairs = hits.select(_PAIR).unique().sort(_PAIR)
    titles = _titles(pairs, asked, indexes)
    frame = pairs.join(titles, on=_PAIR, how="left", maintain_order="left").with_columns(
        pl.col("title_words", "title_size", "title_leftover", "question_leftover").fill_null(0),
        pl.col("number_differs", "name_differs", "whole_title", "named_inside", "touched").fill_null(False),
    )
    # A name that shares nothing leaves the whole question over.
    frame = frame.join(
        asked.questions.with_row_index("query").select("query", "content_words"), on="query", maintain_order="left"
    ).with_columns(question_leftover=pl.when("touched").then("question_leftover").otherwise("content_words"))
    arms = sorted({*hits["arm"].unique(), "title", "graph", "semantic"}, key=_arm_order)
    for arm in arms:
        frame = frame.join(
            hits.filter(pl.col("arm") == arm).select(
                *_PAIR, pl.col("rank").alias(f"{arm}_rank"), pl.col("score").alias(f"{arm}_score")
            ),
            on=_PAIR,
            how="left",
            maintain_order="left",
        )
    for arm in arms:
        if arm.startswith("semantic"):
            background = _background(arm, indexes)
            frame = frame.rename({f"{arm}_score": f"{arm}_similarity"}).join(
                _gaps(frame, arm, background, store), on="query", how="left", maintain_order="left"
            )
        else:
            frame = frame.drop(f"{arm}_score")
    frame = (
        frame.join(_graph_pieces(pieces, indexes), on=_PAIR, how="left", maintain_order="left")
        .join(beyond if beyond is not None else _NO_BEYOND, on="query", how="left", maintain_order="left")
        .with_columns(pl.col("graph_pieces", "title_beyond").fill_null(0))
        .join(asked.validity(pairs), on=_PAIR, how="left", maintain_order="left")
    )
    frame = frame.with_columns(first_by=_first_by(arms))
    frame = frame.join(
        _touched(frame, asked, indexes, pieces), on=_PAIR, how="left", maintain_order="left"
    ).with_columns(pl.col("leftover_touched").fill_null(False) | (pl.col("question_leftover") == 0))
    return Evidence(_finish(frame, asked, store, indexes), asked.questions, tuple(encoders), store.checksum, gathering)


_NO_BEYOND = pl.DataFrame(schema={"query": pl.UInt32, "title_beyond": pl.UInt32})


def _arm_order(arm: str) -> tuple[int, str]:
    order = {"title": 0, "graph": 1, "semantic": 2}
    return (order.get(arm, 3), arm)


def _titles(pairs: pl.DataFrame, asked: Asked, indexes: Indexes) -> pl.DataFrame:
    best = best_names(match_names(pairs, asked.terms, asked.keys, indexes.names), indexes.names)
    inside = named_inside(best, indexes.names).with_columns(named_inside=pl.lit(True))
    return (
        best.join(inside, on=_PAIR, how="left", maintain_order="left")
        .with_columns(touched=pl.lit(True))
        .drop("is_title")
    )


def _background(arm: str, indexes: Indexes) -> float:
    number = 0 if arm == "semantic" else int(arm.removeprefix("semantic")) - 1
    return indexes.vectors[number].background if number < len(indexes.vectors) else 0.0


def _gaps(frame: pl.DataFrame, arm: str, background: float, store: Store) -> pl.DataFrame:
    """First minus second similarity of each question; the second is never below the background."""
    keys = pl.DataFrame(
        {"node": pl.arange(0, store.nodes.height, dtype=pl.UInt32, eager=True), "title": store.nodes["title"]}
    )
    score = f"{arm}_score"
    best = (
        frame.filter(pl.col(score).is_not_null())
        .sort("query", score, "node", descending=[False, True, False])
        .group_by("query", maintain_order=True)
        .agg(pl.col(score).head(2), pl.col("node").head(2))
        .with_columns(
            first=pl.col(score).list.get(0),
            second=pl.col(score).list.get(1, null_on_oob=True),
            one=pl.col("node").list.get(0),
            two=pl.col("node").list.get(1, null_on_oob=True),
        )
        .join(keys.rename({"node": "one", "title": "title_one"}), on="one", how="left", maintain_order="left")
        .join(keys.rename({"node": "two", "title": "title_two"}), on="two", how="left", maintain_order="left")
    )
    one_title = pl.Series(
        [b is not None and title_key(a) == title_key(b) for a, b in best.select("title_one", "title_two").iter_rows()],
        dtype=pl.Boolean,
    )
    second = pl.max_horizontal(pl.col("second"), pl.lit(background))
    return best.select(
        "query",
        pl.when(one_title).then(0.0).otherwise((pl.col("first") - second).clip(0.0).round(6)).alias(f"{arm}_gap"),
    )


def _graph_pieces(pieces: pl.DataFrame | None, indexes: Indexes) -> pl.DataFrame:
    if pieces is None:
        return pl.DataFrame(schema={"query": pl.UInt32, "node": pl.UInt32, "graph_pieces": pl.UInt32})
    return (
        pieces.join(pl.concat([indexes.mentions, indexes.origins]).unique(), on="piece")
        .group_by(_PAIR)
        .agg(pl.len().cast(pl.UInt32).alias("graph_pieces"))
    )


def _first_by(arms: Sequence[str]) -> pl.Expr:
    """Arms that put a node alone in first place."""
    names = []
    for arm in arms:
        rank = pl.col(f"{arm}_rank")
        alone = (rank == 1) & ((rank == 1).sum().over("query") == 1)
        if arm == "title":
            # Fragments alone make no first place, nor does a lead that the cap leaves uncertain.
            alone = alone & ((pl.col("title_words") > pl.col("title_beyond")) | pl.col("whole_title"))
        if arm.startswith("semantic"):
            alone = alone & (pl.col(f"{arm}_gap") > 0)
        names.append(pl.when(alone.fill_null(False)).then(pl.lit(arm)))
    return pl.concat_list(names).list.drop_nulls()


def _touched(frame: pl.DataFrame, asked: Asked, indexes: Indexes, pieces: pl.DataFrame | None) -> pl.DataFrame:
    """Whether a word that the title left over stands in a piece that search returned."""
    if pieces is None or pieces.is_empty():
        return frame.select(_PAIR).with_columns(leftover_touched=pl.lit(False)).clear()
    firsts = frame.filter(pl.col("first_by").list.len() > 0).select(*_PAIR, "name")
    left = (
        firsts.join(asked.terms.select("query", "term").unique(), on="query")
        .join(indexes.names.terms.select("name", "term").unique(), on=["name", "term"], how="anti", nulls_equal=False)
    )  # fmt: skip
    seen = pieces.select("query", "piece").join(indexes.piece_terms, on="piece").select("query", "term").unique()
    return left.join(seen, on=["query", "term"]).select(_PAIR).unique().with_columns(leftover_touched=pl.lit(True))


def _finish(frame: pl.DataFrame, asked: Asked, store: Store, indexes: Indexes) -> pl.DataFrame:
    nodes = store.nodes.with_row_index("node").select(
        "node", pl.col("id").alias("node_id"), "kind", "title", successors="superseded_by"
    )
    ids = asked.questions.with_row_index("query").select("query", "question_id")
    frame = (
        frame.join(nodes, on="node", how="left", maintain_order="left")
        .join(ids, on="query", how="left", maintain_order="left")
        .with_columns(pl.col("name_used").fill_null(pl.col("title")), content_rank=pl.col("node"))
    )
    keys = frame.select("title").unique(maintain_order=True)
    keys = keys.with_columns(title_key=pl.Series([title_key(t) for t in keys["title"]], dtype=pl.String))
    frame = frame.join(keys, on="title", how="left", maintain_order="left")
    first = ["question_id", "node_id", "kind", "title", "validity", "title_key", "name_used"]
    dropped = {"query", "node", "name", "content_words", "touched"}
    return frame.select(*first, *[c for c in frame.columns if c not in {*first, *dropped}])
