"""Unicode normalisation that remembers where each character came from."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import regex

# ' ’ ʼ ＇ ‘ ‛ ′ are one sign: a phone keyboard must not lose a name.
_APOSTROPHES = dict.fromkeys(map(ord, "’ʼ＇‘‛′`´"), "'")
# Marks that are written or left out without making another word: Arabic vowel signs, tatweel,
# Hebrew points, and characters that are not seen at all.
_UNSEEN = regex.compile(
    r"[\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E8\u06EA-\u06ED\u0640"
    r"\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7"
    r"\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\uFE00-\uFE0F\U000E0100-\U000E01EF]"
)
# Everything that is mapped beside NFKC: apostrophes, unseen marks, digits of other scripts.
_TOUCHED = regex.compile(rf"[’ʼ＇‘‛′`´]|(?![0-9])\p{{Nd}}|{_UNSEEN.pattern}")
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Normalised:
    """Normalised text, case kept, with the place of each character in the source.

    Attributes
    ----------
    text : str
        NFKC, apostrophes unified, unseen marks taken out, decimal digits as 0-9.
    starts, ends : list of int, length ``len(text)``
        Source span ``[start, end)`` that each character of ``text`` came from.
    """

    text: str
    starts: list[int]
    ends: list[int]


def _compose(cluster: str) -> str:
    composed = unicodedata.normalize("NFKC", cluster.translate(_APOSTROPHES))
    composed = _UNSEEN.sub("", composed.translate(_APOSTROPHES))
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in composed)


def _is_plain(text: str) -> bool:
    """Whether normalising would change nothing."""
    return unicodedata.is_normalized("NFKC", text) and not _TOUCHED.search(text)


def with_places(text: str) -> Normalised:
    """Normalise one text, keeping places (case is kept; see :func:`fold`)."""
    if text.isascii() or _is_plain(text):
        return Normalised(text, list(range(len(text))), list(range(1, len(text) + 1)))
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    # A grapheme cluster is the smallest unit that NFKC may compose, jamo and kana marks included.
    for match in _CLUSTER.finditer(text):
        composed = _compose(match.group())
        parts.append(composed)
        starts.extend([match.start()] * len(composed))
        ends.extend([match.end()] * len(composed))
    return Normalised("".join(parts), starts, ends)


def fold(text: str) -> str:
    """Case-fold normalised text (Turkish dotted capital I becomes a plain i)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold().replace("i\u0307", "i"))


def normalise(text: str) -> str:
    """Return the normalised, case-folded text with runs of white space made one space.

    Examples
    --------
    >>> normalise("ＨＤＭＩ２  Adapter")
    'hdmi2 adapter'
    """
    return " ".join(fold(with_places(text).text).split())


# Signs that make a name stay at its ends: .NET, @home, #tag; C#.
_NOT_BEFORE, _NOT_AFTER = frozenset("#@."), frozenset("#")


def title_key(text: str) -> str:
    """Key under which two titles are one title: normalised, outer punctuation off.

    A bracket goes with its other half: ``(Loom)`` is ``Loom``, and ``Loom (draft)`` stays as it is.

    Examples
    --------
    >>> title_key("“Loom”."), title_key("(Loom)"), title_key("print()")
    ('loom', 'loom', 'print()')
    """
    key = normalise(text)
    partner = _partners(key)
    low, high = 0, len(key)
    while low < high:
        first, last = low, high - 1
        if _is_outer(key[first], _NOT_BEFORE) and (first not in partner or partner[first] == last):
            low += 1
            if first in partner:
                high -= 1
        elif _is_outer(key[last], _NOT_AFTER) and (last not in partner or partner[last] < low):
            high -= 1
        else:
            break
    return key[low:high] or key


def _is_outer(sign: str, kept: frozenset[str]) -> bool:
    return sign not in kept and (sign.isspace() or unicodedata.category(sign).startswith("P"))


def _partners(text: str) -> dict[int, int]:
    """Place of the other half of each bracket that has one."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for place, sign in enumerate(text):
        kind = unicodedata.category(sign)
        if kind == "Ps":
            opened.append(place)
        elif kind == "Pe" and opened:
            found[place] = opened.pop()
            found[found[place]] = place
    return found
