"""Gather the way of one decision; spans and touched pieces are looked up only here."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from memlab.answer import Answer
from memlab.arms import Gathering, GraphArm, ask
from memlab.display import shortened
from memlab.encoders import Encoder
from memlab.explain import conditions
from memlab.explain.explanation import Explanation, Gap
from memlab.hiding import hidden_in_words
from memlab.indexes import Indexes
from memlab.rules.order import sort_keys
from memlab.settles import settles
from memlab.spans import Word, covered, left_over, words_of
from memlab.store import Store
from memlab.trace import Trace

SHOWN = 50
# Candidates whose words are laid beside the question's.
MATCHED = 8
_TEXT = pl.List(pl.String)
_PLACE = ("title_word", "title_start", "title_end")
_WORDS: dict[str, pl.DataType] = {
    "word": pl.UInt32(),
    "surface": pl.String(),
    "start": pl.UInt32(),
    "end": pl.UInt32(),
    **{name: pl.Boolean() for name in ("content", "number", "name", "again", "consumed")},
    **{name: pl.UInt32() for name in _PLACE},
}
_MATCHES: dict[str, pl.DataType] = {
    "question_id": pl.String(),
    "node_id": pl.String(),
    **{name: pl.UInt32() for name in ("word", "question_start", "question_end", *_PLACE)},
    "name": pl.String(),
}
_PIECES: dict[str, pl.DataType] = {
    "rank": pl.UInt32(),
    "piece_id": pl.String(),
    "document": pl.String(),
    "text": pl.String(),
    "similarity": pl.Float64(),
    "leads_to": _TEXT,
    "touches": _TEXT,
}


def explain(
    answer: Answer, store: Store, indexes: Indexes, encoders: Sequence[Encoder], gathering: Gathering
) -> Explanation:
    """Explain an answer.

    Parameters
    ----------
    answer : Answer
        With its evidence; the decision is made again from it, never another one.
    store, indexes : Store, Indexes
    encoders : sequence of Encoder
        One a semantic arm; they find the pieces again.
    gathering : Gathering
    """
    trace = Trace(answer.evidence, answer.settings)
    facts = trace.facts
    shown = [answer.node_id, facts["leader"], facts["first"], *(facts["pool"] or [])[:1]]
    about = next((name for name in shown if name is not None), None)
    listed = [
        about,
        *(facts["pool"] or [])[:MATCHED],
        *trace.leaders["node_id"].head(MATCHED),
        *(facts["rivals"] or []),
    ]
    ids = list(dict.fromkeys(name for name in listed if name is not None))
    names = _names(trace, ids)
    asked, *cut = words_of([answer.evidence.questions["question"][0], *names.values()])
    words_by_id = dict(zip(names, cut, strict=True))
    of_about = words_by_id.get(about, []) if about is not None else []
    pieces = _pieces(answer, store, indexes, encoders, gathering, asked, of_about)
    touched = list(dict.fromkeys(word for words in pieces["touches"] for word in words))
    left = left_over(asked, of_about)
    titles = {
        name: f"'{shortened(trace.title(name), 48)}'"
        for name in (facts["leader"], facts["nearest"], facts["told"])
        if name
    }
    return Explanation(
        answer,
        _words(asked, of_about),
        about,
        _matches(answer.evidence.questions["question_id"][0], asked, words_by_id, names),
        _arms(trace),
        _order(trace),
        tuple(sort_keys(answer.settings.order)[0]),
        _hidden(trace, store),
        _gap(trace),
        pieces,
        conditions.frame(conditions.grounds(trace)),
        conditions.frame(conditions.forbids(trace, left, touched, titles)),
        settles(trace, store),
    )


def _names(trace: Trace, ids: list[str]) -> dict[str, str]:
    told = dict(trace.evidence.frame.select("node_id", "name_used").iter_rows())
    return {name: told[name] for name in ids}


def _words(asked: list[Word], name: list[Word]) -> pl.DataFrame:
    there = covered(asked, name)
    rows = []
    for word, consumed in zip(asked, there, strict=True):
        met = next((other for other in name if word.meets(other)), None)
        place = (met.word, met.start, met.end) if met is not None else (None, None, None)
        rows.append((*word[:8], consumed, *place))
    return pl.DataFrame(rows, schema=_WORDS, orient="row")


def _matches(question_id: str, asked: list[Word], names: dict[str, list[Word]], texts: dict[str, str]) -> pl.DataFrame:
    rows = [
        (question_id, node_id, word.word, word.start, word.end, other.word, other.start, other.end, texts[node_id])
        for node_id, name in names.items()
        for word in asked
        for other in name
        if word.meets(other)
    ]
    return pl.DataFrame(rows, schema=_MATCHES, orient="row")


def _arms(trace: Trace) -> pl.DataFrame:
    """Candidates of each arm that was asked, best first."""
    frame = trace.evidence.frame
    parts = []
    visible = trace.pool.select("node_id", "visible")
    for column in [c for c in frame.columns if c.endswith("_rank") and c != "content_rank"]:
        arm = column.removesuffix("_rank")
        score, unit = _SCORES.get(arm, (None, ""))
        if arm.startswith("semantic"):
            score, unit = f"{arm}_similarity", "cosine"
        parts.append(
            frame.filter(pl.col(column).is_not_null())
            .join(visible, on="node_id", maintain_order="left")
            .sort(column, "content_rank")
            .select(
                pl.lit(arm).alias("arm"),
                pl.col(column).alias("rank"),
                "node_id",
                "title",
                score=pl.col(score).cast(pl.Float64) if score else pl.lit(None, pl.Float64),
                unit=pl.lit(unit),
                alone=pl.col("first_by").list.contains(arm),
                visible="visible",
            )
        )
    return pl.concat(parts)


_SCORES = {"title": ("title_words", "words"), "graph": ("graph_pieces", "pieces")}


def _order(trace: Trace) -> pl.DataFrame:
    tied = trace.leaders["node_id"] if trace.leaders.height > 1 else pl.Series([], dtype=pl.String)
    return trace.pool.with_row_index("place", offset=1).head(SHOWN).select(
        "place", "node_id", "title", pl.col("kind").cast(pl.String), "whole_title", "agree", "title_words", "standing",
        "nearest_rank", "fused", "content_rank", pl.col("semantic_similarity").alias("similarity"), "graph_pieces",
        "first_by", pl.col("node_id").is_in(tied.implode()).alias("tied"), "visible",
    )  # fmt: skip


def _hidden(trace: Trace, store: Store) -> pl.DataFrame:
    rows = trace.pool.with_row_index("place", offset=1).filter(~pl.col("visible"))
    rivals = trace.facts["rivals"] or []
    words = hidden_in_words(store, rows["node_id"].to_list(), trace.evidence.questions["as_of"][0])
    return rows.select(
        "place", "node_id", "title", pl.col("kind").cast(pl.String), pl.Series("hidden_by", words, dtype=pl.String),
        rival=pl.col("node_id").is_in(pl.Series(rivals, dtype=pl.String).implode()),
    )  # fmt: skip


def _gap(trace: Trace) -> Gap:
    facts, rules = trace.facts, trace.settings
    setting = "" if facts["whole"] else trace.gap_setting
    background = trace.evidence.backgrounds[0] if trace.evidence.backgrounds else None
    near = trace.pool.filter(pl.col("semantic_similarity").is_not_null())
    first = second = None
    why = ""
    if near.height:
        rivals = near.filter(~pl.col("apart")).sort("semantic_rank", "content_rank")
        if rivals.height:
            top = rivals.row(0, named=True)
            first = top["semantic_similarity"]
            # What precedes the first is set apart; what precedes something else still counts.
            follows = pl.col("apart") & pl.col("successors").list.contains(top["node_id"])
            rest = near.filter((pl.col("node_id") != top["node_id"]) & ~follows)
            second = max(rest["semantic_similarity"].to_list(), default=None)
            if trace.nearest.height > 1:
                why = "several share the first title or its similarity"
    lower = first is not None and (second is None or second < (background or 0.0))
    needed = getattr(rules, setting) if setting else 0.0
    return Gap(facts["gap"], first, second, background, lower, needed, setting, why)


def _pieces(
    answer: Answer,
    store: Store,
    indexes: Indexes,
    encoders: Sequence[Encoder],
    gathering: Gathering,
    asked: list[Word],
    name: list[Word],
) -> pl.DataFrame:
    """The pieces that counted, what they lead to, and which left-over words they hold."""
    if "graph" not in answer.settings.arms:
        return pl.DataFrame(schema=_PIECES)
    questions = answer.evidence.questions.drop("content_words", "piece_similarity")
    graph = GraphArm(indexes, store.nodes["kind"])
    found = graph.pieces(ask(questions, store.nodes, encoders), gathering)
    there = dict(answer.evidence.frame.select("content_rank", "node_id").iter_rows())
    links = graph.links(gathering).join(found.select("piece"), on="piece", how="semi").sort("piece", "node")
    leads: dict[int, list[str]] = {}
    for piece, node in links.select("piece", "node").iter_rows():
        if node in there:
            leads.setdefault(piece, []).append(there[node])
    had = frozenset().union(*(word.terms for word in name if word.content))
    left = {term: word.surface for word in asked if word.content for term in word.terms - had}
    held = indexes.piece_terms.join(found.select("piece"), on="piece", how="semi").filter(
        pl.col("term").is_in(pl.Series(list(left), dtype=pl.String).implode())
    )
    touches: dict[int, list[str]] = {}
    for piece, term in held.sort("piece", "term").iter_rows():
        touches.setdefault(piece, []).append(left[term])
    rows = found.sort("rank", "piece").join(
        store.pieces.with_row_index("piece").select("piece", piece_id="id", document="document", text="text"),
        on="piece", how="left", maintain_order="left",
    )  # fmt: skip
    return rows.with_columns(
        pl.Series("leads_to", [leads.get(p, []) for p in rows["piece"]], dtype=_TEXT),
        pl.Series("touches", [list(dict.fromkeys(touches.get(p, []))) for p in rows["piece"]], dtype=_TEXT),
    ).select(list(_PIECES))
