"""Exams: questions with gold nodes, how they are made, what became of them, and what may be concluded."""

from memlab.exam import interchange
from memlab.exam.agreement import agreement
from memlab.exam.calibrate import Calibration, calibrate
from memlab.exam.compare import Comparison, compare, groups_by_tag
from memlab.exam.curve import Curve, confidence_of, risk_coverage
from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import wilson
from memlab.exam.join import joined, tagged
from memlab.exam.labelling import Labelling
from memlab.exam.picks import log_pick
from memlab.exam.provenance import Standing, fitted_on, standing
from memlab.exam.questions import Exam
from memlab.exam.ranking import ranking
from memlab.exam.removal import remove_gold
from memlab.exam.report import Report, report
from memlab.exam.sampling import sample_questions
from memlab.exam.split import Groups, Split, split
from memlab.exam.tune import Tuning, tune

__all__ = [
    "Calibration",
    "Comparison",
    "Curve",
    "Exam",
    "Groups",
    "Labelling",
    "Outcomes",
    "Report",
    "Split",
    "Standing",
    "Tuning",
    "agreement",
    "calibrate",
    "compare",
    "confidence_of",
    "fitted_on",
    "grade",
    "groups_by_tag",
    "interchange",
    "joined",
    "log_pick",
    "ranking",
    "remove_gold",
    "report",
    "risk_coverage",
    "sample_questions",
    "split",
    "standing",
    "tagged",
    "tune",
    "wilson",
]
