"""Exact binomial bounds: what so many resolved and so many wrong say about the risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

# The test begins where one wrong answer can be borne, if the path reaches that far soon enough.
_BORNE = 1


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


@lru_cache(maxsize=4096)
def least(risk: float, confidence: float, wrong: int = 0) -> int:
    """The fewest resolved questions that certify a risk with so many wrong ones.

    With none wrong it is ``ceil(log(1 - confidence) / log(1 - risk))``: 45 for 5 % at 90 % confidence.
    """
    delta = 1 - confidence
    high = max(wrong + 1, math.ceil(math.log(delta) / math.log1p(-risk)))
    while p_value(wrong, high, risk) > delta:
        high *= 2
    low = wrong
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if p_value(wrong, middle, risk) > delta else (low, middle)
    return high


def certified(
    counts: Sequence[tuple[int, int]], risk: float, confidence: float, *, latest: int | None = None
) -> tuple[range, range]:
    """Test settings from strict to loose until one fails: Learn-then-Test with a fixed sequence.

    The error of all tests together is that of one (Bauer, Statistics in Medicine 1991). Settings that
    resolve too few to certify anything are passed over, told by their number and not by how many are right.

    Parameters
    ----------
    counts : sequence of (resolved, wrong)
        Of nested settings, strict to loose.
    risk, confidence : float
    latest : int, optional
        Where to begin at the latest if it can be helped, such as at the settings in use; anywhere when left out.

    Returns
    -------
    tuple of range
        The numbers tested (a last one that failed among them), and those certified.
    """
    # Imported here, as it brings scikit-learn along.
    from mapie.risk_control import control_fwer

    start = _start([resolved for resolved, _ in counts], risk, confidence, len(counts) if latest is None else latest)
    if start == len(counts):
        return range(0), range(0)
    p_values = [p_value(wrong, resolved, risk) for resolved, wrong in counts[start:]]
    # Not mapie's controller: it rounds n times the share of wrong ones up, which in floating point is often one
    # wrong too many, and it takes the direction of the sequence from the outcomes (docs/decisions/0013).
    passed = len(control_fwer(p_values, 1 - confidence, fwer_method="fixed_sequence"))
    return range(start, min(start + passed + 1, len(counts))), range(start, start + passed)


def _start(resolved: Sequence[int], risk: float, confidence: float, latest: int) -> int:
    """The strictest settings that bear a wrong one, if not looser than the latest; or else that could pass at all."""
    for wrong in range(_BORNE, -1, -1):
        bar = least(risk, confidence, wrong)
        number = next((number for number, count in enumerate(resolved) if count >= bar), len(resolved))
        if number <= latest and number < len(resolved):
            return number
    return number


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
