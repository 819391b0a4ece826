"""Candidates from elsewhere: another system's scored lists as evidence."""

from memlab.candidates.evidence import evidence_from
from memlab.candidates.hits import handed_hits

__all__ = ["evidence_from", "handed_hits"]
