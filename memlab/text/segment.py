"""Segmentation into words and morphemes, with their places in the source."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import polars as pl
import regex

from memlab.text import korean, stopwords
from memlab.text.normalise import fold, with_places

SEGMENT_SCHEMA = pl.Schema(
    {
        "text": pl.UInt32,
        "word": pl.UInt32,
        "term": pl.String,
        "start": pl.UInt32,
        "end": pl.UInt32,
        "content": pl.Boolean,
        "number": pl.Boolean,
        "tagged": pl.Boolean,
        "capital": pl.Boolean,
        "surface": pl.String,
        "upper": pl.Boolean,
    }
)

_RUN = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々〆]"
# A word is what stands between spaces or between signs that never join: - / . ' & + # _ join.
_WORD = regex.compile(r"(?:[\p{L}\p{M}\p{N}'\-./\\&+#@_%:·]|(?<=\d),(?=\d)|\p{Emoji_Presentation}|\p{So})+", regex.V1)
_TOKEN = regex.compile(
    rf"""(?P<dotted>(?<![\p{{L}}\p{{N}}.])\.\p{{L}}[\p{{L}}\p{{M}}]*(?![\p{{L}}\p{{N}}]))
      | (?P<acronym>(?<!\p{{L}})(?:\p{{Lu}}\.){{2,}}(?:\p{{Lu}}(?!\p{{L}}))?)
      | (?P<signed>[A-Za-z]{{1,12}}(?:\+\+|\#)(?![A-Za-z0-9+#])|\p{{Lu}}{{1,4}}(?:&\p{{Lu}}{{1,4}})+(?![\p{{L}}]))
      | (?P<number>(?:(?<![\p{{L}}\p{{N}}])[vV])?\d+(?:[.,:/\-]\d+)*)
      | (?P<run>{_RUN}+)
      | (?P<hangul>\p{{Hangul}}+)
      | (?P<letters>(?:(?!{_RUN}|\p{{Hangul}})[\p{{L}}\p{{M}}])+(?:'(?!\p{{Hangul}})[\p{{L}}\p{{M}}]+)*)
      | (?P<symbol>\p{{Emoji_Presentation}}|\p{{So}})""",
    regex.V1 | regex.X,
)
_MIXED = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}")
_HUMP = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+|[^\p{Lu}\p{Ll}]+")
_ELISION = regex.compile(r"^(?:[ldjmtscn]|qu|jusqu|lorsqu|puisqu|dell|nell|all|sull|un)'(?=\p{L})", regex.I)
_THOUSANDS = regex.compile(r"\d{1,3}(?:,\d{3})+")
# An address, a file, a dotted or underscored name, a ticket: a name, whatever its parts mean.
_IDENTIFIER = regex.compile(r"\p{L}[@_\\]\p{L}|\p{L}\.\p{L}{2,}|\p{L}/\p{L}+[./]|^\p{Lu}{2,}-\d+$")
_OUTER = "'-./\\&@_%:·"


class _Term(NamedTuple):
    term: str
    start: int
    end: int
    content: bool
    number: bool
    name: bool


class _Group(NamedTuple):
    """The terms of one counted word, and the word as it is written."""

    surface: str
    terms: tuple[_Term, ...]


def _letters(token: str, at: int) -> Iterator[_Term]:
    known = stopwords.space_scripts()
    whole = fold(token)
    if whole in known:
        yield _Term(whole, at, at + len(token), False, False, False)
        return
    if token[-2:] in {"'s", "'S"}:
        token = token[:-2]
    if elided := _ELISION.match(token):
        at, token = at + elided.end(), token[elided.end() :]
    humps = [m.span() for m in _HUMP.finditer(token)] if _MIXED.search(token) else [(0, len(token))]
    # userService and orderService are names, whatever their parts mean; and a hump of a product's name
    # is part of it, also where it reads like a stop word (MySQL).
    humped = len(humps) > 1
    part = humped and token[0].isupper()
    for start, end in humps:
        if term := fold(token[start:end]).strip("'"):
            yield _Term(term, at + start, at + end, term not in known or part, False, humped)


def _number(token: str) -> str:
    digits = token.lstrip("vV")
    # One date is one number, so that 05-06 is not 06-05; 2024/05/06 is 2024-05-06.
    return digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits.replace("/", "-")


def _run(token: str, at: int) -> Iterator[_Term]:
    """Split a run of a script without spaces by ICU's dictionaries."""
    from icu4py.breakers import WordBreaker

    known = stopwords.run_scripts()
    for start, end in WordBreaker(token, "ja").segments():
        term = fold(token[start:end])
        yield _Term(term, at + start, at + end, term not in known, False, False)


def _surface(word: str) -> str:
    # A leading dot makes a name (.NET); a closing one ends a sentence.
    bare = fold(word).rstrip(_OUTER).lstrip(_OUTER.replace(".", ""))
    return bare[:-2] if bare.endswith("'s") else bare


def _groups(word: str, hangul: Sequence[_Term] | None) -> Iterator[_Group]:
    """Cut one chunk into counted words; a script without spaces makes words of its own."""
    current: list[_Term] = []
    for match in _TOKEN.finditer(word):
        kind, token, start, end = match.lastgroup, match.group(), match.start(), match.end()
        if kind == "run":
            if current:
                yield _Group(_surface(word), tuple(current))
                current = []
            for term in _run(token, start):
                yield _Group(term.term, (term,))
        elif kind == "hangul":
            current.extend(t for t in hangul or () if start <= t.start < t.end <= end)
        elif kind == "letters":
            current.extend(_letters(token, start))
        elif kind == "number":
            current.append(_Term(_number(token), start, end, True, True, False))
        elif kind == "acronym":
            current.append(_Term(fold(token.replace(".", "")), start, end, True, False, True))
        elif kind == "symbol":
            current.append(_Term(fold(token), start, end, True, False, False))
        else:
            current.append(_Term(fold(token), start, end, True, False, True))
    if current:
        yield _Group(_surface(word), tuple(current))


@lru_cache(maxsize=1 << 17)
def _plain(word: str) -> tuple[_Group, ...]:
    """Groups of a chunk without Hangul: they do not depend on what stands around it."""
    groups = tuple(_groups(word, None))
    if not _IDENTIFIER.search(word):
        return groups
    return tuple(_Group(g.surface, tuple(t._replace(name=True) for t in g.terms)) for g in groups)


def _korean(
    word: str, at: int, morphemes: Sequence[korean.Morpheme], particles: Sequence[tuple[int, int]]
) -> tuple[_Group, ...]:
    end = at + len(word)
    inside = [
        _Term(m.form, m.start - at, m.end - at, m.form not in stopwords.korean(), False, m.name)
        for m in morphemes
        if at <= m.start < m.end <= end
    ]
    shown = end
    for start, stop in sorted(particles, reverse=True):
        if at < start and stop == shown:
            shown = start
    bare = _surface(word[: shown - at])
    groups = tuple(_groups(word, inside))
    if not groups and korean.HANGUL.search(bare):
        # An eojeol of adverbs, determiners or endings alone: it is there, and does not count.
        return (_Group(bare, (_Term(bare, 0, shown - at, False, False, False),)),)
    return tuple(
        _Group(g.terms[0].term if len(g.terms) == 1 and g.surface != _surface(word) else bare, g.terms) for g in groups
    )


def _capital(word: str) -> bool:
    first = next((c for c in word if c.isalpha()), "")
    return bool(first) and unicodedata.category(first) in {"Lu", "Lt"}


def _opens_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 16) : at].rstrip(" \t\n\"'([{*-•#")
    return (not before and at <= 16) or before[-1:] in set(".?!。？！")


def _named(word: str, capital: bool, following: Sequence[str]) -> bool:
    """Whether a stop word is a name by its capitals: IT, WHO, US, plan B, vitamin A, May."""
    bare = word.strip(_OUTER)
    if len(bare) >= 2 and bare.isalpha() and bare.isupper():
        return True
    if len(bare) == 1 and bare.isupper():
        return capital and bare != "I"
    opens_a_name = bool(following) and fold(following[0]) not in stopwords.space_scripts()
    return bare == "May" and (capital or opens_a_name)


_Row = tuple[int, int, str, int, int, bool, bool, bool, bool, str, bool]


def _rows(
    index: int,
    text: str,
    morphemes: Sequence[korean.Morpheme] | None,
    particles: Sequence[tuple[int, int]],
) -> Iterator[_Row]:
    source = with_places(text)
    starts, ends, count = source.starts, source.ends, 0
    words = _WORD.findall(source.text)
    # Where every word has a capital, a capital tells nothing of a stop word.
    telling = any(not _capital(word) for word in words if word[0].isalpha())
    for place, match in enumerate(_WORD.finditer(source.text)):
        word, at = match.group(), match.start()
        korean_word = morphemes is not None and korean.HANGUL.search(word)
        groups = _korean(word, at, morphemes or (), particles) if korean_word else _plain(word)
        upper = bool(groups) and _capital(word)
        capital = upper and not _opens_sentence(source.text, at)
        for surface, terms in groups:
            for t in terms:
                if telling and not t.content and _named(word, capital, words[place + 1 : place + 2]):
                    t = t._replace(content=True, name=True)  # noqa: PLW2901
                yield (index, count, t.term, starts[at + t.start], ends[at + t.end - 1],
                       t.content, t.number, t.name, capital, surface, upper)  # fmt: skip
            count += 1


def segment(texts: Sequence[str]) -> pl.DataFrame:
    """Cut texts into words and morphemes.

    Parameters
    ----------
    texts : sequence of str, length n

    Returns
    -------
    polars.DataFrame
        One row a morpheme, in reading order:

        - ``text`` : index of the text; ``word`` : index of the word in it. A word is what stands
          between spaces; in scripts without spaces, what the segmenter gives.
        - ``term`` : the morpheme, normalised and case-folded. Korean particles and endings, and the
          possessive ``'s``, are not there.
        - ``start``, ``end`` : its place ``[start, end)`` in the source text.
        - ``content`` : false for stop words, which never count.
        - ``number`` : a number or a version. ``tagged`` : a proper noun, by its tag.
        - ``capital`` : its word begins with a capital and does not begin a sentence.
        - ``surface`` : its word as written, folded, particles off.
        - ``upper`` : its word begins with a capital, wherever it stands.

    Notes
    -----
    Unicode form is NFKC; Korean is analysed by kiwipiepy, Chinese, Japanese and Thai by ICU.
    """
    with_hangul = [i for i, text in enumerate(texts) if not text.isascii() and korean.HANGUL.search(text)]
    analysed = dict(zip(with_hangul, korean.analyse([with_places(texts[i]).text for i in with_hangul]), strict=True))
    rows = [row for index, text in enumerate(texts) for row in _rows(index, text, *analysed.get(index, (None, ())))]
    columns = list(zip(*rows, strict=True)) or [()] * len(SEGMENT_SCHEMA)
    return pl.DataFrame(dict(zip(SEGMENT_SCHEMA, columns, strict=True)), schema=SEGMENT_SCHEMA)
