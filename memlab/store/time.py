"""Instants and validity: what holds at a moment (chapter 18, section 8).

An interval is ``[valid_from, valid_to)`` in UTC; an open end is null. A node without a stated
validity is current. What ended a node is its own ``valid_to``, a successor, or ``ended``.
"""

from __future__ import annotations

import warnings
from datetime import UTC, date, datetime

import polars as pl

from memlab.errors import InputError
from memlab.store.cycles import within_cycles

VALIDITY = pl.Enum(["current", "retired", "future"])

HIDDEN_BY = pl.Enum(["superseded", "ended", "ended_undated", "not_yet"])
"""What hides a node at an instant: a successor, its own end, an end that nobody dated, or a later start."""

ALWAYS = datetime.min.replace(tzinfo=UTC)
"""Stands for "at every instant" in ``retired_from``."""


def parse_instant(value: str | date | datetime | None, field: str = "as_of") -> datetime | None:
    """Read one instant.

    Parameters
    ----------
    value
        ISO 8601 text, a date (its midnight UTC), a datetime, or None.
    field
        Name to use in messages.

    Returns
    -------
    datetime or None
        In UTC. An instant without a zone is taken as UTC, with a warning.

    Raises
    ------
    InputError
        Naming `field`, when the value is no instant.
    """
    if value is None:
        return None
    instant, naive = read_instant(value, field)
    if naive:
        warnings.warn(f"{field}: {value} has no time zone; read as UTC", UserWarning, stacklevel=2)
    return instant


def read_instant(value: object, field: str) -> tuple[datetime, bool]:
    """Return an instant in UTC, and whether it was an instant without a zone."""
    try:
        if isinstance(value, str):
            value = _parse(value.strip())
        if isinstance(value, datetime):
            if value.tzinfo is None or value.utcoffset() is None:
                return value.replace(tzinfo=UTC), True
            return value.astimezone(UTC), False
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC), False
    except (ValueError, OverflowError):
        pass
    raise InputError(f"{_short(value)} is no date; write it as 2024-05-31 or 2024-05-31T12:00:00Z", field=field)


def _parse(text: str) -> date | datetime:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def with_retired_from(nodes: pl.DataFrame) -> pl.DataFrame:
    """Add ``retired_from``: the instant from which a successor has taken a node's place.

    Parameters
    ----------
    nodes
        Frame with the columns of ``NODE_SCHEMA``.

    Returns
    -------
    DataFrame
        `nodes` with ``retired_from`` (datetime, UTC): null where nothing supersedes the node,
        `ALWAYS` where no successor states its ``valid_from``, else the earliest stated one.
        Successions inside a cycle retire nobody.
    """
    successions = nodes.select("id", successor="superseded_by").explode("successor", empty_as_null=True).drop_nulls()
    if successions.is_empty():
        return nodes.with_columns(retired_from=pl.lit(None, pl.Datetime("us", "UTC")))
    circular = within_cycles(successions["id"], successions["successor"])
    retirements = (
        successions.filter(~circular)
        .join(nodes.select("id", start="valid_from"), left_on="successor", right_on="id", how="left")
        .group_by("id")
        .agg(retired_from=pl.col("start").min().fill_null(ALWAYS))
    )
    return nodes.join(retirements, on="id", how="left", maintain_order="left")


def validity_expr(as_of: pl.Expr) -> pl.Expr:
    """Give the validity of each row at an instant of its own.

    Parameters
    ----------
    as_of
        Datetime expression (UTC); may be a column joined to the nodes.

    Returns
    -------
    Expr
        `VALIDITY`, from the columns ``valid_from``, ``valid_to``, ``ended`` and ``retired_from``
        (see `with_retired_from`). Retired comes before future.
    """
    undated = pl.col("ended") & pl.col("valid_to").is_null()
    end = pl.min_horizontal("valid_to", "retired_from")
    return (
        pl.when(undated | (end <= as_of))
        .then(pl.lit("retired", VALIDITY))
        .when(pl.col("valid_from") > as_of)
        .then(pl.lit("future", VALIDITY))
        .otherwise(pl.lit("current", VALIDITY))
    )


def hidden_by_expr(as_of: pl.Expr) -> pl.Expr:
    """Tell what hides each row at an instant of its own: `HIDDEN_BY`, null where it holds.

    Takes the columns that `validity_expr` takes. A successor is named before an end of its own.
    """
    undated = pl.col("ended") & pl.col("valid_to").is_null()
    return (
        pl.when(pl.col("retired_from") <= as_of)
        .then(pl.lit("superseded", HIDDEN_BY))
        .when(undated)
        .then(pl.lit("ended_undated", HIDDEN_BY))
        .when(pl.col("valid_to") <= as_of)
        .then(pl.lit("ended", HIDDEN_BY))
        .when(pl.col("valid_from") > as_of)
        .then(pl.lit("not_yet", HIDDEN_BY))
    )


def validity(nodes: pl.DataFrame, as_of: datetime) -> pl.Series:
    """Give the validity of every node at one instant.

    Parameters
    ----------
    nodes
        Frame with the columns of ``NODE_SCHEMA``; ``retired_from`` is added where it is missing.
    as_of
        Instant in UTC.

    Returns
    -------
    Series
        `VALIDITY`, one value a row, named ``validity``.
    """
    if "retired_from" not in nodes.columns:
        nodes = with_retired_from(nodes)
    return nodes.select(validity=validity_expr(pl.lit(as_of, pl.Datetime("us", "UTC")))).to_series()


def ended_always_expr() -> pl.Expr:
    """Whether a node is retired at every instant: ended without a date, or by a successor without one.

    Takes the columns that `validity_expr` takes.
    """
    undated = pl.col("ended") & pl.col("valid_to").is_null()
    return undated | (pl.col("retired_from") == ALWAYS).fill_null(False)


def effective_to_expr() -> pl.Expr:
    """The earlier of a node's own end and its succession; null is open or, where ended always, unknown."""
    return pl.when(~ended_always_expr()).then(pl.min_horizontal("valid_to", "retired_from"))


def intervals(nodes: pl.DataFrame) -> pl.DataFrame:
    """When each node held, with every ruling applied.

    Returns
    -------
    DataFrame
        ``id``, ``valid_from``, ``valid_to``, ``ended_always`` (see `ended_always_expr`) and
        ``effective_to`` (see `effective_to_expr`).
    """
    return with_retired_from(nodes).select(
        "id", "valid_from", "valid_to", ended_always=ended_always_expr(), effective_to=effective_to_expr()
    )
