"""The pool: all candidates of one question under one standard, as evidence (chapter 18, section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.arms import Asked, Gathering
from memlab.concepts import concept_differs
from memlab.encoders import EncoderInfo
from memlab.indexes import Indexes
from memlab.indexes.match import best_names, match_names, named_inside
from memlab.store import Store, followers

_PAIR = ["query", "node"]
_FLAGS = ("number_differs", "name_differs", "one_for_one", "whole_title", "named_inside", "touched")


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was gathered about a batch of questions; everything that rules need.

    Attributes
    ----------
    frame : polars.DataFrame
        One row a question and node of its pool; ``docs/architecture.md`` names the columns.
    questions : polars.DataFrame
        ``question_id`` · ``question`` · ``lang`` · ``as_of`` · ``include_retired`` · ``content_words`` ·
        ``piece_similarity`` (best cosine of a counting piece; null where none was found by meaning).
    encoders : tuple of EncoderInfo
        One a semantic arm. Every threshold on a gap belongs to the first.
    store : str
        Checksum of the store.
    gathering : Gathering
        How deep the arms went.
    backgrounds : tuple of float
        Background similarity of the store by each encoder: a gap's second is never below it.
    """

    frame: pl.DataFrame
    questions: pl.DataFrame
    encoders: tuple[EncoderInfo, ...]
    store: str
    gathering: Gathering
    backgrounds: tuple[float, ...] = ()

    def __len__(self) -> int:
        return self.questions.height

    def only(self, question_ids: Sequence[str]) -> Evidence:
        """Return the evidence of some of the questions."""
        wanted = pl.Series(list(question_ids), dtype=pl.String).implode()
        kept = pl.col("question_id").is_in(wanted)
        return replace(self, frame=self.frame.filter(kept), questions=self.questions.filter(kept))


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
        The counting pieces of each question (``query`` · ``piece`` · ``similarity``).
    beyond : polars.DataFrame, optional
        What the title arm's cap cut off (``query`` · ``title_beyond``).
    encoders : sequence of EncoderInfo
        Of the semantic arms.
    """
    pairs = hits.select(_PAIR).unique().sort(_PAIR)
    titles = _titles(pairs, asked, indexes)
    places = _Places.of(pairs)
    frame = places.add(pairs, titles).with_columns(
        pl.col("title_words", "title_size", "title_leftover", "question_leftover").fill_null(0),
        pl.col(*_FLAGS).fill_null(False),
    )
    # A name that shares nothing leaves the whole question over.
    frame = frame.join(
        asked.questions.with_row_index("query").select("query", "content_words"), on="query", maintain_order="left"
    ).with_columns(question_leftover=pl.when("touched").then("question_leftover").otherwise("content_words"))
    arms = sorted({*hits["arm"].unique(), "title", "graph", "semantic"}, key=_arm_order)
    for arm in arms:
        frame = places.add(
            frame,
            hits.filter(pl.col("arm") == arm).select(
                *_PAIR, pl.col("rank").alias(f"{arm}_rank"), pl.col("score").alias(f"{arm}_score")
            ),
        )
    for arm in arms:
        if arm.startswith("semantic"):
            background = _background(arm, indexes)
            frame = frame.rename({f"{arm}_score": f"{arm}_similarity"}).join(
                _gaps(frame, arm, background, indexes), on="query", how="left", maintain_order="left"
            )
        else:
            frame = frame.drop(f"{arm}_score")
    frame = (
        places.add(frame, _graph_pieces(pieces, indexes))
        .join(beyond if beyond is not None else _NO_BEYOND, on="query", how="left", maintain_order="left")
        .with_columns(pl.col("graph_pieces", "title_beyond").fill_null(0))
        .hstack([*asked.validity(pairs).drop(_PAIR)])
    )
    frame = frame.with_columns(first_by=first_by(arms))
    frame = places.add(frame, _touched(frame, asked, indexes, pieces)).with_columns(
        pl.col("leftover_touched").fill_null(False) | (pl.col("question_leftover") == 0)
    )
    frame = places.add(frame, concept_differs(frame, store)).with_columns(pl.col("concept_differs").fill_null(False))
    return Evidence(
        _finish(frame, store, asked, indexes),
        _questions(asked, pieces),
        tuple(encoders),
        store.checksum,
        gathering,
        tuple(vectors.background for vectors in indexes.vectors),
    )


def _questions(asked: Asked, pieces: pl.DataFrame | None) -> pl.DataFrame:
    """Add how near the nearest piece lies."""
    nearest = pl.Series("piece_similarity", [None] * asked.questions.height, dtype=pl.Float64)
    if pieces is not None and pieces.height:
        best = pieces.group_by("query").agg(pl.col("similarity").max())
        nearest = nearest.scatter(best["query"], best["similarity"])
    return asked.questions.with_columns(nearest)


@dataclass(frozen=True)
class _Places:
    """Where each pair of question and node stands in the pool: one search instead of a join."""

    keys: NDArray[np.int64]

    @staticmethod
    def _key(pairs: pl.DataFrame) -> NDArray[np.int64]:
        key: NDArray[np.int64] = pairs["query"].to_numpy().astype(np.int64) << 32 | pairs["node"].to_numpy()
        return key

    @classmethod
    def of(cls, pairs: pl.DataFrame) -> _Places:
        """Take the pairs of the pool, in order."""
        return cls(cls._key(pairs))

    def add(self, frame: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
        """Add the columns of a frame that has each pair at most once; null where it lacks one."""
        keys = self._key(more)
        place = np.searchsorted(self.keys, keys)
        there = place < len(self.keys)
        there[there] = self.keys[place[there]] == keys[there]
        row = np.full(len(self.keys), -1, dtype=np.int64)
        row[place[there]] = np.flatnonzero(there)
        index = pl.Series(row).replace(-1, None)
        return frame.hstack(more.drop(_PAIR).select(pl.all().gather(index)))


_NO_BEYOND = pl.DataFrame(schema={"query": pl.UInt32, "title_beyond": pl.UInt32})


def _arm_order(arm: str) -> tuple[int, str]:
    order = {"title": 0, "graph": 1, "semantic": 2}
    return (order.get(arm, 3), arm)


def _titles(pairs: pl.DataFrame, asked: Asked, indexes: Indexes) -> pl.DataFrame:
    best = best_names(match_names(pairs, asked.wording, indexes.names), indexes.names)
    inside = named_inside(best, indexes.names).with_columns(named_inside=pl.lit(True))
    return (
        best.join(inside, on=_PAIR, how="left", maintain_order="left")
        .with_columns(touched=pl.lit(True))
        .drop("is_title")
    )


def _background(arm: str, indexes: Indexes) -> float:
    number = 0 if arm == "semantic" else int(arm.removeprefix("semantic")) - 1
    return indexes.vectors[number].background if number < len(indexes.vectors) else 0.0


def _gaps(frame: pl.DataFrame, arm: str, background: float, indexes: Indexes) -> pl.DataFrame:
    """First minus second similarity of each question; the second is never below the background."""
    score = f"{arm}_score"
    # A correction may put another node first than raw cosine does; then no gap is left.
    found = (
        frame.select("query", "node", pl.col(score).alias("score"), (pl.col(f"{arm}_rank") > 1).alias("behind"))
        .filter(pl.col("score").is_not_null())
        .sort("query", "behind", "score", "node", descending=[False, False, True, False])
    )
    query = found["query"].to_numpy()
    place = np.arange(found.height) - np.searchsorted(query, query)
    second = found.filter(pl.Series(place > 0)).group_by("query").agg(second=pl.col("score").max())
    best = found.filter(pl.Series(place == 0)).join(second, on="query", how="left", maintain_order="left")
    # A title that another node of the pool bears too is no first place, wherever the other one stands.
    keys = indexes.names.title_keys
    bearers = frame.select("query", title_key=keys.gather(frame["node"])).group_by("query", "title_key").len("bearers")
    best = best.with_columns(title_key=keys.gather(best["node"])).join(
        bearers, on=["query", "title_key"], how="left", maintain_order="left"
    )
    rest = pl.max_horizontal(pl.col("second"), pl.lit(background))
    gap = (pl.col("score") - rest).clip(0.0).round(6)
    return best.select("query", pl.when(pl.col("bearers") > 1).then(0.0).otherwise(gap).alias(f"{arm}_gap"))


def _graph_pieces(pieces: pl.DataFrame | None, indexes: Indexes) -> pl.DataFrame:
    """How many counting pieces mention each node or came from it, whatever paths the arm follows."""
    if pieces is None:
        return pl.DataFrame(schema={"query": pl.UInt32, "node": pl.UInt32, "graph_pieces": pl.UInt32})
    links = pl.concat([indexes.mentions, indexes.origins]).unique()
    return pieces.join(links, on="piece").group_by(_PAIR).agg(pl.len().cast(pl.UInt32).alias("graph_pieces"))


def first_by(arms: Sequence[str], question: str = "query") -> pl.Expr:
    """Arms that put a node alone in first place; ``question`` names the column that tells questions apart."""
    names = []
    for arm in arms:
        rank = pl.col(f"{arm}_rank")
        alone = (rank == 1) & ((rank == 1).sum().over(question) == 1)
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
        .join(indexes.names.distinct_terms.join(firsts.select("name").unique(), on="name", how="semi"),
              on=["name", "term"], how="anti", nulls_equal=False)
    )  # fmt: skip
    # Only terms that a title left over are looked for in the pieces.
    wanted = indexes.piece_terms.join(left.select("term").unique(), on="term", how="semi")
    seen = pieces.select("query", "piece").join(wanted, on="piece").select("query", "term").unique()
    return left.join(seen, on=["query", "term"]).select(_PAIR).unique().with_columns(leftover_touched=pl.lit(True))


def _finish(frame: pl.DataFrame, store: Store, asked: Asked, indexes: Indexes) -> pl.DataFrame:
    nodes = store.nodes.select(pl.col("id").alias("node_id"), "kind", "title", indexes.names.title_keys)[frame["node"]]
    nodes = nodes.with_columns(_successors(nodes["node_id"], store))
    ids = asked.questions["question_id"].gather(frame["query"])
    frame = frame.hstack([ids, *nodes]).with_columns(
        pl.col("name_used").fill_null(pl.col("title")), content_rank=pl.col("node")
    )
    first = ["question_id", "node_id", "kind", "title", "validity", "hidden_by", "title_key", "name_used"]
    dropped = {"query", "node", "name", "content_words", "touched"}
    return frame.select(*first, *[c for c in frame.columns if c not in {*first, *dropped}])


def _successors(ids: pl.Series, store: Store) -> pl.Series:
    """What took each node's place, directly or in the end, of what the pool holds."""
    there = ids.unique()
    later = followers(store.nodes, there)
    known = set(there)
    rows = [(node, [name for name in names if name in known]) for node, names in later.items()]
    told = pl.DataFrame(rows, schema={"node_id": pl.String, "successors": pl.List(pl.String)}, orient="row")
    joined = ids.alias("node_id").to_frame().join(told, on="node_id", how="left", maintain_order="left")
    return joined["successors"].fill_null(pl.Series([[]], dtype=pl.List(pl.String)))
