"""Find nodes of a store by words of their names: for people who look for the one that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

import polars as pl

from memlab.exam.tasks import Option
from memlab.store import Store, validity
from memlab.text import normalise


class Finder:
    """Names of a store, to be searched.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, text: str, as_of: datetime, limit: int = 8) -> list[Option]:
        """Return nodes whose id is a text, or whose title or alias has all its words, shortest title first.

        Parameters
        ----------
        text : str
        as_of : datetime
            The instant at which validity is told, in UTC.
        limit : int
        """
        words = normalise(text).split()
        if not words:
            return []
        holds = pl.Series([all(word in name for word in words) for name in self._names], dtype=pl.Boolean)
        itself = pl.col("id") == text.strip()
        found = self._store.nodes.with_row_index("row").filter(holds | itself)
        best = found.sort(~itself, pl.col("title").str.len_chars(), "row").head(limit)
        return self.options(best["row"].to_list(), as_of)

    def options(self, rows: Sequence[int], as_of: datetime) -> list[Option]:
        """Return nodes by their rows in the store, as they may be picked."""
        nodes = self._store.timeline[list(rows)]
        told = nodes.select("id", "title", pl.col("kind").cast(pl.String), "summary").iter_rows()
        return [
            Option(node, title, kind, holds, summary)
            for (node, title, kind, summary), holds in zip(told, validity(nodes, as_of), strict=True)
        ]

    def rows(self, names: Sequence[str]) -> list[int]:
        """Return the rows of ids."""
        return [self._rows[name] for name in names]

    @cached_property
    def _names(self) -> list[str]:
        """Title and aliases of every node, as they are searched."""
        named = self._store.nodes.select("title", "aliases").iter_rows()
        return [normalise("\n".join((title, *aliases))) for title, aliases in named]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self._store.nodes["id"])}
