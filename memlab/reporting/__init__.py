"""Reports as files: one page that opens anywhere, and the charts and tables beside it."""

from memlab.reporting.study import check_folder, write_study

__all__ = ["check_folder", "write_study"]
