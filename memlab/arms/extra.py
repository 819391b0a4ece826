"""Arms of one's own: found by name, made for a store, and held to their contract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import polars as pl

from memlab.arms.asked import Asked, Questions, ask, questions_frame
from memlab.arms.base import HIT_SCHEMA, Arm, Gathering
from memlab.arms.names import is_own_name
from memlab.encoders import Encoder
from memlab.errors import InputError, MemlabError
from memlab.indexes import Indexes
from memlab.rules import ARMS
from memlab.store import Store, parse_instant

GROUP = "memlab.arms"
"""Entry point group of arms: a name, and a callable ``make(store, indexes, encoders) -> Arm``."""


def registered_arms() -> dict[str, EntryPoint]:
    """Return the arms that installed packages offer, by name; none of them is loaded."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        found.setdefault(entry.name, entry)
    return found


def make_arms(
    wanted: Sequence[str | Arm], store: Store, indexes: Indexes, encoders: Sequence[Encoder]
) -> tuple[Arm, ...]:
    """Make the arms that somebody named, for one store.

    Parameters
    ----------
    wanted : sequence of str or Arm
        Names of registered arms, or arms.
    store, indexes, encoders
        What a factory is handed.

    Raises
    ------
    MemlabError
        If there is no such arm, it cannot be made, or its name is taken.
    """
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        raise InputError(f"give a list of names or arms, not {wanted!r}", field="extra_arms")
    made = tuple(_made(one, store, indexes, encoders) if isinstance(one, str) else one for one in wanted)
    check_names(made)
    return made


def check_names(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Return the names of arms of one's own, each of them free, and each there once."""
    names: list[str] = []
    for arm in arms:
        name = getattr(arm, "name", None)
        if not callable(getattr(arm, "search", None)) or name is None:
            raise InputError(f"{type(arm).__name__} is no arm: it needs name and search", field="extra_arms")
        if not is_own_name(name):
            raise InputError(
                f"{name!r} cannot be an arm's name; use a-z, 0-9 and _, and none of {', '.join(ARMS)}",
                field="extra_arms",
            )
        if name in names:
            raise InputError(f"two arms are called {name!r}", field="extra_arms")
        names.append(name)
    return tuple(names)


def _made(name: str, store: Store, indexes: Indexes, encoders: Sequence[Encoder]) -> Arm:
    there = registered_arms()
    if name not in there:
        known = ", ".join(there) or "none; an installed package registers one in the entry point group memlab.arms"
        raise InputError(f"no such arm as {name!r}; there are: {known}", field="extra_arms")
    entry = there[name]
    try:
        make: Callable[..., Any] = entry.load()
        arm: Arm = make(store, indexes, tuple(encoders))
    except MemlabError:
        raise
    except Exception as error:  # another package's fault is told as its own
        raise MemlabError(f"arm {name!r} ({entry.value}): cannot be made: {error}") from error
    if getattr(arm, "name", None) != name:
        raise MemlabError(
            f"arm {name!r} ({entry.value}): made an arm called {getattr(arm, 'name', None)!r}; call it {name!r} too"
        )
    return arm


def search_checked(arm: Arm, asked: Asked, gathering: Gathering) -> pl.DataFrame:
    """Ask an arm of one's own, and hold its hits to the contract.

    Returns
    -------
    polars.DataFrame
        :data:`HIT_SCHEMA`.

    Raises
    ------
    MemlabError
        Naming the arm and what is wrong: columns, types, numbers of no question or node, ranks
        below 1, rows that stand twice.
    """
    try:
        hits = arm.search(asked, gathering)
    except MemlabError:
        raise
    except Exception as error:  # what another's arm raises is not ours to know
        raise MemlabError(f"arm {arm.name!r} failed: {type(error).__name__}: {error}") from error
    return _checked(arm.name, hits, asked.questions.height, asked.intervals.height)


def _checked(name: str, found: object, n_questions: int, n_nodes: int) -> pl.DataFrame:
    def refuse(problem: str) -> MemlabError:
        return MemlabError(f"arm {name!r}: {problem}")

    if not isinstance(found, pl.DataFrame):
        raise refuse(f"search must return a polars DataFrame, not {type(found).__name__}")
    columns = HIT_SCHEMA.names()
    if sorted(found.columns) != sorted(columns):
        raise refuse(f"hits have the columns {', '.join(columns)}, not {', '.join(found.columns) or 'none'}")
    for column in ("query", "node", "rank"):
        # An empty frame made of no rows has columns of no type.
        if not found[column].dtype.is_integer() and found.height:
            raise refuse(f"{column} must be whole numbers, not {found[column].dtype}")
    if not found["score"].dtype.is_numeric() and found["score"].dtype != pl.Null:
        raise refuse(f"score must be numbers, not {found['score'].dtype}")
    if found.is_empty():
        return pl.DataFrame(schema=HIT_SCHEMA)
    for column, low, high, what in (
        ("query", 0, n_questions, "question"),
        ("node", 0, n_nodes, "node"),
        ("rank", 1, 2**32, "rank"),
    ):
        stray = found.filter(pl.col(column).is_null() | ~pl.col(column).is_between(low, high - 1))
        if stray.height:
            raise refuse(f"{column} {stray[column][0]} is no {what}: they run from {low} to {high - 1}")
    others = found.filter(pl.col("arm").is_null() | (pl.col("arm") != name))
    if others.height:
        raise refuse(f"its hits say arm {others['arm'][0]!r}; they must say its name")
    if found["score"].cast(pl.Float64).is_nan().any():
        raise refuse("a score is NaN; leave it null where there is none")
    twice = found.filter(pl.struct("query", "node").is_duplicated())
    if twice.height:
        raise refuse(f"node {twice['node'][0]} stands twice for question {twice['query'][0]}")
    return found.select(columns).cast(HIT_SCHEMA)


def check_arm(
    arm: Arm,
    questions: Questions,
    store: Store,
    encoders: Sequence[Encoder] = (),
    *,
    as_of: str = "2000-01-01",
    gathering: Gathering | None = None,
) -> pl.DataFrame:
    """Hold an arm to its whole contract: what a test of its package should call.

    Its hits must keep :data:`HIT_SCHEMA`, and those of a question must not depend on the questions
    that were asked with it, nor on their order.

    Parameters
    ----------
    arm : Arm
    questions : Exam, polars.DataFrame or sequence of mappings
    store : Store
    encoders : sequence of Encoder
        Those of the lab, for an arm that reads the questions' vectors.
    as_of : str
        The instant of questions that do not say one.
    gathering : Gathering, optional

    Returns
    -------
    polars.DataFrame
        The hits of the whole batch.

    Raises
    ------
    MemlabError
        Saying what it does not keep.
    """
    check_names([arm])
    depths = gathering or Gathering()
    instant = parse_instant(as_of)
    if instant is None:
        raise InputError("say an instant", field="as_of")
    frame = questions_frame(questions, instant)

    def hits(rows: pl.DataFrame) -> pl.DataFrame:
        found = search_checked(arm, ask(rows, store.nodes, encoders), depths)
        ids = rows["question_id"].gather(found["query"]).alias("question_id")
        return found.with_columns(ids, pl.col("score").round(6)).drop("query").sort("question_id", "node")

    batch = frame.pipe(hits)
    if not hits(frame.reverse()).equals(batch):
        raise MemlabError(f"arm {arm.name!r}: its hits depend on the order of the questions")
    for row in range(frame.height):
        alone = frame[row : row + 1]
        if not hits(alone).equals(batch.filter(pl.col("question_id") == alone["question_id"][0])):
            raise MemlabError(
                f"arm {arm.name!r}: its hits of {alone['question_id'][0]!r} depend on what else was asked with it"
            )
    return search_checked(arm, ask(frame, store.nodes, encoders), depths)
