"""Indexes over a store: names by words, title vectors, pieces by words and by vectors."""

from memlab.indexes.build import Indexes, build_indexes, load_indexes, saved_encoders, write_indexes
from memlab.indexes.names import Names
from memlab.indexes.pieces import PieceIndex
from memlab.indexes.vectors import Correction, TitleVectors
from memlab.indexes.words import WordIndex

__all__ = [
    "Correction",
    "Indexes",
    "Names",
    "PieceIndex",
    "TitleVectors",
    "WordIndex",
    "build_indexes",
    "load_indexes",
    "saved_encoders",
    "write_indexes",
]
