"""The page of a study: one HTML file that holds its charts, and asks for nothing from anywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl
from markupsafe import Markup

from memlab.charts.export import as_svg
from memlab.exam.grade import Outcomes
from memlab.exam.provenance import Standing
from memlab.exam.study import Finding, Study

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Section:
    """A part of the page: figures and tables by name, and what is said of them."""

    name: str
    title: str
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    finding: Finding | None = None


@dataclass(frozen=True, eq=False)
class Page:
    """Everything that the page shows."""

    outcomes: Outcomes
    standing: Standing
    study: Study
    about: Mapping[str, Any]
    sections: tuple[Section, ...]
    tables: Mapping[str, tuple[pl.DataFrame, int]]
    charts: Mapping[str, Any] = field(default_factory=dict)


def write_page(page: Page, path: Path) -> None:
    """Write the page."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    rooms = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                        lstrip_blocks=True)  # fmt: skip
    rooms.filters["cell"] = cell
    svg = {name: Markup(as_svg(chart)) for name, chart in page.charts.items()}  # noqa: S704  # drawn here, text escaped
    path.write_text(rooms.get_template("page.html.jinja").render(page=page, svg=svg), encoding="utf-8")


def cell(value: object) -> str:
    """Say a value of a table: no more digits than it bears."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        return f"{value:.2g}" if 0 < abs(value) < 0.001 else f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(cell(one) for one in value)
    return str(value)
