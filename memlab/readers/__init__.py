"""Readers: one module a source, and a registry."""

from memlab.readers.base import ExamRows, Progress, Reader
from memlab.readers.mentions import find_mentions
from memlab.readers.registry import read_exam, read_store, registry

__all__ = ["ExamRows", "Progress", "Reader", "find_mentions", "read_exam", "read_store", "registry"]
