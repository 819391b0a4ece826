"""Every chart of memlab, small and with Korean in it: what the tests of drawing and exporting stand on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import polars as pl
from synthetic import made_up
from tiny import NOW, lab_of, node

import memlab as ml
from memlab import charts
from memlab.exam import confidence_of, risk_coverage

WHERE = ["n = 4 · exam 지어낸 시험"]
NODES = [
    node("c", "보관함 <script>alert(1)</script>", aliases=["Archive"]),
    node("d0", "보관함은 필요 없다", "Decision", ended=True, superseded_by=["d1"]),
    node("d1", "서버에 둔다", "Decision", valid_from="2016-03-01", superseded_by=["d2"]),
    node("d2", "구름에 둔다", "Decision", valid_from="2019-07-01", superseded_by=["d3"]),
    node("d3", "다시 서버에 둔다", "Decision", valid_from="2027-01-01"),
    node("e", "옮기던 날", "Episode", summary="비가 왔다."),
    *(node(f"r{n}", f"보관함 점검 {n}회차", "Record") for n in range(4)),
]
EDGES = [
    *({"source": name, "type": "ABOUT", "target": "c"} for name in ("d0", "d1", "d2", "d3", "r0", "r1", "r2", "r3")),
    {"source": "c", "type": "HAS", "target": "e"},
    {"source": "e", "type": "RELATES", "target": "r1"},
]
KINDS = ("Concept", "Record", "Decision", "Episode")
DEPTH = pl.DataFrame(
    {"arms": ["title alone", "all arms"] * 3, "depth": [25, 25, 50, 50, 100, 100], "pool": [9.0, 20.0] * 3,
     "count": [2, 3, 2, 4, 3, 4], "n": [4] * 6, "share": [0.5, 0.75, 0.5, 1.0, 0.75, 1.0], "low": [0.2] * 6,
     "high": [1.0] * 6}
)  # fmt: skip
SETS = pl.DataFrame({"title": [True, False, False], "graph": [True, True, False], "semantic": [True, False, False],
                     "count": [5, 2, 1]})  # fmt: skip
WON = pl.DataFrame({"gold_kind": ["Concept", "Concept", "Record", None],
                    "first_kind": ["Concept", "Record", None, None], "count": [3, 1, 2, 1],
                    "right": [2, 0, 0, 0], "n": [4, 4, 2, 1]})  # fmt: skip
LENGTHS = pl.DataFrame({"kind": KINDS, "n": [9, 8, 7, 1], "q25": [2.0, 12.0, 4.0, 3.0], "median": [3.0, 22.5, 5.0, 3.0],
                        "q75": [4.0, 30.0, 6.0, 3.0], "longest": [9, 41, 12, 3]})  # fmt: skip
LANGUAGE = pl.DataFrame(
    [{"reuse": reuse, "question and title": script, "measure": measure, "count": 1, "n": 4, "share": 0.25, "low": 0.1,
      "high": 0.7}
     for measure in ("gold in the first 50", "first is gold") for reuse in ("all", "none")
     for script in ("same script", "other script")]
)  # fmt: skip
CELLS = pl.DataFrame(
    [{"bar": bar, "order": order, "gap": gap, "right": 5 - bar, "wrong": bar * (gap == "none"), "first": 4, "n": 10}
     for bar in (1, 2) for order in ("agreement", "words") for gap in ("none", "gap")]
)  # fmt: skip
EFFECTS = pl.DataFrame(
    [{"cost": 1, "effect": name, "score": -0.1, "low": -0.2, "high": 0.05, "n": 10}
     for name in ("bar alone", "bar and gap", "bar × gap", "all together")]
)  # fmt: skip
UNANSWERED = pl.DataFrame(
    [{"unanswerable": kind, "state": state, "count": count, "n": 4, "share": count / 4, "low": 0.0, "high": 0.9}
     for kind in ("near miss", "off subject") for state, count in (("resolved", 1), ("choose", 3), ("none", 0))]
)  # fmt: skip


@cache
def graded(questions: int = 60, preset: str = "") -> ml.Outcomes:
    """A made-up exam, graded; of no questions, one without rows."""
    if not questions:
        some = graded(4)
        return ml.Outcomes(some.rows.clear(), ml.Exam(some.exam.questions.clear(), some.exam.name), some.settings)
    evidence, exam = made_up(questions)
    settings = ml.PRESETS[preset] if preset else ml.Settings(gap=0.05)
    outcomes = ml.grade(ml.decide(evidence, settings), exam, settings=settings)
    rows = outcomes.rows.with_columns(gold_kind=pl.lit("Record"), pair=pl.lit("ko → Hangul"))
    return ml.Outcomes(rows, outcomes.exam, settings)


@cache
def curve() -> ml.Curve:
    """Risk against coverage of that exam."""
    evidence, exam = made_up(60)
    sure = confidence_of(evidence, exam, ml.Settings(gap=0.05))
    return risk_coverage(sure["confidence"], sure["right"])


@cache
def lab() -> ml.Lab:
    """A small store with kinds, successions and a title that holds a script."""
    return lab_of(NODES, (), EDGES, semantic=False)


CHARTS: dict[str, Callable[[], Any]] = {
    "outcomes": lambda: charts.outcomes(graded()),
    "outcomes of several": lambda: charts.outcomes({"기본": graded(), "one word": graded(preset="one_word")}),
    "funnel": lambda: charts.funnel({"기본": graded(), "one word": graded(preset="one_word")}),
    "gaps": lambda: charts.gaps(graded(), 0.05, 0.2),
    "gaps, density": lambda: charts.gaps(graded(), 0.05, kind="density"),
    "gaps, ecdf": lambda: charts.gaps(graded(), 0.05, kind="ecdf"),
    "similarity_gap": lambda: charts.similarity_gap(graded(), threshold=0.05),
    "risk_coverage": lambda: charts.risk_coverage(curve(), graded()),
    "leftover": lambda: charts.leftover(graded(preset="one_word")),
    "groups": lambda: charts.groups(graded(), "pair"),
    "pool_depth": lambda: charts.pool_depth(DEPTH, subtitle=WHERE),
    "arm_overlap": lambda: charts.arm_overlap(SETS, subtitle=WHERE),
    "kind_confusion": lambda: charts.kind_confusion(WON, subtitle=WHERE),
    "title_lengths": lambda: charts.title_lengths(LENGTHS, subtitle=WHERE),
    "languages": lambda: charts.languages(LANGUAGE, subtitle=WHERE),
    "factorial": lambda: charts.factorial(CELLS, EFFECTS, subtitle=WHERE),
    "unanswerable": lambda: charts.unanswerable(UNANSWERED, subtitle=WHERE),
    "waterfall": lambda: charts.waterfall(lab().explain("보관함은 어디에 있나요?", as_of=NOW)),
    "timeline": lambda: charts.timeline(lab().around("d2", as_of=NOW)),
    "neighbourhood": lambda: charts.neighbourhood(lab().around("c", as_of=NOW)),
    "beside": lambda: charts.beside(charts.arm_overlap(SETS), charts.title_lengths(LENGTHS), columns=2, title="둘"),
    "beside, joined": lambda: charts.beside(CHARTS["waterfall"](), CHARTS["similarity_gap"](), CHARTS["gaps"]()),
}
# What each function is to be given, where it takes something else than outcomes.
EMPTY: dict[str, Callable[[], Any]] = {
    "outcomes": lambda: charts.outcomes(graded(0)),
    "funnel": lambda: charts.funnel(graded(0)),
    "gaps": lambda: charts.gaps(graded(0)),
    "gaps, density": lambda: charts.gaps(graded(0), kind="density"),
    "gaps, ecdf": lambda: charts.gaps(graded(0), kind="ecdf"),
    "similarity_gap": lambda: charts.similarity_gap(graded(0)),
    "leftover": lambda: charts.leftover(graded(0)),
    "groups": lambda: charts.groups(graded(0), "lang"),
    "pool_depth": lambda: charts.pool_depth(DEPTH.clear()),
    "arm_overlap": lambda: charts.arm_overlap(SETS.clear()),
    "kind_confusion": lambda: charts.kind_confusion(WON.clear()),
    "title_lengths": lambda: charts.title_lengths(LENGTHS.clear()),
    "languages": lambda: charts.languages(LANGUAGE.clear()),
    "factorial": lambda: charts.factorial(CELLS.clear(), EFFECTS.clear()),
    "unanswerable": lambda: charts.unanswerable(UNANSWERED.clear()),
    "timeline": lambda: charts.timeline(lab().around("r0", as_of=NOW, depth=0)),
    "neighbourhood": lambda: charts.neighbourhood(lab().around("r0", as_of=NOW, depth=0)),
}
