"""Arms: the ways for a node to become a candidate (chapter 18, section 1)."""

from memlab.arms.asked import QUESTION_SCHEMA, Asked, Asking, Questions, ask, questions_frame
from memlab.arms.base import HIT_SCHEMA, Arm, Gathering
from memlab.arms.extra import GROUP, check_arm, check_names, make_arms, registered_arms, search_checked
from memlab.arms.graph import GraphArm
from memlab.arms.names import is_own_name, is_semantic, refuse_unknown
from memlab.arms.semantic import SemanticArm
from memlab.arms.title import TitleArm

__all__ = [
    "GROUP",
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
    "check_arm",
    "check_names",
    "is_own_name",
    "is_semantic",
    "make_arms",
    "questions_frame",
    "refuse_unknown",
    "registered_arms",
    "search_checked",
]
