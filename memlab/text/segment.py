"""Segmentation into words and morphemes, with their places in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl
import regex

from memlab.text import korean
from memlab.text.naming import is_acronym, is_capital, opens_sentence, stop_word_is_name
from memlab.text.normalise import with_places
from memlab.text.tokens import OUTER, WORD, korean_groups, plain_groups

SEGMENT_SCHEMA = pl.Schema(
    {
        "text": pl.UInt32,
        "word": pl.UInt32,
        "term": pl.String,
        "start": pl.UInt32,
        "end": pl.UInt32,
        "content": pl.Boolean,
        "number": pl.Boolean,
        "counting": pl.Boolean,
        "tagged": pl.Boolean,
        "capital": pl.Boolean,
        "surface": pl.String,
        "upper": pl.Boolean,
    }
)

_SET_OFF = regex.compile(r"[\p{Ll}\p{Lo}]")
_Row = tuple[int, int, str, int, int, bool, bool, bool, bool, bool, str, bool]


def _rows(index: int, text: str, analysis: korean.Analysis | None) -> Iterator[_Row]:
    source = with_places(text)
    starts, ends, count = source.starts, source.ends, 0
    chunks = [(match.group(), match.start()) for match in WORD.finditer(source.text)]
    # Where every word has a capital, a capital tells nothing of a stop word.
    telling = any(not is_capital(word) for word, _ in chunks if word[0].isalpha())
    # Capitals alone, with no small letter or letter without a case to set them off.
    shouted = _SET_OFF.search(source.text) is None
    for place, (word, at) in enumerate(chunks):
        hangul = analysis is not None and korean.HANGUL.search(word)
        groups = korean_groups(word, at, analysis) if analysis is not None and hangul else plain_groups(word)
        for surface, terms in groups:
            written = word[terms[0].start : terms[-1].end]
            upper = is_capital(written)
            opens = not at + terms[0].start or opens_sentence(source.text, at + terms[0].start)
            capital = upper and not opens
            acronym = upper and not shouted and is_acronym(written.strip(OUTER))
            for t in terms:
                content, name = t.content, t.name or (acronym and t.content)
                if not content and stop_word_is_name(
                    written,
                    before=chunks[place - 1][0] if place else "",
                    after=chunks[place + 1][0] if place + 1 < len(chunks) else "",
                    capital=capital,
                    telling=telling,
                    shouted=shouted,
                ):
                    content = name = True
                # "for the first time" orders nothing.
                counting = t.counting and not (
                    t.term == "first" and chunks[place + 1 : place + 2] and chunks[place + 1][0] == "time"
                )
                yield (index, count, t.term, starts[at + t.start], ends[at + t.end - 1],
                       content, t.number, counting, name, capital, surface, upper)  # fmt: skip
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
        - ``number`` : a number or a version. ``counting`` : that, or a word that counts or orders.
        - ``tagged`` : a name by its tag, its form or its capitals, wherever it stands.
        - ``capital`` : its word begins with a capital and does not begin a sentence.
        - ``surface`` : its word as written, folded, particles off.
        - ``upper`` : its word begins with a capital, wherever it stands.

    Notes
    -----
    Unicode form is NFKC; Korean is analysed by kiwipiepy, Chinese, Japanese and Thai by ICU.
    """
    with_hangul = [i for i, text in enumerate(texts) if not text.isascii() and korean.HANGUL.search(text)]
    analysed = dict(zip(with_hangul, korean.analyse([with_places(texts[i]).text for i in with_hangul]), strict=True))
    rows = [row for index, text in enumerate(texts) for row in _rows(index, text, analysed.get(index))]
    columns = list(zip(*rows, strict=True)) or [()] * len(SEGMENT_SCHEMA)
    return pl.DataFrame(dict(zip(SEGMENT_SCHEMA, columns, strict=True)), schema=SEGMENT_SCHEMA)
