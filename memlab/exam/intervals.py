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
    # Ten times as quick as scipy's, which tests a hypothesis on the way.
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, n, alpha=1 - confidence, method="wilson")
    # At no or all of n its ends fall short of 0 or 1 by a rounding.
    return (0.0 if count == 0 else float(low)), (1.0 if count == n else float(high))
