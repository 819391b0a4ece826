"""Saved charts: every format, with Korean text and not boxes."""

from __future__ import annotations

import csv
import json
import re
import zlib
from pathlib import Path

import altair as alt
import polars as pl
import pytest

import memlab as ml
from memlab import charts
from memlab.charts import theme
from memlab.errors import InputError


def said(text: str) -> alt.Chart:
    return charts.styled(
        alt.Chart(alt.InlineData(values=[{"text": text}])).mark_text(fontSize=30).encode(text="text:N")
    )


def unpacked(pdf: bytes) -> bytes:
    """A PDF with its compressed streams laid open beside it."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    opened = []
    for stream in streams:
        try:
            opened.append(zlib.decompress(stream))
        except zlib.error:
            continue
    return pdf + b"".join(opened)


def test_every_format_is_written(tmp_path: Path) -> None:
    files = charts.save(said("왜 떠났나"), tmp_path / "deep" / "gap_0.05")
    assert [file.name for file in files] == [f"gap_0.05.{name}" for name in ("svg", "png", "pdf", "html", "json")]
    svg, png, pdf, html, spec = (file.read_bytes() for file in files)
    assert "왜 떠났나".encode() in svg
    assert b"NanumGothic" in svg
    assert b"sans-serif" in svg
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    assert json.loads(spec)["config"]["font"] == theme.FONTS
    page = html.decode()
    assert "왜 떠났나" in page
    # Bundled scripts name addresses in comments and namespaces; none may be loaded.
    assert not re.search(r"<(?:script|link)[^>]+(?:src|href)=", page)


def test_the_pdf_embeds_the_korean_font(tmp_path: Path) -> None:
    (file,) = charts.save(said("한글"), tmp_path / "korean", ["pdf"])
    laid_open = unpacked(file.read_bytes())
    assert re.search(rb"/BaseFont\s*/[A-Z]{6}\+NanumGothic", laid_open)
    assert re.search(rb"/FontFile[23]?\s", laid_open)


def test_korean_in_a_png_is_no_box(tmp_path: Path) -> None:
    # A font without the signs draws one and the same box for each of them.
    images = {
        text: charts.save(said(text), tmp_path / f"{i}", ["png"])[0].read_bytes() for i, text in enumerate("가힣뷁")
    }
    assert len(set(images.values())) == 3
    (unknown,) = charts.save(said("\U0010fffd"), tmp_path / "unknown", ["png"])
    assert unknown.read_bytes() not in images.values()


def test_an_unknown_format_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gif"):
        charts.save(said("x"), tmp_path / "x", ["gif"])
    assert not list(tmp_path.iterdir())


def test_the_font_ships_with_its_licence() -> None:
    assert (theme.FONT_FOLDER / "NanumGothic-Regular.ttf").stat().st_size > 4_000_000
    assert "SIL OPEN FONT LICENSE" in (theme.FONT_FOLDER / "OFL.txt").read_text(encoding="utf-8")


def test_a_title_cannot_end_the_script_of_a_page(tmp_path: Path) -> None:
    chart = alt.Chart(alt.InlineData([{"t": "</script><script>alert(1)</script>"}])).mark_text().encode(text="t:N")
    (page,) = charts.save(chart, tmp_path / "page", formats=["html"])
    assert "</script><script>alert" not in page.read_text(encoding="utf-8")


def test_a_sign_that_cannot_be_drawn_does_not_end_the_process() -> None:
    values = [{"a": "\x0b\x1b[31mred\x00\u2028", "b": 1}]
    chart = alt.Chart(alt.InlineData(values=values)).mark_bar().encode(x="b:Q", y="a:N", color="a:N")
    drawn = charts.export.as_svg(chart.properties(title="a\x0bb\uffff"))
    assert "red" in drawn
    assert "\x1b" not in drawn


@pytest.mark.parametrize(
    ("stem", "formats", "names"),
    [
        ("gaps.svg", None, ["gaps.svg"]),
        ("gaps.PNG", None, ["gaps.png"]),
        ("gaps.svg", ["png", "png"], ["gaps.png"]),
        ("v1.2", ["svg"], ["v1.2.svg"]),
        ("a.b/gap_0.05", ["json"], ["gap_0.05.json"]),
    ],
)
def test_an_ending_is_taken_off_where_it_is_a_format(
    stem: str, formats: list[str] | None, names: list[str], tmp_path: Path
) -> None:
    assert [file.name for file in ml.export(said("x"), tmp_path / stem, formats)] == names


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"stem": "x.gif"}, "formats: no such chart format as gif"),
        ({"stem": ""}, "stem: give the path"),
        ({"stem": 3}, "stem: give the path"),
        ({"formats": "png"}, "formats: give a list"),
        ({"formats": ["svg", "tiff"]}, "formats: no such chart format as tiff"),
        ({"size": "poster"}, "size: no such size as poster; there are column, slide"),
        ({"scale": 0}, "scale: must be a number from 0.1 to 20"),
        ({"data": "yes"}, "data: must be true or false"),
    ],
)
def test_what_cannot_be_exported_is_told_and_leaves_nothing(
    given: dict[str, object], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments: dict[str, object] = {"stem": "x"} | given
    with pytest.raises(InputError, match=told):
        ml.export(said("x"), **arguments)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_what_is_no_chart_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="chart: give an Altair chart, not dict"):
        ml.export({}, tmp_path / "x")  # type: ignore[arg-type]


def test_data_from_elsewhere_is_refused_by_its_address(tmp_path: Path) -> None:
    far = alt.Chart("https://example.org/a.csv").mark_point().encode(x="a:Q")
    for chart in (far, alt.layer(far, far), alt.hconcat(far)):
        with pytest.raises(InputError, match=r"chart: asks for https://example.org/a.csv"):
            ml.export(chart, tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    (tmp_path / "gaps.svg").write_text("mine", encoding="utf-8")
    (tmp_path / "gaps.pdf").mkdir()
    with pytest.raises(InputError, match=r"gaps.pdf: cannot be written"):
        ml.export(said("x"), tmp_path / "gaps", ["svg", "pdf"])
    assert (tmp_path / "gaps.svg").read_text(encoding="utf-8") == "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["gaps.pdf", "gaps.svg"]


def test_the_data_stand_beside_the_chart(tmp_path: Path) -> None:
    values = [{"a": '한글, "둘"\nline', "b": 1.5, "c": None, "d": True}, {"a": "x", "e": [1, 2]}]
    one = alt.Chart(alt.InlineData(name="만든 것", values=values)).mark_bar().encode(x="b:Q", y="a:N")
    spec, table = ml.export(one, tmp_path / "one", ["json"], data=True)
    assert table.name == "one.csv"
    assert spec.name == "one.json"
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0] == {"a": '한글, "둘"\nline', "b": "1.5", "c": "", "d": "true", "e": ""}
    assert rows[1]["e"] == "[1, 2]"
    both = alt.hconcat(one, alt.Chart(alt.InlineData(values=[{"t": 1}])).mark_point())
    files = ml.export(both, tmp_path / "two", ["json"], data=True)
    assert [file.name for file in files] == ["two.json", "two-data-1.csv", "two-만든-것.csv"]
    plain = alt.Chart(pl.DataFrame({"b": [1]})).mark_bar().encode(x="b:Q")
    assert ml.export(plain, tmp_path / "three", ["json"], data=True)[1].read_text(encoding="utf-8") == "b\n1\n"


def test_a_chart_that_is_none_of_ours_is_laid_out_for_a_column_too(tmp_path: Path) -> None:
    values = [{"a": f"이름 {n}", "b": n, "c": n % 3} for n in range(9)]
    base = alt.Chart(alt.InlineData(values=values)).mark_bar().encode(x="b:Q", y="a:N")
    for number, chart in enumerate(
        (
            base,
            base.facet("c:N"),
            base | base,
            alt.layer(base, base.mark_text(text="x")),
            base.properties(title="t" * 99),
        )
    ):
        (file,) = ml.export(chart, tmp_path / str(number), ["svg"], size="column")
        assert 'width="240.00pt"' in file.read_text(encoding="utf-8")


def test_a_page_holds_a_hostile_text_as_it_is(tmp_path: Path) -> None:
    text = "</script><!-- \u2029 <script>alert(1)</script>"
    (page,) = ml.export(said(text), tmp_path / "page", ["html"])
    told = page.read_text(encoding="utf-8")
    held = told.split('id="chart-spec">')[1].split("</script>")[0]
    assert json.loads(held)["data"] if "data" in json.loads(held) else json.loads(held)["datasets"]
    assert "alert(1)</script>" not in told.split('<script type="module">')[0]
    assert "default-src 'none'" in told


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_breaks_no_page(value: float, tmp_path: Path) -> None:
    points = alt.InlineData(values=[{"x": value}, {"x": 2.0}])
    chart = alt.Chart(points).mark_point().encode(x="x:Q")
    page, held, table = ml.export(chart, tmp_path / "points", ["html", "json"], data=True)

    def refused(sign: str) -> None:
        raise AssertionError(sign)

    spec = re.search(r'id="chart-spec">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert spec is not None
    json.loads(spec[1], parse_constant=refused)
    json.loads(held.read_text(encoding="utf-8"), parse_constant=refused)
    assert table.read_text(encoding="utf-8") == 'x\n""\n2.0\n'


@pytest.mark.parametrize(
    "url", [alt.Url("picture:N"), alt.value("https://example.org/a.png")], ids=["of the rows", "of all"]
)
def test_pictures_from_elsewhere_are_refused(url: object, tmp_path: Path) -> None:
    rows = pl.DataFrame({"x": [1], "picture": ["https://example.org/a.png"]})
    chart = alt.Chart(rows).mark_image().encode(x="x:Q", url=url)
    with pytest.raises(InputError, match="example"):
        ml.export(chart, tmp_path / "pictures", ["json"])
    assert not list(tmp_path.iterdir())


def test_a_chart_that_cannot_be_drawn_is_told_and_the_next_one_is_drawn(tmp_path: Path) -> None:
    one = said("하나")
    with pytest.raises(InputError, match="cannot be drawn"):
        ml.export(one.encode(href=alt.value("javascript:alert(1)")), tmp_path / "bad", ["svg"])
    with pytest.raises(InputError, match="cannot be drawn"):
        ml.export(one.transform_calculate(x="datum.("), tmp_path / "bad", ["svg"])
    assert ml.export(one, tmp_path / "good", ["svg"])


@pytest.mark.parametrize("stem", ["nul\0", "half\ud800"])
def test_a_name_that_no_file_can_have_is_refused(stem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="stem"):
        ml.export(said("하나"), tmp_path / stem, ["json"])
    with pytest.raises(InputError, match="path"):
        ml.Settings().save(tmp_path / stem)
