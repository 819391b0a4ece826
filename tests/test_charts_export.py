"""Saved charts: every format, with Korean text and not boxes."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path

import altair as alt
import pytest

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
    assert [file.name for file in files] == [f"gap_0.05.{name}" for name in ("svg", "png", "html", "json", "pdf")]
    svg, png, html, spec, pdf = (file.read_bytes() for file in files)
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
