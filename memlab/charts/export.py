"""Save a chart as files that open elsewhere, with no network."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

from memlab.charts import theme as _theme  # noqa: F401  # registers the shipped font before anything is drawn
from memlab.errors import InputError

FORMATS: Final = ("svg", "png", "html", "json", "pdf")
# What ends or opens a script, wherever it stands in it.
_TAG: Final = re.compile(r"<(?=/|!--|script)", re.IGNORECASE)
# Signs that no SVG may hold (drawing one ends the process, not the call), and those that end a text in an expression.
_UNDRAWABLE: Final = re.compile("[\u2028\u2029\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_VEGA_LITE: Final = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def save(
    chart: alt.TopLevelMixin,
    stem: str | Path,
    formats: Sequence[str] = FORMATS,
    scale: float = 2.0,
) -> list[Path]:
    """Write a chart once per format.

    Parameters
    ----------
    chart : altair chart
        Any chart, of this package or not.
    stem : str or Path
        Path without a suffix; ``charts/gaps`` gives ``charts/gaps.svg`` and so on. Folders are made.
    formats : sequence of {"svg", "png", "html", "json", "pdf"}
        PNG and PDF carry the shipped Korean font; SVG and HTML name fallbacks of the reader's machine.
        HTML holds all of its scripts, JSON is the Vega-Lite specification with its data.
    scale : float
        PNG pixels per chart pixel.

    Returns
    -------
    list of Path
        The files, in the order of ``formats``.

    Raises
    ------
    InputError
        If ``formats`` is no list, or a format is none of the five.
    """
    if isinstance(formats, str) or not isinstance(formats, Sequence):
        raise InputError(f"give a list, such as ['png'], not {formats!r}", field="formats")
    for name in formats:
        if name not in FORMATS:
            raise InputError(f"no such chart format as {name}; there are {', '.join(FORMATS)}", field="formats")
    spec = chart.to_dict()
    written = []
    for name in formats:
        # Not with_suffix: a stem such as "gap_0.05" would lose its end.
        path = Path(f"{stem}.{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_drawn(spec, name, scale))
        written.append(path)
    return written


def as_svg(chart: alt.TopLevelMixin) -> str:
    """Return a chart as SVG text, to stand in a page."""
    return _drawn(chart.to_dict(), "svg", 1.0).decode()


def _closed(value: Any) -> Any:
    """Keep every text of a specification inside the script that carries it.

    A page ends a script at its first closing tag, also inside a title. A word joiner after each ``<``
    is not seen, and no tag.
    """
    if isinstance(value, str):
        return _TAG.sub("<\u2060", value)
    if isinstance(value, dict):
        return {name: _closed(part) for name, part in value.items()}
    return [_closed(part) for part in value] if isinstance(value, list) else value


def _drawable(value: Any) -> Any:
    """Put a replacement character for each sign that cannot be drawn."""
    if isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {name: _drawable(part) for name, part in value.items()}
    return [_drawable(part) for part in value] if isinstance(value, list) else value


def _drawn(spec: dict[str, Any], name: str, scale: float) -> bytes:
    spec = _drawable(spec)
    if name == "json":
        return json.dumps(spec, ensure_ascii=False, indent=1).encode()
    if name == "svg":
        return vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE).encode()
    if name == "html":
        return vl_convert.vegalite_to_html(_closed(spec), vl_version=_VEGA_LITE, bundle=True).encode()
    if name == "pdf":
        return vl_convert.vegalite_to_pdf(spec, vl_version=_VEGA_LITE)
    return vl_convert.vegalite_to_png(spec, vl_version=_VEGA_LITE, scale=scale)
