"""Exams put together, and questions under a tag."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from memlab.errors import InputError
from memlab.exam.questions import Exam


def joined(exams: Sequence[Exam], name: str = "") -> Exam:
    """Put exams together into one.

    Raises
    ------
    InputError
        If a question id stands in two of them.
    """
    if not exams:
        raise InputError("give one or more exams", field="exams")
    frame = pl.concat([exam.questions for exam in exams])
    twice = frame.filter(pl.col("question_id").is_duplicated())
    if twice.height:
        raise InputError(f"{twice['question_id'][0]!r} stands in two exams; rename one", part="exam", field="id")
    notes = [note for exam in exams for note in exam.notes]
    return Exam(frame, name or " + ".join(exam.name for exam in exams), tuple(notes))


def tagged(exam: Exam, tag: str) -> Exam:
    """Return the exam with a tag on every question."""
    told = pl.concat_list(pl.col("tags"), pl.lit(tag)).list.unique(maintain_order=True)
    return Exam(exam.questions.with_columns(tags=told), exam.name, exam.notes)
