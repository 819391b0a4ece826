"""An explanation in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl
from rich.text import Text

from memlab.display import TERMINAL, plain, shortened, table, titled, visible
from memlab.rules import CHOOSE, NONE, RESOLVED

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memlab.explain.explanation import Explanation

MOST = 8
ARM_MOST = 3
# What a word of the question is, in its style and in a sign for terminals without colour.
MARKS = {"consumed": ("bold green", "[ ]"), "left": ("bold yellow", "( )"), "stop": ("dim", "")}
_WHY = RESOLVED | CHOOSE | NONE


def blocks(one: Explanation) -> Iterator[RenderableType]:
    """Yield the parts in the order of the way: words, arms, order, gap, filter, conditions, verdict."""
    yield marked(one)
    about = f"of '{visible(shortened(one.about_title))}'" if one.about_title else ""
    yield Text(f"[in the title] (left over) stop word {about}", style="dim")
    yield Text("")
    yield from _arms(one)
    yield from _order(one)
    yield Text(f"\ngap  {gap_line(one)}")
    yield from _hidden(one)
    yield from _conditions(one)
    yield Text("")
    yield Text.assemble((one.state, TERMINAL[one.state]), "  ", visible(one.answer.title or ""))
    for reason in one.reasons:
        yield Text(f"{reason}: {_WHY[reason]}", style="dim")
    if one.settles:
        yield Text("\nWhat would have settled it", style="dim")
    for settle in one.settles:
        yield Text(f" · {visible(settle.text)}")


def kind_of(row: dict[str, object]) -> str:
    """Whether a word was consumed, left over, or never counts."""
    return "stop" if not row["content"] else "consumed" if row["consumed"] else "left"


def marked(one: Explanation) -> Text:
    """The question as it was asked, its words marked by what became of them."""
    text, at = Text(), 0
    for row in one.words.iter_rows(named=True):
        style, sign = MARKS[kind_of(row)]
        text.append(visible(one.question[at : row["start"]]))
        text.append(sign[:1] + visible(one.question[row["start"] : row["end"]]) + sign[-1:], style=style)
        at = row["end"]
    text.append(visible(one.question[at:]))
    return text


def gap_line(one: Explanation) -> str:
    """The gap as a subtraction, and the bar that it is held to."""
    gap = one.gap
    if gap.first is None:
        return "none: nothing was found by meaning"
    second = "–" if gap.second is None else f"{gap.second:.3f}"
    if gap.stands_in:
        second = f"background {gap.background or 0.0:.3f} (second {second})"
    shown = f"{gap.gap or 0.0:.3f} = {gap.first:.3f} first − {second}"
    why = f"; {gap.why}" if gap.why else ""
    if not gap.setting:
        return f"{shown} · a whole title asks for none{why}"
    needed = "off" if gap.needed >= 2 else f"asks for {gap.needed:.3f}"
    return f"{shown} · {gap.setting} {needed}{why}"


def _arms(one: Explanation) -> Iterator[RenderableType]:
    made = table({"candidates by arm": "left", "arm": "left", "rank": "right", "score": "right"})
    for (arm,), part in one.arms.group_by("arm", maintain_order=True):
        for row in part.head(ARM_MOST).iter_rows(named=True):
            score = "–" if row["score"] is None else f"{row['score']:g} {row['unit']}"
            if row["unit"] == "cosine":
                score = f"{row['score']:.3f}"
            rank = f"{row['rank']}{' alone' if row['alone'] else ''}"
            title = shortened(row["title"], 80) + ("" if row["visible"] is not False else " (hidden)")
            made.add_row(plain(title), plain(arm), plain(rank), plain(score))
        if part.height > ARM_MOST:
            made.add_row(plain(f"and {part.height - ARM_MOST} more", "dim"), plain(arm, "dim"), "", "")
    if one.arms.height:
        yield made


def _order(one: Explanation) -> Iterator[RenderableType]:
    if one.order.is_empty():
        return
    made = table(
        {"the pool in order": "left", "whole": "left", "agree": "right", "words": "right", "nearest": "right",
         "tie": "left"}
    )  # fmt: skip
    for row in one.order.head(MOST).iter_rows(named=True):
        nearest = str(row["nearest_rank"] // 2) if row["nearest_rank"] < 1_000_000 else "–"
        hidden = "" if row["visible"] else " · hidden"
        made.add_row(
            titled(shortened(row["title"], 90), row["node_id"] + hidden),
            *map(plain, (row["whole_title"], row["agree"], row["title_words"], nearest, row["tied"])),
        )
    yield made
    if (one.answer.pool) and len(one.answer.pool) > MOST:
        yield Text(f"and {len(one.answer.pool) - MOST} more", style="dim")


def _hidden(one: Explanation) -> Iterator[RenderableType]:
    if one.hidden.is_empty():
        return
    made = table({"hidden by the filter": "left", "place": "right", "rival": "left", "hidden by": "left"})
    few = ARM_MOST if one.state != "resolved" else 0
    shown = one.hidden.filter(pl.col("rival") | (pl.int_range(pl.len()) < few))
    if shown.is_empty():
        yield Text(f"\n{one.hidden.height} hidden by the filter, none of them a rival", style="dim")
        return
    for row in shown.iter_rows(named=True):
        cells = (row["place"], row["rival"], row["hidden_by"])
        made.add_row(titled(shortened(row["title"], 90), row["node_id"]), *map(plain, cells))
    yield made
    if shown.height < one.hidden.height:
        yield Text(f"and {one.hidden.height - shown.height} more hidden", style="dim")


def _conditions(one: Explanation) -> Iterator[RenderableType]:
    made = table({"condition": "left", "have": "left", "needed": "left", "": "left"})
    for part in (one.grounds, one.forbids):
        for (of,), rows in part.group_by("of", maintain_order=True):
            holds = all(rows["passed"])
            if part is one.grounds:
                made.add_row(plain(f"ground {of}", "bold"), "", "", plain("holds" if holds else "fails", _style(holds)))
            # What merely held and is no number is left to the frames.
            telling = rows.filter(~pl.col("passed") | pl.col("value").is_not_null() | (pl.lit(part is one.forbids)))
            for row in telling.iter_rows(named=True):
                sign = ("✓" if row["passed"] else "✗") if row["on"] else "off"
                style = _style(row["passed"]) if row["on"] else "dim"
                made.add_row(
                    plain(f"  {row['condition']}"), plain(row["have"]), plain(row["needed"], "dim"), plain(sign, style)
                )
    yield made


def _style(passed: bool) -> str:
    return "green" if passed else "red"
