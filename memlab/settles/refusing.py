"""What would have settled a question that was answered with none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memlab.settles.base import MOST_RIVALS, Case, Settle, one_of, surfaces, under, when


def _empty_question(case: Case) -> Iterator[Settle]:
    said = surfaces(case.asked)
    only = f": {one_of(said, last='and')} {'never count' if len(said) > 1 else 'never counts'}" if said else ""
    yield Settle("empty_question", f"a word that counts{only}")


def _empty_pool(case: Case) -> Iterator[Settle]:
    said = surfaces([word for word in case.asked if word.content])
    arms = ", ".join(case.trace.settings.arms)
    if case.store is not None and not case.store.nodes.height:
        yield Settle("empty_pool", "a store that holds something: this one has no node")
        return
    yield Settle("empty_pool", f"other words: {one_of(said, last='and')} led the arms ({arms}) to nothing")


def _all_retired(case: Case) -> Iterator[Settle]:
    pool = case.trace.pool
    leaders = case.trace.leaders if case.trace.leaders.height else pool
    ids = leaders["node_id"].to_list()[:MOST_RIVALS]
    for line in when(case, ids):
        yield Settle("all_retired", line)
    yield case.tried("all_retired", "show what does not hold now", include_retired=True)


def _below_floor(case: Case) -> Iterator[Settle]:
    facts, rules = case.facts, case.trace.settings
    near = f"a title at {rules.floor:.3f} (the nearest reaches {facts['similarity']:.3f})"
    if "graph" in rules.arms and rules.piece_floor <= 1:
        piece = facts["piece_similarity"]
        reached = "none lies near" if piece is None else f"the nearest reaches {piece:.3f}"
        near += f", or a piece at {rules.piece_floor:.3f} ({reached})"
    yield case.tried("below_floor", f"{near}, or two words of one title", floor=under(facts["similarity"]))


REFUSING: dict[str, Callable[[Case], Iterator[Settle]]] = {
    "empty_question": _empty_question,
    "empty_pool": _empty_pool,
    "all_retired": _all_retired,
    "below_floor": _below_floor,
}
