"""Chance that everybody can repeat: an order of ids that hangs on a seed and on nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from memlab.errors import InputError


def shuffled(ids: Iterable[str], seed: int) -> list[str]:
    """Return ids in an order by chance.

    Each id is sorted by a hash of itself and the seed, so rows, threads and versions of a library change
    nothing, and an id that is added moves no other.

    Raises
    ------
    InputError
        If the seed is no whole number.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InputError(f"must be a whole number, not {seed!r}", field="seed")
    return sorted(ids, key=lambda name: (hashlib.sha256(f"{seed}\x00{name}".encode()).digest(), name))
