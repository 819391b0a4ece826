"""What became of the first candidate: its classes, each with colour, shape and dash; the gap's axis and lines."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from memlab.charts import theme

CLASSES: Final = {
    "first is right": theme.RIGHT,
    "first is wrong": theme.WRONG,
    "unanswerable": theme.UNANSWERABLE,
}
SHAPES: Final = {"first is right": "circle", "first is wrong": "cross", "unanswerable": "triangle-up"}
DASHES: Final = {"first is right": [1, 0], "first is wrong": [6, 3], "unanswerable": [2, 2]}
GAP: Final = "gap: first minus second similarity (cosine)"
# Name of the data of the gap charts.
GAPS: Final = "gaps"


def class_of() -> pl.Expr:
    """The class of a graded question, from ``answerable`` and ``first_right``; an enum called ``class``."""
    label = (
        pl.when(~pl.col("answerable"))
        .then(pl.lit("unanswerable"))
        .when(pl.col("first_right").fill_null(False))
        .then(pl.lit("first is right"))
        .otherwise(pl.lit("first is wrong"))
    )
    return label.cast(pl.Enum(list(CLASSES))).alias("class")


def _rule(name: str, dash: list[int]) -> alt.Chart:
    # One row a panel, or every row of the data would draw its own line.
    rule: alt.Chart = (
        alt.Chart()
        .transform_filter(f"isValid({name})")
        .transform_aggregate(rows="count()", groupby=["class"])
        .transform_calculate(at=name)
        .mark_rule(strokeWidth=1.5, strokeDash=dash, clip=True)
        .encode(x="at:Q")
    )
    return rule


def rules() -> tuple[alt.Chart, alt.Chart]:
    """The lines of the parameters ``threshold`` and ``threshold_alone``, in every panel."""
    return _rule("threshold", [1, 0]), _rule("threshold_alone", [5, 4])
