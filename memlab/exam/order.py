"""The order in which decisions name nodes, best first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def ranked(decision: Mapping[str, Any]) -> list[str]:
    """Return the nodes of one decision: a resolved one, what is handed back, then the rest of the ordered pool.

    Parameters
    ----------
    decision : mapping
        A row of what ``decide`` returned.
    """
    named = [decision["node_id"], *decision["candidates"], decision["first"], *decision["pool"]]
    return [node for node in dict.fromkeys(named) if node is not None]
