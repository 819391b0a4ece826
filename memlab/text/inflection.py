"""Inflected forms of a word are one word: moves and moved are move. English only, by dictionary."""

from __future__ import annotations

from functools import lru_cache

import regex

# Short words are seldom inflected and often something else (us, as, is).
_PLAIN = regex.compile(r"^[a-z]{4,}$")


@lru_cache(maxsize=1 << 16)
def lemma(term: str) -> str | None:
    """Dictionary form of a case-folded term; None where it is no plain Latin word.

    Derivation is not undone: important is not import, nor decision decide.

    Examples
    --------
    >>> lemma("moved"), lemma("decisions"), lemma("important"), lemma("pep8")
    ('move', 'decision', 'important', None)
    """
    if not _PLAIN.match(term):
        return None
    # Imported here: its dictionary takes a moment, and texts without Latin words need none.
    import simplemma

    found = str(simplemma.lemmatize(term, lang="en"))
    # A capital is a name (Andrews is not Andrew), another letter another word (better is not good).
    return found if found[:1] == term[:1] else None
