"""Cycles among successions."""

from __future__ import annotations

import numpy as np
import polars as pl


def within_cycles(sources: pl.Series, targets: pl.Series) -> pl.Series:
    """Which arrows run inside a cycle.

    Parameters
    ----------
    sources, targets
        Ids, one arrow a row.

    Returns
    -------
    Series
        Boolean, one value an arrow: both ends belong to one strongly connected component.
    """
    component = components(sources, targets)
    return pl.Series(
        "within_cycle",
        sources.replace_strict(component, return_dtype=pl.Int64)
        == targets.replace_strict(component, return_dtype=pl.Int64),
    )


def components(sources: pl.Series, targets: pl.Series) -> dict[str, int]:
    """Strongly connected component of every id that an arrow touches."""
    # scipy takes 0.2 s to load; most stores have no succession at all.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ids = pl.concat([sources.rename("id"), targets.rename("id")]).unique().sort()
    place = dict(zip(ids, range(len(ids)), strict=True))
    rows = sources.replace_strict(place, return_dtype=pl.Int64).to_numpy()
    columns = targets.replace_strict(place, return_dtype=pl.Int64).to_numpy()
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(ids), len(ids)))
    _, labels = connected_components(graph, directed=True, connection="strong")
    return dict(zip(ids, labels.tolist(), strict=True))
