"""Risk against coverage, with the settings as a point on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.bars import named as named_outcomes
from memlab.charts.given import given
from memlab.charts.nothing import nothing
from memlab.charts.provenance import subtitle
from memlab.errors import InputError
from memlab.exam import Outcomes
from memlab.exam.curve import Curve

DATASET: Final = "curve"
POINTS: Final = "points"
_TITLE: Final = "Risk against coverage"
_HOW: Final = "what ml.risk_coverage(...) returned, one or several by name"


def risk_coverage_data(curves: Curve | Mapping[str, Curve]) -> pl.DataFrame:
    """Return the points of one or more curves.

    Returns
    -------
    polars.DataFrame
        ``setting`` · ``confidence`` · ``coverage`` · ``risk`` · ``low`` · ``high`` · ``answered`` · ``wrong`` · ``n``.
    """
    named = named_curves(curves)
    columns = ("confidence", "coverage", "risk", "low", "high", "answered", "wrong", "n")
    return pl.concat([one.points.select(pl.lit(name).alias("setting"), *columns) for name, one in named.items()])


def named_curves(curves: Curve | Mapping[str, Curve]) -> dict[str, Curve]:
    """Return the curves by the name of their setting.

    Raises
    ------
    InputError
        If one of them is none, or there is none.
    """
    several = curves if isinstance(curves, Mapping) else {"": curves}
    if not several:
        raise InputError(f"give {_HOW}; there is none", field="curves")
    return {str(name): given(one, Curve, "curves", _HOW) for name, one in several.items()}


def operating_point(outcomes: Outcomes | Mapping[str, Outcomes]) -> pl.DataFrame:
    """Return where settings stand: ``setting`` · ``coverage`` · ``risk`` · ``answered`` · ``wrong`` · ``n``."""
    named = named_outcomes(outcomes)
    rows = []
    for name, one in named.items():
        counts, n = one.counts(), one.rows.height
        wrong = counts["confident_wrong"] + counts["unanswerable_resolved"]
        answered = wrong + counts["resolved_right"]
        rows.append({"setting": name, "coverage": answered / n if n else None,
                     "risk": wrong / answered if answered else None,
                     "answered": answered, "wrong": wrong, "n": n})  # fmt: skip
    return pl.DataFrame(rows)


def risk_coverage(
    curves: Curve | Mapping[str, Curve],
    outcomes: Outcomes | Mapping[str, Outcomes],
    width: int = 500,
    height: int = 300,
    areas: bool = True,
    dots: bool = False,
) -> alt.Chart | alt.LayerChart:
    """Draw risk against coverage, and the settings as they stand as a point.

    Parameters
    ----------
    curves : Curve, or mapping of str to Curve
    outcomes : Outcomes, or mapping of str to Outcomes
        Graded under the same settings, by the same names.
    width, height : int
        In pixels.
    areas : bool
        Say AURC and AUGRC in the subtitle.
    dots : bool
        Mark the points of the curve that a stricter or looser bar leads to: those of a confidence of 0 and more
        (:func:`memlab.exam.curve.confidence_of`).
    """
    data, points = risk_coverage_data(curves), operating_point(outcomes)
    names = [str(name) for name in data["setting"].unique(maintain_order=True)]
    first = next(iter(named_outcomes(outcomes).values()))
    if data.is_empty():
        return nothing(_TITLE, [subtitle(first)], "no question can be resolved at any bar, so there is no risk", width)
    several = len(names) > 1
    colour = alt.Color(
        "setting:N",
        title=None,
        scale=alt.Scale(domain=names, range=theme.series(names)),
        legend=alt.Legend(orient="bottom", symbolOpacity=1, symbolType="circle", symbolSize=110) if several else None,
    )
    x = alt.X("coverage:Q", title="coverage: share of all questions answered with one node",
              scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(format=".1f", tickCount=10 if width >= 400 else 5))  # fmt: skip
    y = alt.Y("risk:Q", title="risk: share of those answers that are wrong", scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(format=".1f", tickCount=10 if height >= 260 else 5))  # fmt: skip
    told = [
        *([alt.Tooltip("setting:N", title="setting")] if several else []),
        alt.Tooltip("coverage:Q", title="coverage", format=".3f"),
        alt.Tooltip("risk:Q", title="risk", format=".3f"),
        alt.Tooltip("wrong:Q", title="wrong"),
        alt.Tooltip("answered:Q", title="of answered"),
    ]
    base = alt.Chart(theme.rows(data, DATASET))
    band = base.mark_area(opacity=0.14).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, tooltip=told)
    reached = base.transform_filter("isValid(datum.confidence) && datum.confidence >= 0").mark_circle(
        size=38, opacity=1
    )
    steps = [reached.encode(x=x, y=y, color=colour, tooltip=told)] if dots else []
    here = alt.Chart(theme.rows(points.drop_nulls(), POINTS))
    mark = here.mark_point(filled=True, size=110, opacity=1).encode(x=x, y=y, color=colour, tooltip=told)
    text = here.transform_calculate(
        told="datum.setting + (datum.setting ? ': ' : '') + datum.wrong + ' of ' + datum.answered + ' wrong'"
    ).encode(text="told:N")  # fmt: skip
    # In a corner that a curve hardly ever reaches, one under the other: settings may stand in one place.
    told_here = [
        text.transform_filter(alt.FieldEqualPredicate(field="setting", equal=name)).mark_text(
            align="left", baseline="top", x=8, y=6 + 16 * place
        )
        for place, name in enumerate(reversed(names))
    ]
    told_areas = [f"{name}: {_areas(one)}" if several else _areas(one) for name, one in named_curves(curves).items()]
    notes = [subtitle(first), *(told_areas if areas else []),
             "band: 95 % at each point · ties are one point · an answer without gold is always wrong"]  # fmt: skip
    chart: Any = alt.layer(band, line, *steps, mark, *told_here).properties(
        width=width, height=height, title=alt.TitleParams(_TITLE, subtitle=notes)
    )
    styled: alt.LayerChart = theme.styled(chart)
    return styled


def _areas(one: Curve) -> str:
    said = (("AURC", one.aurc, one.aurc_interval), ("AUGRC", one.augrc, one.augrc_interval))
    return " · ".join(f"{name} {area:.3f} ({low:.3f} to {high:.3f})" for name, area, (low, high) in said)
