"""Arms: the ways for a node to become a candidate (chapter 18, section 1)."""

from memlab.arms.asked import QUESTION_SCHEMA, Asked, Asking, Questions, ask, questions_frame
from memlab.arms.base import HIT_SCHEMA, Arm, Gathering
from memlab.arms.graph import GraphArm
from memlab.arms.semantic import SemanticArm
from memlab.arms.title import TitleArm

__all__ = [
    "HIT_SCHEMA",
    "QUESTION_SCHEMA",
    "Arm",
    "Asked",
    "Asking",
    "Gathering",
    "GraphArm",
    "Questions",
    "SemanticArm",
    "TitleArm",
    "ask",
    "questions_frame",
]
