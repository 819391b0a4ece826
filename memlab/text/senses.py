"""What a text says the right way or turned round: the axes on which two texts may be opposed.

A text has a row for each axis that it takes a side on. An axis is a word (``allow``: said, or denied by
*not*, by *un-*, by 미-, 不, ない), a pair of opposites (``start | stop``), or a pair of small words beside
a word (``on | off`` beside ``pump``). Two texts are opposed where they share an axis and stand on
different sides of it. Who stands on both sides takes none.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import polars as pl
import regex

from memlab.text.stopwords import word_list

_SUFFIX = regex.compile(r"(?:ations?|ions?|ings?|als?|ments?|ers?|ed|es|s|e|ly)$")
_LATIN_DENIAL = regex.compile(r"(?:un|non|dis|in|im|il|ir|de)(?=[a-z]{4})")
_KOREAN_DENIAL = regex.compile(r"[비미불부무몰](?=\p{Hangul}{2})")
_HAN_DENIAL = regex.compile(r"[不未非無无没沒](?=\p{Han}{2})")
_WITH_OR_WITHOUT = regex.compile(r"(?P<stem>[a-z]{3,})(?P<end>ful|less)(?:ly|ness)?")
# The first part of a word that has another with the opposite first part: upload, download.
_FIRST_PARTS = (
    ("up", "down"), ("in", "out"), ("on", "off"), ("over", "under"), ("pre", "post"), ("im", "ex"), ("in", "ex"),
    ("inter", "intra"), ("hyper", "hypo"), ("macro", "micro"), ("maxi", "mini"), ("multi", "single"), ("pro", "anti"),
    ("fore", "after"), ("right", "left"), ("ein", "aus"), ("auf", "ab"), ("vor", "nach"), ("유", "무"), ("입", "출"),
    ("상", "하"), ("有", "無"), ("有", "无"), ("入", "出"), ("上", "下"), ("最大", "最小"),
)  # fmt: skip
_JAPANESE_DENIAL = regex.compile(r"\p{Hiragana}*(?:ない|なかっ|ません|せん|ずに|なし)\p{Hiragana}*")
_NOUN_OF_RUN = regex.compile(r"[\p{Han}\p{Katakana}ー]")
# How many words away a small word still bears on another.
_REACH = 8
# Between a denial and what it denies.
_PASSED_OVER = frozenset(["yet", "ever", "always", "be", "been", "being", "get", "need"])


def root(term: str) -> str:
    """A Latin word without its commonest endings: enough to hold *allowed* against *allow*."""
    if not term.isascii() or not term.isalpha():
        return term
    bare = _SUFFIX.sub("", term)
    bare = bare if len(bare) >= 3 else term
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare


class _Lists:
    """The word lists, as axes and sides of each word."""

    def __init__(self) -> None:
        self.pairs: dict[str, list[tuple[str, bool]]] = {}
        self.beside: dict[str, list[tuple[str, bool]]] = {}
        self.denies_next: set[str] = set()
        self.denies_last: set[str] = set()
        for number, line in enumerate(_lines("opposites")):
            table = self.beside if line.startswith("@") else self.pairs
            for turned, side in enumerate(line.lstrip("@> ").split("|")):
                for word in side.split():
                    key = word if line.startswith("@") else root(word)
                    place = (f"{'>' if line.startswith('@>') else '|'}{number}:", bool(turned))
                    if place not in table.setdefault(key, []):
                        table[key].append(place)
        for line in _lines("negating"):
            (self.denies_last if line.startswith("<") else self.denies_next).update(line.lstrip("< ").split())


def _lines(name: str) -> list[str]:
    text = files("memlab.text").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@cache
def _lists() -> _Lists:
    return _Lists()


@lru_cache(maxsize=1 << 17)
def _sides(term: str) -> tuple[tuple[str, bool], ...]:
    """Axes that a content term is on by itself, and whether it is on the turned side."""
    found = [(root(term), False), *_lists().pairs.get(root(term), ())]
    denial = _KOREAN_DENIAL.match(term) or _HAN_DENIAL.match(term)
    if denial is None and term.isascii() and term not in word_list("not_opposites"):
        denial = _LATIN_DENIAL.match(term)
    if denial:
        found.append((root(term[denial.end() :]), True))
    if ends := _WITH_OR_WITHOUT.fullmatch(term):
        found.append((f"-{ends['stem']}", ends["end"] == "less"))
    for straight, turned in _FIRST_PARTS:
        for part, side in ((straight, False), (turned, True)):
            rest = term[len(part) :]
            if term.startswith(part) and len(rest) >= (3 if part.isascii() else 1):
                found.append((f"{straight}|{turned}:{root(rest)}", side))
    return tuple(dict.fromkeys(found))


def _denies_next(term: str) -> bool:
    return term in _lists().denies_next or term.endswith("n't")


def _denies_last(term: str) -> bool:
    return term in _lists().denies_last or (not term.isascii() and _JAPANESE_DENIAL.fullmatch(term) is not None)


@lru_cache(maxsize=1 << 16)
def _role(term: str) -> str:
    """What a term does to its neighbours: denies the next or the last, is a small word, or nothing."""
    if _denies_next(term):
        return "next"
    if _denies_last(term):
        return "last"
    if term in _lists().beside:
        return "beside"
    return "stop" if root(term) in _lists().pairs else ""


def _target(terms: list[str], content: list[bool], at: int, step: int) -> int | None:
    """Place of the content word that a small word at ``at`` bears on, going ``step`` at a time."""
    for place in range(at + step, at + step * _REACH, step):
        if not 0 <= place < len(terms):
            return None
        term = terms[place]
        bears = content[place] and _role(term) not in {"next", "last"} and term not in _PASSED_OVER
        if bears and not term.endswith("ly") and (step > 0 or not _is_kana(term)):
            return None if term.isdecimal() else place
    return None


def _is_kana(term: str) -> bool:
    return not term.isascii() and "\u3041" <= term[0] <= "\u309f" and _NOUN_OF_RUN.search(term) is None


def _text_sides(terms: list[str], content: list[bool]) -> tuple[set[int], list[tuple[str, bool]]]:
    """Places of the words that one text denies, and the sides that its small words take."""
    denied: set[int] = set()
    found: list[tuple[str, bool]] = []
    last = max((at for at, counts in enumerate(content) if counts), default=-1)
    for at, term in enumerate(terms):
        role = _role(term)
        if role == "next":
            target = _target(terms, content, at, 1)
            if target is None and at >= last:
                # "das Rauchen erlauben wir nicht": a denial at the end bears on what went before.
                target = _target(terms, content, at, -1)
            denied.update([] if target is None else [target])
        elif role == "last":
            target = _target(terms, content, at, -1)
            denied.update([] if target is None else [target])
        elif role == "beside":
            for axis, side in _lists().beside[term]:
                for step in (1,) if axis.startswith(">") else (-1, 1):
                    target = _target(terms, content, at, step)
                    found += [] if target is None else [(axis + root(terms[target]), side)]
        if role and not content[at]:
            found += _lists().pairs.get(root(term), ())
    return denied, found


def senses(cut: pl.DataFrame) -> pl.DataFrame:
    """Sides that each text takes.

    Parameters
    ----------
    cut : polars.DataFrame
        What :func:`memlab.text.segment` gave.

    Returns
    -------
    polars.DataFrame
        ``text`` · ``axis`` · ``turned``, each axis of a text at most once.
    """
    cut = cut.select("text", "term", "content").with_row_index("row")
    terms = cut["term"].unique()
    roles = pl.DataFrame({"term": terms, "role": [_role(term) for term in terms]}).filter(pl.col("role") != "")
    # Few texts have a word that bears on its neighbours; only those are read word by word.
    telling = cut.join(roles, on="term", how="semi").select("text").unique()
    told = cut.join(telling, on="text", how="semi", maintain_order="left").group_by("text", maintain_order=True)
    denied: list[int] = []
    small: list[tuple[int, str, bool]] = []
    for text, rows, of_text, content in told.agg("row", "term", "content").iter_rows():
        places, found = _text_sides(of_text, content)
        denied += [rows[place] for place in places]
        small += [(text, axis, side) for axis, side in found]
    said = cut.filter("content")
    words = [(term, axis, side, axis == root(term)) for term in said["term"].unique() for axis, side in _sides(term)]
    known = pl.DataFrame(words, schema=["term", "axis", "turned", "own"], orient="row", schema_overrides=_SIDE)
    is_denied = pl.col("row").is_in(pl.Series(denied, dtype=pl.UInt32).implode())
    by_words = said.join(known, on="term").select("text", "axis", turned=pl.col("turned") ^ (pl.col("own") & is_denied))
    by_small = pl.DataFrame(small, schema=["text", "axis", "turned"], orient="row", schema_overrides=_SIDE)
    frame = pl.concat([by_words, by_small]).unique()
    return frame.filter(pl.len().over("text", "axis") == 1).sort("text", "axis")


_SIDE = {"text": pl.UInt32, "term": pl.String, "axis": pl.String, "turned": pl.Boolean, "own": pl.Boolean}
