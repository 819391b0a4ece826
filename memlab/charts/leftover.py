"""Leftover words: where the off-subject gate sees something, and where it is too coarse to (chapter 18, section 5)."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with, given
from memlab.charts.nothing import nothing
from memlab.charts.provenance import subtitle
from memlab.errors import InputError
from memlab.exam import Outcomes

CLASSES: Final = {"resolved right": theme.RIGHT, "resolved wrong": theme.WRONG, "unanswerable": theme.UNANSWERABLE}
# From here on questions are counted together: longer leftovers are few.
MOST: Final = 6
_TITLE: Final = "What the off-subject gate would stop, by leftover words"


def leftover_data(outcomes: Outcomes) -> pl.DataFrame:
    """Count resolved questions by the words that the title did not consume, and what the gate says.

    Parameters
    ----------
    outcomes : Outcomes
        Graded with the gate off; uses ``state``, ``outcome``, ``leftover`` and ``off_subject``.

    Returns
    -------
    polars.DataFrame
        ``class`` · ``leftover`` (content words of the question; 6 stands for 6 and more) · ``n``
        (resolved questions) · ``stopped`` (those whose leftover touches nothing that search
        returned: the gate would hand them back) · ``share``, by class and leftover.

    Raises
    ------
    InputError
        If these are no outcomes, or the gate was on: what it stopped is not resolved, and cannot be told
        from other lists.
    """
    outcomes = given(outcomes, Outcomes, "outcomes", "what ml.grade(...) returned")
    frame_with(outcomes.rows, ("leftover", "off_subject"), "outcomes", "what ml.grade(...) returned")
    if outcomes.settings is not None and (outcomes.settings.gate or outcomes.settings.concept_gate):
        raise InputError("a gate was on; grade with gate=False to see what it would stop", part="outcomes")
    label = (
        pl.when(~pl.col("answerable"))
        .then(pl.lit("unanswerable"))
        .when(pl.col("outcome").cast(pl.String) == "resolved_right")
        .then(pl.lit("resolved right"))
        .otherwise(pl.lit("resolved wrong"))
    )
    counted: pl.DataFrame = (
        outcomes.rows.filter(pl.col("state").cast(pl.String) == "resolved")
        .select(
            label.cast(pl.Enum(list(CLASSES))).alias("class"),
            pl.col("leftover").clip(upper_bound=MOST).cast(pl.Int64),
            "off_subject",
        )
        .group_by("class", "leftover")
        .agg(pl.len().alias("n"), pl.col("off_subject").sum().alias("stopped"))
        .with_columns((pl.col("stopped") / pl.col("n")).alias("share"))
        .sort("class", "leftover")
    )
    return counted


def leftover(outcomes: Outcomes, width: int = 500) -> alt.Chart | alt.FacetChart:
    """Draw what the off-subject gate would stop, by the number of leftover words.

    Parameters
    ----------
    outcomes : Outcomes
        A graded exam, the gate off.
    width : int
        Of the panels, in pixels.

    Returns
    -------
    altair.FacetChart
        One panel a class: the light bar counts resolved questions, the dark one those that the gate
        would hand back. A short question leaves one word or none, so the gate knows little of it.
    """
    data = leftover_data(outcomes)
    x = alt.X(
        "leftover:O",
        title="content words of the question that the title did not consume",
        scale=alt.Scale(domain=list(range(MOST + 1))),
        axis=alt.Axis(labelAngle=0, labelExpr=f"datum.value == {MOST} ? '{MOST} or more' : datum.label"),
    )
    base = alt.Chart().encode(
        x=x,
        color=alt.Color("class:N", scale=theme.palette(CLASSES), legend=None),
        tooltip=[
            alt.Tooltip("class:N", title="class"),
            alt.Tooltip("leftover:O", title="leftover words"),
            alt.Tooltip("n:Q", title="resolved questions"),
            alt.Tooltip("stopped:Q", title="the gate would hand back"),
            alt.Tooltip("share:Q", title="share", format=".2~f"),
        ],
    )
    whole = base.mark_bar(opacity=0.35).encode(
        y=alt.Y("n:Q", title="questions", axis=alt.Axis(tickCount=3, format="d"))
    )
    stopped = base.mark_bar(width=alt.RelativeBandSize(0.5)).encode(y="stopped:Q")
    told = alt.Chart().mark_text(dy=-7, fontSize=11).encode(x=x, y="n:Q", text="told:N")
    names = (
        alt.Chart()
        .transform_aggregate(n="sum(n)", stopped="sum(stopped)", groupby=["class"])
        .transform_calculate(name="datum.class + ': ' + datum.stopped + ' of ' + datum.n + ' stopped'")
        .mark_text(align="left", x=0, y=-26, fontSize=13)
        .encode(text="name:N")
    )
    layers = alt.layer(whole, stopped, told.transform_calculate(told="datum.stopped + ' of ' + datum.n"), names)
    where = [subtitle(outcomes), f"of them resolved: {data['n'].sum()}"]
    if data.is_empty():
        return nothing(_TITLE, where[:1], "no question was resolved, so there is nothing to stop", width)
    gate = "light: resolved · dark: the gate would hand it back, as its leftover touches nothing that search returned"
    by = "" if outcomes.settings is None else ", ".join(outcomes.settings.gate_by)
    title = alt.TitleParams(
        _TITLE,
        subtitle=[*where, gate, *([f"the gate was looked at on exams by {by}"] if by else [])],
    )
    return theme.styled(
        layers.properties(width=width, height=90)
        .facet(row=alt.Row("class:N", sort=list(CLASSES), header=None), data=theme.rows(data, "leftover"), spacing=38)
        .properties(title=title)
    )
