"""All that would have settled one question."""

from __future__ import annotations

from typing import Any

from memlab.settles.base import Case, Settle
from memlab.settles.choosing import CHOOSING
from memlab.settles.refusing import REFUSING
from memlab.store import Store
from memlab.trace import Trace


def settles(trace: Trace, store: Store | None = None) -> tuple[Settle, ...]:
    """Say what would have settled a question, for each of its reasons.

    What a setting stands for is checked by deciding again under it, and told as it came out; the
    rest names words and instants that stand in the store.

    Parameters
    ----------
    trace : Trace
        Of one question.
    store : Store, optional
        Names successors and dates; without it those are left out.

    Returns
    -------
    tuple of Settle
        At least one for every ``choose`` and ``none``; empty where one node was resolved.
    """
    if trace.verdict.state == "resolved":
        return ()
    case = Case(trace, store)
    found: list[Settle] = []
    for reason in trace.facts["reasons"]:
        for one in (CHOOSING | REFUSING)[reason](case):
            # Two reasons may hang on one setting; it is told once.
            if not one.change or one.change not in [other.change for other in found]:
                found.append(one)
    together = _together(case, found)
    if together or any(_resolves(one) for one in found):
        # What was tried and does not settle it is told only where nothing else is told of its reason.
        told = {one.reason for one in found if not one.change or _resolves(one)}
        found = [one for one in found if not one.change or _resolves(one) or one.reason not in told]
    return (*found, *together)


def _resolves(one: Settle) -> bool:
    return one.verdict is not None and one.verdict.state == "resolved"


def _together(case: Case, found: list[Settle]) -> list[Settle]:
    """Where no change is enough by itself, see whether all of them are."""
    tried = [one for one in found if one.change]
    if len(tried) < 2 or any(_resolves(one) for one in tried):
        return []
    changes: dict[str, Any] = {}
    for one in tried:
        changes |= one.change
    if len(changes) < 2:
        return []
    if case.trace.again(**changes).state != "resolved":
        return []
    for name in list(changes):
        # What is not needed for it is not told.
        without = {other: value for other, value in changes.items() if other != name}
        if without and case.trace.again(**without).state == "resolved":
            changes = without
    verdict = case.trace.again(**changes)
    values = ", ".join(f"{name}={value}" for name, value in changes.items())
    return [Settle("", f"together: with {values} it resolves to {case.title(verdict.node_id)}", changes, verdict)]
