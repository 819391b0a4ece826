"""Exams: questions with gold nodes, and what became of them."""

from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import wilson
from memlab.exam.questions import Exam
from memlab.exam.removal import remove_gold
from memlab.exam.report import Report, report

__all__ = ["Exam", "Outcomes", "Report", "grade", "remove_gold", "report", "wilson"]
