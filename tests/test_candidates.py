"""Another system's candidates: the same rules over lists that memlab did not search for."""

from __future__ import annotations

import warnings
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny import NOW, OVER, Memory, lab_of, memories, node, questions, rule_sets, titles

import memlab as ml
from memlab.encoders import EncoderInfo

NODES = titles("Loom repair handbook", "Loom", "Choir rehearsal", "Boat insurance 204")
ASKED = [{"id": "q", "question": "loom repair handbook", "as_of": NOW}]
TINY = EncoderInfo("tiny-trigrams", "1", 64)


def hit(node_id: str, **more: Any) -> dict[str, Any]:
    return {"question_id": "q", "node_id": node_id, **more}


def judged(*hits: dict[str, Any], nodes: Any = NODES, asked: Any = ASKED, **more: Any) -> pl.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ml.evidence_from(list(hits), nodes, asked, **more).frame.sort("node_id")


def exported(evidence: ml.Evidence, *, title: bool) -> pl.DataFrame:
    """The lists of a lab's own arms, as another system would hand them over."""
    frame, ids = evidence.frame, ("question_id", "node_id")
    none = pl.lit(None, pl.Float64)
    semantic = frame.filter(pl.col("semantic_rank").is_not_null()).select(
        *ids, arm=pl.lit("semantic"), rank="semantic_rank", score="semantic_similarity"
    )
    by_title = frame.filter(pl.col("title_rank").is_not_null()).select(
        *ids, arm=pl.lit("title"), rank="title_rank", score=none
    )
    return pl.concat([semantic, by_title]) if title else semantic


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(memories(), questions(), st.lists(rule_sets(), min_size=2, max_size=2), st.booleans())
def test_a_labs_own_lists_are_decided_as_the_lab_decides_them(
    memory: Memory, asked: list[dict[str, Any]], rules: list[ml.Settings], with_title: bool
) -> None:
    lab = memory.lab()
    own = lab.gather(asked, arms=("title", "semantic"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = ml.evidence_from(
            exported(own, title=with_title).sample(fraction=1, shuffle=True, seed=1), memory.nodes, asked,
            encoder=lab.encoders[0].info, background=lab.indexes.vectors[0].background,
        )  # fmt: skip
    assert again.encoders == own.encoders
    for chosen in [ml.Settings(), *rules]:
        assert ml.decide(again, chosen).equals(ml.decide(own, chosen))


def test_the_evidence_goes_through_grade_and_charts_unchanged() -> None:
    exam = ml.Exam.from_rows([{"id": "q", "question": "loom repair handbook", "gold": ["n1"], "written_by": "Ada"}])
    evidence = ml.evidence_from(
        [hit("n1", score=0.9), hit("n2", score=0.7)], NODES, exam, arm="semantic", encoder="embedded"
    )
    outcomes = ml.grade(ml.decide(evidence), exam)
    assert outcomes.counts()["resolved_right"] == 1
    assert ml.charts.gaps(outcomes, threshold=0.05).to_dict()
    assert ml.charts.outcomes(outcomes).to_dict()


def test_what_a_title_says_is_worked_out_for_every_candidate_and_for_no_other_node() -> None:
    frame = judged(hit("n1", rank=2), hit("n3", rank=1))
    assert frame["node_id"].to_list() == ["n1", "n3"]
    assert frame["whole_title"].to_list() == [True, False]
    assert frame["title_words"].to_list() == [3, 0]
    assert frame["title_rank"].to_list() == [1, None]
    assert frame["question_leftover"].to_list() == [0, 3]


def test_a_title_search_brings_the_nodes_that_nobody_handed_over() -> None:
    assert judged(hit("n3", rank=1), title_search=True)["node_id"].to_list() == ["n1", "n2", "n3"]


def test_an_arm_of_another_name_ranks_and_agrees_and_has_no_gap() -> None:
    frame = judged(hit("n1", score=31.5), hit("n2", score=7.0), arm="bm25")
    assert frame["bm25_rank"].to_list() == [1, 2]
    assert frame["first_by"].to_list() == [["title", "bm25"], []]
    assert frame["semantic_gap"].null_count() == 2
    assert judged(hit("n1", rank=1), hit("n2", rank=2)).get_column("retriever_rank").to_list() == [1, 2]


def test_equal_scores_share_a_rank_whatever_row_they_stand_in() -> None:
    frame = judged(hit("n1", rank=1, score=3), hit("n2", rank=2, score=3), hit("n3", rank=3, score=1), arm="bm25")
    assert frame["bm25_rank"].to_list() == [1, 1, 3]
    assert judged(hit("n1", score=3), hit("n2", score=3), hit("n3", score=1), arm="bm25")["bm25_rank"].to_list() == [
        1,
        1,
        3,
    ]


def test_the_gap_is_first_minus_second_of_the_cosines() -> None:
    frame = judged(hit("n3", score=0.9), hit("n4", score=0.7), arm="semantic", encoder="embedded")
    assert frame["semantic_gap"].to_list() == [pytest.approx(0.2)] * 2
    assert judged(
        hit("n3", score=0.9), hit("n4", score=0.7), arm="semantic", encoder="embedded", background=0.8
    )["semantic_gap"].to_list() == [pytest.approx(0.1)] * 2  # fmt: skip


def test_a_list_of_one_has_a_gap_only_over_a_background_that_somebody_measured() -> None:
    alone = judged(hit("n3", score=0.9), arm="semantic", encoder="embedded")
    assert (alone["semantic_gap"].to_list(), alone["first_by"].to_list()) == ([None], [[]])
    over = judged(hit("n3", score=0.9), arm="semantic", encoder="embedded", background=0.4)
    assert (over["semantic_gap"].to_list(), over["first_by"].to_list()) == ([pytest.approx(0.5)], [["semantic"]])


def test_equal_titles_have_no_gap() -> None:
    frame = judged(
        hit("n1", score=0.9), hit("n2", score=0.5), nodes=titles("Loom", "LOOM!"), arm="semantic", encoder="embedded"
    )
    assert frame["semantic_gap"].to_list() == [0.0, 0.0]


def test_two_encoders_are_two_arms() -> None:
    hits = [
        hit("n1", score=0.9, arm="semantic"),
        hit("n2", score=0.8, arm="semantic"),
        hit("n1", score=0.2, arm="semantic2"),
    ]
    with pytest.warns(UserWarning, match="mine: no thresholds were measured"):
        evidence = ml.evidence_from(hits, NODES, ASKED, encoder=["mine", "yours"], background=[0.0, 0.1])
    assert [e.name for e in evidence.encoders] == ["mine", "yours"]
    assert evidence.frame.sort("node_id")["semantic2_gap"].to_list() == [pytest.approx(0.1)] * 2
    # Nobody measured this model, so a gap that would do for the default encoder does not.
    near = [hit("n1", score=0.9), hit("n2", score=0.82)]
    asked = [{"id": "q", "question": "about loom repair", "as_of": NOW}]
    for name, state in (("embedded", "resolved"), ("mine", "choose")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            decided = ml.decide(ml.evidence_from(near, NODES, asked, arm="semantic", encoder=name))
        assert decided["state"].to_list() == [state]


def test_validity_is_that_of_the_nodes_at_the_questions_instant() -> None:
    nodes = [node("old", "Loom", **OVER), node("new", "Loom manual")]
    asked = [{"id": "q", "question": "loom", "as_of": NOW}, {"id": "then", "question": "loom", "as_of": "2015-01-01"}]
    hits = [{"question_id": q, "node_id": n, "rank": 1} for q in ("q", "then") for n in ("old", "new")]
    decided = ml.decide(ml.evidence_from(hits, nodes, asked))
    assert decided["node_id"].to_list() == [None, "old"]
    assert decided["reason"].to_list() == ["retired_rival", "whole_title"]


def test_a_question_without_candidates_is_none_and_no_hits_are_no_error() -> None:
    decided = ml.decide(ml.evidence_from([], NODES, ASKED))
    assert decided.select("state", "reason").row(0) == ("none", "empty_pool")


def test_nodes_may_be_a_store_and_hits_any_frame_that_speaks_arrow() -> None:
    class Foreign:
        """As pandas, DuckDB and pyarrow hand over their rows."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pl.DataFrame([hit("n1", rank=1)]).__arrow_c_stream__(requested_schema)

    store = lab_of(NODES, semantic=False).store
    evidence = ml.evidence_from(Foreign(), store, pl.DataFrame(ASKED))
    assert evidence.store == store.checksum
    assert evidence.frame["node_id"].to_list() == ["n1"]


PIECES = [
    {"id": "p1", "text": "the velvet curtain", "mentions": ["n1"]},
    {"id": "p2", "text": "velvet again", "mentions": ["n1", "n3"]},
    {"id": "p3", "text": "a velvet boat"},
    # Others, so that no node is mentioned everywhere.
    *({"id": f"other{n}", "text": "paper"} for n in range(9)),
]
FROM = [{"source": "n4", "type": "FROM", "target": "p3"}]


def found(*pieces: str) -> list[dict[str, Any]]:
    return [{"question_id": "q", "piece_id": piece, "rank": rank} for rank, piece in enumerate(pieces, 1)]


def test_pieces_that_another_search_found_lead_to_the_nodes_they_mention_and_came_from() -> None:
    frame = judged(pieces=PIECES, edges=FROM, piece_hits=found("p1", "p2", "p3"))
    counted = dict(frame.select("node_id", "graph_pieces").rows())
    assert counted == {"n1": 2, "n3": 1, "n4": 1}
    assert frame.filter(pl.col("first_by").list.contains("graph"))["node_id"].to_list() == ["n1"]
    assert judged(pieces=PIECES, edges=FROM, piece_hits=found("p3", "p2"), gathering=ml.Gathering(pieces=1))[
        "node_id"
    ].to_list() == ["n4"]
    decided = ml.decide(ml.evidence_from([], NODES, ASKED, pieces=PIECES, piece_hits=found("p1")))
    assert decided["state"].to_list() == ["resolved"]  # the whole title decides, not the piece
    velvet = [{"id": "q", "question": "velvet", "as_of": NOW}]
    alone = ml.decide(ml.evidence_from([], NODES, velvet, pieces=PIECES, piece_hits=found("p1")))
    assert alone.select("state", "reason").row(0) == ("choose", "graph_only")


def test_pieces_are_those_of_the_store_where_there_is_one(tmp_path: Any) -> None:
    lab = lab_of(NODES, PIECES, FROM, semantic=False)
    for store in (lab.store, lab.save(tmp_path / "a.store").store):
        assert judged(nodes=store, piece_hits=found("p3"))["node_id"].to_list() == ["n4"]
        with pytest.raises(ml.InputError, match="a Store has edges and pieces of its own"):
            ml.evidence_from([], store, ASKED, pieces=PIECES)


@pytest.mark.parametrize(
    ("hits", "more", "place"),
    [
        ([], {"piece_hits": found("zz")}, "piece_hits row 1 piece_id: 'zz' is no piece"),
        ([], {"piece_hits": found("p1", "p1")}, "piece_hits row 2 piece_id: 'p1' stands twice"),
        ([], {"piece_hits": [{"question_id": "q", "node_id": "p1", "rank": 1}]}, "piece_hits piece_id: no such column"),
        ([hit("n1", rank=1, arm="graph")], {"piece_hits": found("p1")}, "piece_hits: the hits have an arm"),
    ],
)
def test_bad_lists_of_pieces_are_refused_by_row(hits: Any, more: dict[str, Any], place: str) -> None:
    with pytest.raises(ml.InputError) as caught:
        ml.evidence_from(hits, NODES, ASKED, pieces=PIECES, edges=FROM, **more)
    assert str(caught.value).startswith(place)


BAD: dict[str, tuple[Any, str]] = {
    "unknown node": ([hit("n1", score=1), hit("zz", score=1)], "hits row 2 node_id: 'zz' is no node"),
    "unknown question": ([hit("n1", score=1) | {"question_id": "p"}], "hits row 1 question_id: 'p' is none"),
    "NaN": ([hit("n1", score=1.0), hit("n2", score=float("nan"))], "hits row 2 score: nan"),
    "infinite": ([hit("n1", score=float("inf"))], "hits row 1 score: inf"),
    "text as score": ([hit("n1", score="high")], "hits row 1 score: 'high' is text"),
    "twice": ([hit("n1", score=1), hit("n2", score=1), hit("n1", score=2)], "hits row 3 node_id: 'n1' stands twice"),
    "rank 0": ([hit("n1", rank=0)], "hits row 1 rank: 0 is a number; ranks are whole numbers from 1"),
    "half a rank": ([hit("n1", rank=1.5)], "hits row 1 rank: 1.5"),
    "true as rank": ([hit("n1", rank=True)], "hits row 1 rank: True is a truth value"),
    "neither": ([hit("n1", rank=None, score=None)], "hits row 1 score: neither rank nor score"),
    "half ranked": ([hit("n1", rank=1, score=1), hit("n2", score=1)], "hits row 2 rank: missing"),
    "no column of scores": ([hit("n1")], "hits score: hits need a rank"),
    "no node_id": ([{"question_id": "q", "score": 1}], "hits node_id: no such column"),
    "no hits at all": (5, "hits: give a frame or a list"),
    "a name no arm can have": ([hit("n1", score=1, arm="My arm")], "hits row 1 arm: 'My arm' cannot be"),
    "a taken name": ([hit("n1", score=1, arm="content")], "hits row 1 arm: 'content' cannot be"),
    "semantic2 alone": ([hit("n1", score=1, arm="semantic2")], "hits arm: 'semantic2' without 'semantic'"),
    "no cosine": ([hit("n1", score=31, arm="semantic")], "hits row 1 score: 31 is a number, and an arm called"),
    "a semantic arm that only ranks": ([hit("n1", rank=1, arm="semantic")], "hits row 1 score: missing"),
    "a distance": (
        [hit("n1", rank=1, score=0.1, arm="semantic"), hit("n2", rank=2, score=0.4, arm="semantic")],
        "hits row 2 rank: behind a lower cosine",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_hits_are_refused_by_row(case: str) -> None:
    hits, place = BAD[case]
    with pytest.raises(ml.InputError) as caught:
        ml.evidence_from(hits, NODES, ASKED, encoder="embedded")
    assert str(caught.value).startswith(place)


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"encoder": None}, "encoder: name the model"),
        ({"encoder": ["a", "b"]}, "encoder: 2 named"),
        ({"encoder": 5}, "encoder"),
        ({"background": 3.0}, "background: one cosine"),
        ({"background": [0.1, 0.2]}, "background: one cosine"),
        ({"nodes": [{"id": "n1"}]}, "nodes row 1 title"),
        ({"nodes": 7}, "nodes: give a frame"),
        ({"questions": [{"id": "q"}]}, "questions row 1 question"),
        ({"questions": "loom"}, "questions: give a frame"),
        ({"arm": "No Name", "hits": [hit("n1", rank=1)]}, "arm: 'No Name'"),
        ({"hits": [hit("n1", rank=1, arm="title")], "title_search": True, "encoder": None}, "title_search"),
    ],
)
def test_bad_arguments_are_refused_by_name(more: dict[str, Any], place: str) -> None:
    given_ = {"hits": [hit("n1", score=1, arm="semantic")], "nodes": NODES, "questions": ASKED, "encoder": "embedded"}
    with pytest.raises(ml.InputError) as caught:
        ml.evidence_from(**{**given_, **more})
    assert str(caught.value).startswith(place)
