"""Charts of a graded exam and of one decision: Altair objects to show, change and save.

Each chart has its data step beside it (``gaps`` and ``gaps_data``), which returns the frame drawn.
"""

from memlab.charts.bars import outcomes, outcomes_data, risk_data
from memlab.charts.curve import risk_coverage, risk_coverage_data
from memlab.charts.export import FORMATS, SIZES, save
from memlab.charts.funnel import funnel, funnel_data
from memlab.charts.gap import gap_lines, gaps, gaps_data
from memlab.charts.groups import groups, groups_data
from memlab.charts.leftover import leftover, leftover_data
from memlab.charts.shares import shares
from memlab.charts.theme import beside, styled
from memlab.charts.waterfall import waterfall, waterfall_data

__all__ = [
    "FORMATS",
    "SIZES",
    "beside",
    "funnel",
    "funnel_data",
    "gap_lines",
    "gaps",
    "gaps_data",
    "groups",
    "groups_data",
    "leftover",
    "leftover_data",
    "outcomes",
    "outcomes_data",
    "risk_coverage",
    "risk_coverage_data",
    "risk_data",
    "save",
    "shares",
    "styled",
    "waterfall",
    "waterfall_data",
]
