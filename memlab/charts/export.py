"""Charts as files that open elsewhere, with no network."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import altair as alt
import vl_convert

from memlab.charts.embed import font_face
from memlab.charts.page import VEGA_LITE, as_page
from memlab.charts.sizing import SIZES, Sheet, laid_out
from memlab.charts.tables import as_tables, outside
from memlab.errors import InputError
from memlab.plain import check_number, check_switch, nameable

FORMATS: Final = ("svg", "png", "pdf", "html", "json")
# Endings of pictures and papers that are not written; "gap_0.05" ends in none.
_OTHERS: Final = frozenset(
    ("gif", "jpg", "jpeg", "webp", "bmp", "tif", "tiff", "eps", "ps", "emf", "wmf", "docx", "pptx", "txt", "csv", "htm")
)
# Signs that no SVG may hold (drawing one ends the process, not the call), and those that end a text in an expression.
_UNDRAWABLE: Final = re.compile("[\u2028\u2029\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SVG: Final = "http://www.w3.org/2000/svg"
# What can always be drawn, and how often an error of another chart is taken up by it.
_PLAIN: Final[dict[str, Any]] = {"data": {"values": [{}]}, "mark": "point"}
_ERRORS: Final = 8
_TEXT: Final = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)


def export(
    chart: alt.TopLevelMixin,
    stem: str | Path,
    formats: Sequence[str] | None = None,
    size: str | None = None,
    data: bool = False,
    scale: float = 2.0,
) -> list[Path]:
    """Write a chart once per format; every file is written, or none.

    Parameters
    ----------
    chart : altair chart
        Any chart that holds its data, of this package or not.
    stem : str or Path
        Path without an ending; ``charts/gaps`` gives ``charts/gaps.svg`` and so on. Folders are made.
        Where it ends in one of the formats (``gaps.svg``) that ending is taken off.
    formats : sequence of {"svg", "png", "pdf", "html", "json"}, optional
        When left out, the one that ``stem`` ends in, else all five. SVG, PNG, PDF and HTML carry the
        shipped Korean font, JSON (the Vega-Lite specification with its data) names it.
    size : {"column", "slide"}, optional
        Lay the chart out again for a column of a paper (240 pt wide, no text under 7 pt, panels one
        under the other) or a slide (16:9, 960 by 540 pt). HTML and JSON hold that layout, and are
        as wide as the window makes them.
    data : bool
        Write what is drawn beside it: ``gaps.csv``, or ``gaps-<name>.csv`` each where there are several.
    scale : float
        PNG pixels per chart pixel; at 2 a column has 300 dots an inch and a slide is 1920 pixels wide.

    Returns
    -------
    list of Path
        The files, in the order of ``formats``, then the tables.

    Raises
    ------
    InputError
        If ``formats`` is no list, a format, size or ending is unknown, the chart is none or asks for
        data from elsewhere, or a file cannot be written.

    Examples
    --------
    >>> ml.export(ml.charts.gaps(outcomes), "gaps", size="column")  # doctest: +SKIP
    """
    if not isinstance(chart, alt.TopLevelMixin):
        raise InputError(f"give an Altair chart, not {type(chart).__name__}", field="chart")
    place, wanted = _asked(stem, formats)
    if size is not None and (not isinstance(size, str) or size not in SIZES):
        raise InputError(f"no such size as {size}; there are {', '.join(SIZES)}", field="size")
    check_number("", "scale", scale, 0.1, 20, whole=False)
    check_switch("", "data", data)
    spec = _drawable(chart.to_dict())
    address = outside(spec)
    if address:
        raise InputError(f"asks for {address}, which a file cannot hold; give the chart the data itself", field="chart")
    files = _drawn(spec, wanted, size, scale)
    # Not with_suffix: a stem such as "gap_0.05" would lose its end.
    made = {Path(f"{place}.{name}"): held for name, held in files.items()}
    if data:
        tables = as_tables(spec)
        for name, text in tables.items():
            made[Path(f"{place}.csv" if len(tables) == 1 else f"{place}-{name}.csv")] = text.encode()
    _write(made)
    return list(made)


def save(
    chart: alt.TopLevelMixin, stem: str | Path, formats: Sequence[str] | None = None, scale: float = 2.0
) -> list[Path]:
    """Write a chart once per format: :func:`memlab.export` at its own size."""
    return export(chart, stem, formats, scale=scale)


def as_svg(chart: alt.TopLevelMixin) -> str:
    """Return a chart as SVG text, to stand in a page that has its own fonts."""
    return _svg(_drawable(chart.to_dict()))


def _asked(stem: str | Path, formats: Sequence[str] | None) -> tuple[str, list[str]]:
    """Where to write and in which formats."""
    if formats is not None and (isinstance(formats, str) or not isinstance(formats, Sequence)):
        raise InputError(f"give a list, such as ['png'], not {formats!r}", field="formats")
    if not isinstance(stem, str | Path) or not Path(stem).name:
        raise InputError(f"give the path of the files without an ending, not {stem!r}", field="stem")
    path = nameable(stem, "stem")
    ending = path.suffix[1:].lower()
    for name in [*(formats or ()), *({ending} & _OTHERS)]:
        if name not in FORMATS:
            raise InputError(f"no such chart format as {name}; there are {', '.join(FORMATS)}", field="formats")
    if ending not in FORMATS:
        return str(path), list(dict.fromkeys(FORMATS if formats is None else formats))
    return str(path)[: -len(path.suffix)], list(dict.fromkeys([ending] if formats is None else formats))


def _drawable(value: Any) -> Any:
    """Put a replacement character for each sign that cannot be drawn, and nothing for what is no number."""
    if isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {name: _drawable(part) for name, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no such number, and a page that holds one draws nothing.
        return None
    return [_drawable(part) for part in value] if isinstance(value, list) else value


def _drawn(spec: dict[str, Any], formats: Sequence[str], size: str | None, scale: float) -> dict[str, bytes]:
    try:
        sheet = Sheet(spec) if size is None else laid_out(spec, SIZES[size], _svg)
        picture = _svg(sheet.spec) if {"svg", "png", "pdf"} & set(formats) else ""
    except ValueError as error:
        raise InputError(f"cannot be drawn: {_told(error)}", field="chart") from None
    draw = {
        # A bare number in SVG is a 96th of an inch, so points are named.
        "svg": lambda: _with_font(sheet.fitted(picture, "pt")).encode(),
        "png": lambda: vl_convert.svg_to_png(sheet.fitted(picture), scale=scale, ppi=sheet.dots),
        "pdf": lambda: vl_convert.svg_to_pdf(_flatter(sheet.fitted(picture))),
        "html": lambda: as_page(sheet.spec, _title(spec)).encode(),
        "json": lambda: json.dumps(sheet.spec, ensure_ascii=False, indent=1).encode(),
    }
    made = {}
    for name in formats:
        try:
            made[name] = draw[name]()
        except (RuntimeError, ValueError) as error:
            raise InputError(f"cannot be drawn as {name}: {_told(error)}", field="chart") from None
    return made


def _told(error: Exception) -> str:
    """What went wrong in drawing, without where in its scripts."""
    lines = [line.strip() for line in str(error).splitlines() if not line.lstrip().startswith("at ")]
    return " ".join(line for line in lines if line)


def _svg(spec: dict[str, Any]) -> str:
    try:
        return _converted(spec)
    except ValueError:
        # A chart that cannot be drawn may leave its errors to the next ones; they are taken up before it is believed.
        _settle()
        try:
            return _converted(spec)
        except ValueError:
            _settle()
            raise


def _converted(spec: dict[str, Any]) -> str:
    return str(vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE))


def _settle() -> None:
    """Draw what can always be drawn until it is, so that no error of an earlier chart is left over."""
    for _ in range(_ERRORS):
        with suppress(ValueError):
            _converted(_PLAIN)
            return


def _flatter(svg: str) -> str:
    """Take out groups that say nothing: charts within charts nest deeper than a PDF may."""
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)  # noqa: S314  # drawn here

    def flatten(part: ElementTree.Element) -> None:
        kept: list[ElementTree.Element] = []
        for child in part:
            flatten(child)
            kept += list(child) if child.tag == f"{{{_SVG}}}g" and not child.attrib else [child]
        part[:] = kept

    flatten(root)
    return ElementTree.tostring(root, encoding="unicode")


def _with_font(svg: str) -> str:
    """Put the signs of the picture's texts into it."""
    texts = "".join(unescape(re.sub(r"<[^>]+>", "", text)) for text in _TEXT.findall(svg))
    end = svg.index(">") + 1
    return f"{svg[:end]}<defs><style>{font_face(texts)}</style></defs>{svg[end:]}"


def _title(spec: Mapping[str, Any]) -> str:
    title = spec.get("title", "")
    text = title.get("text", "") if isinstance(title, dict) else title
    return " ".join(text) if isinstance(text, list) else str(text) or "Chart"


def _write(files: Mapping[Path, bytes]) -> None:
    """Write all files beside their places, then move each into its place."""
    drafts: dict[Path, Path] = {}
    path = Path()
    try:
        for path, held in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(0, "a folder has that name")
            drafts[path] = path.with_name(f".{path.name}.{os.getpid()}.part")
            drafts[path].write_bytes(held)
        for path, draft in drafts.items():
            draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name a file in a folder of yours") from None
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
