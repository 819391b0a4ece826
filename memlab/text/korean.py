"""Korean morphology by kiwipiepy, loaded only when a text has Hangul."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

# Parts of speech that count (Sejong tags): nouns, numerals, roots, foreign words, verb and
# adjective stems. Particles (J*), endings (E*), adverbs, determiners, pronouns and auxiliaries do
# not: they say how the question is asked, not what it is about.
CONTENT = frozenset({"NNG", "NNP", "NR", "XR", "SL", "SN", "SH", "VV", "VA", "NNB", "MM"})
_COUNTING = frozenset(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "첫"])
# Adverbs that turn a meaning round.
_NEGATIONS = frozenset(["안", "못"])
_GLUED_SUFFIX = frozenset({"XSN"})
_PLURAL = frozenset({"들", "님", "씨"})
_SIGN = regex.compile(r"[^\p{L}\p{N}\s]")
HANGUL = regex.compile(r"\p{Hangul}")


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A content morpheme: its form and its place in the normalised text."""

    form: str
    start: int
    end: int
    name: bool


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    # One worker: with more, the order of results is kept but the load is not worth it on titles.
    return Kiwi(num_workers=1)


def _masked(text: str) -> str:
    """Replace signs inside a word by a letter so that the analyser sees ``C#으로`` as a noun and 으로."""
    chars = list(text)
    for match in _SIGN.finditer(text):
        at = match.start()
        inside = at + 1 < len(text) and not text[at + 1].isspace() and at > 0 and text[at - 1].isalnum()
        chars[at] = "x" if inside else " "
    return "".join(chars)


def _morphemes(tokens: Sequence[Any]) -> tuple[list[Morpheme], list[tuple[int, int]]]:
    """Content morphemes and the spans of trailing particles."""
    found: list[Morpheme] = []
    particles: list[tuple[int, int]] = []
    prefix = ""
    for token in tokens:
        tag = token.tag.split("-")[0]
        start, end = token.start, token.start + token.len
        if tag == "XPN":
            prefix = token.form  # 재시작 is not 시작
            continue
        if tag in _GLUED_SUFFIX and found and found[-1].end == start and token.form not in _PLURAL:
            last = found.pop()
            found.append(Morpheme(last.form + token.form, last.start, end, last.name))
        elif tag.startswith("J") or tag in {"VCP", "XSN"}:
            particles.append((start, end))
        elif tag in CONTENT or token.form in _NEGATIONS:
            if tag == "MM" and token.form not in _COUNTING:
                continue
            form = prefix + token.form
            found.append(Morpheme(form, start - len(prefix), end, tag == "NNP"))
        prefix = ""
    return found, particles


def analyse(texts: Sequence[str]) -> Iterator[tuple[list[Morpheme], list[tuple[int, int]]]]:
    """Yield, for each normalised text, its content morphemes and the spans of its particles.

    Parameters
    ----------
    texts : sequence of str
        Normalised texts (NFC or NFKC) that hold Hangul.
    """
    for tokens in _kiwi().tokenize([_masked(text) for text in texts]):
        yield _morphemes(tokens)
