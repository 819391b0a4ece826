"""One look for every chart: colours that mean the same everywhere, fonts, sizes.

The colours are Okabe and Ito's, which stay apart for colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import altair as alt
import polars as pl
import vl_convert
from altair.utils.schemapi import UndefinedType

FONT_FOLDER: Final = Path(__file__).parent / "fonts"
# Ships with the package; the others are what a reader's machine may have.
FAMILY: Final = "NanumGothic"
FONTS: Final = "NanumGothic, 'Noto Sans KR', 'Noto Sans CJK KR', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif"

RIGHT: Final = "#009E73"
WRONG: Final = "#D55E00"
CHOOSE: Final = "#56B4E9"
CHOOSE_WITHOUT: Final = "#B8DDF3"
NONE: Final = "#B4B4B4"
UNANSWERABLE: Final = "#CC79A7"
# For conditions that are neither right nor wrong: on and off, one encoder and another.
SERIES: Final = ("#0072B2", "#E69F00", "#56606A", "#CC79A7", "#009E73")
SHAPES: Final = ("circle", "diamond", "square", "triangle-up", "cross")
INK: Final = "#1F2328"
FAINT: Final = "#57606A"
# Text on a coloured bar stays dark in a dark notebook too.
INK_ON_COLOUR: Final = "#111111"

_AXIS: Final = {
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "titleColor": FAINT,
    "labelColor": INK,
    "gridColor": "#8884",
    "domainColor": "#888",
    "tickColor": "#888",
}
CONFIG: Final[dict[str, Any]] = {
    "font": FONTS,
    "background": "white",
    # The shipped font has no minus sign; a hyphen keeps a number in one font.
    "locale": {"number": {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""], "minus": "-"}},
    "view": {"stroke": None},
    "axis": _AXIS,
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelColor": INK, "titleColor": FAINT, "labelLimit": 260},
    "header": {"labelFontSize": 12.5, "titleFontSize": 12, "labelColor": INK, "labelLimit": 420},
    "title": {
        "fontSize": 15,
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
        "anchor": "start",
        "frame": "group",
        "offset": 12,
        "color": INK,
        "subtitleColor": FAINT,
    },
    "text": {"fontSize": 12, "color": INK},
    "rule": {"color": INK},
}

AnyChart = TypeVar("AnyChart", bound=alt.TopLevelMixin)

# Chart files find the shipped font whichever way they are saved.
vl_convert.register_font_directory(str(FONT_FOLDER))


def styled(chart: AnyChart) -> AnyChart:
    """Return the chart with the look of this package; its last step, as Altair refuses to join styled charts."""
    return _with_config(chart, alt.Config(**CONFIG))


def beside(*charts: alt.TopLevelMixin, columns: int = 1) -> alt.ConcatChart:
    """Put charts of this package together in one, one under the other or in columns.

    Parameters
    ----------
    *charts : altair charts
        What the functions of :mod:`memlab.charts` return.
    columns : int
        How many stand side by side.

    Returns
    -------
    altair.ConcatChart
        Shares no scales; each keeps its own title.
    """
    # Altair allows one configuration, on the whole.
    bare: list[Any] = [_with_config(chart, alt.Undefined) for chart in charts]
    whole: alt.ConcatChart = alt.concat(*bare, columns=columns).resolve_scale(color="independent")
    return styled(whole)


def _with_config(chart: AnyChart, config: alt.Config | UndefinedType) -> AnyChart:
    # Altair's mixin for top-level charts does not declare copy and config, which all of them have.
    changed: Any = chart
    copy: AnyChart = changed.copy(deep=False)
    setattr(copy, "config", config)  # noqa: B010
    return copy


def rows(frame: pl.DataFrame, name: str) -> alt.InlineData:
    """Return a frame as chart data under a name, so that a live view can put other rows in its place."""
    return alt.InlineData(name=name, values=records(frame))


def records(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return a frame as plain rows for Vega; enums as text, other values as they are."""
    enums = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Enum | pl.Categorical)]
    return frame.with_columns(pl.col(enums).cast(pl.String)).to_dicts()


def palette(colours: Mapping[str, str], present: Sequence[str] | None = None) -> alt.Scale:
    """Return a colour scale that gives each name its colour, in the order of the mapping."""
    names = [name for name in colours if present is None or name in present]
    return alt.Scale(domain=names, range=[colours[name] for name in names])
