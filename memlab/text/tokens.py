"""One chunk of text cut into counted words and the terms that are matched."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from operator import attrgetter
from typing import NamedTuple

import regex

from memlab.text import korean, stopwords
from memlab.text.normalise import fold
from memlab.text.numbers import chinese, is_numeral, number_words, split_numerals

_RUN = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々〆]"
# A word is what stands between spaces or between signs that never join: - / . ' & + # _ join.
WORD = regex.compile(
    r"(?:[\p{L}\p{M}\p{N}'\-./\\&+#@_%:·\p{Sc}±−‰]|(?<=\d),(?=\d)|\p{Emoji_Presentation}|\p{So})+", regex.V1
)
_TOKEN = regex.compile(
    rf"""(?P<dotted>(?<![\p{{L}}\p{{N}}.])\.\p{{L}}[\p{{L}}\p{{M}}]*(?![\p{{L}}\p{{N}}]))
      | (?P<acronym>(?<!\p{{L}})(?:\p{{Lu}}\.){{2,}}(?:\p{{Lu}}(?!\p{{L}}))?)
      | (?P<signed>(?<![\p{{L}}\p{{N}}])\p{{Lu}}{{1,2}}[+\-−](?![\p{{L}}\p{{N}}+\-−])
          |[A-Za-z]{{1,12}}(?:\+\+|\#)(?![A-Za-z0-9+#])|\p{{Lu}}{{1,4}}(?:&\p{{Lu}}{{1,4}})+(?![\p{{L}}]))
      | (?P<number>(?:(?<![\p{{L}}\p{{N}}])[vV]|^[+\-−±])?\p{{Sc}}?\d+(?:[.,:/\-]\d+)*(?:[%‰]|\p{{Sc}})?)
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
# A sign, a currency or a percentage is part of a number, and a sign of a letter (O+, A-).
_SIGNED = regex.compile(r"[+\-−±]?\p{Sc}?\d[\d.,:/\-]*[%‰\p{Sc}]?|\p{L}{1,2}[+\-−]")
# An address, a file, a dotted or underscored name, a ticket: a name, whatever its parts mean.
_IDENTIFIER = regex.compile(r"\p{L}[@_\\]\p{L}|\p{L}\.\p{L}{2,}|\p{L}/\p{L}+[./]|^\p{Lu}{2,}-\d+$")
_LONGEST = 200
OUTER = "'-./\\&@_%:·"


class Term(NamedTuple):
    """A term, its place in the chunk, and what it is."""

    term: str
    start: int
    end: int
    content: bool
    number: bool = False
    name: bool = False
    counting: bool = False


class Group(NamedTuple):
    """The terms of one counted word, and the word as it is written."""

    surface: str
    terms: tuple[Term, ...]


def _letters(token: str, at: int) -> Iterator[Term]:
    known = stopwords.space_scripts()
    whole = fold(token)
    if whole in known:
        yield Term(whole, at, at + len(token), content=False)
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
            yield Term(
                term,
                at + start,
                at + end,
                content=term not in known or part,
                name=humped or term in stopwords.word_list("calendar"),
                counting=term in number_words(),
            )


def _number(token: str) -> str:
    digits = token.lstrip("vV").replace("−", "-").removeprefix("+")
    # One date is one number, so that 05-06 is not 06-05; 2024/05/06 is 2024-05-06.
    return digits.replace(",", "") if _THOUSANDS.fullmatch(digits) else digits.replace("/", "-")


def _run(token: str, at: int) -> Iterator[Term]:
    """Split a run of a script without spaces by ICU's dictionaries."""
    from icu4py.breakers import WordBreaker

    known = stopwords.run_scripts()
    for first, last, numeral in split_numerals(token):
        if numeral:
            yield Term(chinese(token[first:last]), at + first, at + last, content=True, number=True, counting=True)
            continue
        for start, end in WordBreaker(token[first:last], "ja").segments():
            term, place = fold(token[first + start : first + end]), at + first
            if is_numeral(term):
                yield Term(chinese(term), place + start, place + end, content=True, number=True, counting=True)
            else:
                # 第 says that a number comes, in digits or not.
                content = term not in known and term != "第"
                yield Term(term, place + start, place + end, content=content)


def _surface(word: str) -> str:
    folded = fold(word).rstrip(".,:")
    if _SIGNED.fullmatch(folded):
        return _number(folded)
    # A leading dot makes a name (.NET); a closing one ends a sentence.
    bare = fold(word).rstrip(OUTER).lstrip(OUTER.replace(".", ""))
    bare = bare[:-2] if bare.endswith("'s") else bare
    # Every term of a word carries its surface, so an endless one is kept by its digest.
    return bare if len(bare) <= _LONGEST else sha256(bare.encode("utf-8", "replace")).hexdigest()


def _groups(word: str, hangul: Sequence[Term] | None) -> Iterator[Group]:
    """Cut one chunk into counted words; a script without spaces makes words of its own."""
    current: list[Term] = []
    opened, several = 0, False
    for match in _TOKEN.finditer(word):
        kind, token, start, end = match.lastgroup, match.group(), match.start(), match.end()
        if kind == "run":
            several = True
            if current:
                yield Group(_surface(word[opened:start]), tuple(current))
                current = []
            opened = end
            for term in _run(token, start):
                yield Group(term.term, (term,))
        elif kind == "hangul":
            current.extend(_within(hangul or (), start, end))
        elif kind == "letters":
            current.extend(_letters(token, start))
        elif kind == "number":
            current.append(Term(_number(token), start, end, content=True, number=True, counting=True))
        elif kind == "acronym":
            current.append(Term(fold(token.replace(".", "")), start, end, content=True, name=True))
        elif kind == "symbol":
            current.append(Term(fold(token), start, end, content=True))
        else:
            current.append(Term(fold(token).replace("−", "-"), start, end, content=True, name=True))
    if current:
        yield Group(_surface(word[opened:] if several else word), tuple(current))


def _within(terms: Sequence[Term], start: int, end: int) -> Sequence[Term]:
    """The terms, in order of their places, that lie in a range."""
    return [
        t for t in terms[bisect_left(terms, start, key=_start) : bisect_left(terms, end, key=_start)] if t.end <= end
    ]


_start = attrgetter("start")


@lru_cache(maxsize=1 << 17)
def plain_groups(word: str) -> tuple[Group, ...]:
    """Groups of a chunk without Hangul: they do not depend on what stands around it."""
    groups = tuple(_groups(word, None))
    if not _IDENTIFIER.search(word):
        return groups
    # Every part of an address or a file name tells it from another, also one that reads like a stop word.
    return tuple(Group(g.surface, tuple(t._replace(name=True, content=True) for t in g.terms)) for g in groups)


def korean_groups(word: str, at: int, found: korean.Analysis) -> tuple[Group, ...]:
    """Groups of the chunk that begins at ``at`` of a text with Hangul."""
    end = at + len(word)
    inside = [
        Term(
            m.form,
            m.start - at,
            m.end - at,
            content=m.counts and m.form not in stopwords.korean(),
            name=m.name or m.form in stopwords.word_list("calendar"),
            counting=m.number or m.form in number_words(),
        )
        for m in found.morphemes_in(at, end)
    ]
    shown = end
    for start, stop in reversed(found.particles_in(at, end)):
        if at < start and stop == shown:
            shown = start
    bare = _surface(word[: shown - at])
    groups = tuple(_groups(word, inside))
    if not groups and korean.HANGUL.search(bare):
        # An eojeol of adverbs, determiners or endings alone: it is there, and does not count.
        return (Group(bare, (Term(bare, 0, shown - at, content=False),)),)
    whole = _surface(word)
    return tuple(Group(g.terms[0].term if len(g.terms) == 1 and g.surface != whole else bare, g.terms) for g in groups)
