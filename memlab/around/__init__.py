"""After resolution: what is connected to a node, each thing still itself (chapter 18, section 6)."""

from memlab.around.neighbourhood import Neighbourhood
from memlab.around.walk import around

__all__ = ["Neighbourhood", "around"]
