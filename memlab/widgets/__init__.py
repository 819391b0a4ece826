"""Widgets for JupyterLab: everything works with no network."""

from memlab.widgets.ask import AskWidget
from memlab.widgets.comparison import ComparisonWidget
from memlab.widgets.labelling import LabellingWidget
from memlab.widgets.laboratory import Laboratory
from memlab.widgets.live import LiveChart
from memlab.widgets.ready import ready
from memlab.widgets.recording import Choice
from memlab.widgets.table import Table
from memlab.widgets.tuner import ThresholdTuner

__all__ = [
    "AskWidget",
    "Choice",
    "ComparisonWidget",
    "LabellingWidget",
    "Laboratory",
    "LiveChart",
    "Table",
    "ThresholdTuner",
    "ready",
]
