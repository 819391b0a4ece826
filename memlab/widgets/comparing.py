"""What a comparison widget shows, as frames and HTML: measures with intervals, and one question before and after."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import polars as pl

from memlab.display import html_state, one_line, shortened
from memlab.exam import Comparison, Outcomes
from memlab.exam.compare import MEASURES
from memlab.rules import WHY

ANY: Final = "all"
WAYS: Final = ("worse", "better", "other node")
# In plain words, and what each is counted of.
MEASURE_WORDS: Final = {
    "in_pool": "gold in the pool",
    "first": "first is gold",
    "resolved_right": "resolved right",
    "wrong": "confident wrong",
    "choose_has_gold": "choose has gold",
    "none": "none (answerable)",
    "unanswerable_none": "none (unanswerable)",
    "risk": "risk (of resolved)",
}
COLUMNS: Final = {
    "told": "measure",
    "before": "baseline",
    "after": "this setting",
    "difference": "difference (95 %)",
    "only": "lost / gained",
    "p": "p",
    "p_holm": "p (Holm)",
}
FLIPS: Final = {
    "question": "question",
    "way": "way",
    "before": "baseline",
    "after": "setting",
    "reason_after": "reason",
}


def measures(comparison: Comparison, setting: str) -> pl.DataFrame:
    """Lay out the measures of one setting beside the baseline.

    Returns
    -------
    polars.DataFrame
        ``measure`` and the columns that are shown: counts of n with their shares, the difference of the shares
        with its bootstrap interval, on how many questions only the baseline or only the setting has it, and p as
        it is and by Holm.
    """
    table = comparison.table.filter(setting=setting)
    rows = []
    for row in table.iter_rows(named=True):
        known = row["difference"] is not None
        rows.append(
            {
                "measure": row["measure"],
                "told": MEASURE_WORDS.get(row["measure"], row["measure"]),
                "before": _of(row["before"], row["n_before"]),
                "after": _of(row["after"], row["n"]),
                "difference": f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})" if known else "–",
                "only": f"{row['only_before']} / {row['only_after']}",
                **{name: _p(row[name]) for name in ("p", "p_holm")},
            }
        )
    return pl.DataFrame(rows, schema={"measure": pl.String, **dict.fromkeys(COLUMNS, pl.String)})


def flips(comparison: Comparison, setting: str, way: str = ANY, measure: str = ANY) -> pl.DataFrame:
    """Return the questions that flipped, of one way or of all, and on which one measure or any differs.

    Parameters
    ----------
    comparison : Comparison
    setting : str
    way : {"all", "worse", "better", "other node"}
    measure : str
        A measure of the table, or ``all``. Of risk it is what either alone resolves, and wrong.

    Returns
    -------
    polars.DataFrame
        Rows of ``comparison.flips``, the worst first.
    """
    found = comparison.flips.filter(setting=setting)
    if way != ANY:
        found = found.filter(way=way)
    if measure == ANY:
        return found
    held, of, _ = MEASURES["wrong" if measure == "risk" else measure]
    both = [
        outcomes.rows.select("question_id", (held.fill_null(False) & of).alias(when))
        for when, outcomes in (("was", comparison.baseline), ("is", comparison.others[setting]))
    ]
    differ = both[0].join(both[1], on="question_id").filter(pl.col("was") != pl.col("is"))
    return found.join(differ, on="question_id", how="semi", maintain_order="left")


def side_html(name: str, outcomes: Outcomes, question_id: str, titles: dict[str, str]) -> str:
    """One question under one setting: state, node, candidates, reasons in words.

    Parameters
    ----------
    name : str
        Of the setting.
    outcomes : Outcomes
    question_id : str
    titles : dict
        Titles of nodes by id, as far as they are known.
    """
    row = outcomes.rows.filter(question_id=question_id).row(0, named=True)
    gold = set(row["gold"] or [])
    node = row["node_id"]
    about = "" if node is None else _named(node, titles)
    reasons = "".join(f"<div>{escape(reason)}: {escape(WHY[reason])}</div>" for reason in row["reasons"])
    gap = "" if row["gap"] is None else f"<div>gap {row['gap']:.3f}</div>"
    handed = "".join(
        f"<li>{escape(_named(one, titles))}{' <b>(gold)</b>' if one in gold else ''}</li>" for one in row["candidates"]
    )
    listed = f"<ol>{handed}</ol>" if row["state"] == "choose" else ""
    return (
        f'<div class="memlab-head">{escape(one_line(name))}: {escape(str(row["outcome"]).replace("_", " "))}</div>'
        f'<div class="memlab-verdict">{html_state(row["state"], about)}</div>'
        f'<div class="memlab-faint">{reasons}{gap}</div>{listed}'
    )


def question_html(outcomes: Outcomes, question_id: str, titles: dict[str, str]) -> str:
    """The question and its gold."""
    row: dict[str, Any] = outcomes.rows.filter(question_id=question_id).row(0, named=True)
    gold = ", ".join(_named(one, titles) for one in row["gold"] or []) or "no answer in the store"
    return (
        f'<div class="memlab-asked" dir="auto">{escape(one_line(row["question"]))}</div>'
        f'<div class="memlab-faint">gold: {escape(gold)} · written by {escape(one_line(row["written_by"] or "–"))}'
        f" · {escape(one_line(question_id))}</div>"
    )


def _named(node: str, titles: dict[str, str]) -> str:
    title = titles.get(node)
    return one_line(node if title is None else f"{shortened(title, 120)} · {node}")


def _of(count: int, n: int) -> str:
    return f"{count} of {n} ({count / n:.3f})" if n else "0 of 0"


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"
