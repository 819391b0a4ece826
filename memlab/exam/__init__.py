"""Exams: questions with gold nodes, what became of them, and what may be concluded."""

from memlab.exam.compare import Comparison, compare, groups_by_tag
from memlab.exam.curve import Curve, confidence_of, risk_coverage
from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import wilson
from memlab.exam.join import joined, tagged
from memlab.exam.provenance import Standing, fitted_on, standing
from memlab.exam.questions import Exam
from memlab.exam.ranking import ranking
from memlab.exam.report import Report, report

__all__ = [
    "Comparison",
    "Curve",
    "Exam",
    "Outcomes",
    "Report",
    "Standing",
    "compare",
    "confidence_of",
    "fitted_on",
    "grade",
    "groups_by_tag",
    "joined",
    "ranking",
    "report",
    "risk_coverage",
    "standing",
    "tagged",
    "wilson",
]
