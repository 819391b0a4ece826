"""The chapter's experiments on anybody's store: what was found there, and what is found here, side by side."""

from memlab.exam.study.base import Bench, Finding, Part
from memlab.exam.study.claims import CLAIMS, Claim
from memlab.exam.study.run import EXPERIMENTS, Study, study

__all__ = ["CLAIMS", "EXPERIMENTS", "Bench", "Claim", "Finding", "Part", "Study", "study"]
