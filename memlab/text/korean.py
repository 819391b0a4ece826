"""Korean morphology by kiwipiepy, loaded only when a text has Hangul."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

import regex

# Parts of speech that count (Sejong tags): nouns, numerals, roots, foreign words, verb and
# adjective stems. Particles (J*), endings (E*), adverbs, determiners, pronouns and auxiliaries do
# not: they say how the question is asked, not what it is about.
CONTENT = frozenset({"NNG", "NNP", "NR", "XR", "SL", "SN", "SH", "VV", "VA", "NNB", "MM"})
_COUNTING = frozenset(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "스무", "첫"])
# Adverbs that turn a meaning round count; auxiliaries that do are kept beside what counts.
_NEGATIONS = frozenset(["안", "못"])
_UNCOUNTED = frozenset({("않", "VX"), ("말", "VX"), ("못하", "VX"), ("아니", "VCN"), ("아니", "MAG"), ("없이", "MAG")})
_GLUED_SUFFIX = frozenset({"XSN"})
_PLURAL = frozenset({"들", "님", "씨"})
_ORDINAL = regex.compile(r"제[일이삼사오육칠팔구십]+")
_SIGN = regex.compile(r"[^\p{L}\p{N}\s]")
HANGUL = regex.compile(r"\p{Hangul}")
# No eojeol is that long; the analyser is not fed more of one, as its time would be the asker's to spend.
_LONGEST = 1_000
_ENDLESS = regex.compile(rf"\S{{{_LONGEST + 1},}}")


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A morpheme: its form and its place in the normalised text."""

    form: str
    start: int
    end: int
    name: bool = False
    number: bool = False
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the analyser found in one text, in order of places."""

    morphemes: list[Morpheme]
    particles: list[tuple[int, int]]

    def morphemes_in(self, start: int, end: int) -> list[Morpheme]:
        """Morphemes that lie in a range."""
        place = attrgetter("start")
        low, high = (bisect_left(self.morphemes, at, key=place) for at in (start, end))
        return [m for m in self.morphemes[low:high] if m.start < m.end <= end]

    def particles_in(self, start: int, end: int) -> list[tuple[int, int]]:
        """Spans of particles that begin in a range."""
        return self.particles[bisect_left(self.particles, (start, 0)) : bisect_left(self.particles, (end, 0))]


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    # One worker: with more, the order of results is kept but the load is not worth it on titles.
    return Kiwi(num_workers=1)


def _capped(text: str) -> str:
    """Put spaces for what is beyond the longest stretch without a space."""
    if len(text) <= _LONGEST:
        return text
    return _ENDLESS.sub(lambda m: m.group()[:_LONGEST] + " " * (len(m.group()) - _LONGEST), text)


def _masked(text: str) -> str:
    """Replace signs inside a word by a letter so that the analyser sees ``C#으로`` as a noun and 으로."""
    chars = list(_capped(text))
    for match in _SIGN.finditer(text):
        at = match.start()
        inside = at + 1 < len(text) and not text[at + 1].isspace() and at > 0 and text[at - 1].isalnum()
        chars[at] = "x" if inside else " "
    return "".join(chars)


def _analysis(tokens: Sequence[Any]) -> Analysis:
    """Morphemes, and the spans of particles."""
    found: list[Morpheme] = []
    particles: list[tuple[int, int]] = []
    prefix: Any = None
    for token in tokens:
        tag = token.tag.split("-")[0]
        start, end = token.start, token.start + token.len
        if tag == "XPN":
            prefix = token  # 재시작 is not 시작
            continue
        if prefix is not None and prefix.start + prefix.len != start:
            prefix = None
        if tag in _GLUED_SUFFIX and found and found[-1].end == start and token.form not in _PLURAL:
            found[-1] = replace(found[-1], form=found[-1].form + token.form, end=end)
        elif tag.startswith("J") or tag in {"VCP", "XSN"}:
            particles.append((start, end))
        elif (token.form, tag) in _UNCOUNTED:
            found.append(Morpheme(token.form, start, end, counts=False))
        elif (tag in CONTENT and (tag != "MM" or token.form in _COUNTING)) or token.form in _NEGATIONS:
            form, first = (token.form, start) if prefix is None else (prefix.form + token.form, prefix.start)
            number = tag in {"NR", "MM"} or _ORDINAL.fullmatch(form) is not None
            found.append(Morpheme(form, first, end, name=tag == "NNP", number=number))
        prefix = None
    return Analysis(found, particles)


def analyse(texts: Sequence[str]) -> Iterator[Analysis]:
    """Yield what is found in each normalised text.

    Parameters
    ----------
    texts : sequence of str
        Normalised texts (NFC or NFKC) that hold Hangul.
    """
    for tokens in _kiwi().tokenize([_masked(text) for text in texts]):
        yield _analysis(tokens)
