"""Words that never count: function words, one list a script, the union over its languages.

A short question does not tell its language, so a list per language could not be chosen. The lists
come from ``bm25s`` (the NLTK lists) and, for scripts that it lacks, from ``stopwordsiso``; what is
added or kept back stands in ``words/``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from memlab.text.normalise import fold, with_places

# The Russian list is asked for here too: its words meet no others.
_LISTS = (
    "EN_PLUS", "GERMAN", "DUTCH", "FRENCH", "SPANISH", "PORTUGUESE", "ITALIAN", "RUSSIAN", "SWEDISH",
    "NORWEGIAN", "DANISH", "TURKISH",
)  # fmt: skip
_SPACED = ("ar", "he", "hi", "fa", "el", "uk")
_UNSPACED = ("zh", "ja", "th")
# One Han character is also part of names, so of the Chinese list only particles stay.
_HAN = "的了吗呢吧啊么嘛是在和与或有我你他她它这那哪谁什几就也都还把被给让对为从到向以及之其"
_KANA = "はがをにのへとでもやかねよなしたてますだですけどらりるれろうおせさこそあいえまんし"
_RUNS = "まし なり なっ どう でし です ます ませ という について する され 什么 哪里 怎么 怎样 为什么 哪个 多少"


@cache
def word_list(name: str) -> frozenset[str]:
    """Words of a list in ``words/``; lines that begin with # are remarks."""
    text = files("memlab.text").joinpath("words", f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@cache
def korean() -> frozenset[str]:
    """Korean stems that do not count."""
    return word_list("korean")


@cache
def space_scripts() -> frozenset[str]:
    """Stop words of scripts that separate words by spaces, case-folded."""
    import stopwordsiso
    from bm25s import stopwords

    lists = {word for name in _LISTS for word in getattr(stopwords, f"STOPWORDS_{name}")}
    # One letter is a name as often as a word (C, R), so single letters are listed by hand.
    latin = {word for word in lists if len(word) > 1} - (word_list("latin_kept") - set(stopwords.STOPWORDS_EN_PLUS))
    others = {word for code in _SPACED for word in stopwordsiso.stopwords(code)}
    folded = {fold(with_places(word).text) for word in latin | others | word_list("latin_asking")}
    return frozenset(word for word in folded if any(c.isalpha() for c in word)) - (
        word_list("negations") | {fold(with_places(word).text) for word in word_list("telling")}
    )


@cache
def english() -> frozenset[str]:
    """The English ones among them: seldom names, whatever their capital."""
    from bm25s import stopwords

    return frozenset(stopwords.STOPWORDS_EN_PLUS) | word_list("latin_asking")


@cache
def run_scripts() -> frozenset[str]:
    """Stop words of scripts without spaces (Chinese, Japanese, Thai)."""
    import stopwordsiso

    listed = {word for code in _UNSPACED for word in stopwordsiso.stopwords(code)}
    longer = {word for word in listed if len(word) > 1 or not "\u4e00" <= word <= "\u9fff"}
    return frozenset({*longer, *_HAN, *_KANA, *_RUNS.split()})
