"""The gap by outcome: whether a wide gap tells a right first candidate from a wrong one (chapter 18, section 4)."""

from __future__ import annotations

from typing import Any, Final, Literal

import altair as alt
import polars as pl

from memlab.charts import theme
from memlab.charts.gap_curves import at_least, density
from memlab.charts.gap_panels import panels
from memlab.charts.given import given
from memlab.charts.nothing import nothing
from memlab.charts.provenance import subtitle
from memlab.charts.signs import CLASSES, GAPS, class_of
from memlab.errors import InputError
from memlab.exam import Outcomes

# Gaps are drawn on a grid this fine, in cosine; sliders move on the same grid, so counts stay exact.
GRID: Final = 0.001
DATASET: Final = GAPS
KINDS: Final = ("bars", "density", "ecdf")
_TITLE: Final = "How far the first candidate stands in front of the second"


def gaps_data(outcomes: Outcomes) -> pl.DataFrame:
    """Count questions by class and gap.

    Parameters
    ----------
    outcomes : Outcomes
        Uses ``answerable``, ``first_right`` and ``gap`` (cosine) of its rows. The class is by whether
        the first of the ordered pool is gold, whatever the state.

    Returns
    -------
    polars.DataFrame
        ``class`` · ``gap`` (cosine, rounded down to 0.001) · ``count`` · ``n`` (questions of the class
        with a gap) · ``missing`` (those without: no semantic arm, or an empty pool), by class and gap.
    """
    held = given(outcomes, Outcomes, "outcomes", "what ml.grade(...) returned")
    # The small addend keeps a gap of 0.050 at 0.050: floor(0.05 / 0.001) may fall just short of 50.
    steps = (pl.col("gap") / GRID + 1e-6).floor()
    known = pl.col("gap").is_not_null()
    counted: pl.DataFrame = (
        held.rows.select(class_of(), (steps * GRID).round(3).alias("gap"))
        .group_by("class", "gap")
        .agg(pl.len().alias("count"))
        .with_columns(
            pl.col("count").filter(known).sum().over("class").alias("n"),
            pl.col("count").filter(~known).sum().over("class").alias("missing"),
        )
        .filter(known)
        .sort("class", "gap")
    )
    return counted


def gaps(
    outcomes: Outcomes,
    threshold: float | None = None,
    alone: float | None = None,
    kind: Literal["bars", "density", "ecdf"] = "bars",
    width: int = 500,
) -> alt.Chart | alt.FacetChart | alt.LayerChart:
    """Draw the gap of right, wrong and unanswerable questions, with the threshold as a line.

    Parameters
    ----------
    outcomes : Outcomes
        A graded exam.
    threshold : float, optional
        Gap, in cosine, where the solid line stands; it is the chart's parameter ``threshold``.
    alone : float, optional
        A second gap, where the dashed line stands; the parameter ``threshold_alone``.
    kind : {"bars", "density", "ecdf"}
        One panel a class, where bars are shares of the class and the text counts what passes each line;
        or all classes in one panel, as smooth densities or as the share of each class whose gap is at
        least that wide (the empirical distribution, from above).
    width : int
        Of the panels, in pixels.

    Raises
    ------
    InputError
        If these are no outcomes, or there is no such kind.
    """
    held = given(outcomes, Outcomes, "outcomes", "what ml.grade(...) returned")
    if kind not in KINDS:
        raise InputError(f"no such kind as {kind}; there are {', '.join(KINDS)}", field="kind")
    data = gaps_data(held)
    missing = held.rows["gap"].null_count()
    note = [f"left out, having no gap: {missing} of {held.rows.height}"] if missing else []
    lines = gap_lines(threshold, alone)
    if lines["threshold_alone"] is not None:
        note.append("solid line: gap with a title lead · dashed line: gap alone")
    end = _reach(data, *lines.values())
    drawn: Any
    if kind == "bars":
        drawn = panels(data, end, width)
        if data.is_empty():
            note.append("nothing to draw: no question has a gap")
    else:
        left_out = [name for name in CLASSES if data.filter(pl.col("class") == name)["gap"].n_unique() == 1]
        if kind == "density" and left_out:
            note.append(f"no density of a single gap: {', '.join(left_out)}")
        drawn = (density if kind == "density" else at_least)(data, end, width)
        if drawn is None:
            why = "no class has two different gaps" if data.height else "no question has a gap"
            return nothing(_TITLE, [subtitle(held), *note], why, width)
    title = alt.TitleParams(_TITLE, subtitle=[subtitle(held), *note])
    parameters = (alt.param(name=name, value=value) for name, value in lines.items())
    styled: alt.FacetChart | alt.LayerChart = theme.styled(drawn.properties(title=title).add_params(*parameters))
    return styled


def gap_lines(threshold: float | None, alone: float | None = None) -> dict[str, float | None]:
    """Return the values of the chart's parameters: where its lines stand, in cosine."""
    # A gap of two cosines or more is out of reach: that is how a ground is turned off, and no line to draw.
    given = {"threshold": threshold, "threshold_alone": alone}
    return {name: None if gap is None or gap >= 2 else round(gap, 3) for name, gap in given.items()}


def _reach(data: pl.DataFrame, *lines: float | None) -> float:
    """Return where the axis ends, in cosine: past the widest gap and past every line, so that it stands still."""
    widest = data["gap"].max()
    seen = [float(widest)] if isinstance(widest, float) else []
    return max([GRID, *seen, *(line for line in lines if line is not None)]) + 2 * GRID
