"""What a chart says about where its figures come from: n, the exam, and who wrote it."""

from __future__ import annotations

from memlab.exam import Outcomes


def subtitle(outcomes: Outcomes) -> str:
    """Return one line: how many questions, of which exam, written by whom.

    Uses ``answerable`` of the rows and the exam's name and authors.
    """
    rows, exam = outcomes.rows, outcomes.exam
    answerable = int(rows["answerable"].sum())
    authors = ", ".join(exam.authors[:3]) + (f" and {len(exam.authors) - 3} more" if len(exam.authors) > 3 else "")
    parts = [f"n = {rows.height} ({answerable} answerable, {rows.height - answerable} not)"]
    parts += [f"exam {exam.name}"] if exam.name else []
    parts += [f"written by {authors}"] if authors else []
    return " · ".join(parts)
