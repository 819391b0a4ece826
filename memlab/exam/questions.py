"""An exam: questions with gold nodes, some with none, and who wrote them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from memlab.errors import InputError
from memlab.exam.files import read_rows, write_rows
from memlab.exam.log import exam_rows
from memlab.log import is_log
from memlab.readers import read_exam
from memlab.store import Store, parse_instant

EXAM_SCHEMA = pl.Schema(
    [
        ("question_id", pl.String),
        ("question", pl.String),
        ("lang", pl.String),
        ("gold", pl.List(pl.String)),
        ("gold_strict", pl.List(pl.String)),
        ("answerable", pl.Boolean),
        ("written_by", pl.String),
        ("as_of", pl.Datetime("us", "UTC")),
        ("include_retired", pl.Boolean),
        ("tags", pl.List(pl.String)),
    ]
)


@dataclass(frozen=True, eq=False)
class Exam:
    """Questions and what would be right.

    Attributes
    ----------
    questions : polars.DataFrame
        ``question_id`` · ``question`` · ``lang`` · ``gold`` · ``gold_strict`` (null where the exam
        has one gold) · ``answerable`` · ``written_by`` · ``as_of`` · ``include_retired`` (null
        where the question does not say) · ``tags``.
    name : str
    notes : tuple of str
        What reading it dropped or changed.
    """

    questions: pl.DataFrame
    name: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.questions.height

    @classmethod
    def read(cls, path: str | Path) -> Exam:
        """Read an exam: JSON lines, CSV, parquet, a list in JSON, a source that holds one, or a log.

        In a CSV a list is ``["a", "b"]`` or ``a|b``, and a truth value ``true`` or ``false``; an empty
        cell says nothing. Sources that hold an exam are LoCoMo files and BEIR folders.

        Raises
        ------
        InputError
            Naming file, row (from 1) and field.
        """
        file = Path(path)
        if not file.exists():
            raise InputError("there is no such file; name an exam", file=str(path))
        if not file.is_file() and not file.is_dir():
            raise InputError("is neither a file nor a folder; save what it gives into a file", file=str(path))
        if file.is_file() and is_log(file):
            return cls.from_log(file)
        held = read_exam(file) if file.is_dir() or file.suffix != ".jsonl" else None
        if held is not None:
            return cls.from_rows(held.rows, name=held.name, notes=held.notes, file=file.name)
        if file.is_dir():
            raise InputError("is a folder without an exam; name a file of JSON lines or CSV", file=str(path))
        name = file.stem if file.stem != "exam" else file.absolute().parent.name or "exam"
        return cls.from_rows(read_rows(file), name=name, file=file.name)

    def write(self, path: str | Path) -> Path:
        """Write the questions into a file that :meth:`read` reads back equal.

        Parameters
        ----------
        path : str or Path
            Ends in ``.jsonl``, ``.csv`` or ``.parquet``. A file there is replaced whole, or not at all.

        Raises
        ------
        InputError
            If the ending is another, the file cannot be written, or (in CSV, where an empty cell says
            nothing) a question is empty.
        """
        file = Path(path)
        empty = (self.questions["question"] == "").arg_true()
        if file.suffix.lower() == ".csv" and len(empty):
            problem = "empty, which in CSV says that there is no question; write a .jsonl file"
            raise InputError(problem, part="exam", row=int(empty[0]) + 1, field="question", file=file.name)
        return write_rows(self.questions.rename({"question_id": "id"}), file)

    @classmethod
    def from_log(cls, path: str | Path, *, written_by: str | None = None, judged_only: bool = True) -> Exam:
        """Make an exam of a log that a :class:`memlab.Resolver` kept: what people picked is gold.

        The last pick of each person counts. Where people picked different nodes, each of them is
        gold; a ``none_of_these`` makes an unanswerable row. A line that a crash cut short is left out, and
        named in the notes.

        Parameters
        ----------
        path : str or Path
        written_by : str, optional
            Author of picks that do not say who made them; all others keep theirs.
        judged_only : bool
            Leave out what nobody judged. Otherwise what the rules resolved is its own gold, tagged
            ``unjudged``: such rows show what a change of settings changes, not what is right.

        Raises
        ------
        InputError
            Naming the file and the line.
        """
        file = Path(path)
        if not file.is_file() or not is_log(file):
            raise InputError("is no log of decisions; name a file that a Resolver with log= wrote", file=str(path))
        rows, notes = exam_rows(file, written_by=written_by, judged_only=judged_only)
        return cls.from_rows(rows, name=file.stem, notes=notes, file=file.name)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Mapping[str, Any]],
        *,
        name: str = "",
        notes: Sequence[str] = (),
        file: str = "",
    ) -> Exam:
        """Make an exam of rows with ``id``, ``question``, ``gold``, ``answerable``, ``written_by``."""
        held = list(rows)
        made = [_row(row, number, file) for number, row in enumerate(held, 1)]
        _tell_unknown(held, file)
        frame = pl.DataFrame(made, schema=EXAM_SCHEMA)
        if frame["question_id"].is_duplicated().any():
            number = frame["question_id"].is_first_distinct().not_().arg_max() or 0
            first = (frame["question_id"] == frame["question_id"][number]).arg_max() or 0
            raise InputError(
                f"{frame['question_id'][number]!r} is also row {first + 1}; give every question an id of its own",
                part="exam", row=number + 1, field="id", file=file,
            )  # fmt: skip
        # A file may be called by bytes that are no text.
        return cls(frame, name.encode("utf-8", "replace").decode(), tuple(notes))

    @property
    def authors(self) -> tuple[str, ...]:
        """Who wrote it, in order of name."""
        return tuple(self.questions["written_by"].unique().sort())

    @property
    def checksum(self) -> str:
        """sha256 (hex) of the questions, in order of id."""
        rows = self.questions.sort("question_id").with_columns(pl.col("as_of").dt.to_string("iso"))
        return hashlib.sha256(rows.write_ndjson().encode()).hexdigest()

    def for_store(self, store: Store) -> Exam:
        """Fill in what the exam leaves to the store, and check its gold against it.

        ``include_retired`` is the store's ``exam_include_retired`` where a question does not say.

        Raises
        ------
        InputError
            If an answerable question has no gold node in the store.
        """
        for field in ("gold", "gold_strict"):
            self._check_gold(store, field)
        filled = self.questions.with_columns(pl.col("include_retired").fill_null(store.about.exam_include_retired))
        return Exam(filled, self.name, self.notes)

    def _check_gold(self, store: Store, field: str) -> None:
        """Refuse an answerable question none of whose gold is a node of the store."""
        gold = (
            self.questions.with_row_index("row", offset=1)
            .filter("answerable")
            .select("row", gold=field)
            # A question without strict gold is left out of the strict figures, and is no fault.
            .filter(pl.col("gold").list.len() > 0)
            .explode("gold")
        )
        missing = (
            gold.with_columns(known=pl.col("gold").is_in(store.nodes["id"].implode()))
            .group_by("row", maintain_order=True)
            .agg(pl.col("known").any(), pl.col("gold").first())
            .filter(~pl.col("known"))
        )
        if missing.height:
            row = missing.row(0, named=True)
            raise InputError(
                f"{row['gold']!r} is no node of this store (so in {missing.height} of {len(self)} questions); ask the"
                " exam of the store that it was written for",
                part="exam", row=row["row"], field=field, file=self.name,
            )  # fmt: skip

    def strict(self) -> Exam:
        """Return the exam with strict gold, of the questions that have any."""
        frame = self.questions.with_columns(gold=pl.coalesce("gold_strict", "gold")).filter(
            ~pl.col("answerable") | (pl.col("gold").list.len() > 0)
        )
        return Exam(frame, f"{self.name} (strict gold)", self.notes)


def _is_text(value: object) -> bool:
    try:
        return not isinstance(value, str) or bool(value.encode()) or not value
    except UnicodeEncodeError:
        return False


def _tell_unknown(rows: Sequence[Mapping[str, Any]], file: str) -> None:
    """Warn of fields that an exam does not have: more often misspelt than meant."""
    known = {*EXAM_SCHEMA.names(), "id"}
    strange = {str(name): number for number, row in reversed(list(enumerate(rows, 1))) for name in row} if rows else {}
    told = [f"{name!r} (row {number})" for name, number in strange.items() if name not in known]
    if told:
        place = f"{file}: " if file else ""
        shown = ", ".join(sorted(told)[:8]) + (", …" if len(told) > 8 else "")
        warnings.warn(f"{place}exam: unknown columns left out: {shown}", UserWarning, stacklevel=3)


def _row(row: Mapping[str, Any], number: int, file: str) -> dict[str, Any]:
    def refuse(field: str, problem: str) -> InputError:
        return InputError(problem, part="exam", row=number, field=field, file=file)

    if not isinstance(row, Mapping):
        raise InputError(f"must be an object, not {type(row).__name__}", part="exam", row=number, file=file)

    def text(field: str, default: str) -> str:
        value = row.get(field)
        if value is not None and not isinstance(value, str):
            raise refuse(field, f"must be text, not {value!r}")
        return value or default

    def strings(field: str, default: list[str] | None) -> list[str] | None:
        value = row.get(field)
        if value is None:
            return default
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            raise refuse(field, "must be a list of texts")
        return sorted(set(value)) if field != "tags" else list(dict.fromkeys(value))

    for field, value in row.items():
        if not all(_is_text(part) for part in (value if isinstance(value, list) else [value])):
            raise refuse(str(field).encode("ascii", "replace").decode(), "holds a lone surrogate, which is no text")
    identity = row.get("id", row.get("question_id"))
    if not isinstance(identity, str) or not identity.strip():
        raise refuse("id", "missing; give every question an id of its own")
    question = row.get("question")
    if not isinstance(question, str):
        missing = "missing; every row needs the text of a question"
        raise refuse("question", missing if question is None else "must be text")
    gold = strings("gold", []) or []
    answerable = bool(gold) if row.get("answerable") is None else row["answerable"]
    if not isinstance(answerable, bool):
        raise refuse("answerable", "must be true or false")
    if answerable and not gold:
        raise refuse("gold", "an answerable question needs a gold node")
    if gold and not answerable:
        raise refuse("gold", "an unanswerable question has no gold node")
    include = row.get("include_retired")
    if include is not None and not isinstance(include, bool):
        raise refuse("include_retired", "must be true or false")
    as_of = row.get("as_of")
    if as_of is not None and not isinstance(as_of, str | date):
        raise refuse("as_of", "must be a date or an instant, as text")
    try:
        instant = parse_instant(as_of)
        question.encode("utf-8")
    except UnicodeEncodeError:
        raise refuse("question", "holds a lone surrogate, which is no text") from None
    except InputError as error:
        raise refuse("as_of", error.problem) from None
    return {
        "question_id": identity,
        "question": question,
        "lang": text("lang", ""),
        "gold": gold,
        "gold_strict": strings("gold_strict", None),
        "answerable": answerable,
        "written_by": text("written_by", "unknown"),
        "as_of": instant,
        "include_retired": include,
        "tags": strings("tags", []),
    }
