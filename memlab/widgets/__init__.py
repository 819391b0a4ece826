"""Widgets for JupyterLab: everything works with no network."""

from memlab.widgets.live import LiveChart
from memlab.widgets.tuner import ThresholdTuner

__all__ = ["LiveChart", "ThresholdTuner"]
