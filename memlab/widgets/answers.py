"""The parts of an answer as HTML, for the widget that asks; whatever came from a store or a person is text."""

from __future__ import annotations

from html import escape
from typing import Any

from memlab.display import html_state, one_line, shortened
from memlab.explain import Explanation
from memlab.explain.notebook import legend, marked
from memlab.rules import WHY
from memlab.widgets.grounds import evidence_line, missing_line

# Of a title; the whole stands in the tooltip.
LONG = 300
# Of what is hidden; rivals are always shown.
HIDDEN = 6


def verdict_html(one: Explanation) -> str:
    """The question with its words marked, the state, what it is about, and its reasons in words."""
    as_of = one.answer.evidence.questions["as_of"][0]
    reasons = "".join(
        f'<div class="memlab-faint">{"also " if at else ""}<b>{escape(reason)}</b>: {escape(WHY[reason])}</div>'
        for at, reason in enumerate(one.reasons)
    )
    asked = marked(one) or "<i>(an empty question)</i>"
    return (
        f'<div class="memlab-asked" dir="auto">{asked}</div>{legend(one)}'
        f'<div class="memlab-verdict">{html_state(one.state, _about(one))}</div>{reasons}'
        f'<div class="memlab-faint">as of {as_of:%Y-%m-%d} · {len(one.answer.pool)} in the pool</div>'
    )


def _about(one: Explanation) -> str:
    if one.state == "resolved":
        return shortened(one.answer.title or "", LONG)
    count = one.answer.candidates.height
    return f"between {count}" if one.state == "choose" and count > 1 else ""


def settles_html(one: Explanation) -> str:
    """What would have settled it."""
    lines = "".join(f"<li>{escape(one_line(settle.text))}</li>" for settle in one.settles)
    return f'<div class="memlab-head">What would have settled it</div><ul>{lines}</ul>' if lines else ""


def caption_html(row: dict[str, Any], one: Explanation, hidden_by: str = "") -> str:
    """What stands under a candidate: what it is, what hides it, what each arm saw, and what it lacks."""
    held = hidden_by or ("" if row["validity"] == "current" else str(row["validity"]))
    holds = f" · <b>{escape(one_line(held))}</b>" if held else ""
    named = (
        f" · by its name “{escape(one_line(shortened(row['name_used'])))}”" if row["name_used"] != row["title"] else ""
    )
    return (
        f'<div class="memlab-caption"><div>{escape(str(row["kind"]))}{holds} · '
        f"{escape(one_line(shortened(row['node_id'])))}{named}</div>"
        f"<div>{escape(evidence_line(row, one.gap.gap))}</div>"
        f'<div class="memlab-missing">{escape(missing_line(row, one))}</div></div>'
    )


def hidden_html(one: Explanation) -> str:
    """What does not hold at the instant asked about, and why; open where it decided something."""
    if one.hidden.is_empty():
        return ""
    # Rivals first: the others decided nothing.
    shown = one.hidden.sort("rival", descending=True, maintain_order=True).head(
        max(HIDDEN, int(one.hidden["rival"].sum()))
    )
    lines = [_hidden_line(row) for row in shown.iter_rows(named=True)]
    lines += [f"<li>and {one.hidden.height - shown.height} more</li>"] if one.hidden.height > shown.height else []
    decided = one.hidden["rival"].any() or one.reason == "all_retired"
    count = one.hidden.height
    return (
        f"<details{' open' if decided else ''}><summary>{count} hidden, as {'it does' if count == 1 else 'they do'} not"
        f" hold then</summary><ul>{''.join(lines)}</ul></details>"
    )


def _hidden_line(row: dict[str, Any]) -> str:
    leads = " · <b>a rival: it ties with or beats what is shown</b>" if row["rival"] else ""
    what = f"{row['kind']} · {shortened(row['node_id'])}"
    return (
        f"<li>{escape(one_line(shortened(row['title'], LONG)))} <span class='memlab-faint'>({escape(one_line(what))}): "
        f"{escape(one_line(row['hidden_by'] or ''))}{leads}</span></li>"
    )
