"""Raw similarity against the gap: which of them tells a right first candidate (chapter 18, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Final

import altair as alt
import numpy as np
import polars as pl

from memlab.charts import theme
from memlab.charts.given import frame_with, given
from memlab.charts.kernel import densities
from memlab.charts.nothing import nothing
from memlab.charts.provenance import subtitle as where
from memlab.charts.signs import CLASSES, GAP, SHAPES, class_of
from memlab.errors import InputError
from memlab.exam import Outcomes

DATASET: Final = "questions"
SIGNALS: Final = {"similarity": "raw similarity of the first (cosine)", "gap": GAP}
_TITLE: Final = "Raw similarity against the gap"
_SIDE: Final = 84
_HOW: Final = "what ml.grade(...) returned, or study.findings['signals'].tables['questions']"


def similarity_gap_data(outcomes: Outcomes | pl.DataFrame) -> pl.DataFrame:
    """Return the questions that have a first candidate by meaning.

    Returns
    -------
    polars.DataFrame
        ``question_id`` · ``class`` (right, wrong or unanswerable: by the first of the ordered pool,
        whatever the state) · ``similarity`` · ``gap`` (cosine); ``question`` and ``outcome`` where they
        are known.
    """
    if isinstance(outcomes, pl.DataFrame):
        held = frame_with(outcomes, ("question_id", "class", "similarity", "gap"), "outcomes", _HOW)
        rows = held.with_columns(pl.col("class").cast(pl.String))
    else:
        held = given(outcomes, Outcomes, "outcomes", _HOW).rows
        frame_with(held, ("similarity", "gap"), "outcomes", _HOW)
        rows = held.with_columns(class_of().cast(pl.String))
    named = [name for name in ("question", "outcome") if name in rows.columns]
    kept = rows.select("question_id", "class", *named, "similarity", "gap").drop_nulls(["similarity", "gap"])
    kept = kept.with_columns(pl.col("similarity", "gap").round(4), *(pl.col(n).cast(pl.String) for n in named))
    if "question" in named:
        lines = [theme.line_of(text, 120) for text in kept["question"]]
        kept = kept.with_columns(question=pl.Series(lines, dtype=pl.String))
    return kept


def signal_areas(data: pl.DataFrame) -> pl.DataFrame:
    """Return how well each signal tells a right first from every other (Hanley and McNeil, Radiology 1982).

    Returns
    -------
    polars.DataFrame
        ``signal`` · ``auc`` · ``low`` and ``high`` (95 %; null where one side is empty) · ``right`` ·
        ``not_right``.
    """
    from scipy.stats import mannwhitneyu

    right = (data["class"] == "first is right").to_numpy()
    yes, no = int(right.sum()), int((~right).sum())
    rows: list[dict[str, Any]] = []
    for signal in SIGNALS:
        row: dict[str, Any] = {"signal": signal, "auc": None, "low": None, "high": None, "right": yes, "not_right": no}
        if yes and no:
            values = np.asarray(data[signal].to_numpy(), dtype=float)
            area = float(mannwhitneyu(values[right], values[~right]).statistic) / (yes * no)
            one, other = area / (2 - area), 2 * area**2 / (1 + area)
            spread = area * (1 - area) + (yes - 1) * (one - area**2) + (no - 1) * (other - area**2)
            half = 1.96 * sqrt(max(spread, 0.0) / (yes * no))
            row |= {"auc": area, "low": max(0.0, area - half), "high": min(1.0, area + half)}
        rows.append(row)
    kinds = {"signal": pl.String(), "auc": pl.Float64(), "low": pl.Float64(), "high": pl.Float64(),
             "right": pl.Int64(), "not_right": pl.Int64()}  # fmt: skip
    return pl.DataFrame(rows, schema=kinds)


def similarity_gap(
    outcomes: Outcomes | pl.DataFrame,
    areas: pl.DataFrame | None = None,
    threshold: float | None = None,
    title: str = _TITLE,
    subtitle: Sequence[str] = (),
    width: int = 400,
) -> alt.Chart | alt.VConcatChart:
    """Draw each question by the raw similarity of its first candidate and by its gap.

    Parameters
    ----------
    outcomes : Outcomes or polars.DataFrame
        A graded exam, or the table ``questions`` of the finding ``signals``.
    areas : polars.DataFrame, optional
        ``signal`` · ``auc`` · ``low`` · ``high``: the table ``signals`` of that finding; worked out
        here when left out.
    threshold : float, optional
        A gap to draw a line at, in cosine.
    title : str
    subtitle : sequence of str
        Where the questions come from when left out.
    width : int
        Of the square in the middle, in pixels.

    Returns
    -------
    altair.VConcatChart
        A sign a question, and beside each axis how its signal is spread in each class, with the area
        under the ROC curve: 1 tells right from the rest without fail, 0.5 says nothing.

    Raises
    ------
    InputError
        If it is neither.
    """
    data = similarity_gap_data(outcomes)
    told = list(subtitle) or ([where(outcomes)] if isinstance(outcomes, Outcomes) else [f"n = {data.height} questions"])
    if data.is_empty():
        return nothing(title, told, "no question has a first candidate by meaning", width)
    known = signal_areas(data) if areas is None else frame_with(areas, ("signal", "auc", "low", "high"), "areas", _HOW)
    rows = {row["signal"]: row for row in known.iter_rows(named=True)}
    if not set(SIGNALS) <= set(rows):
        raise InputError("has no row for similarity and gap", field="areas")
    if isinstance(outcomes, Outcomes) and data.height < outcomes.rows.height:
        told.append(f"left out, having no first by meaning: {outcomes.rows.height - data.height}")
    told += [f"{_area(rows['gap'], 'gap')} · {_area(rows['similarity'], 'raw similarity')}",
             "AUC: how well it tells a right first from every other; 0.5 says nothing, 1 tells all"]  # fmt: skip
    ends = {name: _ends(data[name], zero=name == "gap") for name in SIGNALS}
    x = alt.X("gap:Q", title=GAP, scale=alt.Scale(domain=ends["gap"], nice=False), axis=alt.Axis(format=".3~f"))
    y = alt.Y("similarity:Q", title=SIGNALS["similarity"], axis=alt.Axis(format=".2~f"),
              scale=alt.Scale(domain=ends["similarity"], nice=False, zero=False))  # fmt: skip
    legend = alt.Legend(orient="bottom", symbolOpacity=1, title=None)
    colour = alt.Color("class:N", scale=theme.palette(CLASSES), legend=legend)
    shape = alt.Shape("class:N", scale=alt.Scale(domain=list(CLASSES), range=list(SHAPES.values())), legend=legend)
    many = data.height > 1500
    points = (
        alt.Chart(theme.rows(data, DATASET))
        .mark_point(filled=True, size=18 if many else 46, opacity=0.35 if many else 0.6)
        .encode(x=x, y=y, color=colour, shape=shape, tooltip=_tooltip(data))
    )
    layers: list[alt.Chart] = [points]
    if threshold is not None and threshold < 2:
        line = alt.Chart(alt.InlineData(name="threshold", values=[{"threshold": round(threshold, 3)}]))
        layers.append(line.mark_rule(strokeWidth=1.5, clip=True).encode(x=alt.X("threshold:Q", title=GAP)))
    middle = alt.layer(*layers).properties(width=width, height=round(width * 0.75))
    across = _spread(data, "gap", ends["gap"]).encode(
        x=alt.X("at:Q", axis=None, scale=alt.Scale(domain=ends["gap"], nice=False)),
        y=alt.Y("density:Q", axis=None, stack=None),
    ).properties(width=width, height=_SIDE)  # fmt: skip
    beside = (
        _spread(data, "similarity", ends["similarity"])
        .mark_area(orient="horizontal", opacity=0.35)
        .encode(
            y=alt.Y("at:Q", axis=None, scale=alt.Scale(domain=ends["similarity"], nice=False, zero=False)),
            x=alt.X("density:Q", axis=None, stack=None),
        )
        .properties(width=_SIDE, height=round(width * 0.75))
    )
    row = alt.hconcat(middle, beside, spacing=6).resolve_scale(color="independent", shape="independent")
    whole: Any = alt.vconcat(across, row, spacing=6)
    # The square and its margins belong together, whatever the width.
    whole = whole.properties(
        title=alt.TitleParams(title, subtitle=told), usermeta={"memlab": {"stacked": False}}
    ).resolve_scale(color="independent", shape="independent")
    styled: alt.VConcatChart = theme.styled(whole)
    return styled


def _area(row: Mapping[str, Any], name: str) -> str:
    if row["auc"] is None:
        return f"{name}: no AUC, as all are alike"
    return f"{name}: AUC {row['auc']:.3f} ({row['low']:.3f} to {row['high']:.3f})"


def _ends(values: pl.Series, *, zero: bool) -> list[float]:
    """Where an axis begins and ends, with a little room."""
    low, high = (float(v) if isinstance(v := end, int | float) else 0.0 for end in (values.min(), values.max()))
    room = max((high - low) * 0.05, 0.005)
    return [0.0 if zero else round(low - room, 3), round(high + room, 3)]


def _spread(data: pl.DataFrame, signal: str, ends: list[float]) -> alt.Chart:
    smooth = densities(data, signal, "class", ends[0], ends[1], folded=signal == "gap")
    chart: alt.Chart = (
        alt.Chart(theme.rows(smooth, f"{signal}_density"))
        .mark_area(opacity=0.35, line=True)
        .encode(
            color=alt.Color("class:N", scale=theme.palette(CLASSES), legend=None),
            tooltip=[alt.Tooltip("class:N", title="class"), alt.Tooltip("at:Q", title=signal, format=".3~f")],
        )
    )
    return chart


def _tooltip(data: pl.DataFrame) -> list[alt.Tooltip]:
    known = [alt.Tooltip(f"{name}:N", title=name) for name in ("question", "outcome") if name in data.columns]
    return [
        *known,
        alt.Tooltip("question_id:N", title="id"),
        alt.Tooltip("class:N", title="class"),
        alt.Tooltip("similarity:Q", title="similarity", format=".3~f"),
        alt.Tooltip("gap:Q", title="gap", format=".3~f"),
    ]
