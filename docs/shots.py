"""Draw every chart, to be looked at: ``python docs/shots.py charts`` writes into ``build/shots/charts``.

The charts stand on the sample store and its exam, and on a small Korean store for what the sample has
none of. ``contact.html`` and ``contact-dark.html`` show them all, on white and as a dark notebook tints them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import memlab as ml
from memlab import charts
from memlab.charts.export import as_svg
from memlab.exam import confidence_of, risk_coverage
from memlab.exam.study import EXPERIMENTS, study

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ROOT / "build" / "shots"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# As memlab/widgets/live.js tints a chart in a dark notebook.
DARK = {"ink": "#e6e6e6", "faint": "#b5b5b5"}
HELD = {
    "d0": {"title": "보관함은 필요 없다 <b>정말</b>", "ended": True, "superseded_by": ["d1"]},
    "d1": {"title": "보관함을 서버에 둔다", "valid_from": "2016-03-01", "superseded_by": ["d2"]},
    "d2": {"title": "보관함을 구름에 둔다", "valid_from": "2019-07-01", "superseded_by": ["d3"]},
    "d3": {"title": "보관함을 각자의 기계에 둔다", "valid_from": "2024-02-01", "superseded_by": ["d4"]},
    "d4": {"title": "보관함을 다시 서버에 둔다", "valid_from": "2027-01-01"},
}
KOREAN = [
    {"id": "c", "kind": "Concept", "title": "보관함", "aliases": ["자료 보관함"]},
    *({"id": name, "kind": "Decision", **held} for name, held in HELD.items()),
    {"id": "e", "kind": "Episode", "title": "보관함을 옮기던 날", "summary": "비가 왔다."},
    *({"id": f"r{n}", "kind": "Record", "title": f"보관함 점검 {n}회차에서 열쇠 {n}개를 찾았다"} for n in range(1, 9)),
]
EDGES = [
    *({"source": f"r{n}", "type": "ABOUT", "target": "c"} for n in range(1, 9)),
    *({"source": f"d{n}", "type": "ABOUT", "target": "c"} for n in range(5)),
    {"source": "c", "type": "HAS", "target": "e"},
    {"source": "e", "type": "RELATES", "target": "r1"},
]


@cache
def _asked() -> tuple[ml.Lab, ml.Exam, ml.Evidence]:
    lab = ml.Lab.open(ml.sample_store(ROOT / "build" / "python-memory.store"))
    exam = ml.Exam.read(ml.sample_exam()).for_store(lab.store)
    return lab, exam, lab.gather(exam, now=NOW)


@cache
def _graded() -> dict[str, ml.Outcomes]:
    lab, exam, evidence = _asked()
    kinds = lab.store.nodes.select("id", "kind", "title")
    return {
        name: ml.grade(ml.decide(evidence, settings), exam, kinds=kinds, settings=settings)
        for name, settings in (("as shipped", lab.settings), ("one word", ml.PRESETS["one_word"]))
    }


@cache
def _study() -> ml.Study:
    lab, exam, _ = _asked()
    return study(lab, exam, now=NOW)


@cache
def _korean() -> ml.Lab:
    return ml.Lab.of(ml.Store.from_frames(KOREAN, EDGES, []), encoder=None, settings=ml.Settings())


def _curves() -> dict[str, ml.Curve]:
    _, exam, evidence = _asked()
    found = {}
    for name, one in _graded().items():
        sure = confidence_of(evidence, exam, one.settings)
        found[name] = risk_coverage(sure["confidence"], sure["right"])
    return found


def _gaps(kind: Any) -> Any:
    lab = _asked()[0]
    return charts.gaps(_graded()["as shipped"], lab.settings.gap, lab.settings.gap_alone, kind)


def _finding(name: str) -> Any:
    return charts.draw(_study().findings[name], [charts.provenance.subtitle(_graded()["as shipped"])])


def _busiest(place: int) -> str:
    """The nodes that most edges lead to, in their order."""
    store = _asked()[0].store
    ends = store.edges["target"].filter(store.edges["target"].is_in(store.nodes["id"].implode()))
    return str(ends.value_counts().sort(["count", "target"], descending=[True, False])["target"][place])


def _followed() -> str:
    nodes = _asked()[0].store.nodes
    return str(nodes.filter(nodes["superseded_by"].list.len() > 0)["id"][0])


QUESTIONS = (
    "Why did we leave Subversion?",
    "파이썬은 왜 들여쓰기를 쓰나요?",
    "What did the walrus operator change?",
    "the",
)
DRAWN: dict[str, Callable[[], Any]] = {
    "outcomes": lambda: charts.outcomes(_graded()["as shipped"]),
    "outcomes-two": lambda: charts.outcomes(_graded()),
    "funnel": lambda: charts.funnel(_graded()),
    **{f"gaps-{kind}": partial(_gaps, kind) for kind in ("bars", "density", "ecdf")},
    "similarity-gap": lambda: charts.similarity_gap(_graded()["as shipped"], threshold=_asked()[0].settings.gap),
    "risk-coverage": lambda: charts.risk_coverage(_curves()["as shipped"], _graded()["as shipped"]),
    "risk-coverage-two": lambda: charts.risk_coverage(_curves(), _graded()),
    "leftover": lambda: charts.leftover(_graded()["one word"]),
    "groups-pair": lambda: charts.groups(_graded()["as shipped"], "pair"),
    "groups-kind": lambda: charts.groups(_graded()["as shipped"], "kind"),
    **{f"finding-{name}": partial(_finding, name) for name in EXPERIMENTS},
    "title-lengths": lambda: charts.title_lengths(_study().findings["titles"].tables["lengths"]),
    "kind-confusion": lambda: charts.kind_confusion(_study().findings["titles"].tables["won"]),
    **{
        f"waterfall-{number}": partial(lambda asked: charts.waterfall(_asked()[0].explain(asked, now=NOW)), question)
        for number, question in enumerate(QUESTIONS)
    },
    "waterfall-ko": lambda: charts.waterfall(_korean().explain("자료 보관함은 어디에 있나요?", now=NOW)),
    "neighbourhood": lambda: charts.neighbourhood(_asked()[0].around(_busiest(0), now=NOW)),
    "neighbourhood-two": lambda: charts.neighbourhood(_asked()[0].around(_busiest(3), now=NOW, depth=2)),
    "neighbourhood-ko": lambda: charts.neighbourhood(_korean().around("c", now=NOW)),
    "timeline": lambda: charts.timeline(_asked()[0].around(_followed(), now=NOW)),
    "timeline-ko": lambda: charts.timeline(_korean().around("d2", now=NOW)),
}


def tinted(chart: Any) -> Any:
    """The chart as a dark notebook tints it."""
    spec = chart.to_dict()
    config = spec["config"]
    config["background"] = "#111111"
    for part in ("axis", "legend", "header"):
        config[part] |= {"labelColor": DARK["ink"], "titleColor": DARK["faint"]}
    config["title"] |= {"color": DARK["ink"], "subtitleColor": DARK["faint"]}
    config["text"]["color"] = config["rule"]["color"] = DARK["ink"]
    return type(chart).from_dict(spec)


def shoot_charts(folder: Path, only: list[str]) -> None:
    """Write every chart as it is, dark, as a column and as a slide, and the sheets that show them."""
    sheets: dict[str, list[str]] = {"": [], "-dark": []}
    for name, draw in DRAWN.items():
        chart = None if only and not any(name.startswith(part) for part in only) else draw()
        if chart is None:
            continue
        ml.export(chart, folder / name, ["png", "svg"])
        ml.export(tinted(chart), folder / "dark" / name, ["png"])
        for size in charts.SIZES:
            ml.export(chart, folder / size / name, ["png"], size=size)
        for ending, made in (("", chart), ("-dark", tinted(chart))):
            sheets[ending].append(f"<figure><figcaption>{name}</figcaption>{as_svg(made)}</figure>")
        print(name, flush=True)
    for ending, figures in sheets.items():
        ground = "#111111" if ending else "#ffffff"
        page = (
            '<!DOCTYPE html><meta charset="utf-8"><style>body{display:flex;flex-wrap:wrap;gap:24px;'
            f"background:{ground};color:#888;font:13px sans-serif}}figure{{margin:0}}</style>"
        )
        (folder / f"contact{ending}.html").write_text(page + "".join(figures), encoding="utf-8")


def main() -> None:
    """Draw what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["charts"])
    parser.add_argument("only", nargs="*", help="beginnings of names; all when left out")
    asked = parser.parse_args()
    folder = SHOTS / asked.what
    folder.mkdir(parents=True, exist_ok=True)
    shoot_charts(folder, asked.only)
    sys.stdout.write(f"{folder}\n")


if __name__ == "__main__":
    main()
