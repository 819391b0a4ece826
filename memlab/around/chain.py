"""The whole chain of successions through a node."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from memlab.store import Store
from memlab.store.cycles import components


def chain(store: Store, node_id: str) -> tuple[dict[str, int], set[str]]:
    """Every predecessor and successor of a node, however far, and what of it runs in a cycle.

    Returns
    -------
    tuple
        Place by id: negative for predecessors, 0 for the node, positive for successors, by the fewest
        steps (in a cycle, successors first); and the ids that are members of a cycle.
    """
    told = store.nodes.filter(pl.col("superseded_by").list.len() > 0).select("id", "superseded_by")
    after: dict[str, list[str]] = dict(told.iter_rows())
    before: dict[str, list[str]] = {}
    for source, targets in after.items():
        for target in targets:
            before.setdefault(target, []).append(source)
    places = {name: -steps for name, steps in _steps(before, node_id).items()}
    places |= _steps(after, node_id)
    pairs = [(source, target) for source in places for target in after.get(source, ()) if target in places]
    if not pairs:
        return places, set()
    sources, targets_ = (pl.Series([pair[end] for pair in pairs], dtype=pl.String) for end in (0, 1))
    component = components(sources, targets_)
    members: dict[int, list[str]] = {}
    for name, number in component.items():
        members.setdefault(number, []).append(name)
    return places, {name for names in members.values() if len(names) > 1 for name in names}


def _steps(links: Mapping[str, list[str]], start: str) -> dict[str, int]:
    """Fewest steps from a start to everything that it leads to, itself included."""
    steps, edge, step = {start: 0}, [start], 0
    while edge:
        step += 1
        edge = sorted({to for here in edge for to in links.get(here, ()) if to not in steps})
        steps |= dict.fromkeys(edge, step)
    return steps
