"""Exams: questions with gold nodes, and what became of them."""

from memlab.exam.calibrate import Calibration, calibrate
from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import wilson
from memlab.exam.questions import Exam
from memlab.exam.report import Report, report
from memlab.exam.split import Groups, Split, split
from memlab.exam.tune import Tuning, tune

__all__ = [
    "Calibration",
    "Exam",
    "Groups",
    "Outcomes",
    "Report",
    "Split",
    "Tuning",
    "calibrate",
    "grade",
    "report",
    "split",
    "tune",
    "wilson",
]
