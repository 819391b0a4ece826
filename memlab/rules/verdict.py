"""Verdict: facts and settings in, state and reasons out (chapter 18, sections 4 and 5)."""

from __future__ import annotations

import polars as pl

from memlab.rules.order import WHOLE
from memlab.rules.reasons import REASONS, STATE
from memlab.rules.settings import Settings

_c = pl.col


def judge(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Reach the verdict on the facts of each question.

    Everything that was asked on the way stays as a column, so that a decision can be explained.

    Parameters
    ----------
    frame : polars.DataFrame
        One row a question: what :func:`memlab.rules.weigh.facts` found, and ``content_words``.
    settings : Settings

    Returns
    -------
    polars.DataFrame
        With ``strict``, ``agreed``, ``differs`` (how the leaders stand), ``words_enough`` (words may
        resolve without a gap), ``opposed`` (a title stands firm on another node than meaning),
        ``whole``, ``with_gap``, ``by_words``, ``alone`` (grounds), ``picked`` (the node that they mean,
        hidden or not), ``holds`` (it does not stand behind anything hidden),
        ``disagree``, ``vetoed``, ``off_subject``, ``other_concept``, ``gated`` (what forbids),
        ``needed`` (the gap that a lead needs), ``resolved``, ``state`` and ``reasons`` (all that
        apply, the reported one first).
    """
    # As few steps as can be: on a few thousand questions each costs more than what it works out.
    frame = _grounds(_standings(frame, settings), settings)
    frame = _forbidden(frame, settings)
    frame = frame.with_columns(
        resolved=_c("picked").is_not_null() & _c("holds") & ~_c("vetoed") & ~_c("gated") & ~_c("is_none"),
        choose=_bits(_choose_flags(settings)),
    )
    why = (
        pl.when("whole").then(_BIT["whole_title"])
        .when("with_gap").then(_BIT["title_and_gap"])
        .when("by_words").then(_BIT["title_lead"])
        .otherwise(_BIT["semantic_gap"])
    )  # fmt: skip
    state = (
        pl.when("is_none").then(pl.lit("none")).when("resolved").then(pl.lit("resolved")).otherwise(pl.lit("choose"))
    )
    bits = (
        pl.when("is_none").then("none")
        .when("resolved").then(why)
        # Meaning that stands far enough, of a question too short to be resolved by meaning alone.
        .when(_c("choose") == 0).then(_BIT["one_word"])
        .otherwise("choose")
    )  # fmt: skip
    frame = frame.with_columns(state=state.cast(STATE), bits=bits)
    return frame.with_columns(reasons=_named(frame["bits"])).drop("bits", "none", "choose")


def _standings(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """How the first by title and the first by meaning stand, and to each other."""
    clear = (
        _c("leader_words") > _c("beyond") if settings.normalise_length else _c("best") > 2 * _c("beyond").cast(pl.Int32)
    )
    return frame.with_columns(
        semantic_on=_c("by_meaning").fill_null(False),
        margin=_c("gap").fill_null(0.0),
        strict=((_c("leaders") == 1) & clear).fill_null(False),
        whole_on_top=(_c("best") >= 2 * WHOLE).fill_null(False),
        differs=((_c("number_differs") | _c("name_differs")) & settings.substitution).fill_null(False),
        agreed=(_c("leader") == _c("nearest")).fill_null(False),
    )


def _grounds(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """What each ground says.

    No ground may come to hold because the bar of another was raised: words that need no gap resolve
    only where meaning does not point elsewhere, and meaning alone only where no title stands firm
    (``veto_words``) on another node.
    """
    frame = frame.with_columns(
        whole=settings.whole_title & _c("whole_on_top") & (_c("leaders") == 1),
        # Several whole titles are a tie, which no other ground may settle.
        open=~_c("whole_on_top") | ~pl.lit(settings.whole_title),
        words_enough=~_c("semantic_on")
        | ((_c("agreed") | _c("nearest").is_null()) & pl.lit(not settings.title_needs_gap)),
        opposed=_c("strict")
        & ~_c("agreed")
        & (_c("leader_words") >= settings.veto_words).fill_null(False)
        & pl.lit(settings.min_words < NEVER_WORDS),
        none=_bits(_none_flags(settings)),
    )
    whole = _c("whole") & ~_c("title_unsettled")
    lead = (
        _c("strict") & ~_c("differs") & (_c("leader_words") >= settings.min_words) & _c("open") & ~_c("title_unsettled")
    )
    # A long title of which the question says little, and a title in which one word stands for one of the
    # question, have to stand as far in front as one that leads by nothing.
    enough = (_c("leader_share").fill_null(0.0) >= settings.min_share) & ~(
        _c("leader_one_for_one").fill_null(False) & settings.substitution
    )
    frame = frame.with_columns(
        whole=whole.fill_null(False),
        lead=lead.fill_null(False),
        needed=pl.when(enough).then(settings.gap).otherwise(max(settings.gap, settings.gap_alone)),
    )
    by_words = _c("lead") & _c("words_enough")
    with_gap = _c("lead") & _c("semantic_on") & _c("agreed") & (_c("margin") >= _c("needed")) & ~_c("meaning_unsettled")
    alone = (
        _c("nearest").is_not_null()
        & (_c("margin") >= settings.gap_alone)
        & (_c("similarity") >= settings.floor)
        & (_c("content_words") >= settings.alone_words)
        & ~(_c("nearest_differs").fill_null(False) & settings.substitution)
        & ~_c("opposed")
        & _c("open")
        & ~_c("meaning_unsettled")
    )
    frame = frame.with_columns(
        with_gap=with_gap.fill_null(False), by_words=by_words.fill_null(False), alone=alone.fill_null(False)
    )
    by_title = _c("whole") | _c("with_gap") | _c("by_words")
    # What meaning alone found does not stand where something hidden leads firmly by title.
    firm = (_c("leader_words") >= settings.veto_words).fill_null(False) & (_c("leaders_visible") < _c("leaders"))
    seen = pl.when(by_title).then("leader_visible").otherwise("nearest_visible")
    return frame.with_columns(
        by_title=by_title,
        picked=pl.when(by_title).then("leader").when("alone").then("nearest"),
        holds=(seen & (by_title | ~firm)).fill_null(False),
        is_none=_c("none") != 0,
    )


# So many title words are a ground that is switched off.
NEVER_WORDS = 100


def _forbidden(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """What forbids confidence: arms that disagree, and the gates."""

    def elsewhere(node: str) -> pl.Expr:
        """Whether pieces put another node first than this one, or than what it succeeds."""
        other = _c("told") != _c(node)
        if settings.succession:
            other = other & ~_c("told_successors").list.contains(_c(node)).fill_null(False)
        return other & (_c(f"{node}_graph_pieces") == 0)

    title_stands = _c("strict") & (_c("leader_words") >= settings.veto_words)
    meaning_stands = _c("nearest").is_not_null() & (_c("margin") >= settings.veto_gap)
    graph_stands = _c("told").is_not_null() & (_c("told_pieces") >= settings.veto_pieces)
    disagree = (
        (title_stands & meaning_stands & ~_c("agreed"))
        | (graph_stands & title_stands & elsewhere("leader"))
        | (graph_stands & meaning_stands & elsewhere("nearest"))
    )

    def of_picked(fact: str) -> pl.Expr:
        return pl.when("by_title").then(f"leader_{fact}").otherwise(f"nearest_{fact}")

    stands = _c("picked").is_not_null() & ~_c("whole")
    frame = frame.with_columns(
        disagree=disagree.fill_null(False),
        # What was picked, or else what the arms put first: what a gate looks at.
        off_subject=~of_picked("leftover_touched").fill_null(True),
        other_concept=of_picked("concept_differs").fill_null(False),
        leftover=of_picked("question_leftover"),
    )
    return frame.with_columns(
        vetoed=_c("disagree") & ~_c("whole") & settings.veto,
        gated=stands & ((_c("off_subject") & settings.gate) | (_c("other_concept") & settings.concept_gate)),
    )


def _none_flags(settings: Settings) -> dict[str, pl.Expr]:
    empty = _c("n_pool").is_null()
    far = _c("semantic_on") & (_c("similarity") < settings.floor) & ~_c("two_words")
    if "graph" in settings.arms:
        far = far & (_c("piece_similarity").fill_null(-1.0) < settings.piece_floor)
    # What is named does not hold now: what merely lies near it is no match of the question, unless it
    # lies as near as would be enough by itself.
    close = _c("nearest_visible").fill_null(False) & (_c("margin") >= settings.gap_alone)
    named = (_c("whole_on_top") | (_c("leader_words") >= 2).fill_null(False)) & (_c("leaders_visible") == 0)
    gone = named & ~_c("matched_now").fill_null(False) & (_c("whole_on_top") | ~close)
    return {
        "empty_question": empty & (_c("content_words") == 0),
        "empty_pool": empty & (_c("content_words") > 0),
        "all_retired": ~empty & ((_c("n_visible") == 0) | gone),
        "below_floor": ~empty & far,
    }


def _choose_flags(settings: Settings) -> dict[str, pl.Expr]:
    known = _c("best").fill_null(0) > 0
    # A lead that dropped names may share is a tie too.
    tied = known & ((_c("leaders") > 1) | ~_c("strict"))
    nearest = _c("nearest").is_not_null()
    needed = pl.when(_c("lead") & _c("agreed")).then("needed").otherwise(settings.gap_alone)
    return {
        "tie": (tied & ((_c("leaders_visible") > 1) | (_c("leaders") == 1)))
        | (~known & _c("semantic_on") & (_c("margin") == 0)),
        "retired_rival": (known & (_c("leaders_visible") < _c("leaders")))
        | (nearest & ~_c("nearest_visible").fill_null(True) & (_c("margin") > 0))
        | _c("title_unsettled")
        | _c("meaning_unsettled"),
        "number_differs": _c("number_differs") & settings.substitution & ~_c("whole"),
        "name_differs": _c("name_differs") & settings.substitution & ~_c("whole"),
        "arms_disagree": _c("disagree") | (_c("strict") & _c("semantic_on") & nearest & ~_c("agreed")),
        "one_word": known & ~(_c("whole_on_top") & settings.whole_title) & (_c("leader_words") < settings.min_words),
        "small_gap": _c("semantic_on") & (_c("margin") < needed),
        "graph_only": ~known & ~_c("semantic_on"),
        "gate": _c("gated"),
    }


# Reasons as bits of a number, in the closed list's order: far quicker than lists of text, row by row.
_BIT = {reason: 1 << place for place, reason in enumerate(REASONS)}


def _bits(flags: dict[str, pl.Expr]) -> pl.Expr:
    """The flags that hold, as one number a question."""
    return pl.sum_horizontal(flag.fill_null(False).cast(pl.Int64) * _BIT[name] for name, flag in flags.items())


def _named(bits: pl.Series) -> pl.Series:
    """The names of the bits, in the closed list's order; few combinations occur."""
    there = bits.unique().sort()
    names = [[reason for reason, bit in _BIT.items() if one & bit] for one in there]
    return pl.Series("reasons", names, dtype=pl.List(pl.String)).gather(there.search_sorted(bits))
