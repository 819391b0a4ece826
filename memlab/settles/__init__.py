"""What would have settled a question that was handed back or refused (chapter 18, sections 2 and 4)."""

from memlab.settles.base import Settle
from memlab.settles.collect import settles

__all__ = ["Settle", "settles"]
