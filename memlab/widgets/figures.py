"""The line of figures of a graded exam, as HTML."""

from __future__ import annotations

from html import escape
from typing import Final

import polars as pl

from memlab.exam import Outcomes
from memlab.exam.measures import lines

# What each measure is called here, and what its n counts.
_SHOWN: Final = {
    "risk": ("risk", "resolved are wrong"),
    "resolved_right": ("resolved right", "answerable"),
    "choose_has_gold": ("choose has gold", "handed back"),
}
_BOX: Final = "display:inline-block;margin:0 22px 4px 0;vertical-align:top"
_BIG: Final = "font-size:19px;line-height:1.25"
_SMALL: Final = "font-size:12px;line-height:1.45;opacity:.8"


def figures(outcomes: Outcomes) -> pl.DataFrame:
    """Return the figures that matter most.

    Returns
    -------
    polars.DataFrame
        ``measure`` · ``count`` · ``n`` · ``share`` · ``low`` and ``high`` (Wilson 95 %): risk (wrong of
        resolved), resolved right (of answerable), choose with gold (of choose on answerable questions).
    """
    return (
        outcomes.table()
        .filter(pl.col("measure").is_in(list(_SHOWN)))
        .drop("group")
        .sort(pl.col("measure").cast(pl.Enum(list(_SHOWN))))
    )


def figures_html(outcomes: Outcomes, baseline: Outcomes | None = None) -> str:
    """Return the figures as HTML, each with its count and interval, and what it was under a baseline."""
    boxes = []
    before = {} if baseline is None else {row["measure"]: row for row in lines(baseline.counts())}
    now = {row["measure"]: row for row in lines(outcomes.counts())}
    for measure, (name, of) in _SHOWN.items():
        row, old = now[measure], before.get(measure)
        known = row["share"] is not None
        share = f"{row['share']:.3f}" if known else "–"
        interval = f"95 %: {row['low']:.3f} to {row['high']:.3f}" if known else "no interval"
        was = "" if old is None else f"<br>baseline: {old['count']} of {old['n']}"
        boxes.append(
            f'<div style="{_BOX}"><div style="{_SMALL}">{escape(name)}</div>'
            f'<div style="{_BIG}"><b>{share}</b></div>'
            f'<div style="{_SMALL}">{row["count"]} of {row["n"]} {of}<br>{interval}{was}</div></div>'
        )
    return f'<div class="memlab-figures" style="white-space:normal">{"".join(boxes)}</div>'
