"""Sampling: which questions to label by hand, when there are more than anybody can.

Stratified sampling with proportional allocation (Cochran, Sampling Techniques, chapter 5): each stratum has one
question at least, and its size is kept, so that shares of the sample can be weighted back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from memlab.arms import Asking, Questions, questions_frame
from memlab.errors import InputError
from memlab.exam.chance import shuffled
from memlab.exam.files import read_rows
from memlab.log import is_log, read_log
from memlab.readers import read_exam
from memlab.readers.base import decode

Source: TypeAlias = Questions | str | Path
"""Questions in hand, or a file of them: an exam, a log of decisions, CSV, JSON lines, or text with one a line."""

NOTHING = "–"
_ASKED = ("question_id", "question", "lang", "as_of", "include_retired")
# Stands in while rows are checked, for questions that do not say when.
_ANY = datetime(2000, 1, 1, tzinfo=UTC)


def read_questions(path: str | Path) -> list[dict[str, Any]]:
    """Read questions, whatever else their file says of them.

    Parameters
    ----------
    path : str or Path
        A log of decisions (with ``state`` and ``reason``), a source that holds an exam, JSON lines, CSV or
        parquet with ``question``, or a ``.txt`` with one question a line.

    Raises
    ------
    InputError
        Naming file, row (from 1) and field.
    """
    file = Path(path)
    if not file.is_file() and not file.is_dir():
        raise InputError("there is no such file; name one with questions", file=str(path))
    if file.is_file() and is_log(file):
        entries = [entry for _, entry in read_log(file, strict=False) if entry["line"] == "decision"]
        return list({str(entry.get("question_id")): entry for entry in entries}.values())
    if file.suffix.lower() == ".txt":
        return [{"question": line.strip()} for line in decode(file).split("\n") if line.strip()]
    held = read_exam(file) if file.is_dir() or file.suffix.lower() == ".json" else None
    if held is None and file.is_dir():
        raise InputError("is a folder without questions; name a file", file=str(path))
    return held.rows if held is not None else read_rows(file)


def questions_of(source: Source) -> pl.DataFrame:
    """Return questions as a frame, each with an id.

    A question without one gets an id that is made of what it says, so that it is the same another day.

    Returns
    -------
    polars.DataFrame
        ``question_id`` · ``question`` · ``lang`` · ``as_of`` and ``include_retired`` (null where the question
        does not say), then whatever else was said of them in single values.

    Raises
    ------
    InputError
        Naming row (from 1) and field; or if there are no questions, or two of one id.
    """
    given = read_questions(source) if isinstance(source, str | Path) else source
    given = given.questions if isinstance(given, Asking) else given
    rows = given.to_dicts() if isinstance(given, pl.DataFrame) else given
    checked = questions_frame(rows, _ANY)
    if checked.is_empty():
        raise InputError("there are none", part="questions")
    told = [dict(row) for row in rows]
    names = [str(row.get("question_id", row.get("id")) or _name(row)) for row in told]
    frame = checked.with_columns(
        question_id=pl.Series(names, dtype=pl.String),
        as_of=pl.when(pl.Series([row.get("as_of") is not None for row in told])).then("as_of"),
        include_retired=pl.when(pl.Series([row.get("include_retired") is not None for row in told])).then(
            "include_retired"
        ),
    )
    twice = frame.filter(pl.col("question_id").is_duplicated())
    if twice.height:
        raise InputError(f"{twice['question'][0]!r} stands twice; keep one, or give both an id", part="questions")
    return frame.hstack(_others(told))


def sample_questions(
    source: Source,
    n: int,
    *,
    seed: int,
    by: Sequence[str] = (),
    decisions: pl.DataFrame | None = None,
    equal: bool = False,
) -> pl.DataFrame:
    """Pick questions by chance to be labelled by hand.

    Parameters
    ----------
    source : Exam, frame, rows, or path
        The questions (see :func:`read_questions` for files).
    n : int
        How many.
    seed : int
        The same seed picks the same questions, whatever row they stand in.
    by : sequence of str
        What makes a stratum, such as ``("state", "reason", "lang")``: columns of the questions, or of the
        decisions. Every stratum has one question at least.
    decisions : polars.DataFrame, optional
        What ``decide`` returned for these questions; a log of decisions has its own.
    equal : bool
        Give every stratum as many as another, as far as it has them; by its size when left out.

    Returns
    -------
    polars.DataFrame
        In an order by chance: ``question_id`` · ``question`` · ``lang`` · ``as_of`` · ``include_retired`` · the
        columns of ``by`` · ``stratum_size`` and ``stratum_sampled`` (u32) · ``weight`` (their quotient, f64): a
        mean weighted by it estimates that of all questions.

    Raises
    ------
    InputError
        If there are fewer questions than ``n``, more strata than ``n``, or no such column.
    """
    frame = questions_of(source)
    by = tuple(by)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= frame.height:
        raise InputError(f"must be a whole number from 1 to {frame.height}, the questions; not {n!r}", field="n")
    if decisions is not None:
        more = [name for name in by if name in decisions.columns and name not in _ASKED]
        told = decisions.select("question_id", *more)
        frame = frame.drop(more, strict=False).join(told, on="question_id", how="left", maintain_order="left")
    for name in by:
        if name not in frame.columns:
            has = ", ".join(c for c in frame.columns if c not in ("question_id", "question"))
            raise InputError(f"the questions have no {name!r}, but: {has}", field="by")
    cells = frame.select(
        "question_id", *(pl.col(name).cast(pl.String).fill_null("").replace("", NOTHING) for name in by)
    )
    strata: dict[tuple[str, ...], list[str]] = {}
    for name, *stratum in cells.iter_rows():
        strata.setdefault(tuple(stratum), []).append(name)
    if len(strata) > n:
        raise InputError(f"{len(strata)} strata need a question each, and n is {n}; ask for more", field="n")
    keys = sorted(strata)
    drawn = _allotted([len(strata[key]) for key in keys], n, equal=equal)
    picked = {
        name: (len(strata[key]), count)
        for key, count in zip(keys, drawn, strict=True)
        for name in shuffled(strata[key], seed)[:count]
    }
    order = shuffled(picked, seed)
    sizes = pl.DataFrame(
        {"question_id": order, "stratum_size": [picked[q][0] for q in order],
         "stratum_sampled": [picked[q][1] for q in order]},
        schema_overrides={"stratum_size": pl.UInt32, "stratum_sampled": pl.UInt32},
    )  # fmt: skip
    chosen = sizes.join(frame, on="question_id", how="left", maintain_order="left")
    return chosen.select(
        *dict.fromkeys((*_ASKED, *by)), "stratum_size", "stratum_sampled",
        weight=pl.col("stratum_size") / pl.col("stratum_sampled"),
    )  # fmt: skip


def _name(row: Mapping[str, Any]) -> str:
    told = [str(row.get(name) or "") for name in ("question", "as_of", "include_retired")]
    return "q-" + hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


def _others(rows: Sequence[Mapping[str, Any]]) -> list[pl.Series]:
    """What else is said of the questions, in single values, as text."""
    told = [{name: str(value) for name, value in row.items() if isinstance(value, str | bool | int)} for row in rows]
    names = dict.fromkeys(name for row in told for name in row if name not in (*_ASKED, "id"))
    return [pl.Series(name, [row.get(name) for row in told], dtype=pl.String) for name in names]


def _allotted(sizes: Sequence[int], n: int, *, equal: bool) -> list[int]:
    """How many of each stratum: one at least, then one by one to whichever is furthest behind its due."""
    due = [n / len(sizes) if equal else n * size / sum(sizes) for size in sizes]
    drawn = [1] * len(sizes)
    for _ in range(n - len(sizes)):
        open_ = [at for at, size in enumerate(sizes) if drawn[at] < size]
        behind = max(open_, key=lambda at: (due[at] - drawn[at], -at))
        drawn[behind] += 1
    return drawn
