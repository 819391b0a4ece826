"""Widgets for JupyterLab: everything works with no network."""

from memlab.widgets.labelling import LabellingWidget
from memlab.widgets.live import LiveChart
from memlab.widgets.ready import ready
from memlab.widgets.tuner import ThresholdTuner

__all__ = ["LabellingWidget", "LiveChart", "ThresholdTuner", "ready"]
