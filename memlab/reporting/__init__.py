"""Reports as files: one page that opens anywhere, and the charts and tables beside it."""

from memlab.reporting.study import write_study

__all__ = ["write_study"]
