"""Candidates from elsewhere: another system's scored lists, judged by the same rules.

Search narrows; whoever already has a retriever wants only its candidates decided (chapter 18,
section 1). Its lists become evidence here, and go through ``decide``, ``grade`` and the charts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import polars as pl

from memlab.arms import Asking, Gathering, GraphArm, Questions, TitleArm, ask, questions_frame
from memlab.arms.base import HIT_SCHEMA
from memlab.candidates.hits import handed_hits, semantic_arms
from memlab.encoders import EncoderInfo
from memlab.errors import InputError
from memlab.indexes import Indexes, TitleVectors, build_indexes, load_indexes
from memlab.indexes.pieces import PIECE_HITS, RRF_K
from memlab.pool import Evidence, pool
from memlab.rules import warn_if_unmeasured
from memlab.store import Store
from memlab.tables import Table, table

Named = str | EncoderInfo | Sequence[str | EncoderInfo]


def evidence_from(
    hits: Table,
    nodes: Store | Table,
    questions: Questions | Table,
    *,
    edges: Table | None = None,
    pieces: Table | None = None,
    piece_hits: Table | None = None,
    encoder: Named | None = None,
    background: float | Sequence[float] | None = None,
    arm: str = "retriever",
    title_search: bool = False,
    gathering: Gathering | None = None,
    now: datetime | None = None,
) -> Evidence:
    """Make evidence of another system's candidate lists.

    Parameters
    ----------
    hits : polars or pandas frame, Arrow table, or list of dicts
        ``question_id`` · ``node_id`` · ``score`` or ``rank`` or both · optional ``arm``. One row a
        question, arm and node. A higher score is better; without ``rank``, ranks follow the scores.
        Equal scores of one arm share the better rank. An arm called ``semantic`` (``semantic2``, …
        for further encoders) gives raw cosines in [-1, 1], and only it has a gap. Every other arm
        ranks and agrees, whatever its scores mean.
    nodes : Store, frame or list of dicts
        ``id`` · ``title``, optionally ``kind`` (``Concept`` when left out), ``aliases`` and the
        validity columns of a store, with a store's checks.
    questions : Exam, frame or list of dicts
        ``question_id`` (or ``id``) · ``question``, optionally ``as_of``, ``include_retired``, ``lang``.
    edges, pieces : frame or list of dicts, optional
        Those of a store (``source`` · ``type`` · ``target``; ``id`` · ``text`` · ``mentions``), for
        ``piece_hits``. A ``Store`` has its own.
    piece_hits : frame or list of dicts, optional
        ``question_id`` · ``piece_id`` · ``rank`` or ``score``: what your search found among the pieces.
        The graph arm follows them to the nodes that they mention or came from.
    encoder : str or EncoderInfo, or one for each semantic arm
        Which model the cosines are of; needed where there are any, as every threshold belongs to
        one. A model that nobody measured is told by a warning, and decided carefully.
    background : float, or one for each semantic arm, optional
        Cosine that an unrelated question reaches with a title (a store's index measures it, the 95th
        percentile). A gap's second is never below it. When left out it is unknown: 0.0 stands for
        it, and a list of one candidate has no gap, as nothing was measured against it.
    arm : str
        What to call the arm of hits that have no ``arm``.
    title_search : bool
        Make every node whose title shares a word with the question a candidate too. When left out, a
        title leads among the candidates handed over and no others.
    gathering : Gathering, optional
        How deep ``title_search`` goes, and what the graph arm follows.
    now : datetime, optional
        The instant of questions without ``as_of``; the clock's when left out.

    Returns
    -------
    Evidence
        One row a question and candidate, with what its title says: words, leftovers, substitution,
        whole title. Ranks of the title arm are memlab's own, among the candidates, unless the hits
        have an arm called ``title``.

    Raises
    ------
    InputError
        Naming part, row (from 1) and field: an unknown node or question, a pair that stands twice, a
        rank that is no positive whole number, a score that is no number, a cosine out of range.
    """
    store, depths = _store(nodes, edges, pieces), gathering or Gathering()
    rows: Questions = questions if isinstance(questions, Asking) else table("questions", questions)
    frame = questions_frame(rows, now or datetime.now(UTC))
    found = handed_hits(table("hits", hits), frame["question_id"], store.nodes["id"], default_arm=arm)
    arms = set(found["arm"].unique())
    infos = _infos(encoder, semantic_arms(arms))
    grounds = _backgrounds(background, len(infos))
    indexes = _indexes(store, infos, grounds, pieces=piece_hits is not None)
    asked = ask(frame, store.nodes, ())
    read = None
    if piece_hits is not None:
        if "graph" in arms:
            raise InputError("the hits have an arm called 'graph' already; leave one out", field="piece_hits")
        read = _read_pieces(table("piece_hits", piece_hits), frame["question_id"], store, depths)
        graph = GraphArm(indexes, store.nodes["kind"]).follow(read, asked, depths)
        found = pl.concat([found, graph])
    title, beyond = TitleArm(indexes.names), None
    if title_search:
        if "title" in arms:
            raise InputError(
                "the hits have an arm called 'title' already; leave one of the two out", field="title_search"
            )
        by_title, beyond = title.search_and_cut(asked, depths)
        found = pl.concat([found, by_title])
    elif "title" not in arms:
        found = pl.concat([found, title.among(found.select("query", "node").unique(), asked)])
    made = pool(
        found.select(HIT_SCHEMA.names()), asked, store, indexes,
        gathering=depths, pieces=read, beyond=beyond, encoders=infos,
    )  # fmt: skip
    return made if background is not None else _without_lone_gaps(made, len(infos))


def _store(nodes: Store | Table, edges: Table | None, pieces: Table | None) -> Store:
    if isinstance(nodes, Store):
        if edges is not None or pieces is not None:
            raise InputError("a Store has edges and pieces of its own; leave these out", field="edges, pieces")
        return nodes
    return Store.from_frames(
        _with_kind(table("nodes", nodes)),
        None if edges is None else table("edges", edges),
        None if pieces is None else table("pieces", pieces),
    )


def _read_pieces(
    rows: pl.DataFrame | list[Mapping[str, object]], questions: pl.Series, store: Store, gathering: Gathering
) -> pl.DataFrame:
    """The pieces that somebody's search found, by number, as ``PIECE_HITS``."""
    found = handed_hits(rows, questions, store.pieces["id"], default_arm="pieces", part="piece_hits", what="piece")
    if found["arm"].n_unique() > 1:
        raise InputError("one list of pieces for each question; fuse them first", part="piece_hits", field="arm")
    # By rank alone, as the graph arm's own search does: scores of two systems have no common scale.
    score = (1 / (RRF_K + pl.col("rank"))).round(9)
    kept = found.filter(pl.col("rank") <= gathering.pieces)
    # How near a piece is, nobody says: its score may be anything.
    nowhere = pl.lit(None, pl.Float64)
    return kept.select("query", "rank", piece="node", score=score, similarity=nowhere).select(PIECE_HITS.names())


def _with_kind(nodes: pl.DataFrame | list[Mapping[str, object]]) -> pl.DataFrame | list[Mapping[str, object]]:
    if isinstance(nodes, pl.DataFrame):
        return nodes if "kind" in nodes.columns else nodes.with_columns(kind=pl.lit("Concept"))
    return [
        row if not isinstance(row, Mapping) or row.get("kind") is not None else {**row, "kind": "Concept"}
        for row in nodes
    ]


def _infos(encoder: Named | None, arms: Sequence[str]) -> tuple[EncoderInfo, ...]:
    """The encoders of the semantic arms, in their order."""
    if encoder is None:
        given: list[str | EncoderInfo] = []
    else:
        given = list(encoder) if isinstance(encoder, list | tuple) else [encoder]  # type: ignore[list-item]
    for one in given:
        if not isinstance(one, EncoderInfo) and not (isinstance(one, str) and one.strip()):
            raise InputError(f"name a model, not {one!r}", field="encoder")
    if arms and len(given) < len(arms):
        raise InputError(
            f"name the model that made the cosines of {', '.join(arms)}: every threshold belongs to one; scores that"
            " are no cosines belong in an arm of another name",
            field="encoder",
        )
    if len(given) > len(arms):
        raise InputError(f"{len(given)} named, and the hits have {len(arms)} semantic arms", field="encoder")
    infos = tuple(e if isinstance(e, EncoderInfo) else EncoderInfo(e, "unknown", 0) for e in given)
    if infos:
        warn_if_unmeasured(infos[0].name)
    return infos


def _backgrounds(background: float | Sequence[float] | None, n: int) -> tuple[float, ...]:
    given = [0.0] * n if background is None else background
    values = [given] * n if isinstance(given, int | float) else list(given)
    fine = all(isinstance(v, int | float) and not isinstance(v, bool) and -1 <= v <= 1 for v in values)
    if not fine or len(values) != n:
        raise InputError(f"one cosine from -1 to 1 for each semantic arm, not {background!r}", field="background")
    return tuple(float(v) for v in values)


def _indexes(store: Store, infos: Sequence[EncoderInfo], backgrounds: Sequence[float], *, pieces: bool) -> Indexes:
    """What the pool needs of a store that is not searched: its names, the backgrounds, what pieces lead to."""
    saved = load_indexes(store, (), pieces=pieces) or build_indexes(store, (), pieces=pieces)
    # Nothing is searched for by these vectors; the pool reads the background alone.
    nothing = np.zeros((2, 0), dtype=np.float32)
    vectors = (
        TitleVectors(
            info, None, np.zeros(0, dtype=np.uint32), ground, np.empty(0), nothing, np.zeros(0, dtype=np.float32)
        )
        for info, ground in zip(infos, backgrounds, strict=True)
    )
    return replace(saved, vectors=tuple(vectors))


def _without_lone_gaps(evidence: Evidence, n_arms: int) -> Evidence:
    """Take the gap from a list of one candidate: there is no second, and no background stands in."""
    frame = evidence.frame
    for arm in semantic_arms([f"semantic{n + 1}" if n else "semantic" for n in range(n_arms)]):
        lone = pl.col(f"{arm}_rank").is_not_null().sum().over("question_id") == 1
        frame = frame.with_columns(
            pl.when(~lone).then(f"{arm}_gap").alias(f"{arm}_gap"),
            pl.when(lone)
            .then(pl.col("first_by").list.eval(pl.element().filter(pl.element() != arm)))
            .otherwise("first_by")
            .alias("first_by"),
        )
    return replace(evidence, frame=frame)
