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


def script(column: str) -> pl.Expr:
    """Return the script of a column of texts: the first of ``SCRIPTS`` that has a letter in it.

    English and German are both Latin: a language is not told by this.
    """
    found = pl.coalesce(
        *(pl.when(pl.col(column).str.contains(pattern)).then(pl.lit(name)) for name, pattern in SCRIPTS.items()),
        pl.lit(NO_SCRIPT),
    )
    return found.alias("script")
