"""The shipped Korean font inside a file: only the signs that the file shows."""

from __future__ import annotations

import base64
import io
from functools import cache, lru_cache
from typing import Any, Final

from memlab.charts.theme import FAMILY, FONT_FOLDER

FILE: Final = FONT_FOLDER / "NanumGothic-Regular.ttf"
# Digits, signs of an axis and Latin letters come for free: a live page may show any of them.
_LICENCE: Final = (
    "This Font Software is licensed under the SIL Open Font License, Version 1.1. https://openfontlicense.org"
)
ALWAYS: Final = "".join(map(chr, range(0x20, 0x7F)))


def font_face(text: str) -> str:
    """Return a CSS rule that carries the shipped font, cut down to the signs of a text.

    Parameters
    ----------
    text : str
        Whatever the file shows. Signs that the font lacks are left to the reader's own fonts.

    Returns
    -------
    str
        An ``@font-face`` rule with WOFF2 in base64, the same bytes every time.
    """
    signs = "".join(sorted(set(text) | set(ALWAYS)))
    return (
        f'@font-face{{font-family:"{FAMILY}";font-display:block;'
        f'src:url("data:font/woff2;base64,{_woff2(signs)}") format("woff2")}}'
    )


@lru_cache(maxsize=64)
def _woff2(signs: str) -> str:
    from fontTools import subset
    from fontTools.ttLib import TTFont

    # The copyright stays in the name table, as the licence asks.
    options = subset.Options(flavor="woff2", name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], notdef_outline=True, hinting=False)
    options.drop_tables += ["TSI0", "TSI1", "TSI2", "TSI3", "TSI5", "TSIV"]
    with TTFont(FILE, lazy=True, recalcTimestamp=False) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(text=signs)
        cutter.subset(font)
        # The file says it beside the font; a cut font that stands alone says it itself.
        font["name"].setName(_LICENCE, 13, 3, 1, 0x409)
        font.flavor = "woff2"
        held = io.BytesIO()
        font.save(held)
    return base64.b64encode(held.getvalue()).decode()


def text_width(text: str, size: float) -> float:
    """Return how wide a line of text is in the shipped font, in the unit of ``size``."""
    widths, missing, units = _advances()
    return sum(widths.get(ord(sign), missing) for sign in text) * size / units


@cache
def _advances() -> tuple[dict[int, int], int, int]:
    from fontTools.ttLib import TTFont

    with TTFont(FILE, lazy=True) as font:
        metrics: Any = font["hmtx"]
        signs: dict[int, str] = font.getBestCmap()
        units: int = font["head"].unitsPerEm
        return {code: metrics[name][0] for code, name in signs.items()}, metrics[".notdef"][0], units
