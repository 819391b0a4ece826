"""Every chart: in every format with its text and no boxes, of nothing, of wrong things, of hostile texts."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pypdf
import pytest
import vl_convert
from chart_samples import CELLS, CHARTS, DEPTH, EMPTY, curve, graded, lab
from fontTools.ttLib import TTFont
from tiny import NOW, OVER, lab_of, node

import memlab as ml
from memlab import charts
from memlab.charts import theme
from memlab.charts.embed import FILE
from memlab.errors import InputError

HANGUL = re.compile(r"[가-힣]+")


def said(svg: str) -> list[str]:
    """Every text of a picture."""
    found = re.findall(r"<text[^>]*[^/]>(.*?)</text>", svg, re.DOTALL)
    lines = [line for text in found for line in (re.findall(r"<tspan[^>]*>(.*?)</tspan>", text, re.DOTALL) or [text])]
    return [unescape(re.sub(r"<[^>]+>", "", line)) for line in lines]


def picture(chart: alt.TopLevelMixin) -> str:
    return str(vl_convert.vegalite_to_svg(chart.to_dict(), vl_version="6.4"))


def embedded(svg: str) -> set[int]:
    """The code points of the font that a file carries."""
    held = re.search(r"font/woff2;base64,([A-Za-z0-9+/=]+)", svg)
    assert held
    return set(TTFont(io.BytesIO(base64.b64decode(held[1]))).getBestCmap())


def embedded_fonts(page: Any) -> dict[str, bool]:
    """Fonts of a page of a PDF, and whether each is in the file."""
    found = {}
    queue = [page]
    while queue:
        resources = queue.pop().get("/Resources", {})
        for form in resources.get("/XObject", {}).values():
            queue.append(form.get_object())
        for font in resources.get("/Font", {}).values():
            for part in font.get_object().get("/DescendantFonts", [font]):
                of = part.get_object()["/FontDescriptor"]
                found[str(part.get_object()["/BaseFont"])] = any(name.startswith("/FontFile") for name in of)
    return found


def boxed(value: Any) -> Any:
    """Every Korean sign as one that no font has."""
    if isinstance(value, str):
        return HANGUL.sub(lambda found: "\U0010fffd" * len(found[0]), value)
    if isinstance(value, dict):
        return {name: boxed(part) for name, part in value.items()}
    return [boxed(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_in_every_format_with_its_text(name: str, tmp_path: Path) -> None:
    chart = CHARTS[name]()
    svg, png, pdf, html, spec = ml.export(chart, tmp_path / "chart")
    drawn = svg.read_text(encoding="utf-8")
    texts = " ".join(said(drawn))
    korean = {sign for sign in texts if HANGUL.match(sign)}
    assert korean
    assert {ord(sign) for sign in texts if sign.isprintable()} <= embedded(drawn), "a sign is not in the font"
    assert not re.search(r"NaN|undefined|Infinity|−|\d\.\d{7}", texts)
    told = pypdf.PdfReader(pdf).pages[0]
    assert korean <= set(told.extract_text())
    fonts = embedded_fonts(told)
    assert fonts
    assert all(fonts.values())
    boxes = vl_convert.vegalite_to_png(boxed(chart.to_dict()), vl_version="6.4", scale=2.0)
    assert png.read_bytes() != boxes
    # Of a page what stands before the scripts that draw it, which nothing here wrote.
    page = html.read_text(encoding="utf-8").split('<script type="module">')[0]
    assert {ord(sign) for sign in korean} <= embedded(page)
    for text in (drawn, page):
        assert not re.search(r"<(?:script|link|img|image|use)[^>]+(?:src|href)=", text)
        assert not re.search(r"url\((?!['\"]?(?:data:|#))", text)
    held = json.loads(spec.read_text(encoding="utf-8"))
    assert held["config"]["font"].startswith("NanumGothic")
    assert alt.Chart.from_json(spec.read_text(encoding="utf-8")).to_dict()


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_has_title_axes_tooltips_and_n(name: str) -> None:
    spec = CHARTS[name]().to_dict()
    texts = said(picture(CHARTS[name]()))
    assert any(text.startswith("n = ") for text in texts) or name == "waterfall"
    assert texts
    assert '"tooltip"' in json.dumps(spec)
    assert "title" in spec or name == "beside, joined"


@pytest.mark.parametrize("name", EMPTY)
def test_a_chart_of_nothing_says_so(name: str) -> None:
    texts = " ".join(said(picture(EMPTY[name]())))
    assert re.search(r"\b(no|nothing|n = 0)\b", texts)
    assert not re.search(r"NaN|undefined|Infinity", texts)


@pytest.mark.parametrize("size", charts.SIZES)
@pytest.mark.parametrize("name", ["outcomes", "gaps", "similarity_gap", "factorial", "waterfall", "beside"])
def test_a_chart_is_laid_out_again_for_its_place(name: str, size: str, tmp_path: Path) -> None:
    chart = CHARTS[name]()
    before = chart.to_dict()
    svg, pdf, png = ml.export(chart, tmp_path / "chart", ["svg", "pdf", "png"], size=size)
    assert chart.to_dict() == before
    page = pypdf.PdfReader(pdf).pages[0].mediabox
    drawn = svg.read_text(encoding="utf-8")
    wide = [float(part) for part in re.search(r'width="([\d.]+)pt".*?viewBox="\S+ \S+ (\S+) ', drawn).groups()]  # type: ignore[union-attr]
    zoom = wide[0] / wide[1]
    least = min(float(found) for found in re.findall(r'font-size="([\d.]+)px"', drawn)) * zoom
    width = int.from_bytes(png.read_bytes()[16:20], "big")
    if size == "column":
        assert float(page.width) == pytest.approx(240, abs=1)
        assert least >= 7
        assert width == pytest.approx(1000, abs=3)
    else:
        assert (float(page.width), float(page.height)) == pytest.approx((960, 540), abs=1)
        assert width == pytest.approx(1920, abs=2)
        assert least >= (12 if name not in ("waterfall", "beside") else 7)
    assert set(HANGUL.findall(" ".join(said(drawn))))


WRONG: dict[str, Any] = {
    "outcomes": charts.outcomes,
    "funnel": charts.funnel,
    "gaps": charts.gaps,
    "similarity_gap": charts.similarity_gap,
    "risk_coverage": lambda x: charts.risk_coverage(x, graded()),
    "risk_coverage, outcomes": lambda x: charts.risk_coverage(curve(), x),
    "leftover": charts.leftover,
    "groups": lambda x: charts.groups(x, "lang"),
    "shares": lambda x: charts.shares(x, y="y", title="t"),
    "pool_depth": charts.pool_depth,
    "arm_overlap": charts.arm_overlap,
    "kind_confusion": charts.kind_confusion,
    "title_lengths": charts.title_lengths,
    "languages": charts.languages,
    "factorial": lambda x: charts.factorial(x, x),
    "factorial, effects": lambda x: charts.factorial(CELLS, x),
    "unanswerable": charts.unanswerable,
    "waterfall": charts.waterfall,
    "timeline": charts.timeline,
    "neighbourhood": charts.neighbourhood,
    "draw": charts.draw,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_thing_is_refused_with_what_to_give(name: str) -> None:
    for wrong in (None, 3, "text", pl.DataFrame({"a": [1]}), lab().resolve("보관함", as_of=NOW)):
        with pytest.raises(InputError, match=r"give .*(lab\.|ml\.|study\.|frame|returned)"):
            WRONG[name](wrong)


@pytest.mark.parametrize("none", [{}, []])
def test_no_outcomes_at_all_are_refused(none: Any) -> None:
    with pytest.raises(InputError, match="outcomes: give"):
        charts.outcomes(none)


def test_a_group_and_a_kind_that_are_none_are_named() -> None:
    with pytest.raises(InputError, match="by: nothing is grouped by colour"):
        charts.groups(graded(), "colour")
    with pytest.raises(InputError, match="kind: no such kind as pie"):
        charts.gaps(graded(), kind="pie")  # type: ignore[arg-type]


HOSTILE = (
    "</script><script>alert(1)</script>",
    "x" * 300,
    "왜 " * 150,
    "خزانة الأرشيف ١٢",
    "two\nlines\tand\x0b\u2028more",
    "",
    'it\'s "quoted" \\ back',
)


def hostile() -> Iterator[alt.TopLevelMixin]:
    nodes = [node(f"n{i}", title or "x", "Decision", superseded_by=[f"n{i + 1}"] if i < len(HOSTILE) - 1 else [])
             for i, title in enumerate(HOSTILE)]  # fmt: skip
    edges = [{"source": f"n{i}", "type": "</text><b>", "target": "n0"} for i in range(1, len(HOSTILE))]
    made = lab_of(nodes, (), edges, semantic=False)
    for number in (0, 2, len(HOSTILE) - 1):
        around = made.around(f"n{number}", as_of=NOW)
        yield charts.timeline(around)
        yield charts.neighbourhood(around)
    for title in HOSTILE:
        yield charts.waterfall(made.explain(title, as_of=NOW))
        yield charts.pool_depth(DEPTH.with_columns(arms=pl.lit(title)), title=title or "t", subtitle=[title])


def test_hostile_texts_are_text() -> None:
    for chart in hostile():
        drawn = charts.export.as_svg(chart)
        assert "<script" not in drawn
        assert "<b>" not in drawn
        width = float(re.search(r'width="([\d.]+)"', drawn)[1])  # type: ignore[index]
        assert width < 3200


# The two charts of what is around a node ----------------------------------------------------------


def test_a_timeline_says_what_is_open_what_ended_and_what_nobody_knows() -> None:
    data = charts.timeline_data(lab().around("d2", as_of=NOW))
    told = {row["node_id"]: row for row in data.iter_rows(named=True)}
    assert data["node_id"].to_list() == ["d0", "d1", "d2", "d3"]
    assert (told["d0"]["unknown"], told["d0"]["open_end"], told["d0"]["held"]) == (
        True, False, "ended, nobody knows when"
    )  # fmt: skip
    assert (told["d1"]["held"], told["d1"]["validity"]) == ("2016-03-01 to 2019-07-01", "retired")
    assert (told["d2"]["held"], told["d2"]["validity"]) == ("2019-07-01 to 2027-01-01", "current")
    assert (told["d3"]["open_end"], told["d3"]["validity"]) == (True, "future")
    assert all(row["start"] <= row["end"] for row in told.values())
    texts = said(picture(charts.timeline(lab().around("d2", as_of=NOW))))
    assert "n = 4 nodes · the line is the instant asked: 2026-01-01" in texts
    assert {"current", "retired", "future"} <= set(texts)


def test_a_timeline_of_odd_intervals_is_drawn() -> None:
    odd = lab_of(
        [node("a", "held never", valid_from="2020-01-01", valid_to="2020-01-01"), node("b", "alone"),
         node("c", "one", superseded_by=["d"]), node("d", "one", superseded_by=["c"]),
         node("z", "far", valid_from="0001-01-01", valid_to="9999-12-31"), node("o", "over", **OVER)],
        semantic=False,
    )  # fmt: skip
    assert charts.timeline_data(odd.around("a", as_of=NOW))["empty"].to_list() == [True]
    cycle = charts.timeline(odd.around("c", as_of=NOW))
    assert "a cycle: it is said to follow itself, which retires nobody" in said(picture(cycle))
    assert len(set(charts.timeline_data(odd.around("c", as_of=NOW))["label"])) == 2
    for name in ("b", "z", "o"):
        assert "n = 1 node" in " ".join(said(picture(charts.timeline(odd.around(name, as_of=NOW)))))


def test_neighbours_stand_by_kind_and_never_on_each_other() -> None:
    nodes, edges = charts.neighbourhood_data(lab().around("c", as_of=NOW))
    assert nodes["side"].to_list()[0] == "middle"
    assert nodes.select("x", "y").n_unique() == nodes.height
    for side in ("left", "right"):
        kinds = nodes.filter(side=side)["kind"].to_list()
        assert kinds == sorted(kinds, key=list(theme.KINDS).index)
    told = dict(nodes.select("node_id", "relation").iter_rows())
    assert told["r0"] == "← ABOUT"
    assert told["e"] == "→ HAS"
    assert told["d0"].endswith("· retired")
    assert edges.filter("beside").select("source", "target").rows() == [
        ("d0", "d1"), ("d1", "d2"), ("d2", "d3"), ("e", "r1")
    ] or set(edges.filter("beside")["type"]) <= {"RELATES", "SUPERSEDED_BY"}  # fmt: skip


def test_the_layout_does_not_depend_on_the_order_of_rows() -> None:
    from chart_samples import EDGES, NODES

    turned = lab_of(NODES[::-1], (), EDGES[::-1], semantic=False).around("c", as_of=NOW)
    one, other = charts.neighbourhood_data(lab().around("c", as_of=NOW)), charts.neighbourhood_data(turned)
    assert one[0].equals(other[0])
    assert set(one[1].iter_rows()) == set(other[1].iter_rows())


def test_beyond_thirty_neighbours_the_rest_is_counted() -> None:
    many = lab_of(
        [node("c", "Hub"), *(node(f"r{n:02}", f"기록 {n}", "Record") for n in range(45))], (),
        [{"source": f"r{n:02}", "type": "ABOUT", "target": "c"} for n in range(45)], semantic=False,
    ).around("c", as_of=NOW)  # fmt: skip
    texts = " ".join(said(picture(charts.neighbourhood(many))))
    assert "n = 45 connected nodes, 15 left out (the farthest)" in texts
    nodes, _ = charts.neighbourhood_data(many)
    assert nodes.height == 31
    for side in ("left", "right"):
        heights = nodes.filter(side=side)["y"].sort()
        assert heights.diff().min() * 15 * 34 / 2 > 30  # type: ignore[operator]  # room for two lines of text


# Data steps, by hand ------------------------------------------------------------------------------


def test_arms_are_counted_over_all_their_sets() -> None:
    from chart_samples import SETS

    bars, dots = charts.arm_overlap_data(SETS)
    assert bars.rows() == [("title + graph + semantic", 5), ("graph", 2), ("no arm", 1)]
    assert dict(dots.select("arm", "total").unique().iter_rows()) == {"title": 5, "graph": 7, "semantic": 5}


def test_kinds_keep_one_order_on_both_sides_and_empty_cells_count_none() -> None:
    from chart_samples import WON

    data = charts.kind_confusion_data(WON)
    assert data["gold_kind"].unique(maintain_order=True).to_list() == ["Concept", "Record", "unknown"]
    assert data["first_kind"].unique(maintain_order=True).to_list() == ["Concept", "Record", "nothing"]
    cells = {(row["gold_kind"], row["first_kind"]): row for row in data.iter_rows(named=True)}
    assert cells["Concept", "Record"]["share"] == pytest.approx(0.25)
    assert cells["Record", "Record"]["count"] == 0
    assert cells["Record", "nothing"]["count"] == 2


def test_net_and_kinds_of_effects() -> None:
    from chart_samples import EFFECTS

    cells, effects = charts.factorial_data(CELLS, EFFECTS)
    one = cells.filter(bar="two words", order="words", gap="none").row(0, named=True)
    assert one["net"] == pytest.approx((3 - 2) / 10)
    assert effects.select("effect", "kind").rows() == [
        ("bar alone", "alone"), ("bar and gap", "together"), ("all together", "together"), ("bar × gap", "interaction")
    ]  # fmt: skip


def test_areas_are_those_of_the_roc_curve() -> None:
    from sklearn.metrics import roc_auc_score

    data = charts.similarity_gap_data(graded())
    right = (data["class"] == "first is right").to_numpy()
    for row in charts.signal_areas(data).iter_rows(named=True):
        assert row["auc"] == pytest.approx(roc_auc_score(right, data[row["signal"]].to_numpy()))
        assert row["low"] <= row["auc"] <= row["high"]
    alike = charts.signal_areas(data.filter(pl.col("class") == "first is right"))
    assert alike["auc"].to_list() == [None, None]
    assert "no AUC" in " ".join(said(picture(charts.similarity_gap(data.filter(pl.col("class") == "unanswerable")))))


def test_a_class_with_one_gap_has_no_density_and_is_named() -> None:
    from test_charts import graded as by_hand

    one = by_hand([("choose", True, True, 0.1), ("choose", True, True, 0.2), ("unanswerable_none", False, False, 0.01)])
    texts = said(picture(charts.gaps(one, kind="density")))
    assert "no density of a single gap: unanswerable" in texts
    alone = by_hand([("choose", True, True, 0.1)])
    assert "no class has two different gaps" in said(picture(charts.gaps(alone, kind="density")))


def test_a_density_is_one_in_all() -> None:
    from memlab.charts.kernel import densities

    frame = pl.DataFrame({"class": ["a"] * 4, "v": [0.0, 0.01, 0.05, 0.2], "count": [5, 3, 2, 1]})
    smooth = densities(frame, "v", "class", 0.0, 1.0, folded=True)
    step = smooth["at"][1] - smooth["at"][0]
    assert smooth["density"].sum() * step == pytest.approx(1, abs=0.08)


# The font -----------------------------------------------------------------------------------------


def test_the_cut_font_is_the_same_every_time_and_keeps_its_licence() -> None:
    from memlab.charts.embed import _woff2, font_face

    one = font_face("가나→…·“”")
    _woff2.cache_clear()
    assert font_face("가나→…·“”") == one
    assert {ord(sign) for sign in "가나→…·“”0-"} <= embedded(one)
    held = TTFont(io.BytesIO(base64.b64decode(one.split("base64,")[1].split('"')[0])))
    assert "SIL Open Font License" in " ".join(str(name) for name in held["name"].names)
    assert len(one) < 40_000
    assert 0x2212 not in TTFont(FILE).getBestCmap()  # why numbers are written with a hyphen
