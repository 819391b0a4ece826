"""Interchange: exams, rankings and decisions in the formats of other tools."""

from memlab.exam.interchange.beir import read_beir, write_beir
from memlab.exam.interchange.decisions import read_decisions, write_decisions
from memlab.exam.interchange.trec import exam_from_qrels, read_qrels, read_run, write_qrels, write_run

__all__ = [
    "exam_from_qrels",
    "read_beir",
    "read_decisions",
    "read_qrels",
    "read_run",
    "write_beir",
    "write_decisions",
    "write_qrels",
    "write_run",
]
