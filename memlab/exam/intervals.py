"""Intervals of shares."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

# Of every bootstrap that is not told another, so that the same figure has the same interval everywhere.
SEED: Final = 20_26


@lru_cache(maxsize=4096)
def wilson(count: int, n: int, confidence: float = 0.95) -> tuple[float | None, float | None]:
    """Wilson's score interval of a share (Wilson, JASA 1927); ``(None, None)`` where n is 0."""
    if n == 0:
        return None, None
    from scipy.stats import binomtest

    interval = binomtest(count, n).proportion_ci(confidence_level=confidence, method="wilson")
    return float(interval.low), float(interval.high)
