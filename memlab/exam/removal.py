"""Honest unanswerables: the question stays, and the nodes that answer it are gone.

Who writes an unanswerable question knows what is not there, and so does the rule that they write next (chapter
18, section 5). Here chance picks questions that somebody asked in earnest, and their gold leaves the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from memlab.errors import InputError
from memlab.exam.chance import shuffled
from memlab.exam.questions import Exam
from memlab.store import Store, intervals

GOLD_REMOVED = "gold-removed"


def remove_gold(
    store: Store, exam: Exam, *, share: float | None = None, n: int | None = None, seed: int
) -> tuple[Store, Exam]:
    """Take the gold of some answerable questions out of a store, so that nothing answers them any more.

    Chance walks through the answerable questions and takes out all gold (strict gold too) of each, until
    as many have lost it as were asked for; a question that shares its gold may be among them without having
    been picked. A question that lost everything keeps its id, text and author, and becomes unanswerable with
    the tag ``gold-removed``; one that lost a part keeps the rest.

    What stays holds exactly when it held before: a node that a gone one had replaced is ``ended`` at the
    same instant. Edges of gone nodes go. Pieces stay, as a document does not vanish with a memory of it,
    except those that only gone nodes came ``FROM``: such a piece is the gone memory in its own words, and
    the graph arm would still lead from it to its neighbours. Indexes are not carried over: build them anew.

    Parameters
    ----------
    store : Store
    exam : Exam
        Of this store (see :meth:`Exam.for_store`).
    share : float, optional
        Of the answerable questions, above 0 and up to 1, rounded up to a whole question; 0.2 when neither
        is given.
    n : int, optional
        How many questions, instead of a share.
    seed : int
        Which questions; their order in the exam changes nothing.

    Returns
    -------
    tuple of Store and Exam

    Raises
    ------
    InputError
        If both ``share`` and ``n`` are given, one is out of range, or the exam is of another store.
    """
    exam = exam.for_store(store)
    known = set(store.nodes["id"])
    asked = exam.questions.filter("answerable").select("question_id", "gold", "gold_strict")
    gold = {
        name: {node for node in (*lenient, *(strict or ())) if node in known}
        for name, lenient, strict in asked.iter_rows()
    }
    wanted = _wanted(len(gold), share, n)
    gone, lost = _pick(gold, wanted, seed)
    rows = [_after(row, gone, known) for row in exam.questions.iter_rows(named=True)]
    note = (
        f"{len(lost)} of {len(gold)} answerable questions lost their gold (seed {seed}): {len(gone)} nodes are gone"
        f" from the store, and the questions are unanswerable, tagged {GOLD_REMOVED}"
    )
    questions = pl.DataFrame(rows, schema=exam.questions.schema)
    name = f"{exam.name} (gold removed)" if exam.name else "gold removed"
    return _without(store, gone, note), Exam(questions, name, (*exam.notes, note))


def _wanted(total: int, share: float | None, n: int | None) -> int:
    if not total:
        raise InputError("has no answerable question whose gold could go", part="exam")
    if share is not None and n is not None:
        raise InputError("share and n say two things; give one of them", field="n")
    if n is None:
        share = 0.2 if share is None else share
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
            raise InputError(f"must be a number above 0 and up to 1, not {share!r}", field="share")
        # Rounded first: 0.2 of 5 is 1, whatever binary fractions make of it.
        return -int(-round(share * total, 6) // 1)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= total:
        raise InputError(f"must be a whole number from 1 to {total}, the answerable questions; not {n!r}", field="n")
    return n


def _pick(gold: Mapping[str, set[str]], wanted: int, seed: int) -> tuple[set[str], set[str]]:
    """Return the nodes that go, and the questions that have lost all their gold by it."""
    asked_of: dict[str, list[str]] = {}
    for name, nodes in gold.items():
        for node in nodes:
            asked_of.setdefault(node, []).append(name)
    left = {name: len(nodes) for name, nodes in gold.items()}
    gone: set[str] = set()
    lost: set[str] = set()
    for name in shuffled(gold, seed):
        if len(lost) >= wanted:
            break
        for node in gold[name] - gone:
            gone.add(node)
            for other in asked_of[node]:
                left[other] -= 1
                if not left[other]:
                    lost.add(other)
    return gone, lost


def _after(row: Mapping[str, Any], gone: set[str], known: set[str]) -> dict[str, Any]:
    """Return what a question becomes."""
    held = {*row["gold"], *(row["gold_strict"] or ())}
    if not held & gone:
        return dict(row)
    # An id that never was a node of the store cannot be what is left to answer.
    stays = known - gone
    strict = None if row["gold_strict"] is None else [node for node in row["gold_strict"] if node in stays]
    gold = [node for node in row["gold"] if node in stays] or list(strict or ())
    tags = row["tags"] if gold else list(dict.fromkeys((*row["tags"], GOLD_REMOVED)))
    if not gold:
        strict = None if strict is None else []
    return {**row, "gold": gold, "gold_strict": strict, "answerable": bool(gold), "tags": tags}


def _without(store: Store, gone: set[str], note: str) -> Store:
    """Return the store without some nodes, everything else holding as it held."""
    origins = store.edges.filter(pl.col("type") == "FROM", pl.col("target").is_in(store.pieces["id"].implode()))
    of_gone = pl.col("source").is_in(list(gone))
    orphans = origins.group_by("target").agg(of_gone.all()).filter("source")["target"]
    out = pl.concat([pl.Series(sorted(gone), dtype=pl.String), orphans]).implode()
    edges = store.edges.filter(
        # The successions follow from the nodes' own column.
        pl.col("type") != "SUPERSEDED_BY", ~pl.col("source").is_in(out), ~pl.col("target").is_in(out)
    )  # fmt: skip
    pieces = store.pieces.filter(~pl.col("id").is_in(out))
    kept = pl.element().filter(~pl.element().is_in(list(gone)))
    nodes = store.nodes.filter(~pl.col("id").is_in(list(gone))).with_columns(
        superseded_by=pl.col("superseded_by").list.eval(kept)
    )
    about = replace(store.about, notes=(*store.about.notes, note))
    return Store.from_frames(_held_as_before(nodes, store.nodes), edges, pieces, about)


def _held_as_before(nodes: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Write into the nodes what their lost successors used to say of them.

    A node whose validity changed is given its former end as its own. Where the successors that are left would
    still say something else (they are undated, or a circle was broken), they leave its column.
    """
    former = _holding(before)
    keep = True
    # Once around does, but for a node that had ended before it began: its start moves, which its predecessors feel.
    while not (changed := _holding(nodes).join(former, on=former.columns, how="anti", nulls_equal=True)).is_empty():
        nodes = _ended(nodes, former.join(changed, on="id", how="semi"), keep_successors=keep)
        keep = False
    return nodes


def _holding(nodes: pl.DataFrame) -> pl.DataFrame:
    """When each node holds, so that two nodes agree here if and only if they agree at every instant."""
    start, end = pl.col("valid_from"), pl.col("effective_to")
    return intervals(nodes).select(
        "id",
        never="ended_always",
        start=pl.when("ended_always").then(None).when(start >= end).then(end).otherwise(start),
        end=end,
    )


def _ended(nodes: pl.DataFrame, former: pl.DataFrame, *, keep_successors: bool) -> pl.DataFrame:
    told = nodes.select("id").join(former.with_columns(changed=True), on="id", how="left", maintain_order="left")
    c = pl.col
    after = c("superseded_by") if keep_successors else pl.lit([], pl.List(pl.String))
    return (
        nodes.hstack(told.drop("id"))
        .with_columns(
            valid_from=pl.when(c("changed") & ~c("never")).then("start").otherwise("valid_from"),
            valid_to=pl.when("changed").then("end").otherwise("valid_to"),
            ended=pl.when("changed").then(c("never") | c("end").is_not_null()).otherwise("ended"),
            superseded_by=pl.when("changed").then(after).otherwise("superseded_by"),
        )
        .drop("never", "start", "end", "changed")
    )
