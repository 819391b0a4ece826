"""A chart laid out again for a column of a paper or for a slide: narrower panels, broken lines, larger type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from memlab.charts.rebreaking import (
    Spec,
    break_axis_titles,
    break_marks,
    break_titles,
    keep_room,
    said,
    views,
)

Draw = Callable[[Spec], str]


@dataclass(frozen=True)
class Size:
    """A place for a chart, in points (72 to the inch).

    Attributes
    ----------
    width, height : float
        Of the whole picture; no height lets it grow downwards.
    least : float
        The smallest text.
    stacked : bool
        Panels side by side are put one under the other.
    dots : float
        Of a PNG at scale 1, to the inch.
    """

    width: float
    height: float | None
    least: float
    stacked: bool
    dots: float


SIZES: Final = {"column": Size(240, None, 7.2, True, 150), "slide": Size(960, 540, 14, False, 72)}
# Type of Vega where a chart names none, in pixels.
_TYPE: Final = 10.0
_STEP: Final = {"width": 0.6, "height": 0.8}
# Where a step keeps what it was at first, while a chart is laid out.
_FIRST: Final = "first step"
# A panel is never made narrower or lower than this, in pixels.
_LEAST: Final = 90.0
_LOWER: Final = 0.45
_ROOT: Final = re.compile(r'<svg([^>]*?) width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*"')


@dataclass(frozen=True)
class Sheet:
    """A specification, and how large its picture is to be drawn.

    Attributes
    ----------
    spec : dict
        In its own pixels.
    size : Size or None
        None leaves the picture as it is.
    zoom : float
        Points a pixel.
    """

    spec: Spec
    size: Size | None = None
    zoom: float = 1.0

    @property
    def dots(self) -> float:
        """Dots to the inch of a PNG at scale 1."""
        return self.size.dots if self.size else 72.0

    def fitted(self, svg: str, unit: str = "") -> str:
        """Return the picture in its size; a slide is filled up on all sides with the background."""
        if self.size is None:
            return svg
        width, height = measured(svg)
        zoom, left, top, ground = self.zoom, 0.0, 0.0, ""
        if self.size.height is not None:
            # What cannot be laid out lower is drawn smaller.
            zoom = min(zoom, self.size.width * 0.96 / width, self.size.height * 0.94 / height)
            wide, high = self.size.width / zoom, self.size.height / zoom
            left, top = (width - wide) / 2, (height - high) / 2
            colour = self.spec.get("background") or self.spec.get("config", {}).get("background", "white")
            ground = f'<rect x="{left:.2f}" y="{top:.2f}" width="{wide:.2f}" height="{high:.2f}" fill="{colour}"/>'
        else:
            zoom = self.size.width / width
            wide, high = width, height
        root = (
            rf'<svg\1 width="{wide * zoom:.2f}{unit}" height="{high * zoom:.2f}{unit}"'
            rf' viewBox="{left:.2f} {top:.2f} {wide:.2f} {high:.2f}"'
        )
        sized = _ROOT.sub(root, svg, count=1)
        end = sized.index(">") + 1
        return sized[:end] + ground + sized[end:]


def laid_out(spec: Spec, size: Size, draw: Draw) -> Sheet:
    """Lay a chart out again.

    Parameters
    ----------
    spec : dict
        Vega-Lite; it is left as it is.
    size : Size
    draw : callable
        Draws a specification as SVG, to measure it.
    """
    zoom = size.least / smallest(spec)
    room = size.width / zoom * (1 if size.height is None else 0.94)
    made = deepcopy(spec)
    if size.stacked and said(made).get("stacked", True):
        _stack(made)
    _limit_labels(made, room)
    break_titles(made, room)
    broken = made
    for columns in (None, 2, 1):
        made = deepcopy(broken)
        if columns:
            # What is too wide however narrow the panels are may be a legend.
            _legend_columns(made, columns)
        if _stretch(made, "width", room, draw) <= room * 1.01:
            break
    if size.height is not None and said(made).get("lowered", True):
        _stretch(made, "height", size.height / zoom * 0.94, draw, grow=False)
    elif said(made).get("lowered", True) and (factor := _inner(made, "width") / max(_inner(spec, "width"), 1)) < 1:
        _scale(made, "height", max(factor**0.5, 0.6), steps=False)
    break_axis_titles(made)
    keep_room(made, _inner(made, "width") / max(_inner(spec, "width"), 1))
    break_marks(made)
    for side in _STEP:
        for held, _ in _sized(made, side):
            held.pop(_FIRST, None)
    return Sheet(made, size, zoom)


def smallest(spec: Mapping[str, Any]) -> float:
    """Return the smallest type of a chart, in pixels."""
    config = spec.get("config", {})
    named = [float(value) for key, value in _leaves(spec) if key.lower().endswith("fontsize")]
    known = all("labelFontSize" in config.get(part, {}) for part in ("axis", "legend", "header"))
    return min([*named, *([] if known else [_TYPE])])


def measured(svg: str) -> tuple[float, float]:
    """Return width and height of a drawn chart, in pixels."""
    found = _ROOT.search(svg)
    if found is None:
        return 1.0, 1.0
    return float(found[2]), float(found[3])


def _leaves(spec: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(spec, list):
        for part in spec:
            yield from _leaves(part)
    if isinstance(spec, Mapping):
        for name, part in spec.items():
            if isinstance(part, int | float) and not isinstance(part, bool):
                yield name, part
            elif name not in ("data", "datasets"):
                yield from _leaves(part)


def _sized(spec: Spec, side: str) -> Iterator[tuple[Spec, bool]]:
    """Views and scales that say how wide (or high) they are, and whether by the step."""
    for view in views(spec):
        value = view.get(side)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield view, False
        elif isinstance(value, dict) and isinstance(value.get("step"), int | float):
            yield value, True


def _inner(spec: Spec, side: str) -> float:
    return sum(float(held["step" if by_step else side]) for held, by_step in _sized(spec, side))


def _scale(spec: Spec, side: str, factor: float, *, steps: bool = True) -> None:
    for held, by_step in _sized(spec, side):
        if by_step and steps:
            # A step carries a label or two lines of text, and is not squeezed below what they take.
            held.setdefault(_FIRST, held["step"])
            held["step"] = max(round(held["step"] * factor, 1), held[_FIRST] * _STEP[side])
        elif not by_step:
            held[side] = round(max(held[side] * factor, min(_LEAST if side == "width" else 40, held[side])), 1)


def _stretch(spec: Spec, side: str, room: float, draw: Draw, *, grow: bool = True) -> float:
    """Make the panels so wide (or high) that the whole fills its room; returns how wide it came to be."""
    at = 0 if side == "width" else 1

    def measure() -> float:
        # Titles are broken to the room already, and would hide how wide the panels are.
        return measured(draw({key: part for key, part in spec.items() if at or key != "title"}))[at]

    whole, times = measure(), 1.0
    for _ in range(3):
        if abs(whole - room) < 2 or (whole < room and not grow):
            break
        before, inner = whole, _inner(spec, side)
        # Panels that repeat, as those of a facet, move the whole by a multiple; the first step shows by which.
        factor = max((inner + (room - whole) / times) / inner if inner else 1.0, _LOWER)
        _scale(spec, side, factor)
        whole = measure()
        moved = _inner(spec, side) - inner
        if abs(moved) < 1 or (moved < 0 and whole > room and whole - before > moved * 0.2):
            break
        times = max((whole - before) / moved, 0.3)
    return whole


def _stack(spec: Spec) -> None:
    for view in views(spec):
        if "hconcat" in view:
            view["vconcat"] = view.pop("hconcat")
            view["spacing"] = max(view.get("spacing", 0), 16)
        if "concat" in view:
            view["columns"] = 1


def _limit_labels(spec: Spec, room: float) -> None:
    """No label may take more than a part of the room."""
    config = spec.setdefault("config", {})
    for part, most in (("axis", 0.42), ("legend", 0.8), ("header", 0.9)):
        held = config.setdefault(part, {})
        held["labelLimit"] = min(held.get("labelLimit", 180), round(room * most))
    for view in views(spec):
        for channel in view.get("encoding", {}).values():
            axis = channel.get("axis") if isinstance(channel, dict) else None
            if isinstance(axis, dict) and "labelLimit" in axis:
                axis["labelLimit"] = min(axis["labelLimit"], round(room * 0.42))


def _legend_columns(spec: Spec, columns: int) -> None:
    for view in views(spec):
        for channel in view.get("encoding", {}).values():
            legend = channel.get("legend") if isinstance(channel, dict) else None
            if isinstance(legend, dict):
                legend["columns"] = columns
