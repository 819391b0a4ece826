"""The live views of a graded exam: outcome bars, gaps, risk against coverage, and figures."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, Final

import altair as alt
import ipywidgets
import polars as pl

from memlab import charts
from memlab.charts.bars import DATASET as BARS
from memlab.charts.bars import PICKED
from memlab.charts.curve import DATASET as CURVE
from memlab.charts.curve import POINTS
from memlab.charts.provenance import subtitle
from memlab.charts.signs import GAPS
from memlab.charts.theme import BASELINE
from memlab.exam import Outcomes
from memlab.exam.curve import STRICTNESS, Curve, confidence_in_steps, risk_coverage
from memlab.rules import Settings
from memlab.rules.decide import Decider, weighing
from memlab.widgets.figures import figures_html
from memlab.widgets.idle import Steps
from memlab.widgets.live import LiveChart

NOW: Final = "now"
# Two charts stand beside the controls in a JupyterLab of 1300 pixels.
_WIDTH: Final = 290
# More points than this make a curve no clearer, and a repaint slower.
_MOST_POINTS: Final = 160


class Views(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Charts that follow the settings without being rebuilt.

    Parameters
    ----------
    graded, baseline : Outcomes
        What is drawn first, and beside it.
    decider : Decider
        Of the evidence: the curve needs the rules once for each of its points.
    settings : Settings
    """

    def __init__(self, graded: Outcomes, baseline: Outcomes, decider: Decider, settings: Settings) -> None:
        self._decider = decider
        self._baseline: tuple[Outcomes, pl.DataFrame] | None = None
        # Curves that are whole, with what they are of.
        self._whole: list[tuple[Outcomes, Curve]] = []
        self._drawn: dict[str, Outcomes] = {}
        # What the gaps in the chart were weighed by.
        self._gaps_by: Settings | None = None
        self.about, self.figures, self.ways = ipywidgets.HTML(), ipywidgets.HTML(), ipywidgets.HTML()
        bars = _headed(
            charts.outcomes({NOW: graded, BASELINE: baseline}, risk=False, width=_WIDTH),
            "What became of the questions",
            "click a segment to see its questions",
        )
        gaps = _headed(
            charts.gaps(graded, threshold=settings.gap, alone=settings.gap_alone, width=_WIDTH),
            "How far the first candidate stands in front",
            "solid line: gap with a title lead · dashed: gap alone",
        )
        self.bars = LiveChart(bars, pickable=True)
        self.gaps = LiveChart(gaps, pickable=True)
        curves = {BASELINE: _roughly(baseline), NOW: _roughly(graded)}
        several = {BASELINE: baseline, NOW: graded}
        curve = _headed(
            charts.risk_coverage(curves, several, width=_WIDTH, height=210, areas=False, dots=True),
            "Risk against coverage",
            "click a dot to stand there · band: 95 % at each point",
        )
        self.curve = LiveChart(curve, pickable=True)
        for name, view in self.charts.items():
            view.add_class(f"memlab-{name}")
        left, right = ipywidgets.VBox([self.bars, self.curve]), ipywidgets.VBox([self.gaps, self.ways])
        for column in (left, right):
            column.layout = {"flex": f"1 1 {_WIDTH + 85}px", "min_width": "0"}
        row = ipywidgets.Box([left, right], layout={"display": "flex", "flex_flow": "row wrap"})
        super().__init__(children=[self.about, self.figures, row], layout={"min_width": "0"})
        self.show(graded, baseline, settings)

    @property
    def charts(self) -> dict[str, LiveChart]:
        """The charts by name."""
        return {"bars": self.bars, "gaps": self.gaps, "curve": self.curve}

    def show(self, graded: Outcomes, baseline: Outcomes, settings: Settings) -> None:
        """Put new outcomes in the place of the old."""
        # Bars go first: they are what the eye rests on.
        self.bars.update({BARS: pl.concat([charts.outcomes_data({NOW: graded}), self._before(baseline)])})
        self.gaps.update(self._gaps_of(graded, settings), charts.gap_lines(settings.gap, settings.gap_alone))
        self.curve.update({POINTS: charts.operating_point({BASELINE: baseline, NOW: graded}).drop_nulls()})
        self.figures.value = figures_html(graded, baseline)

    def _gaps_of(self, graded: Outcomes, settings: Settings) -> dict[str, pl.DataFrame]:
        """The gaps to draw: none while only thresholds move, which change neither a gap nor what stands first."""
        key = weighing(settings)
        if key == self._gaps_by:
            return {}
        self._gaps_by = key
        return {GAPS: charts.gaps_data(graded)}

    def _before(self, baseline: Outcomes) -> pl.DataFrame:
        """The baseline's bars, which no slider moves."""
        if self._baseline is None or self._baseline[0] is not baseline:
            self._baseline = (baseline, charts.outcomes_data({BASELINE: baseline}))
        return self._baseline[1]

    def pick(self, segment: str) -> None:
        """Let one segment of the bars stand out; empty for all."""
        self.bars.params = self.bars.params | {PICKED: segment}

    def draw_curves(self, graded: Outcomes, baseline: Outcomes) -> Steps:
        """Draw risk against coverage, now and of the baseline, a pass of the rules at a time."""
        self.curve.add_class("memlab-waiting")
        self._whole = [(one, curve) for one, curve in self._whole if one is graded or one is baseline]
        for one in (baseline, graded):
            if all(one is not other for other, _ in self._whole):
                sure = pl.DataFrame()
                settings = one.settings or Settings()
                for sure in confidence_in_steps(self._decider, one.exam, settings):  # noqa: B007  # the last one counts
                    yield None
                self._whole.append((one, _plain(sure)))
        known = {id(one): curve for one, curve in self._whole}
        drawn = {BASELINE: known[id(baseline)], NOW: known[id(graded)]}
        self._drawn = {BASELINE: baseline, NOW: graded}
        points = [thinned(charts.risk_coverage_data({name: curve})) for name, curve in drawn.items()]
        # What holds at any bar holds at the strictest one that is tried.
        strictest = pl.col("confidence").clip(upper_bound=max(STRICTNESS))
        self.curve.update({CURVE: pl.concat(points).with_columns(strictest)})
        self.curve.remove_class("memlab-waiting")

    def whole_curve(self, graded: Outcomes) -> Curve:
        """Return the curve of outcomes, from memory where it was drawn already."""
        for one, curve in self._whole:
            if one is graded:
                return curve
        *_, sure = confidence_in_steps(self._decider, graded.exam, graded.settings or Settings())
        self._whole.append((graded, _plain(sure)))
        return self._whole[-1][1]

    def drawn(self, setting: str) -> Outcomes | None:
        """Return what a curve in the chart was drawn of."""
        return self._drawn.get(setting)

    def tell(self, graded: Outcomes) -> Steps:
        """Say whose questions these are, and how far their figures can be believed."""
        standing = graded.standing()
        told = f"{subtitle(graded)} · {standing.told}"
        self.about.value = f'<div class="memlab-about" style="opacity:.8;font-size:12px">{escape(told)}</div>'
        yield None

    def curve_of(self, graded: Outcomes) -> Curve:
        """Return risk against coverage with the intervals of its areas, for a chart to keep."""
        *_, sure = confidence_in_steps(self._decider, graded.exam, graded.settings or Settings())
        return risk_coverage(sure["confidence"], sure["right"])

    def listen(self, told: Callable[[str, dict[str, Any]], None], failed: Callable[[str], None]) -> None:
        """Tell of clicks, by the name of the chart, and of what goes wrong in the page."""
        for name, view in self.charts.items():
            view.observe(lambda change, name=name: told(name, change["new"]), "clicked")
            view.observe(lambda change: failed(change["new"]), "error")


def _headed(chart: Any, title: str, *subtitle: str) -> Any:
    """Give a chart a title that is as wide as itself; whose questions they are is told once, above all of them."""
    return chart.properties(title=alt.TitleParams(title, subtitle=[*subtitle]))


def _plain(sure: pl.DataFrame) -> Curve:
    """A curve whose areas have no intervals: whoever moves a slider sees the curve, and they belong in a report."""
    return risk_coverage(sure["confidence"], sure["right"], resamples=0)


def _roughly(graded: Outcomes) -> Curve:
    """What is resolved and what is not: a curve of two points, until the whole one is known."""
    resolved = graded.rows["state"].cast(pl.String) == "resolved"
    right = graded.rows["outcome"].cast(pl.String) == "resolved_right"
    return risk_coverage(resolved.cast(pl.Float64), right, resamples=0)


def thinned(points: pl.DataFrame, most: int = _MOST_POINTS) -> pl.DataFrame:
    """Keep the points nearest to an even spread of coverage, with the first and the last."""
    if points.height <= most:
        return points
    place = (pl.col("coverage") * most).floor().cast(pl.Int64)
    return points.filter(place.is_first_distinct() | (pl.int_range(pl.len()) == pl.len() - 1))
