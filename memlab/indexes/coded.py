"""Words as numbers, so that many pairs of texts can be matched at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.indexes.wording import LEMMA, Wording


@dataclass(frozen=True)
class Coded:
    """The words of many texts as numbers, in rows by text.

    Attributes
    ----------
    rows : ndarray of int64 ``[n + 1]``
        Where the terms of each text begin in ``term``, ``opens``, ``flags``.
    term : ndarray of int64
        Number of the term, or -1.
    opens : ndarray of bool
        Whether the term is the first of its word.
    flags : ndarray of uint8
    words : ndarray of int64 ``[n]``
        How many words each text has.
    form_rows : ndarray of int64 ``[n + 1]``
        Where the forms of each text begin in ``form``, ``form_word``.
    form, form_word : ndarray of int64
        Number of the form, or -1, and of its word within the text.
    form_exact : ndarray of bool
        Whether the form is how the word is written, and not its dictionary form.
    """

    rows: NDArray[np.int64]
    term: NDArray[np.int64]
    opens: NDArray[np.bool_]
    flags: NDArray[np.uint8]
    words: NDArray[np.int64]
    form_rows: NDArray[np.int64]
    form: NDArray[np.int64]
    form_word: NDArray[np.int64]
    form_exact: NDArray[np.bool_]

    @classmethod
    def of(cls, terms: pl.DataFrame, forms: pl.DataFrame, n: int, known: Known) -> Coded:
        """Number the words of texts 0 to ``n`` by known strings."""
        terms = terms.sort("text", "word", maintain_order=True)
        forms = forms.sort("text", "word", maintain_order=True)
        text, word = terms["text"].to_numpy().astype(np.int64), terms["word"].to_numpy().astype(np.int64)
        opens = np.ones(terms.height, dtype=np.bool_)
        opens[1:] = (text[1:] != text[:-1]) | (word[1:] != word[:-1])
        words = np.bincount(text[opens], minlength=n)
        # Every word has a form, so the words of both frames are the same ones in the same order.
        of_form = forms.select((pl.col("word").rank("dense").over("text") - 1).cast(pl.Int64)).to_series()
        places = np.arange(n + 1)
        return cls(
            np.searchsorted(text, places),
            coded(terms["term"], known.terms),
            opens,
            terms["flags"].to_numpy(),
            words,
            np.searchsorted(forms["text"].to_numpy(), places),
            coded(forms["form"], known.forms),
            of_form.to_numpy(),
            (~forms["form"].str.starts_with(LEMMA)).to_numpy(),
        )


@dataclass(frozen=True)
class Known:
    """Numbered strings, ``text`` · ``code``: terms, forms, keys and axes of the names of a store."""

    terms: pl.DataFrame
    forms: pl.DataFrame
    keys: pl.DataFrame
    axes: pl.DataFrame

    @classmethod
    def of(cls, wording: Wording) -> Known:
        """Number the strings of a wording."""
        columns = (wording.terms["term"], wording.forms["form"], wording.keys["key"], wording.senses["axis"])
        return cls(*(_numbered(column) for column in columns))


def _numbered(texts: pl.Series) -> pl.DataFrame:
    known = texts.unique(maintain_order=True).alias("text").to_frame()
    return known.with_columns(code=pl.int_range(pl.len(), dtype=pl.Int64))


def coded(texts: pl.Series, known: pl.DataFrame) -> NDArray[np.int64]:
    """Numbers of strings among known ones, -1 for the others."""
    found = texts.alias("text").to_frame().join(known, on="text", how="left", maintain_order="left")
    codes: NDArray[np.int64] = found["code"].fill_null(-1).to_numpy()
    return codes
