"""The path of a calibration: settings from strict to loose, each of which resolves all that the one before did."""

from __future__ import annotations

from typing import NamedTuple

from memlab.rules import Settings

# Factors on the gaps of the settings that a path starts from; fixed before any exam is looked at.
FACTORS = (8.0, 6.0, 5.0, 4.0, 3.5, 3.0, 2.75, 2.5, 2.25, 2.0, 1.8, 1.6, 1.4, 1.2, 1.1, 1.0,
           0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)  # fmt: skip
MOST_WORDS = 8
# The fields that a path moves.
MOVED = ("gap", "gap_alone", "min_words")
# A gap above this is a ground that is switched off, and stays off; so are so many words.
OFF, OFF_WORDS = 2.0, 100


class Step(NamedTuple):
    """Settings on a path, and the factor on the gaps that made them; no factor on a path of one's own."""

    factor: float | None
    settings: Settings


def path(base: Settings, *, semantic: bool = True) -> list[Step]:
    """Return settings from strict to loose around a base.

    Only bars are moved, and each step lowers one kind of them, so what is resolved is nested (no ground
    comes to hold because the bar of another was raised). Grounds that are off, gates and switches
    stay as they are.

    Parameters
    ----------
    base : Settings
    semantic : bool
        Whether there is a semantic arm to have a gap. Without it, and where title words may resolve
        without a gap, the path also goes down in ``min_words``.
    """
    gaps = semantic and "semantic" in base.arms
    by_words = base.min_words < OFF_WORDS and (not gaps or not base.title_needs_gap)
    factors = FACTORS if gaps else (1.0,)
    least_words = base.min_words if gaps else 1
    words = range(max(MOST_WORDS, base.min_words), least_words, -1) if by_words else ()
    last = least_words if by_words else base.min_words
    strict = [Step(factors[0], _at(base, factors[0], number)) for number in words]
    return [*strict, *(Step(factor, _at(base, factor, last)) for factor in factors)]


def _at(base: Settings, factor: float, words: int) -> Settings:
    def scaled(gap: float) -> float:
        return gap if gap > OFF else min(round(gap * factor, 6), OFF)

    return base.but(gap=scaled(base.gap), gap_alone=scaled(base.gap_alone), min_words=words)
