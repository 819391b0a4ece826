"""What hides a node at an instant, in words that a person can act on (chapter 18, section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time
from typing import NamedTuple

import polars as pl

from memlab.store import INSTANT, Store, effective_to_expr, ended_always_expr, hidden_by_expr, validity_expr

# Without a store at hand only the sort of thing that hides is known.
PLAIN = {
    "superseded": "superseded",
    "ended": "ended",
    "ended_undated": "ended, date unknown",
    "not_yet": "not yet begun",
}


class Held(NamedTuple):
    """When a node held: what it takes to ask for it by instant.

    ``until`` is None where it is open or unknown; ``ever`` is false for a node that no instant shows.
    """

    validity: str
    hidden_by: str | None
    since: datetime | None
    until: datetime | None
    ever: bool
    successors: tuple[str, ...]


def day(instant: datetime) -> str:
    """Write an instant as short as it can be: a date where it is midnight UTC."""
    return instant.date().isoformat() if instant.time() == time() else instant.isoformat().replace("+00:00", "Z")


def named(titles: Sequence[str], most: int = 3) -> str:
    """Join titles in quotes; what is left out is counted."""
    shown = [f"'{title}'" for title in titles[:most]]
    if len(titles) > most:
        shown.append(f"{len(titles) - most} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def held(store: Store, ids: Iterable[str], as_of: datetime) -> dict[str, Held]:
    """When each of some nodes held, and what hides it at an instant.

    Parameters
    ----------
    store : Store
    ids : iterable of str
        Ids that the store does not know are left out.
    as_of : datetime
        In UTC.
    """
    instant = pl.lit(as_of, INSTANT)
    wanted = pl.Series(list(ids), dtype=pl.String).implode()
    until = effective_to_expr()
    rows = store.timeline.filter(pl.col("id").is_in(wanted)).select(
        "id",
        validity_expr(instant).cast(pl.String).alias("validity"),
        hidden_by_expr(instant).cast(pl.String).alias("hidden_by"),
        "valid_from",
        until=until,
        never=ended_always_expr() | (pl.col("valid_from") >= until).fill_null(False),
        successors="superseded_by",
    )
    return {
        row["id"]: Held(
            row["validity"], row["hidden_by"], row["valid_from"], row["until"], not row["never"],
            tuple(row["successors"]),
        )
        for row in rows.iter_rows(named=True)
    }  # fmt: skip


def titles_of(store: Store, ids: Iterable[str]) -> dict[str, str]:
    """Titles by id."""
    wanted = pl.Series(list(ids), dtype=pl.String).implode()
    return dict(store.nodes.filter(pl.col("id").is_in(wanted)).select("id", "title").iter_rows())


def hidden_in_words(store: Store, ids: Sequence[str], as_of: datetime) -> list[str | None]:
    """What hides each node, such as "superseded by 'X'"; None where it holds."""
    found = held(store, ids, as_of)
    titles = titles_of(store, {name for one in found.values() for name in one.successors})
    return [_in_words(found[name], titles) if name in found else None for name in ids]


def _in_words(one: Held, titles: dict[str, str]) -> str | None:
    if one.hidden_by == "superseded":
        return f"superseded by {named([titles.get(name, name) for name in one.successors])}"
    if one.hidden_by == "ended" and one.until is not None:
        return f"ended {day(one.until)}"
    if one.hidden_by == "not_yet" and one.since is not None:
        return f"from {day(one.since)}"
    return PLAIN[one.hidden_by] if one.hidden_by else None
