"""Texts of a specification broken into other lines, for a chart that is laid out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memlab.charts.lines import broken

Spec = dict[str, Any]
# A parameter of this name is a share of a panel's width, in which a text has room.
ROOM: Final = "room"


def views(spec: Spec) -> Iterator[Spec]:
    """Every view of a specification, from the outside in."""
    yield spec
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in spec.get(name, ()):
            yield from views(part)
    if isinstance(spec.get("spec"), dict):
        yield from views(spec["spec"])


def break_titles(spec: Spec, room: float) -> None:
    """Break titles and subtitles to a width, and set them at the left edge."""
    config = spec.get("config", {}).get("title", {})
    for view in views(spec):
        title = view.get("title")
        if title is None or (isinstance(title, dict) and isinstance(title.get("text"), dict)):
            continue
        held = dict(title) if isinstance(title, dict) else {"text": title}
        text = held.get("text", "")
        # Bold type is wider than the shipped weight.
        size = held.get("fontSize", config.get("fontSize", 13)) * 1.08
        joined = " ".join(text) if isinstance(text, list) else str(text)
        held["text"] = broken(joined, room, size)
        lines = held.get("subtitle", [])
        if lines:
            small = held.get("subtitleFontSize", config.get("subtitleFontSize", 11))
            listed = lines if isinstance(lines, list) else [lines]
            held["subtitle"] = [part for line in listed for part in broken(str(line), room, small)]
        view["title"] = held | {"frame": "bounds"}


def _with_sizes(view: Spec, width: Any = None, height: Any = None) -> Iterator[tuple[Spec, Any, Any]]:
    """Every view with the width and the height that it stands in, where they are known."""
    width, height = (
        view[side] if isinstance(view.get(side), int | float) else known
        for side, known in (("width", width), ("height", height))
    )
    yield view, width, height
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in view.get(name, ()):
            yield from _with_sizes(part, width, height)
    if isinstance(view.get("spec"), dict):
        yield from _with_sizes(view["spec"], width, height)


def break_axis_titles(spec: Spec) -> None:
    """Break the titles of axes that are longer than their axis."""
    for view, width, height in _with_sizes(spec):
        for name, room in (("x", width), ("y", height)):
            channel = view.get("encoding", {}).get(name)
            if not room or not isinstance(channel, dict):
                continue
            for held in (channel, channel.get("axis")):
                if isinstance(held, dict) and isinstance(held.get("title"), str):
                    lines = broken(held["title"], max(room, 110), 12)
                    held["title"] = lines if len(lines) > 1 else held["title"]


def keep_room(spec: Spec, factor: float) -> None:
    """Say in what share of a panel a text has room now that panels are so many times as wide."""
    for parameter in spec.get("params", ()):
        if parameter.get("name") == ROOM and isinstance(parameter.get("value"), int | float):
            parameter["value"] = round(parameter["value"] / max(factor, 0.1), 3)


def break_marks(spec: Spec) -> None:
    """Break the texts of marks anew that were broken for another width; the chart says which in ``usermeta``."""
    for told in said(spec).get("broken", ()):
        for view, width, _ in _with_sizes(spec):
            data = view.get("data")
            if isinstance(data, dict) and data.get("name") == told["data"] and width:
                beside = told["beside"] if width >= told.get("narrow", 0) else told["narrow_beside"]
                for row in data.get("values", ()):
                    lines = broken(row[told["from"]], width * told.get("part", 1) - beside, told["size"], told["lines"])
                    row[told["to"]] = "\n".join(lines)


def said(spec: Spec) -> dict[str, Any]:
    """What a chart says of how it may be laid out: ``stacked``, ``lowered`` and ``broken``."""
    told: dict[str, Any] = spec.get("usermeta", {}).get("memlab", {})
    return told
