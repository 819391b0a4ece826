"""Along the curve of risk against coverage: from a point of it to the settings that stand there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import ipywidgets
import polars as pl

from memlab.charts import operating_point
from memlab.exam import Outcomes
from memlab.exam.curve import STRICTNESS, Curve, stricter
from memlab.rules import Settings

# A slider's step, in cosine: a gap is rounded to it, away from the gaps that the settings already stand at.
_STEP: Final = 0.001


class WalkBox(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Two buttons that go along the curve, and what became of the last step.

    Parameters
    ----------
    fewer, more : callable
        What each button does.
    """

    def __init__(self, fewer: Callable[[], None], more: Callable[[], None]) -> None:
        wide = {"width": "auto"}
        self.fewer = ipywidgets.Button(
            description="fewer wrong", icon="step-backward", layout=wide,
            tooltip="Make both gaps just as much stricter as it takes for fewer confident wrong answers on this exam",
        )  # fmt: skip
        self.more = ipywidgets.Button(
            description="more resolved", icon="step-forward", layout=wide,
            tooltip="Make both gaps just as much looser as it takes for more answers on this exam",
        )  # fmt: skip
        self.told = ipywidgets.HTML()
        self.told.add_class("memlab-walked")
        self.fewer.on_click(lambda _: fewer())
        self.more.on_click(lambda _: more())
        super().__init__(
            children=[ipywidgets.HBox([self.fewer, self.more], layout={"flex_flow": "row wrap"}), self.told]
        )

    def tell(self, text: str) -> None:
        """Say what became of a step; nothing takes no room."""
        self.told.value = f'<span style="font-size:12px;line-height:1.3">{text}</span>' if text else ""
        self.told.layout.display = None if text else "none"


def factor_of(row: Mapping[str, Any]) -> float | None:
    """Return the factor on the gaps that a point of the curve stands for; None where no gap leads there."""
    factor = row.get("confidence")
    known = isinstance(factor, int | float) and not isinstance(factor, bool) and math.isfinite(factor) and factor >= 0
    return min(float(factor), max(STRICTNESS)) if known and factor is not None else None


def fewer_wrong(curve: Curve, now: Outcomes) -> float | None:
    """Return the loosest factor above 1 under which fewer are wrong than now; None where there is none."""
    wrong = _counts(now)[1]
    found = curve.points.filter((pl.col("confidence") > 1.0) & (pl.col("wrong") < wrong)).tail(1)
    return None if found.is_empty() else min(float(found["confidence"][0]), max(STRICTNESS))


def more_resolved(curve: Curve, now: Outcomes) -> float | None:
    """Return the strictest factor below 1 under which more are resolved than now; None where there is none."""
    answered = _counts(now)[0]
    found = curve.points.filter(
        pl.col("confidence").is_between(0.0, 1.0, closed="left") & (pl.col("answered") > answered)
    )
    return None if found.is_empty() else float(found["confidence"][0])


def standing_at(settings: Settings, factor: float) -> Settings:
    """Return settings whose gaps are multiplied, in steps that a slider has.

    A stricter gap is rounded up and a looser one down, so that what the point holds back, or lets through, is
    held back or let through.
    """
    moved = stricter(settings, factor)
    to_step = math.ceil if factor > 1 else math.floor

    def rounded(gap: float) -> float:
        # Products of floating-point numbers lie a little beside a step that they mean.
        return round(to_step(round(gap / _STEP, 6)) * _STEP, 3)

    alone = moved.gap_alone if moved.gap_alone == settings.gap_alone else rounded(moved.gap_alone)
    return moved.but(gap=rounded(moved.gap), gap_alone=alone)


def told_step(before: Settings, after: Settings, was: Outcomes, now: Outcomes) -> str:
    """Say what a step moved and what came of it."""
    moved = [
        f"{name} {getattr(before, name):.3f} → {getattr(after, name):.3f}"
        for name in ("gap", "gap_alone")
        if getattr(before, name) != getattr(after, name)
    ]
    (answered, wrong), (then, of_them) = _counts(now), _counts(was)
    return f"{' · '.join(moved)}: {wrong} of {answered} resolved are wrong on this exam, were {of_them} of {then}"


def _counts(outcomes: Outcomes) -> tuple[int, int]:
    """How many are resolved, and how many of them are wrong."""
    (point,) = operating_point(outcomes).select("answered", "wrong").iter_rows()
    return point[0], point[1]
