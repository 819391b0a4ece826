"""The whole way of one decision, from the words of the question to the verdict (chapter 18)."""

from memlab.explain.explanation import Explanation
from memlab.explain.gather import explain

__all__ = ["Explanation", "explain"]
