"""The way of one decision, step by step: what was there, what it takes, and whether it holds (chapter 18)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.embed import text_width
from memlab.charts.given import given
from memlab.charts.lines import broken
from memlab.display import shortened, visible
from memlab.explain import Explanation
from memlab.rules import CHOOSE, NONE, RESOLVED

DATASET: Final = "waterfall"
# Colour and shape of each status: the shape is for readers and printers without colour.
STATUS: Final = {
    "passes": (theme.RIGHT, "circle"),
    "fails": (theme.WRONG, "cross"),
    "decides nothing": (theme.NONE, "stroke"),
    # Not picking is a normal answer, so a verdict is never drawn as a failure.
    "resolved": (theme.RIGHT, "square"),
    "choose": (theme.CHOOSE, "square"),
    "none": (theme.NONE, "square"),
}
_WHY: Final = RESOLVED | CHOOSE | NONE
_STEP: Final = 48
# Bars show a value as a share of its bar, up to twice the bar.
_MOST: Final = 2.0
_BAND: Final = (26, 122)
_TEXT: Final = 138
# What the names of the steps take at the left.
_LABELS: Final = 120
_FORBIDS: Final = {
    "floor": "nearness",
    "filter": "validity filter",
    "veto": "veto",
    "gate": "off-subject gate",
    "concept_gate": "Concept gate",
}
_HOW: Final = "what lab.explain(question) returned"
# Type of a headline and of what stands under it, and the least width of a panel, in pixels.
_HEAD: Final = 12.5
_DETAIL: Final = 11.5
_LEAST: Final = 420
# A panel narrower than this has no room for the bars.
_NARROW: Final = 320
_SCHEMA: Final = {
    "step": pl.UInt32(),
    "label": pl.String(),
    "value": pl.Float64(),
    "bar": pl.Float64(),
    "status": pl.String(),
    "headline": pl.String(),
    "detail": pl.String(),
}


class _Step(NamedTuple):
    label: str
    headline: str
    detail: str = ""
    passed: bool | None = None
    value: float | None = None
    bar: float | None = None


def waterfall_data(explanation: Explanation) -> pl.DataFrame:
    """Lay out the steps of a decision.

    Parameters
    ----------
    explanation : Explanation

    Returns
    -------
    polars.DataFrame
        One row a step, in the order of the way: ``step`` (from 1) · ``label`` · ``value`` and ``bar``
        (null where the step is no number, or has none) · ``status`` (``passes``, ``fails``, ``decides
        nothing``; of the verdict its state) · ``headline`` · ``detail``.

    Raises
    ------
    InputError
        If it is no explanation.
    """
    explanation = given(explanation, Explanation, "explanation", _HOW)
    steps = [
        *_words(explanation),
        *_arms(explanation),
        *_agreement(explanation),
        *_bars(explanation),
        *_forbids(explanation),
    ]
    rows = [
        (number, s.label, s.value, s.bar, _status(s.passed), visible(s.headline), visible(s.detail))
        for number, s in enumerate(steps, 1)
    ]
    told = explanation.answer.title or (explanation.settles[0].text if explanation.settles else "")
    verdict = f"{explanation.state}: {', '.join(explanation.reasons)}"
    rows.append((len(rows) + 1, "verdict", None, None, explanation.state, verdict, visible(told)))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _status(passed: bool | None) -> str:
    return "decides nothing" if passed is None else "passes" if passed else "fails"


def _words(one: Explanation) -> Iterator[_Step]:
    counting = one.words.filter(pl.col("content") & ~pl.col("again"))
    left = counting.filter(~pl.col("consumed"))["surface"].to_list()
    over = f"left over by the title: {', '.join(left)}" if left else "nothing left over by the title"
    yield _Step(
        "words",
        f"{counting.height} of {one.words.height} words count: {', '.join(counting['surface'])}",
        over if one.about else "",
        counting.height > 0,
        float(counting.height),
    )


def _arms(one: Explanation) -> Iterator[_Step]:
    for arm in [*one.answer.settings.arms, *sorted(set(one.arms["arm"]) - set(one.answer.settings.arms))]:
        part = one.arms.filter(arm=arm)
        firsts = part.filter(rank=1)
        if part.is_empty():
            yield _Step(f"{arm} arm", "no candidate", passed=None, value=0.0)
            continue
        title = shortened(firsts["title"][0])
        score = firsts["score"][0]
        unit = firsts["unit"][0]
        said = "" if score is None else f" ({score:.3f})" if unit == "cosine" else f" ({score:g} {unit})"
        alone = bool(firsts["alone"].any())
        yield _Step(
            f"{arm} arm",
            f"{part.height} candidate{'s' if part.height > 1 else ''}",
            f"first: {title}{said}" if alone else f"none alone in front: {title}{said}",
            alone or None,
            float(part.height),
        )


def _agreement(one: Explanation) -> Iterator[_Step]:
    alone = one.arms.filter("alone").select("arm", "node_id", "title")
    if one.arms["arm"].n_unique() < 2:
        return
    counts = alone.group_by("node_id", "title", maintain_order=True).agg("arm").sort(
        pl.col("arm").list.len(), descending=True, maintain_order=True
    )  # fmt: skip
    said = "; ".join(
        f"{' and '.join(row['arm'])}: {shortened(row['title'], 48)}" for row in counts.iter_rows(named=True)
    )
    most = max((len(arms) for arms in counts["arm"]), default=0)
    asked = one.arms["arm"].n_unique()
    yield _Step("agreement", f"{most} of {asked} arms put one node first", said, most > 1, float(most))


def _bars(one: Explanation) -> Iterator[_Step]:
    conditions = one.grounds.filter(of="title_and_gap")
    words = conditions.filter(condition="title words").row(0, named=True)
    lead = conditions.head(5)
    # How many words there are stands in the headline.
    missing = lead.filter(~pl.col("passed") & (pl.col("condition") != "title words"))["condition"].to_list()
    holds = [of for (of,), part in one.grounds.group_by("of", maintain_order=True) if part["passed"].all()]
    if "title" in one.answer.settings.arms:
        whole = "whole_title" in holds
        led = f"not so: {'; '.join(missing)}" if missing else "leads by title words alone"
        led = "a whole title" if whole else led
        yield _Step(
            "title lead", f"{words['have']} title words, {words['needed']} needed", led,
            whole or bool(lead["passed"].all()), words["value"], words["bar"],
        )  # fmt: skip
    gap = one.gap
    if gap.first is not None:
        second = f"{gap.second:.3f} second" if gap.second is not None and not gap.stands_in else ""
        low = second or f"{gap.background or 0.0:.3f} background, which stands in for the second"
        needed = f"{gap.needed:.3f} needed ({gap.setting})" if gap.setting else "none needed"
        off = not gap.setting or gap.needed >= _MOST
        yield _Step(
            "gap", f"{gap.gap or 0.0:.3f}, {'off' if gap.needed >= _MOST else needed}",
            f"{gap.first:.3f} first, minus {low}", None if off else (gap.gap or 0.0) >= gap.needed,
            gap.gap or 0.0, None if off else gap.needed,
        )  # fmt: skip
    yield _Step("grounds", " and ".join(holds) or "no ground holds", _WHY[holds[0]] if holds else "", bool(holds))


def _forbids(one: Explanation) -> Iterator[_Step]:
    for row in one.forbids.iter_rows(named=True):
        label = _FORBIDS[row["of"]]
        if not row["on"]:
            yield _Step(label, "off", row["have"], None)
            continue
        yield _Step(label, f"{row['condition']}: {'yes' if row['passed'] else 'no'}", row["have"], row["passed"])


def waterfall(explanation: Explanation, width: int = 720) -> alt.LayerChart:
    """Draw the way of one decision, step by step.

    Parameters
    ----------
    explanation : Explanation
        What ``lab.explain(question)`` returned.
    width : int
        Of the panel at most, in pixels: it is no wider than what it says.

    Returns
    -------
    altair.LayerChart
        A row a step: a sign for pass or fail, a bar up to the line of what it takes where there is a
        number, and what was seen.

    Raises
    ------
    InputError
        If it is no explanation.
    """
    data = waterfall_data(explanation)
    width = _needed(data, width)
    whole = width + _LABELS
    title = alt.TitleParams(
        broken(theme.line_of(explanation.question), whole, 16, 3) or "(an empty question)",
        subtitle=[*broken(_verdict(explanation), whole, 12, 3), _origin(explanation)],
    )
    # A chart that is laid out for another width breaks these texts anew.
    wrapped = {"data": DATASET, "from": "detail", "to": "shown", "beside": _TEXT, "size": _DETAIL, "lines": 2,
               "narrow": _NARROW, "narrow_beside": _BAND[0]}  # fmt: skip
    return theme.styled(
        _drawn(data, width).properties(
            title=title,
            width=width,
            height=alt.Step(_STEP),
            usermeta={"memlab": {"lowered": False, "broken": [wrapped]}},
        )
    )


def _needed(data: pl.DataFrame, most: int) -> int:
    """As wide as the longest headline, and as details in two lines."""
    heads = [text_width(text, _HEAD) * 1.1 for text in data["headline"]]
    details = [text_width(text, _DETAIL) * (0.56 if text_width(text, _DETAIL) > 330 else 1) for text in data["detail"]]
    return min(most, max(_LEAST, round(max([*heads, *details], default=0)) + _TEXT + 12))


def _verdict(one: Explanation) -> str:
    title = f" “{shortened(visible(one.answer.title), 80)}”" if one.answer.title else ""
    return f"{one.state}{title} · {', '.join(one.reasons)}: {_WHY[one.reason]}"


def _origin(one: Explanation) -> str:
    evidence = one.answer.evidence
    encoders = " and ".join(info.name for info in evidence.encoders) or "no encoder"
    as_of = evidence.questions["as_of"][0].date().isoformat()
    return f"store {evidence.store[:12]} · {encoders} · as of {as_of}"


def _drawn(data: pl.DataFrame, width: int) -> alt.LayerChart:
    labels = data["label"].to_list()
    statuses = [status for status in STATUS if status in set(data["status"])]
    room = width - _TEXT
    shown = ["\n".join(broken(text, room, _DETAIL, 2)) for text in data["detail"]]
    data = data.with_columns(shown=pl.Series(shown, dtype=pl.String))
    base = alt.Chart(theme.rows(data, DATASET)).transform_calculate(
        share=f"isValid(datum.bar) && datum.bar > 0 ? min(datum.value / datum.bar, {_MOST}) : null",
    )
    axis = alt.Axis(title=None, domain=False, ticks=False, labelPadding=10, labelFontSize=13, labelLimit=150)
    y = alt.Y("label:N", sort=labels, axis=axis, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.15))
    x = alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, _MOST], range=list(_BAND)))
    scale = theme.palette({name: colour for name, (colour, _) in STATUS.items()}, statuses)
    colour = alt.Color("status:N", scale=scale, legend=None)
    tooltip = [
        alt.Tooltip("label:N", title="step"),
        alt.Tooltip("headline:N", title="what was there"),
        alt.Tooltip("detail:N", title="seen"),
        alt.Tooltip("value:Q", title="value", format=".3~f"),
        alt.Tooltip("bar:Q", title="what it takes", format=".3~f"),
        alt.Tooltip("status:N", title="and so"),
    ]
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal")
    shapes = alt.Scale(domain=statuses, range=[STATUS[name][1] for name in statuses])
    shape = alt.Shape("status:N", scale=shapes, legend=legend)
    signs = base.mark_point(size=120, filled=True, opacity=1, strokeWidth=2.5, x=8).encode(
        y=y, shape=shape, color=alt.Color("status:N", scale=scale, legend=legend), stroke=colour,
        tooltip=tooltip,
    )  # fmt: skip
    wide = alt.expr(f"width < {_NARROW} ? 0 : 1")
    place = alt.expr(f"width < {_NARROW} ? {_BAND[0]} : {_TEXT}")
    limit = alt.expr(f"width - (width < {_NARROW} ? {_BAND[0]} : {_TEXT})")
    numbers = base.transform_filter("isValid(datum.bar) && datum.bar > 0")
    bars = numbers.mark_bar(height=16, opacity=wide).encode(x=x, y=y, color=colour, tooltip=tooltip)
    middle = (_BAND[0] + _BAND[1]) / 2
    # A rule takes the ink of the page, dark or light.
    lines = numbers.mark_rule(strokeWidth=2, opacity=wide, x=middle, yOffset=-13, y2Offset=13).encode(
        y=y, y2="label:N", tooltip=tooltip
    )
    first = base.mark_text(align="left", x=place, dy=-9, fontSize=_HEAD, fontWeight="bold", limit=limit)
    second = base.mark_text(
        align="left",
        baseline="top",
        x=place,
        dy=2,
        fontSize=_DETAIL,
        lineHeight=14,
        lineBreak="\n",
        opacity=0.8,
        limit=limit,
    )
    layers: Any = alt.layer(
        signs, bars, lines, first.encode(y=y, text="headline:N", tooltip=tooltip),
        second.encode(y=y, text="shown:N", tooltip=tooltip),
    )  # fmt: skip
    chart: alt.LayerChart = layers
    return chart
