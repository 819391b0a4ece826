"""Charts of a graded exam and of one decision: Altair objects to show, change and save.

Each chart has its data step beside it (``gaps`` and ``gaps_data``), which returns the frame drawn.
"""

from memlab.charts.bars import outcomes, outcomes_data, risk_data
from memlab.charts.confusion import kind_confusion, kind_confusion_data
from memlab.charts.curve import operating_point, risk_coverage, risk_coverage_data
from memlab.charts.depth import pool_depth
from memlab.charts.export import FORMATS, save
from memlab.charts.factorial import factorial, factorial_data
from memlab.charts.funnel import funnel, funnel_data
from memlab.charts.gap import gap_lines, gaps, gaps_data
from memlab.charts.groups import groups, groups_data
from memlab.charts.languages import languages
from memlab.charts.leftover import leftover, leftover_data
from memlab.charts.lengths import title_lengths, title_lengths_data
from memlab.charts.neighbourhood import neighbourhood, neighbourhood_data
from memlab.charts.overlap import arm_overlap, arm_overlap_data
from memlab.charts.shares import shares
from memlab.charts.similarity import signal_areas, similarity_gap, similarity_gap_data
from memlab.charts.sizing import SIZES
from memlab.charts.study import draw
from memlab.charts.theme import THEME_FILE, beside, enable_theme, styled, theme_json
from memlab.charts.timeline import timeline, timeline_data
from memlab.charts.unanswered import unanswerable, unanswerable_data
from memlab.charts.waterfall import waterfall, waterfall_data

__all__ = [
    "FORMATS",
    "SIZES",
    "THEME_FILE",
    "arm_overlap",
    "arm_overlap_data",
    "beside",
    "draw",
    "enable_theme",
    "factorial",
    "factorial_data",
    "funnel",
    "funnel_data",
    "gap_lines",
    "gaps",
    "gaps_data",
    "groups",
    "groups_data",
    "kind_confusion",
    "kind_confusion_data",
    "languages",
    "leftover",
    "leftover_data",
    "neighbourhood",
    "neighbourhood_data",
    "operating_point",
    "outcomes",
    "outcomes_data",
    "pool_depth",
    "risk_coverage",
    "risk_coverage_data",
    "risk_data",
    "save",
    "shares",
    "signal_areas",
    "similarity_gap",
    "similarity_gap_data",
    "styled",
    "theme_json",
    "timeline",
    "timeline_data",
    "title_lengths",
    "title_lengths_data",
    "unanswerable",
    "unanswerable_data",
    "waterfall",
    "waterfall_data",
]
