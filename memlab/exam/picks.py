"""Picks from outside: what a person chose for a decision that stands in a log, without opening its store."""

from __future__ import annotations

import difflib
from datetime import datetime
from pathlib import Path

from memlab.errors import InputError
from memlab.log import DecisionLog, Entry, choice, is_log, read_log
from memlab.store import Store


def log_pick(
    log: str | Path,
    question_id: str,
    node_id: str | None,
    *,
    by: str,
    now: datetime | None = None,
    store: Store | None = None,
) -> Entry:
    """Append what a person picked to a log of decisions; :meth:`memlab.Exam.from_log` makes it gold.

    Parameters
    ----------
    log : str or Path
        That a :class:`memlab.Resolver` kept.
    question_id : str
        Of a decision in it.
    node_id : str or None
        What the question means: one of the nodes that were handed back or hidden, or any node of ``store``.
        None says that no node of the store does.
    by : str
        Who picked it: the author of the exam's row.
    now : datetime, optional
        When.
    store : Store, optional
        Where other nodes are looked up.

    Returns
    -------
    dict
        The decision that was judged, as it stands in the log.

    Raises
    ------
    InputError
        If there is no such log, decision or node, or the name is blank.
    """
    file = Path(log)
    if not file.is_file() or not is_log(file):
        raise InputError("is no log of decisions; name a file that a Resolver with log= wrote", file=str(log))
    if not isinstance(by, str) or not by.strip():
        raise InputError("say who picked: it becomes the author of the exam's row", field="by")
    decided = {str(e.get("question_id")): e for _, e in read_log(file, strict=False) if e["line"] == "decision"}
    if question_id not in decided:
        near = difflib.get_close_matches(question_id, decided, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"{question_id!r} was never decided in this log{hint}", field="question_id", file=file.name)
    decision = decided[question_id]
    if node_id is not None:
        shown = [*(decision.get("candidates") or []), *(decision.get("hidden") or [])]
        if node_id not in shown and (store is None or node_id not in store.nodes["id"]):
            where = "no node of this store" if store is not None else "none of what was shown"
            there = f" ({', '.join(map(str, shown))})" if shown and store is None else ""
            hint = "" if store is not None else "; name the store, to pick another node"
            raise InputError(f"{node_id!r} is {where}{there}{hint}", field="node_id", file=file.name)
    DecisionLog(file).append([choice(question_id, node_id, by.strip(), now)])
    return decision
