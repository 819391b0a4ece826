"""What a capital says: which words are names, and which stop words are names by their capitals."""

from __future__ import annotations

import unicodedata
from functools import cache

from memlab.text import stopwords
from memlab.text.normalise import fold
from memlab.text.tokens import OUTER


def first_cased(word: str) -> str:
    """First letter of a word that has a case, or nothing."""
    return next((c for c in word if unicodedata.category(c) in {"Lu", "Lt", "Ll"}), "")


def is_capital(word: str) -> bool:
    """Whether the first letter that has a case is a capital."""
    return unicodedata.category(first_cased(word) or " ") in {"Lu", "Lt"}


def opens_sentence(text: str, at: int) -> bool:
    """Whether what stands at a place opens the text or a sentence of it."""
    before = text[max(0, at - 16) : at].rstrip(" \t\n\"'([{*-•#")
    return (not before and at <= 16) or before[-1:] in set(".?!。？！")


def is_acronym(word: str) -> bool:
    """Whether a word is written in capitals alone, at least two."""
    return len(word) >= 2 and word.isalpha() and word.isupper()


@cache
def _letter_heads() -> frozenset[str]:
    return stopwords.word_list("designated") | stopwords.word_list("letter_heads")


def designates(bare: str, before: str) -> bool:
    """Whether one letter tells the thing before it apart: Team I, plan A, vitamin a.

    Parameters
    ----------
    bare : str
        The letter.
    before : str
        The word before it.
    """
    heads = _letter_heads() if bare.isupper() else stopwords.word_list("designated")
    return fold(before.strip(OUTER)) in heads


def stop_word_is_name(word: str, *, before: str, after: str, capital: bool, telling: bool, shouted: bool) -> bool:
    """Whether a stop word is a name by its capitals or its place: IT, WHO, plan B, Team I, May, Ella.

    Parameters
    ----------
    word, before, after : str
        The word and its neighbours, as written.
    capital : bool
        It has a capital and does not open a sentence.
    telling : bool
        Some word of the text has no capital.
    shouted : bool
        No letter of the text is a small one.
    """
    bare = word.strip(OUTER)
    if len(bare) == 1 and designates(bare, before):
        return True
    if is_acronym(bare):
        return not shouted
    if not telling:
        return False
    if len(bare) == 1:
        return bare.isupper() and capital and bare != "I"
    if bare == "May":
        return capital or (bool(after) and fold(after) not in stopwords.space_scripts())
    # Words of other languages are names where they have a capital in the middle: with Anna, with Una.
    return capital and bare.isascii() and bare.isalpha() and fold(bare) not in _never_names()


@cache
def _never_names() -> frozenset[str]:
    """Stop words that are no names in the middle of a sentence, whatever their capital."""
    return stopwords.english() | stopwords.word_list("particles_of_names")
