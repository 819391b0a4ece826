"""Numbers that are not written in digits: number words, Roman numerals and Chinese numerals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import regex

from memlab.text.stopwords import word_list

_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
    "壹": 1,
    "贰": 2,
    "貳": 2,
    "叁": 3,
    "參": 3,
}
_SCALES = {"十": 10, "拾": 10, "百": 100, "千": 1000}
_NUMERAL = "".join([*_DIGITS, *_SCALES])
# What is counted or ordered by the numeral before it. 一 (one) stands in too many words to count
# before just anything: 一部, 一時, 一番, 一回, 一个.
_COUNTED = "章号號条條节節期月日级級班组組楼層层室季届屆版卷册冊课課"
_ALSO = "年人个個名次回番項项台歳岁時时点點週周階位巻話代世"
_SOME = rf"(?<![{_NUMERAL}])[{_NUMERAL}]{{1,12}}+"
NUMBER = regex.compile(rf"第(?P<nth>[{_NUMERAL}]{{1,12}}+)|{_SOME}(?=[{_COUNTED}])|(?!一[{_ALSO}]){_SOME}(?=[{_ALSO}])")
_ALONE = regex.compile(rf"(?!一$)[{_NUMERAL}]{{1,12}}")


@cache
def number_words() -> frozenset[str]:
    """Words that count or order, case-folded."""
    return word_list("numbers")


def chinese(numeral: str) -> str:
    """Return a Chinese numeral as digits, as far as thousands; digit by digit where it has no scale.

    Examples
    --------
    >>> chinese("二十三"), chinese("二〇二四"), chinese("百")
    ('23', '2024', '100')
    """
    if not any(c in _SCALES for c in numeral):
        return "".join(str(_DIGITS[c]) for c in numeral)
    total, digit = 0, 0
    for c in numeral:
        if c in _SCALES:
            total += (digit or 1) * _SCALES[c]
            digit = 0
        else:
            digit = _DIGITS[c]
    return str(total + digit)


def is_numeral(term: str) -> bool:
    """Whether a segment is a Chinese numeral and nothing else."""
    return _ALONE.fullmatch(term) is not None


def split_numerals(run: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the parts of a run as ``start, end, whether it is a numeral``; the sign 第 goes with no part."""
    at = 0
    for match in NUMBER.finditer(run):
        if at < match.start():
            yield at, match.start(), False
        yield (*match.span("nth" if match["nth"] else 0), True)
        at = match.end()
    if at < len(run):
        yield at, len(run), False
