"""What arms may be called, and the refusal of names that nothing has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memlab.errors import InputError
from memlab.rules import ARMS

# The evidence has columns of these names that are no arm's.
_TAKEN = ("content", "nearest")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SEMANTIC = re.compile(r"semantic([2-9]|[1-9][0-9])?")


def is_semantic(arm: str) -> bool:
    """Whether an arm of this name gives raw cosines: ``semantic``, ``semantic2`` and so on."""
    return _SEMANTIC.fullmatch(arm) is not None


def is_own_name(arm: object) -> bool:
    """Whether an arm of one's own may be called so."""
    return (
        isinstance(arm, str)
        and _NAME.fullmatch(arm) is not None
        and arm not in (*ARMS, *_TAKEN)
        and not arm.startswith("semantic")
    )


def refuse_unknown(arms: object, extra: Iterable[str] = (), part: str = "") -> tuple[str, ...]:
    """Return the arms asked for, or say which of them there is not.

    Parameters
    ----------
    arms : sequence of str
    extra : iterable of str
        Names of arms of one's own.
    part : str
        Where they were named, such as ``settings``.

    Raises
    ------
    InputError
        Naming the first unknown arm and those there are.
    """
    known = (*ARMS, *extra)
    if isinstance(arms, str) or not isinstance(arms, Sequence):
        raise InputError(f"name a list of arms, such as {', '.join(known)}, not {arms!r}", part=part, field="arms")
    for arm in arms:
        if not isinstance(arm, str) or (arm not in known and not is_semantic(arm)):
            raise InputError(f"no such arm as {arm!r}; there are {', '.join(known)}", part=part, field="arms")
    return tuple(arms)
