"""Every condition that was asked: what was there, what is needed, whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from memlab.settles.base import one_of, surfaces
from memlab.spans import Word
from memlab.trace import Trace


class Condition(NamedTuple):
    """One condition of a ground, or of what forbids confidence.

    ``value`` and ``bar`` are there where it is a number; ``on`` is false where a setting turns the
    condition off, so that it decides nothing.
    """

    of: str
    condition: str
    have: str
    needed: str
    passed: bool
    value: float | None = None
    bar: float | None = None
    on: bool = True


SCHEMA = pl.Schema(
    {
        "of": pl.String,
        "condition": pl.String,
        "have": pl.String,
        "needed": pl.String,
        "passed": pl.Boolean,
        "value": pl.Float64,
        "bar": pl.Float64,
        "on": pl.Boolean,
    }
)


def frame(conditions: Sequence[Condition]) -> pl.DataFrame:
    """One row a condition."""
    return pl.DataFrame(list(conditions), schema=SCHEMA, orient="row")


def grounds(trace: Trace) -> list[Condition]:
    """The conditions of each ground; a ground holds where all of its conditions do.

    They restate :mod:`memlab.rules.verdict`, whose flags a test holds them against.
    """
    return [*_whole(trace), *_title_and_gap(trace), *_title_lead(trace), *_alone(trace)]


def _yes(of: str, condition: str, passed: object, have: str = "", needed: str = "yes") -> Condition:
    return Condition(of, condition, have or ("yes" if passed else "no"), needed, bool(passed))


def _none(of: str, condition: str, passed: object, there: str = "one does") -> Condition:
    """A condition that nothing of a sort is there; what was there says so without a second no."""
    return Condition(of, condition, "none" if passed else there, "none", bool(passed))


def _number(of: str, condition: str, value: float | None, bar: float, form: str = ".3f") -> Condition:
    passed = value is not None and value >= bar
    have = "none" if value is None else f"{value:{form}}"
    return Condition(of, condition, have, f"{bar:{form}}", passed, value, float(bar))


def _whole(trace: Trace) -> list[Condition]:
    of, facts, rules = "whole_title", trace.facts, trace.settings
    leaders = trace.leaders.height
    return [
        _yes(of, "the rule is on", rules.whole_title, needed="on"),
        _yes(of, "a title is the question, word for word", facts["whole_on_top"]),
        _yes(of, "no other memory has that title", facts["whole_on_top"] and leaders == 1, f"{leaders} lead", "1"),
        _none(of, "no predecessor of something else ties", not facts["title_unsettled"]),
    ]


def _lead(of: str, trace: Trace) -> list[Condition]:
    facts, rules = trace.facts, trace.settings
    leaders = trace.leaders.height
    return [
        _yes(of, "one leads by title words alone", facts["strict"], f"{leaders} lead", "1, beyond any title cut off"),
        _number(of, "title words", facts["leader_words"] or 0, rules.min_words, "g"),
        _none(of, "no number or name differs", not facts["differs"]),
        _none(of, "no whole title is left to choose between", facts["open"], "some are"),
        _none(of, "no predecessor of something else ties by title", not facts["title_unsettled"]),
    ]


def _title_and_gap(trace: Trace) -> list[Condition]:
    of, facts = "title_and_gap", trace.facts
    return [
        *_lead(of, trace),
        _yes(of, "meaning puts the same one first", facts["semantic_on"] and facts["agreed"]),
        _number(of, _gap_of_lead(trace), facts["margin"] if facts["semantic_on"] else None, facts["needed"]),
        _none(of, "no predecessor of something else lies as near", not facts["meaning_unsettled"]),
    ]


def _gap_of_lead(trace: Trace) -> str:
    share, least = trace.facts["leader_share"], trace.settings.min_share
    if share is not None and share < least:
        return f"gap (of a title with {share:.2f} of its words in the question, under {least:.2f})"
    if trace.facts["leader_one_for_one"] and trace.settings.substitution:
        return "gap (one word of the title stands for one of the question)"
    return "gap"


def _title_lead(trace: Trace) -> list[Condition]:
    of, facts, rules = "title_lead", trace.facts, trace.settings
    have = "no semantic arm" if not facts["semantic_on"] else "no" if rules.title_needs_gap else "by the settings"
    need = "semantic arm off, or title_needs_gap off and nothing else nearest"
    return [*_lead(of, trace), _yes(of, "words need no gap", facts["words_enough"], have, need)]


def _alone(trace: Trace) -> list[Condition]:
    of, facts, rules = "semantic_gap", trace.facts, trace.settings
    return [
        _yes(of, "one is alone in front by meaning", facts["nearest"] is not None),
        _number(of, "gap by meaning alone", facts["margin"], rules.gap_alone),
        _number(of, "similarity", facts["similarity"], rules.floor),
        _number(of, "words that count", facts["content_words"], rules.alone_words, "g"),
        _none(of, "no number or name differs", not (facts["nearest_differs"] and rules.substitution)),
        _none(of, "no other title stands firm", not facts["opposed"]),
        _none(of, "no whole title is left to choose between", facts["open"], "some are"),
        _none(of, "no predecessor of something else lies as near", not facts["meaning_unsettled"]),
    ]


def forbids(trace: Trace, left: Sequence[Word], touched: Sequence[str], titles: dict[str, str]) -> list[Condition]:
    """What forbids confidence: nothing near, the filter, vetoes and gates.

    Parameters
    ----------
    trace : Trace
    left : sequence of Word
        Words of the question that the first's name does not have.
    touched : sequence of str
        Those of them that stand in a piece that search returned.
    titles : dict
        Titles by id, in quotes.
    """
    facts, rules = trace.facts, trace.settings
    found = [_floor(trace), _filter(facts)]
    found.append(
        Condition("veto", "no two arms firm on different nodes", _stands(trace, titles), "one node, or none firm",
                  not facts["disagree"] or bool(facts["whole"]), on=rules.veto)
    )  # fmt: skip
    over, seen = (one_of(list(words), last="and") or "nothing" for words in (surfaces(left), touched))
    found.append(
        Condition("gate", "on the subject", f"left over: {over}; search knows {seen}", "some touched, or none left",
                  not facts["off_subject"], on=rules.gate)
    )  # fmt: skip
    concept = "the question names another one of its sort" if facts["other_concept"] else "none is named"
    other = not facts["other_concept"]
    found.append(Condition("concept_gate", "no other Concept", concept, "none", other, on=rules.concept_gate))
    return found


def _floor(trace: Trace) -> Condition:
    facts, rules = trace.facts, trace.settings
    have = [] if facts["similarity"] is None else [f"title {facts['similarity']:.3f}"]
    if "graph" in rules.arms and facts["piece_similarity"] is not None:
        have.append(f"piece {facts['piece_similarity']:.3f}")
    pieces = f", or a piece {rules.piece_floor:.3f}" if "graph" in rules.arms and rules.piece_floor <= 1 else ""
    words = "" if not facts["two_words"] else " (two words of a title match)"
    return Condition(
        "floor", "something near enough", f"{', '.join(have) or 'no similarity'}{words}",
        f"title {rules.floor:.3f}{pieces}, or two words", "below_floor" not in (facts["reasons"] or []),
        facts["similarity"], rules.floor,
    )  # fmt: skip


def _filter(facts: dict[str, Any]) -> Condition:
    rivals, hidden = facts["rivals"] or [], (facts["n_pool"] or 0) - (facts["n_visible"] or 0)
    if facts["picked"] is not None:
        passed = bool(facts["holds"])
    else:
        passed = not rivals and not {"retired_rival", "all_retired"} & set(facts["reasons"] or [])
    have = f"{hidden} hidden, {len(rivals)} of them lead"
    return Condition("filter", "what is meant holds now", have, "no rival hidden", passed, float(len(rivals)))


def _stands(trace: Trace, titles: dict[str, str]) -> str:
    facts = trace.facts
    parts = []
    if facts["leader"] is not None and facts["strict"]:
        parts.append(f"title {titles[facts['leader']]} ({facts['leader_words']} words)")
    if facts["nearest"] is not None:
        parts.append(f"meaning {titles[facts['nearest']]} (gap {facts['margin']:.3f})")
    if facts["told"] is not None:
        parts.append(f"pieces {titles[facts['told']]} ({facts['told_pieces']})")
    return "; ".join(parts) or "no arm puts one alone in front"
