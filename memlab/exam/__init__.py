"""Exams: questions with gold nodes, how they are made, and what became of them."""

from memlab.exam import interchange
from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import wilson
from memlab.exam.labelling import Labelling
from memlab.exam.picks import log_pick
from memlab.exam.questions import Exam
from memlab.exam.removal import remove_gold
from memlab.exam.report import Report, report
from memlab.exam.sampling import sample_questions

__all__ = [
    "Exam",
    "Labelling",
    "Outcomes",
    "Report",
    "grade",
    "interchange",
    "log_pick",
    "remove_gold",
    "report",
    "sample_questions",
    "wilson",
]
