"""Exact binomial bounds: what so many resolved and so many wrong say about the risk."""

from __future__ import annotations

import math


def p_value(wrong: int, resolved: int, risk: float) -> float:
    """How likely so few wrong ones are where the risk is just the target: the exact binomial tail.

    This is the p-value of "the risk is above the target" (Angelopoulos et al. 2021, arXiv:2110.01052,
    section 3.2). It is 1 where nothing was resolved.

    Parameters
    ----------
    wrong, resolved : int
    risk : float
        The target, a share between 0 and 1.
    """
    from scipy.stats import binom

    return 1.0 if resolved == 0 else float(binom.cdf(wrong, resolved, risk))


def upper_bound(wrong: int, resolved: int, confidence: float) -> float:
    """The one-sided upper bound of a risk (Clopper and Pearson, Biometrika 1934); 1 where nothing was resolved."""
    from scipy.stats import binomtest

    if resolved == 0:
        return 1.0
    interval = binomtest(wrong, resolved, alternative="less").proportion_ci(confidence, method="exact")
    return float(interval.high)


def least(risk: float, confidence: float, wrong: int = 0) -> int:
    """The fewest resolved questions that certify a risk with so many wrong ones.

    With none wrong it is ``ceil(log(1 - confidence) / log(1 - risk))``: 45 for 5 % at 90 % confidence.
    """
    delta = 1 - confidence
    high = max(wrong + 1, math.ceil(math.log(delta) / math.log(1 - risk)))
    while p_value(wrong, high, risk) > delta:
        high *= 2
    low = wrong
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if p_value(wrong, middle, risk) > delta else (low, middle)
    return high


# Beyond so many wrong ones the observed rate is as good as the target, and nobody writes such an exam.
_MOST_WRONG = 2**16


def enough(rate: float, risk: float, confidence: float) -> int | None:
    """How many resolved questions would certify a risk if the wrong ones stay at a rate.

    Returns
    -------
    int or None
        None where no number will do: the rate is at the target, above it, or too near below it.
    """
    if rate >= risk:
        return None
    high = 1
    if rate == 0 or least(risk, confidence) * rate < 1e-9:
        return least(risk, confidence)
    while least(risk, confidence, high) * rate > high:
        high *= 2
        if high > _MOST_WRONG:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if least(risk, confidence, middle) * rate > middle else (low, middle)
    return least(risk, confidence, high)
