"""TREC files: judgements (qrels) and rankings (run), as trec_eval, ir-measures and ranx read them.

``qrels``: question, 0, node, relevance. ``run``: question, Q0, node, rank, score, tag. Fields are separated by
spaces, so an id must have none; such ids are refused, or written with ``escape=True`` as ``%20`` and the like,
which the readers here undo with ``escape=True``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from memlab.arms.names import is_own_name
from memlab.errors import InputError
from memlab.exam.files import write_whole
from memlab.exam.grade import Outcomes
from memlab.exam.questions import Exam
from memlab.exam.ranking import ranked
from memlab.readers.base import decode
from memlab.rules.weigh import SHOWN_POOL

_NEEDED = ("question_id", "node_id", "pool")
_MOST = 2**24  # above it float32 no longer tells whole numbers apart
QRELS_SCHEMA = pl.Schema({"question_id": pl.String, "node_id": pl.String, "relevance": pl.Int64})
RUN_SCHEMA = pl.Schema(
    {"question_id": pl.String, "arm": pl.String, "node_id": pl.String, "rank": pl.UInt32, "score": pl.Float64}
)


def write_qrels(exam: Exam, path: str | Path, *, escape: bool = False) -> Path:
    """Write the gold of an exam as TREC judgements, each of relevance 1.

    A question without gold has no line, so measures made of the file say nothing of unanswerable
    questions. Strict gold is written with ``write_qrels(exam.strict(), path)``.

    Parameters
    ----------
    exam : Exam
    path : str or Path
        Call it ``….trec`` or ``….txt``: ranx goes by the ending. Replaced whole, or not at all.
    escape : bool
        Write spaces in ids as ``%20``, and ``%`` as ``%25``.

    Raises
    ------
    InputError
        If an id holds a space and is not to be escaped, or the file cannot be written.
    """
    lines = []
    for number, (question, gold) in enumerate(exam.questions.select("question_id", "gold").iter_rows(), 1):
        name = _field(question, escape, "exam", number, "id")
        lines += [f"{name} 0 {_field(node, escape, 'exam', number, 'gold')} 1\n" for node in gold]
    return write_whole(Path(path), "".join(lines))


def read_qrels(path: str | Path, *, escape: bool = False) -> pl.DataFrame:
    """Read TREC judgements.

    Parameters
    ----------
    path : str or Path
    escape : bool
        Whether ids were escaped by :func:`write_qrels`.

    Returns
    -------
    polars.DataFrame
        ``question_id`` · ``node_id`` · ``relevance`` (i64), in order of the file.

    Raises
    ------
    InputError
        Naming file, row (from 1, blank lines aside) and field.
    """
    file = Path(path)
    rows = []
    for number, (question, _, node, relevance) in _lines(file, "qrels", ("question", "0", "node", "relevance")):
        grade = _number(relevance)
        if grade is None or not grade.is_integer() or abs(grade) > _MOST:
            problem = f"{relevance!r}; write a whole number, 0 for what does not answer"
            raise InputError(problem, part="qrels", row=number, field="relevance", file=file.name)
        rows.append((_plain(question, escape), _plain(node, escape), int(grade)))
    return pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row")


def exam_from_qrels(
    qrels: pl.DataFrame, questions: Mapping[str, str], *, name: str = "", written_by: str = "unknown"
) -> Exam:
    """Make an exam of judgements and the texts of their questions.

    Parameters
    ----------
    qrels : polars.DataFrame
        What :func:`read_qrels` returned. A relevance above 0 is gold.
    questions : mapping of str to str
        Id to text. Those without gold are left out: that nobody judged a question does not say
        that nothing answers it.
    name, written_by : str

    Raises
    ------
    InputError
        If a judged question has no text.
    """
    gold: dict[str, list[str]] = {}
    judged = qrels.filter(pl.col("relevance") > 0).select("question_id", "node_id")
    for number, (question, node) in enumerate(judged.iter_rows(), 1):
        if question not in questions:
            raise InputError(f"{question!r} has no text", part="qrels", row=number, field="question_id")
        gold.setdefault(question, []).append(node)
    rows = [{"id": q, "question": text, "gold": gold[q], "written_by": written_by}
            for q, text in questions.items() if q in gold]  # fmt: skip
    out = len(questions) - len(rows)
    notes = [f"{out} questions are left out, as nothing is judged to answer them"] if out else []
    return Exam.from_rows(rows, name=name, notes=notes)


def write_run(
    decisions: pl.DataFrame | Outcomes,
    path: str | Path,
    *,
    tag: str = "memlab",
    depth: int = SHOWN_POOL,
    escape: bool = False,
) -> Path:
    """Write what was ranked as a TREC run.

    First a resolved node, then the ordered pool; what the validity filter hides keeps its place in it,
    as in :func:`memlab.exam.ranking`. Every score is a whole number that falls by one, so it falls strictly
    however it is read; it says nothing of likeness. Whether a question was resolved, handed back or refused
    is not in a run (see :func:`write_decisions`).

    Parameters
    ----------
    decisions : polars.DataFrame or Outcomes
        What ``decide`` or ``grade`` returned.
    path : str or Path
        Call it ``….trec`` or ``….txt``: ranx goes by the ending. Replaced whole, or not at all.
    tag : str
        Name of the run.
    depth : int
        Nodes a question, at most; decisions hold 50.
    escape : bool
        As in :func:`write_qrels`.

    Raises
    ------
    InputError
        If an id or the tag holds a space, a column is missing, or the file cannot be written.
    """
    frame = decisions.rows if isinstance(decisions, Outcomes) else decisions
    missing = [name for name in _NEEDED if name not in getattr(frame, "columns", ())]
    if missing:
        raise InputError(f"has no {missing[0]}; give what memlab.decide returned", field="decisions")
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= _MOST:
        raise InputError(f"must be a whole number from 1, not {depth!r}", field="depth")
    if not isinstance(tag, str) or tag.split() != [tag]:
        raise InputError(f"{tag!r} must be one word", field="tag")
    lines = []
    for number, row in enumerate(frame.select("question_id", ranked()).iter_rows(named=True), 1):
        name = _field(row["question_id"], escape, "decisions", number, "question_id")
        lines += [
            f"{name} Q0 {_field(node, escape, 'decisions', number, 'node_id')} {rank} {depth + 1 - rank} {tag}\n"
            for rank, node in enumerate(row["ranked"][:depth], 1)
        ]
    return write_whole(Path(path), "".join(lines))


def read_run(path: str | Path, *, arm: str | None = None, escape: bool = False) -> pl.DataFrame:
    """Read a TREC run as hits for :func:`memlab.evidence_from`.

    As trec_eval does, the order is taken from the scores and not from the written ranks; equal
    scores share the better rank.

    Parameters
    ----------
    path : str or Path
    arm : str, optional
        What to call the arm that found these; made of the run's tag when left out.
    escape : bool
        Whether ids were escaped by :func:`write_run`.

    Returns
    -------
    polars.DataFrame
        ``question_id`` · ``arm`` · ``node_id`` · ``rank`` (u32, from 1) · ``score`` (f64).

    Raises
    ------
    InputError
        Naming file, row (from 1, blank lines aside) and field.
    """
    file = Path(path)
    rows = []
    fields = ("question", "Q0", "node", "rank", "score", "tag")
    for number, (question, _, node, _, score, tag) in _lines(file, "run", fields):
        value = _number(score)
        if value is None:
            problem = f"{score!r}; write a finite number"
            raise InputError(problem, part="run", row=number, field="score", file=file.name)
        rows.append((_plain(question, escape), arm or _arm(tag), _plain(node, escape), None, value))
    rank = pl.col("score").rank("min", descending=True).over("question_id", "arm").cast(pl.UInt32)
    return pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row").with_columns(rank=rank)


def _lines(file: Path, part: str, fields: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    # split, as the tools that read such files do it: any space, any number of them.
    lines = (words for line in decode(file).split("\n") if (words := line.split()))
    for number, words in enumerate(lines, 1):
        if len(words) != len(fields):
            problem = f"has {len(words)} fields; write {' '.join(fields)}, separated by spaces"
            raise InputError(problem, part=part, row=number, file=file.name)
        yield number, words


def _number(text: str) -> float | None:
    # What Python alone takes for a number (1_0) is none for trec_eval.
    try:
        number = float(text.replace("_", "?"))
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _field(text: str, escape: bool, part: str, row: int, field: str) -> str:
    if escape:
        return "".join(_escaped(sign) if sign == "%" or sign.isspace() else sign for sign in text)
    if text.split() != [text]:
        problem = f"{text!r} holds a space, which ends a field of a TREC file; rename it, or escape ids (escape=True)"
        raise InputError(problem, part=part, row=row, field=field)
    return text


def _escaped(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode())


def _plain(text: str, escape: bool) -> str:
    return unquote(text) if escape else text


def _arm(tag: str) -> str:
    """Make a name that an arm may have of a run's tag."""
    name = re.sub(r"[^a-z0-9]+", "_", tag.lower()).strip("_")[:36]
    return name if is_own_name(name) else f"run_{name}".rstrip("_")
