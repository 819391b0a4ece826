"""One look for every chart: colours that mean the same everywhere, fonts, sizes.

The colours of outcomes are Okabe and Ito's (2008), which stay apart for colour-blind readers; a test holds
every set of colours that stands in one chart apart for three kinds of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import altair as alt
import polars as pl
import vl_convert
from altair.utils.schemapi import UndefinedType

from memlab.display import shortened, visible

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
# What others are compared with stands back.
BASELINE: Final = "baseline"
_BACK: Final = "#7A828B"
SERIES: Final = ("#0072B2", "#E69F00", "#66717C", "#C4A0EC", "#8A5A2B")
SHAPES: Final = ("circle", "diamond", "square", "triangle-up", "cross")
# Each kind of memory has a colour and a shape of its own.
KINDS: Final = {
    "Concept": (SERIES[0], "circle"),
    "Record": (SERIES[1], "square"),
    "Decision": (SERIES[3], "diamond"),
    "Episode": (SERIES[2], "triangle-up"),
}
VALIDITY: Final = {
    "current": ("#44719E", "circle"),
    "retired": ("#A9B1BA", "square"),
    "future": ("#E0B33C", "diamond"),
}
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
        "frame": "bounds",
        "offset": 12,
        "color": INK,
        "subtitleColor": FAINT,
    },
    "text": {"fontSize": 12, "color": INK},
    "rule": {"color": INK},
    # For charts of your own under this theme.
    "range": {"category": list(SERIES), "ordinal": {"scheme": "blues"}, "heatmap": {"scheme": "blues"}},
}
THEME_FILE: Final = Path(__file__).parent / "theme.json"

AnyChart = TypeVar("AnyChart", bound=alt.TopLevelMixin)

# Chart files find the shipped font whichever way they are saved.
vl_convert.register_font_directory(str(FONT_FOLDER))


def styled(chart: AnyChart) -> AnyChart:
    """Return the chart with the look of this package; its last step, as Altair refuses to join styled charts."""
    return _with_config(chart, alt.Config(**CONFIG))


def theme_json() -> str:
    """Return the look as a Vega configuration, the text of ``theme.json`` beside this module.

    Anything that draws Vega or Vega-Lite takes it: ``vegaEmbed(place, chart, {config: theme})``.
    """
    return json.dumps(CONFIG, ensure_ascii=False, indent=2) + "\n"


def enable_theme() -> None:
    """Give every Altair chart of this session the look: registers and enables the theme ``memlab``.

    ``alt.theme.enable("default")`` turns it off again. Charts of this package have the look anyway.
    """

    @alt.theme.register("memlab", enable=True)
    def _memlab() -> alt.theme.ThemeConfig:
        look: Any = {"config": CONFIG}
        themed: alt.theme.ThemeConfig = look
        return themed


def beside(
    *charts: alt.TopLevelMixin, columns: int = 1, title: str = "", subtitle: Sequence[str] = ()
) -> alt.ConcatChart:
    """Put charts of this package together in one, one under the other or in columns.

    Parameters
    ----------
    *charts : altair charts
        What the functions of :mod:`memlab.charts` return.
    columns : int
        How many stand side by side.
    title, subtitle : str and sequence of str
        Of the whole; none when left out.

    Returns
    -------
    altair.ConcatChart
        Shares no scales; each keeps its own title.
    """
    # Altair allows one configuration, on the whole, and only there what the chart says of itself.
    bare: list[Any] = [_with_config(chart, alt.Undefined) for chart in charts]
    for chart in bare:
        chart.usermeta = alt.Undefined
    whole: alt.ConcatChart = alt.concat(*bare, columns=columns).resolve_scale(color="independent", shape="independent")
    return styled(whole.properties(title=alt.TitleParams(title, subtitle=list(subtitle))) if title else whole)


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


def series(names: Sequence[str]) -> list[str]:
    """Return a colour for each condition; a baseline is grey everywhere and uses up none of the others."""
    others = [name for name in names if name != BASELINE]
    return [_BACK if name == BASELINE else SERIES[others.index(name) % len(SERIES)] for name in names]


def line_of(text: object, most: int = 0) -> str:
    """Return a text as one line that can be drawn, shortened in its middle to so many signs if given."""
    told = visible(" ".join(str(text).split()))
    return shortened(told, most) if most else told


def quoted(text: str) -> str:
    """Return a text as it stands in an expression of Vega."""
    return json.dumps(text, ensure_ascii=False)


def palette(colours: Mapping[str, str], present: Sequence[str] | None = None) -> alt.Scale:
    """Return a colour scale that gives each name its colour, in the order of the mapping."""
    names = [name for name in colours if present is None or name in present]
    return alt.Scale(domain=names, range=[colours[name] for name in names])
