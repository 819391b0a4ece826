"""Which script a text is written in: what can be told of its language without guessing."""

from __future__ import annotations

from typing import Final

import polars as pl

# In this order: Korean and Japanese titles hold Latin names and Chinese characters too.
SCRIPTS: Final = {
    "Hangul": r"\p{Hangul}",
    "Kana": r"[\p{Hiragana}\p{Katakana}]",
    "Han": r"\p{Han}",
    "Thai": r"\p{Thai}",
    "Arabic": r"\p{Arabic}",
    "Hebrew": r"\p{Hebrew}",
    "Devanagari": r"\p{Devanagari}",
    "Cyrillic": r"\p{Cyrillic}",
    "Greek": r"\p{Greek}",
    "Latin": r"\p{Latin}",
}
NO_SCRIPT: Final = "no letters"


# Languages that are written in one script; a question that names its language is believed.
LANGUAGES: Final = {
    "ko": "Hangul", "ja": "Kana", "zh": "Han", "th": "Thai", "ar": "Arabic", "fa": "Arabic", "ur": "Arabic",
    "he": "Hebrew", "hi": "Devanagari", "mr": "Devanagari", "ne": "Devanagari", "ru": "Cyrillic", "uk": "Cyrillic",
    "bg": "Cyrillic", "el": "Greek",
    **dict.fromkeys(("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "sv", "da", "no", "fi", "cs", "ro", "hu",
                     "id", "vi"), "Latin"),
}  # fmt: skip
# A script with fewer of the letters than this is a sign or a name in a text of another.
_LEAST: Final = 0.2


def script(column: str) -> pl.Expr:
    """Return the script of a column of texts: the first of ``SCRIPTS`` with a fifth of the letters.

    English and German are both Latin: a language is not told by this.
    """
    counts = {name: pl.col(column).str.count_matches(pattern) for name, pattern in SCRIPTS.items()}
    letters = pl.sum_horizontal(counts.values())
    found = (pl.when(count > 0, count >= _LEAST * letters).then(pl.lit(name)) for name, count in counts.items())
    return pl.coalesce(*found, pl.lit(NO_SCRIPT)).alias("script")


def script_of_language(column: str) -> pl.Expr:
    """Return the script of a column of language codes (``ko``, ``en-GB``); null where it is not known."""
    code = pl.col(column).str.to_lowercase().str.split("-").list.first()
    return code.replace_strict(LANGUAGES, default=None, return_dtype=pl.String)
