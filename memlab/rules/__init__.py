"""The resolution rules: a pure function of evidence and settings.

They stand on the ground floor: they know the columns of the evidence and their own settings, and no
store, index or encoder.
"""

from memlab.rules.decide import EvidenceLike, decide
from memlab.rules.fitted import Fitted
from memlab.rules.reasons import CHOOSE, NONE, REASONS, RESOLVED, STATES, WHY
from memlab.rules.settings import ARMS, PRESETS, Settings
from memlab.rules.thresholds import is_measured, settings_for, shipped, warn_if_unmeasured

__all__ = [
    "ARMS",
    "CHOOSE",
    "NONE",
    "PRESETS",
    "REASONS",
    "RESOLVED",
    "STATES",
    "WHY",
    "EvidenceLike",
    "Fitted",
    "Settings",
    "decide",
    "is_measured",
    "settings_for",
    "shipped",
    "warn_if_unmeasured",
]
