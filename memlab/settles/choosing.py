"""What would have settled a choice, reason by reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from memlab.hiding import named
from memlab.rules.verdict import NEVER_WORDS
from memlab.settles.base import MOST_RIVALS, Case, Settle, one_of, surfaces, under, when
from memlab.spans import left_over

# No cosine reaches so far: that is how a ground is turned off.
OUT_OF_REACH = 2.0
_SHOWN = 4


def _tie(case: Case) -> Iterator[Settle]:
    rows = case.trace.leaders if case.trace.leaders.height else case.trace.nearest
    tied = rows.to_dicts()
    if len(tied) > 1:
        yield Settle("tie", _apart(case, tied))
    elif case.trace.leaders.height:
        beyond = case.facts["beyond"]
        yield Settle(
            "tie",
            f"more words of {case.title(tied[0]['node_id'])}: titles beyond the title arm's cap may share up to "
            f"{beyond} words with the question",
        )
    else:
        first = case.title(tied[0]["node_id"] if tied else None)
        yield Settle("tie", f"other words: {first} stands no nearer in front than an unrelated title would")


def _apart(case: Case, tied: list[dict[str, Any]]) -> str:
    """The words that tell tied titles apart; their ids where no word does."""
    cut = case.names(tied)
    telling: list[str] = []
    for number, row in enumerate(tied):
        others = [word for place, name in enumerate(cut) if place != number for word in name]
        # What does not hold is told apart by instant (see retired_rival); to name it would not hand it back.
        if not row["visible"] and any(other["visible"] for other in tied):
            continue
        own = surfaces(left_over(left_over(cut[number], others), case.asked))
        if own:
            telling.append(f"{one_of(own)} for {case.title(row['node_id'])}")
    more = f" ({len(tied)} tie)" if len(tied) > _SHOWN else ""
    if telling:
        return f"say {' or '.join(telling[:_SHOWN])}{more}"
    titles = list(dict.fromkeys(row["title"] for row in tied))
    kinds = ", ".join(f"{row['kind']} {row['node_id']}" for row in tied[:_SHOWN])
    return f"no word tells {named(titles)} apart{more}: pick one by its id ({kinds})"


def _retired_rival(case: Case) -> Iterator[Settle]:
    pool, top = case.trace.pool, case.facts["best"] or 0
    rivals = list(case.facts["rivals"] or [])
    # A predecessor that a succession set apart, but of something else than what leads.
    if not rivals:
        rivals = [
            row["node_id"]
            for row in pool.filter("apart").iter_rows(named=True)
            if row["standing"] >= top > 0 or (row["semantic_similarity"] or -1) >= (case.facts["similarity"] or 1)
        ]
    for line in when(case, rivals[:MOST_RIVALS]):
        yield Settle("retired_rival", line)
    leads = f"{len(rivals)} hidden memories lead as well" if len(rivals) > 1 else "a hidden memory leads as well"
    yield case.tried("retired_rival", leads if rivals else "a predecessor leads as well", include_retired=True)
    if not case.trace.settings.succession and case.followed(rivals):
        yield case.tried("retired_rival", "a named succession", succession=True)


def _differs(reason: str, what: str) -> Callable[[Case], Iterator[Settle]]:
    def told(case: Case) -> Iterator[Settle]:
        rows = [row for row in case.trace.leaders.iter_rows(named=True) if row[reason]]
        for row, name in zip(rows[:2], case.names(rows[:2]), strict=True):
            mine, theirs = left_over(case.asked, name), left_over(name, case.asked)
            if not mine or not theirs:
                yield Settle(
                    reason, f"words that say the same: the question and {case.title(row['node_id'])} are opposed"
                )
                continue
            marked = [[w for w in side if (w.number if what == "number" else w.name)] for side in (mine, theirs)]
            said, stands = (surfaces(some or side) for some, side in zip(marked, (mine, theirs), strict=True))
            yield Settle(
                reason,
                f"the same {what} on both sides, or one side wholly matched: the question says "
                f"{one_of(said, last='and')}, {case.title(row['node_id'])} says {one_of(stands, last='and')}",
            )
        yield case.tried(reason, "words that differ let pass", substitution=False)

    return told


def _arms_disagree(case: Case) -> Iterator[Settle]:
    facts = case.facts
    stands = []
    if facts["strict"]:
        stands.append((facts["leader"], f"title words ({facts['leader_words']})"))
    if facts["nearest"] is not None:
        stands.append((facts["nearest"], f"meaning (gap {facts['margin']:.3f})"))
    if facts["told"] is not None and facts["told_pieces"] >= case.trace.settings.veto_pieces:
        stands.append((facts["told"], f"pieces ({facts['told_pieces']})"))
    by_node: dict[str, list[str]] = {}
    for node_id, why in stands:
        by_node.setdefault(node_id, []).append(why)
    firsts = "; ".join(f"{case.title(node_id)} is first by {' and '.join(why)}" for node_id, why in by_node.items())
    rows = [case.trace.pool.filter(node_id=node_id).row(0, named=True) for node_id in by_node]
    further = {row["node_id"]: case.further(row) for row in rows}
    ways = [f"{one_of(words)} for {case.title(node_id)}" for node_id, words in further.items() if words]
    say = f"say {' or '.join(ways)}" if ways else "ask by one of their titles alone"
    yield Settle("arms_disagree", f"{say}: {firsts}")
    if facts["vetoed"]:
        yield case.tried("arms_disagree", "no veto of one arm over another", veto=False)


def _one_word(case: Case) -> Iterator[Settle]:
    facts, rules = case.facts, case.trace.settings
    if facts["leader"] is None or facts["leader_words"] >= rules.min_words:
        yield from _too_short(case)
        return
    row = case.trace.leaders.row(0, named=True)
    title, words = case.title(row["node_id"]), facts["leader_words"]
    count = f"{words} of {rules.min_words} words matched"
    if rules.min_words >= NEVER_WORDS:
        yield Settle("one_word", f"nothing by words: title words are no ground here (min_words={rules.min_words})")
        return
    further = case.further(row)
    if further:
        yield Settle("one_word", f"a further word of {title}: {one_of(further)} ({count})")
    else:
        extra = surfaces(left_over(case.asked, case.names([row])[0]))
        alone = f"without {one_of(extra, last='and')}" if extra else "by itself"
        yield Settle("one_word", f"{title} asked for {alone}, or more words of a longer title ({count})")
    if words >= 1:
        yield case.tried("one_word", "fewer words asked for", min_words=words)


def _too_short(case: Case) -> Iterator[Settle]:
    """Meaning stands far enough in front, and something else keeps it from deciding alone."""
    facts, rules = case.facts, case.trace.settings
    title = case.title(facts["nearest"] or facts["leader"] or facts["first"])
    if facts["content_words"] < rules.alone_words:
        need = f"{rules.alone_words} words that count for meaning to decide alone (there are {facts['content_words']})"
        yield case.tried("one_word", need, alone_words=max(1, facts["content_words"]))
    elif facts["similarity"] is not None and facts["similarity"] < rules.floor:
        need = f"a similarity of {rules.floor:.3f} with {title} (it is {facts['similarity']:.3f})"
        yield case.tried("one_word", need, floor=under(facts["similarity"]))
    elif facts["nearest_differs"] and rules.substitution:
        yield case.tried("one_word", f"the number or name that {title} has", substitution=False)
    else:
        yield Settle("one_word", f"more words of {title}")


def _small_gap(case: Case) -> Iterator[Settle]:
    facts, rules = case.facts, case.trace.settings
    led, margin = facts["lead"] and facts["agreed"], facts["margin"]
    if led and facts["leader_share"] < rules.min_share and margin >= rules.gap:
        share, title = facts["leader_share"], case.title(facts["leader"])
        text = f"a larger share of {title}: {share:.2f} of its words are in the question"
        yield case.tried("small_gap", f"{text}, {rules.min_share:.2f} are asked for", min_share=share)
        return
    if led and facts["leader_one_for_one"] and rules.substitution and margin >= rules.gap:
        row = case.trace.pool.filter(node_id=facts["leader"]).row(0, named=True)
        further, title = case.further(row), case.title(facts["leader"])
        text = f"the word that {title} has where the question has another: {one_of(further)}"
        yield case.tried("small_gap", text, substitution=False)
        return
    setting = case.trace.gap_setting
    needed = getattr(rules, setting)
    if needed >= OUT_OF_REACH:
        yield Settle("small_gap", f"title words: a gap alone is no ground here ({setting}={needed:g})")
        return
    what = "a gap" if setting == "gap" else "a gap by meaning alone"
    yield case.tried("small_gap", f"{what} of {needed:.3f} (it is {margin:.3f})", **{setting: margin})


def _graph_only(case: Case) -> Iterator[Settle]:
    shown = case.facts["first"] or case.facts["pool"][0]
    row = case.trace.pool.filter(node_id=shown).row(0, named=True)
    further = case.further(row)
    words = f": {one_of(further)}" if further else ""
    yield Settle("graph_only", f"a word of its title, as only pieces lead to {case.title(shown)}{words}")


def _gate(case: Case) -> Iterator[Settle]:
    facts, rules = case.facts, case.trace.settings
    row = case.trace.pool.filter(node_id=facts["picked"]).row(0, named=True)
    over = surfaces(left_over(case.asked, case.names([row])[0]))
    title = case.title(row["node_id"])
    if facts["off_subject"] and rules.gate:
        need = f"words that search knows: {title} leaves {one_of(over, last='and')} over, which no piece found holds"
        yield case.tried("gate", need, gate=False)
    if facts["other_concept"] and rules.concept_gate:
        need = f"a question of the Concept that {title} is tied to: it names another of the same sort"
        yield case.tried("gate", need, concept_gate=False)


CHOOSING: dict[str, Callable[[Case], Iterator[Settle]]] = {
    "tie": _tie,
    "retired_rival": _retired_rival,
    "number_differs": _differs("number_differs", "number"),
    "name_differs": _differs("name_differs", "name"),
    "arms_disagree": _arms_disagree,
    "one_word": _one_word,
    "small_gap": _small_gap,
    "graph_only": _graph_only,
    "gate": _gate,
}
