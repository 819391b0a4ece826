"""Text broken into lines that fit, measured in the shipped font."""

from __future__ import annotations

from memlab.charts.embed import text_width


def broken(text: str, room: float, size: float, lines: int = 8) -> list[str]:
    """Break a text into lines.

    Parameters
    ----------
    text : str
        Broken between words; a word that fills more than a line is cut, as scripts without spaces are.
    room : float
        Width of a line, in the unit of ``size``.
    size : float
        Of the type.
    lines : int
        At most so many; what is left out shows as an ellipsis.

    Returns
    -------
    list of str
        No line for an empty text.
    """
    found: list[str] = []
    line = ""
    for word in text.split(" "):
        for part in _cut(word, room, size):
            longer = f"{line} {part}" if line else part
            if line and text_width(longer, size) > room:
                found.append(line)
                line = part
            else:
                line = longer
    found += [line] if line else []
    if len(found) <= lines:
        return found
    last = found[lines - 1]
    while last and text_width(last + "…", size) > room:
        last = last[:-1]
    return [*found[: lines - 1], last.rstrip() + "…"]


def _cut(word: str, room: float, size: float) -> list[str]:
    """A word in pieces that fit."""
    if text_width(word, size) <= room:
        return [word]
    pieces, piece = [], ""
    for sign in word:
        if piece and text_width(piece + sign, size) > room:
            pieces.append(piece)
            piece = ""
        piece += sign
    return [*pieces, piece]
