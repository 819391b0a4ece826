"""How far controls reach, and which settings lie one switch away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from memlab.pool import Evidence
from memlab.rules import ARMS, Settings
from memlab.rules.decide import WEIGHING
from memlab.rules.settings import ORDERS


@dataclass(frozen=True)
class Ranges:
    """How far the sliders reach: it depends on the encoder, whose similarities have a scale of their own.

    Attributes
    ----------
    gap : float
        Widest gap, in cosine.
    floor : tuple of float
        Lowest and highest best similarity, in cosine.
    pieces : int
        Most pieces that mention one node.
    """

    gap: float = 0.3
    floor: tuple[float, float] = (0.0, 1.0)
    pieces: int = 10


def ranges_for(evidence: Evidence, settings: Settings) -> Ranges:
    """Return how far the sliders have to reach for this evidence.

    Uses ``semantic_gap``, ``semantic_similarity`` (cosine) and ``graph_pieces`` of the evidence.
    """
    frame = evidence.frame
    gap, low, high, pieces = frame.select(
        pl.col("semantic_gap").max().alias("gap"),
        pl.col("semantic_similarity").min().alias("low"),
        pl.col("semantic_similarity").max().alias("high"),
        pl.col("graph_pieces").max().alias("pieces"),
    ).row(0)
    widest = max([0.01, gap or 0.0, *(g for g in (settings.gap, settings.gap_alone, settings.veto_gap) if g < 2)])
    # One step past the widest gap, where nothing resolves by it.
    return Ranges(
        gap=round(widest + 0.001, 3),
        floor=(min(0.0, round(low or 0.0, 2), settings.floor), max(1.0, round(high or 1.0, 2), settings.floor)),
        pieces=max(3, min(20, pieces or 0)),
    )


def neighbours(settings: Settings) -> Iterator[Settings]:
    """Yield the settings that are one switch away, of those switches that change how pools are weighed."""
    for name in WEIGHING:
        if name == "arms":
            for arm in ARMS:
                arms = tuple(a for a in ARMS if (a in settings.arms) != (a == arm))
                if arms:
                    yield settings.but(arms=arms)
        elif name == "order":
            yield from (settings.but(order=order) for order in ORDERS if order != settings.order)
        else:
            yield settings.but(**{name: not getattr(settings, name)})
