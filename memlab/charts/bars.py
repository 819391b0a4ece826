"""Outcome bars: what became of every question, answerable and unanswerable apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import given
from memlab.charts.provenance import subtitle
from memlab.charts.rebreaking import ROOM
from memlab.errors import InputError
from memlab.exam import Outcomes, wilson

# Every segment in its place along the bar: group, what the legend calls it, and its colour.
SEGMENTS: Final = {
    "resolved_right": ("answerable", "resolved, right", theme.RIGHT),
    "confident_wrong": ("answerable", "resolved, wrong", theme.WRONG),
    "choose_has_gold": ("answerable", "choose, with gold", theme.CHOOSE),
    "choose_without_gold": ("answerable", "choose, no gold", theme.CHOOSE_WITHOUT),
    "none": ("answerable", "none", theme.NONE),
    "unanswerable_resolved": ("unanswerable", "resolved, wrong", theme.WRONG),
    "unanswerable_choose": ("unanswerable", "choose, no gold", theme.CHOOSE_WITHOUT),
    "unanswerable_none": ("unanswerable", "none", theme.NONE),
}
ABOVE: Final = ("resolved_right", "choose_has_gold", "none", "unanswerable_resolved", "unanswerable_none")
DATASET: Final = "outcomes"
# The chart's parameter: the segment that stands out, by its name; empty where all do.
PICKED: Final = "picked"
_HOW: Final = "what ml.grade(...) returned, one or several by name"
_BAR: Final = 34
# A segment narrower than this, in pixels, has no room for its text, which then stands outside the bar.
_ROOM: Final = 35

_DATA: Final = pl.Schema(
    {"setting": pl.String, "group": pl.String, "segment": pl.String, "label": pl.String, "count": pl.Int64,
     "n": pl.Int64, "share": pl.Float64, "low": pl.Float64, "high": pl.Float64, "start": pl.Float64,
     "end": pl.Float64}
)  # fmt: skip
_RISK: Final = (
    pl.col("count").alias("wrong"),
    pl.col("n").alias("resolved"),
    pl.col("share").alias("risk"),
    pl.col("low"),
    pl.col("high"),
)

Graded: TypeAlias = Outcomes | Sequence[Outcomes] | Mapping[str, Outcomes]


def outcomes_data(graded: Graded) -> pl.DataFrame:
    """Count outcomes, with the place of each segment along its bar.

    Parameters
    ----------
    graded : Outcomes, or a sequence or mapping of them
        Uses ``answerable``, ``outcome`` and ``choose_has_gold`` of the rows. A mapping names its
        settings; a sequence counts them from 1.

    Returns
    -------
    polars.DataFrame
        ``setting`` · ``group`` · ``segment`` · ``label`` · ``count`` · ``n`` (of the group) ·
        ``share`` · ``low`` and ``high`` (Wilson 95 %) · ``start`` and ``end`` (cumulative share);
        one row a segment, those that are empty too.
    """
    return pl.concat([_counted(name, one) for name, one in named(graded).items()])


def risk_data(graded: Graded) -> pl.DataFrame:
    """Count confident wrong answers among the resolved, answerable and unanswerable together.

    Returns
    -------
    polars.DataFrame
        ``setting`` · ``wrong`` · ``resolved`` · ``risk`` · ``low`` and ``high`` (Wilson 95 %; null
        where nothing was resolved).
    """
    found = [
        one.table().filter(pl.col("measure") == "risk").select(pl.lit(name).alias("setting"), *_RISK)
        for name, one in named(graded).items()
    ]
    return pl.concat(found)


def outcomes(graded: Graded, risk: bool = True, width: int = 500) -> alt.FacetChart:
    """Draw what became of the questions: resolved right or wrong, handed back, refused.

    Parameters
    ----------
    graded : Outcomes, or a sequence or mapping of them
        One graded exam, or the same exam under several settings: ``{"default": a, "gap 0.1": b}``.
    risk : bool
        Say in the subtitle how often a resolved answer was wrong.
    width : int
        Of the panels, in pixels.

    Returns
    -------
    altair.FacetChart
        A panel for answerable and one for unanswerable questions, a bar a setting.
    """
    several = named(graded)
    data = outcomes_data(graded)
    lines = [subtitle(next(iter(several.values())))]
    if risk:
        lines += [_risk_line(row, alone=len(several) == 1) for row in risk_data(graded).iter_rows(named=True)]
    return theme.styled(
        _bars(data, width, several=len(several) > 1)
        .properties(title=alt.TitleParams("What became of the questions", subtitle=lines))
        .add_params(alt.param(name=PICKED, value=""))
    )


def named(graded: Graded) -> dict[str, Outcomes]:
    """Return the graded exams by the name of their setting.

    Raises
    ------
    InputError
        If one of them is none, or there is none.
    """
    if isinstance(graded, Outcomes):
        return {"": graded}
    if isinstance(graded, Mapping):
        several = {str(name): one for name, one in graded.items()}
    elif isinstance(graded, Sequence) and not isinstance(graded, str | bytes):
        several = {f"setting {i}": one for i, one in enumerate(graded, start=1)}
    else:
        several = {"": given(graded, Outcomes, "outcomes", _HOW)}
    if not several:
        raise InputError(f"give {_HOW}; there is none", field="outcomes")
    return {name: given(one, Outcomes, "outcomes", _HOW) for name, one in several.items()}


def _counted(name: str, one: Outcomes) -> pl.DataFrame:
    found = one.counts()
    found["choose_without_gold"] = found["choose"] - found["choose_has_gold"]
    sizes = {"answerable": found["n_answerable"], "unanswerable": found["n_unanswerable"]}
    before = dict.fromkeys(sizes, 0)
    rows = []
    for segment, (group, label, _) in SEGMENTS.items():
        count, n = found[segment], sizes[group]
        start, before[group] = before[group], before[group] + count
        shares = (count / n, start / n, before[group] / n) if n else (0.0, 0.0, 0.0)
        rows.append((name, group, segment, label, count, n, shares[0], *wilson(count, n), *shares[1:]))
    return pl.DataFrame(rows, schema=_DATA, orient="row")


def _risk_line(row: dict[str, float | str | None], *, alone: bool) -> str:
    name = "" if alone else f"{row['setting']}: "
    if row["risk"] is None:
        return f"{name}nothing resolved, so no risk to state"
    return (
        f"{name}risk {row['risk']:.3f} ({row['low']:.3f} to {row['high']:.3f}):"
        f" {row['wrong']} of {row['resolved']} resolved are wrong"
    )


def _bars(data: pl.DataFrame, width: int, *, several: bool) -> alt.FacetChart:
    names = data["setting"].unique(maintain_order=True).to_list()
    # A bar keeps room above and below for the counts of segments too thin to hold them.
    step = _BAR + 34
    y = alt.Y(
        "setting:N",
        sort=names,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelLimit=160, labelPadding=8) if several else None,
        scale=alt.Scale(paddingInner=1 - _BAR / step, paddingOuter=(1 - _BAR / step) / 2),
    )
    colours = {label: colour for _, label, colour in SEGMENTS.values()}
    # Labels of the legend take some 190 pixels each.
    legend = alt.Legend(title=None, orient="bottom", columns=max(1, min(3, (width + 70) // 160)), symbolType="square")
    # What a screen reader says of a segment.
    said = "datum.setting + ' ' + datum.group + ', ' + datum.label + ': ' + datum.count + ' of ' + datum.n"
    base = alt.Chart().transform_filter("datum.count > 0").transform_calculate(said=said)
    bars = base.mark_bar(x2Offset=-1).encode(
        x=alt.X(
            "start:Q",
            title="share of the group",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format=".0%", tickCount=5),
        ),
        x2="end:Q",
        y=y,
        color=alt.Color("label:N", scale=theme.palette(colours), legend=legend),
        description=alt.Description("said:N"),
        opacity=alt.condition(f"{PICKED} == '' || {PICKED} == datum.segment", alt.value(1), alt.value(0.3)),
        tooltip=[
            *([alt.Tooltip("setting:N", title="setting")] if several else []),
            alt.Tooltip("group:N", title="questions"),
            alt.Tooltip("label:N", title="outcome"),
            alt.Tooltip("count:Q", title="count"),
            alt.Tooltip("n:Q", title="of"),
            alt.Tooltip("share:Q", title="share", format=".3~f"),
            alt.Tooltip("low:Q", title="95 % from", format=".3~f"),
            alt.Tooltip("high:Q", title="to", format=".3~f"),
        ],
    )
    texts = base.transform_calculate(
        middle="(datum.start + datum.end) / 2",
        share_text="format(datum.share, '.2f')",
        # Text of a thin segment at the end of the bar would run out of the panel.
        beside="clamp((datum.start + datum.end) / 2, 0.05, 0.95)",
        outside="datum.count + ' (' + format(datum.share, '.2f') + ')'",
    ).encode(y=y)
    inside = texts.transform_filter(f"datum.share >= {ROOM}").encode(x="middle:Q")
    thin = texts.transform_filter(f"datum.share < {ROOM}").encode(x="beside:Q")
    # Neighbours alternate between above and below, so that two thin ones do not overprint.
    above = thin.transform_filter(alt.FieldOneOfPredicate("segment", ABOVE))
    below = thin.transform_filter(~alt.FieldOneOfPredicate("segment", ABOVE))
    layers = (
        # Altair joins charts with parameters only where the first layer has a name.
        bars.properties(name="outcome_bars"),
        inside.mark_text(aria=False, dy=-7, fontSize=13, fontWeight="bold", color=theme.INK_ON_COLOUR).encode(
            text="count:Q"
        ),
        inside.mark_text(aria=False, dy=8, fontSize=11, color=theme.INK_ON_COLOUR).encode(text="share_text:N"),
        above.mark_text(aria=False, dy=-_BAR / 2 - 8, fontSize=11).encode(text="outside:N"),
        below.mark_text(aria=False, dy=_BAR / 2 + 9, fontSize=11).encode(text="outside:N"),
    )
    return (
        alt.layer(*layers)
        .properties(width=width, height=alt.Step(step))
        .facet(
            row=alt.Row(
                "group:N",
                title=None,
                header=alt.Header(
                    labelOrient="top", labelAnchor="start", labelPadding=2, labelExpr="datum.value + ' questions'"
                ),
            ),
            data=theme.rows(data, DATASET),
            spacing=8,
        )
        .add_params(alt.param(name=ROOM, value=round(_ROOM / width, 3)))
    )
