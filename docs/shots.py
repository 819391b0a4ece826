"""Draw every chart, to be looked at: ``python docs/shots.py charts`` writes into ``build/shots/charts``.

The charts stand on the sample store and its exam, and on a small Korean store for what the sample has
none of. ``contact.html`` and ``contact-dark.html`` show them all, on white and as a dark notebook tints them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import memlab as ml
from memlab import charts
from memlab.charts.export import as_svg
from memlab.exam import confidence_of, risk_coverage
from memlab.exam.study import study

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ROOT / "build" / "shots"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
# As memlab/widgets/live.js tints a chart in a dark notebook.
DARK = {"ink": "#e6e6e6", "faint": "#b5b5b5"}
KOREAN = [
    {"id": "c", "kind": "Concept", "title": "보관함", "aliases": ["자료 보관함"]},
    {"id": "d1", "kind": "Decision", "title": "보관함을 서버에 둔다", "valid_from": "2016-03-01", "superseded_by": ["d2"]},
    {"id": "d2", "kind": "Decision", "title": "보관함을 구름에 둔다", "valid_from": "2019-07-01", "superseded_by": ["d3"]},
    {"id": "d3", "kind": "Decision", "title": "보관함을 각자의 기계에 둔다", "valid_from": "2024-02-01",
     "superseded_by": ["d4"]},
    {"id": "d4", "kind": "Decision", "title": "보관함을 다시 서버에 둔다", "valid_from": "2027-01-01"},
    {"id": "d0", "kind": "Decision", "title": "보관함은 필요 없다 <b>정말</b>", "ended": True, "superseded_by": ["d1"]},
    {"id": "e", "kind": "Episode", "title": "보관함을 옮기던 날", "summary": "비가 왔다."},
    *({"id": f"r{n}", "kind": "Record", "title": f"보관함 점검 {n}회차에서 열쇠 {n}개를 찾았다"} for n in range(1, 9)),
]  # fmt: skip
EDGES = [
    *({"source": f"r{n}", "type": "ABOUT", "target": "c"} for n in range(1, 9)),
    *({"source": f"d{n}", "type": "ABOUT", "target": "c"} for n in range(5)),
    {"source": "c", "type": "HAS", "target": "e"},
    {"source": "e", "type": "RELATES", "target": "r1"},
]


def drawn() -> Iterator[tuple[str, Any]]:
    """Every chart by name."""
    lab = ml.Lab.open(ml.sample_store(ROOT / "build" / "python-memory.store"))
    exam = ml.Exam.read(ml.sample_exam()).for_store(lab.store)
    evidence = lab.gather(exam, now=NOW)
    loose = ml.PRESETS["one_word"]
    kinds = lab.store.nodes.select("id", "kind", "title")
    graded = {
        name: ml.grade(ml.decide(evidence, settings), exam, kinds=kinds, settings=settings)
        for name, settings in (("as shipped", lab.settings), ("one word", loose))
    }
    one = graded["as shipped"]
    gap, alone = lab.settings.gap, lab.settings.gap_alone
    yield "outcomes", charts.outcomes(one)
    yield "outcomes-two", charts.outcomes(graded)
    yield "funnel", charts.funnel(graded)
    for kind in ("bars", "density", "ecdf"):
        yield f"gaps-{kind}", charts.gaps(one, threshold=gap, alone=alone, kind=kind)  # type: ignore[arg-type]
    yield "similarity-gap", charts.similarity_gap(one, threshold=gap)
    curves = {}
    for name, settings in (("as shipped", lab.settings), ("one word", loose)):
        sure = confidence_of(evidence, exam, settings)
        curves[name] = risk_coverage(sure["confidence"], sure["right"])
    yield "risk-coverage", charts.risk_coverage(curves["as shipped"], one)
    yield "risk-coverage-two", charts.risk_coverage(curves, graded)
    yield "leftover", charts.leftover(graded["one word"])
    for by in ("pair", "kind"):
        yield f"groups-{by}", charts.groups(one, by)
    made = study(lab, exam, now=NOW)
    for name, finding in made.findings.items():
        chart = charts.draw(finding, [charts.provenance.subtitle(one)])
        if chart is not None:
            yield f"finding-{name}", chart
    titles = made.findings["titles"].tables
    yield "title-lengths", charts.title_lengths(titles["lengths"])
    yield "kind-confusion", charts.kind_confusion(titles["won"])
    for number, question in enumerate(
        ("Why did we leave Subversion?", "파이썬은 왜 들여쓰기를 쓰나요?", "What did the walrus operator change?", "the")
    ):
        yield f"waterfall-{number}", charts.waterfall(lab.explain(question, now=NOW))
    edges = lab.store.edges
    busiest = (
        edges.filter(edges["target"].is_in(lab.store.nodes["id"].implode()))["target"].value_counts().sort(
            ["count", "target"], descending=[True, False]
        )["target"]
    )  # fmt: skip
    yield "neighbourhood", charts.neighbourhood(lab.around(busiest[0], now=NOW))
    yield "neighbourhood-two", charts.neighbourhood(lab.around(busiest[3], now=NOW, depth=2))
    followed = lab.store.nodes.filter(lab.store.nodes["superseded_by"].list.len() > 0)["id"]
    yield "timeline", charts.timeline(lab.around(followed[0], now=NOW))
    korean = ml.Lab.of(ml.Store.from_frames(KOREAN, EDGES, []), encoder=None, settings=ml.Settings())
    yield "timeline-ko", charts.timeline(korean.around("d2", now=NOW))
    yield "neighbourhood-ko", charts.neighbourhood(korean.around("c", now=NOW))
    yield "waterfall-ko", charts.waterfall(korean.explain("자료 보관함은 어디에 있나요?", now=NOW))


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
    for name, chart in drawn():
        if only and not any(name.startswith(part) for part in only):
            continue
        ml.export(chart, folder / name, ["png", "svg"])
        ml.export(tinted(chart), folder / "dark" / name, ["png"])
        for size in charts.SIZES:
            ml.export(chart, folder / size / name, ["png"], size=size)
        for ending, made in (("", chart), ("-dark", tinted(chart))):
            sheets[ending].append(f'<figure><figcaption>{name}</figcaption>{as_svg(made)}</figure>')
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
