"""An explanation in a notebook: HTML that is legible on light and on dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import polars as pl

from memlab.display import html_list, html_state, html_table, shortened, visible
from memlab.explain.terminal import MOST, gap_line, kind_of
from memlab.rules import CHOOSE, NONE, RESOLVED

if TYPE_CHECKING:
    from memlab.explain.explanation import Explanation

_WHY = RESOLVED | CHOOSE | NONE
# A tint behind the page's own ink and a line under it: legible on any background, and without colour.
_MARKS = {
    "consumed": "color:inherit;background:#009E7355;border-bottom:2px solid #009E73",
    "left": "color:inherit;background:#E69F0055;border-bottom:2px dashed #E69F00",
    "stop": "opacity:.6",
}
_SAID = {"consumed": "in the title", "left": "left over", "stop": "never counts"}


def html(one: Explanation) -> str:
    """Return the whole explanation as HTML."""
    reasons = "".join(
        f'<div style="opacity:.75">{escape(reason)}: {escape(_WHY[reason])}</div>' for reason in one.reasons
    )
    order = one.order.head(MOST).select(
        "place", "title", "node_id", "whole_title", "agree", "title_words", "similarity", "tied", "visible"
    )
    conditions = [
        (row["of"], row["condition"], row["have"], row["needed"], _sign(row))
        for frame in (one.grounds, one.forbids)
        for row in frame.iter_rows(named=True)
    ]
    shown_arms = [row for _, part in one.arms.group_by("arm", maintain_order=True) for row in part.head(3).iter_rows()]
    # Of a resolved question only rivals are told of: what else is hidden decided nothing.
    kept = one.hidden.filter("rival") if one.state == "resolved" else one.hidden
    hidden = kept.select("place", "title", "node_id", "hidden_by", "rival").head(MOST).iter_rows()
    return (
        f'<div style="margin:4px 0;font-size:1.1em">{marked(one)}</div>{legend(one)}'
        f'<div style="margin:6px 0">{html_state(one.state, one.answer.title or "")}{reasons}</div>'
        + html_list([settle.text for settle in one.settles], "What would have settled it")
        + html_table(("arm", "rank", "id", "title", "score", "unit", "alone"), (row[:7] for row in shown_arms),
                     "First candidates of each arm")
        + html_table(("place", "title", "id", "whole", "agree", "words", "similarity", "tie", "shown"),
                     order.iter_rows(), f"The pool in order ({len(one.answer.pool)} candidates)")
        + f'<div style="margin-top:6px">gap {escape(gap_line(one))}</div>'
        + html_table(("place", "title", "id", "hidden by", "rival"), hidden,
                     f"Hidden by the validity filter ({one.hidden.height})")
        + html_table(("of", "condition", "have", "needed", ""), conditions, "Every condition")
    )  # fmt: skip


def marked(one: Explanation) -> str:
    """The question with its words marked by what became of them, and what each meets in the title."""
    parts, at = [], 0
    met = one.matches.filter(pl.col("node_id").eq_missing(pl.lit(one.about)))
    for row in one.words.iter_rows(named=True):
        kind = kind_of(row)
        parts.append(escape(visible(one.question[at : row["start"]])))
        text = escape(visible(one.question[row["start"] : row["end"]]))
        names = met.filter(word=row["word"], question_start=row["start"]).iter_rows(named=True)
        there = list(dict.fromkeys(name["name"][name["title_start"] : name["title_end"]] for name in names))
        said = f"{_SAID[kind]}: {', '.join(there)}" if kind == "consumed" and there else _SAID[kind]
        tag = "span" if kind == "stop" else "mark"
        parts.append(f'<{tag} style="{_MARKS[kind]}" title="{escape(visible(said))}">{text}</{tag}>')
        at = row["end"]
    return "".join([*parts, escape(visible(one.question[at:]))])


def legend(one: Explanation) -> str:
    """What the marks of a question mean."""
    about = f" of '{escape(visible(shortened(one.about_title)))}'" if one.about_title else ""
    marks = " · ".join(f'<span style="{_MARKS[kind]}">{said}</span>' for kind, said in _SAID.items())
    return f'<div style="opacity:.85;font-size:.9em">{marks}{about}</div>'


def _sign(row: dict[str, object]) -> str:
    if not row["on"]:
        return "off"
    return "✓" if row["passed"] else "✗"
