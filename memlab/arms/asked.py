"""A batch of questions, cut into words and encoded once for all arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.encoders import Encoder
from memlab.errors import InputError
from memlab.indexes.wording import Wording
from memlab.store import hidden_by_expr, parse_instant, validity_expr, with_retired_from
from memlab.text import segment

QUESTION_SCHEMA = pl.Schema(
    [
        ("question_id", pl.String),
        ("question", pl.String),
        ("lang", pl.String),
        ("as_of", pl.Datetime("us", "UTC")),
        ("include_retired", pl.Boolean),
    ]
)


@runtime_checkable
class Asking(Protocol):
    """Anything with questions, such as an exam."""

    @property
    def questions(self) -> pl.DataFrame:
        """Return one row a question."""


Questions: TypeAlias = Asking | pl.DataFrame | Sequence[Mapping[str, object]]
"""An exam, a frame or loose rows."""


@dataclass(frozen=True)
class Asked:
    """Questions, ready for the arms.

    Attributes
    ----------
    questions : polars.DataFrame
        :data:`QUESTION_SCHEMA` with ``content_words``, in the order asked; ``as_of`` is filled in.
    wording : Wording
        Their words, a text a question.
    vectors : tuple of float32 ``[n, d]``
        One an encoder; a row of zeros for a question without words.
    intervals : polars.DataFrame
        What the validity of the store's nodes hangs on, by row number ``node``.
    """

    questions: pl.DataFrame
    wording: Wording
    vectors: tuple[NDArray[np.float32], ...]
    intervals: pl.DataFrame

    @cached_property
    def terms(self) -> pl.DataFrame:
        """Distinct content words: ``query`` · ``word`` · ``term`` · ``surface``."""
        return self.wording.terms.select(pl.col("text").alias("query"), "word", "term", "surface")

    @cached_property
    def units(self) -> pl.DataFrame:
        """``query`` · ``unit``: what is looked up in the postings."""
        return self.wording.units.rename({"text": "query"})

    @property
    def keys(self) -> pl.DataFrame:
        """``query`` · ``key``: the words, order aside."""
        return self.wording.keys.rename({"text": "query"})

    def validity(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Validity of each node at its question's instant: ``query`` · ``node`` · ``validity`` · ``hidden_by``."""
        instants = self.questions.with_row_index("query").select("query", "as_of")
        return (
            pairs.join(instants, on="query", maintain_order="left")
            .join(self.intervals, on="node", maintain_order="left")
            .select("query", "node", validity=validity_expr(pl.col("as_of")), hidden_by=hidden_by_expr(pl.col("as_of")))
        )

    def current(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Whether each node is current: ``query`` · ``node`` · ``current``."""
        return self.validity(pairs).select("query", "node", current=pl.col("validity") == "current")

    def current_flags(self, query: NDArray[np.int64], node: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each node is current, for two arrays of row numbers."""
        instants = self.questions["as_of"].unique(maintain_order=True)
        n = self.intervals.height
        if len(instants) * n > max(len(query), n):
            as_of = self.questions["as_of"].gather(query)
            table, place = self.intervals[node].with_columns(as_of=as_of), np.arange(len(query))
        else:
            # Few instants: every node is looked at once for each, and not once a pair.
            number = self.questions.select(pl.col("as_of").rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
            table = instants.sort().to_frame("as_of").join(self.intervals, how="cross", maintain_order="left_right")
            place = number[query] * n + node
        flags = table.select(validity_expr(pl.col("as_of")) == "current").to_series().to_numpy()
        current: NDArray[np.bool_] = flags[place]
        return current

    @cached_property
    def anything_hidden(self) -> bool:
        """Whether any node of the store can be hidden at some instant."""
        may = pl.any_horizontal(pl.col("valid_from", "valid_to", "retired_from").is_not_null(), pl.col("ended"))
        return bool(self.intervals.select(may.any()).item())

    @property
    def worded(self) -> NDArray[np.bool_]:
        """Which questions say something in words; the others are not searched by meaning."""
        return _worded(self.questions)


def questions_frame(questions: Questions, now: datetime) -> pl.DataFrame:
    """Make the questions frame from loose rows; a missing ``as_of`` is ``now``."""
    given = questions.questions if isinstance(questions, Asking) else questions
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, pl.DataFrame | Sequence):
        raise InputError(
            f"give an exam, a frame or a list of rows with 'question', not {type(given).__name__}", part="questions"
        )
    rows = given.to_dicts() if isinstance(given, pl.DataFrame) else list(given)
    made = []
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise InputError(f"must be an object, not {type(row).__name__}", part="questions", row=number)
        text = row.get("question")
        if not isinstance(text, str):
            raise InputError(f"must be text, not {type(text).__name__}", part="questions", row=number, field="question")
        identity, lang = str(row.get("question_id", row.get("id", f"q{number}"))), str(row.get("lang") or "")
        for field, value in (("question_id", identity), ("lang", lang)):
            if any("\ud800" <= c <= "\udfff" for c in value):
                raise InputError("holds a lone surrogate, which is no text", part="questions", row=number, field=field)
        as_of = row.get("as_of")
        instant = (
            parse_instant(as_of) if isinstance(as_of, str | datetime) or as_of is None else parse_instant(str(as_of))
        )
        made.append(
            {
                "question_id": identity,
                # A lone surrogate cannot be stored or encoded; it stands for nothing readable.
                "question": text.encode("utf-8", "replace").decode("utf-8"),
                "lang": lang,
                "as_of": instant or now,
                "include_retired": bool(row.get("include_retired") or False),
            }
        )
    frame = pl.DataFrame(made, schema=QUESTION_SCHEMA)
    if frame["question_id"].is_duplicated().any():
        twice = frame.filter(pl.col("question_id").is_duplicated())["question_id"][0]
        raise InputError(f"{twice!r} stands twice; give every question an id of its own", part="questions", field="id")
    return frame


def ask(questions: pl.DataFrame, nodes: pl.DataFrame, encoders: Sequence[Encoder]) -> Asked:
    """Cut a batch of questions into words and encode it.

    Parameters
    ----------
    questions : polars.DataFrame
        :data:`QUESTION_SCHEMA`.
    nodes : polars.DataFrame
        The store's nodes, in its order.
    encoders : sequence of Encoder
        One a semantic arm.
    """
    wording = Wording.of(segment(questions["question"].to_list()))
    questions = (
        questions.with_row_index("text")
        .join(wording.sizes.rename({"size": "content_words"}), on="text", how="left", maintain_order="left")
        .with_columns(pl.col("content_words").fill_null(0))
        .drop("text")
    )
    worded = _worded(questions)
    texts = questions.filter(pl.Series(worded))["question"].to_list()
    vectors = []
    for encoder in encoders:
        rows = np.zeros((questions.height, encoder.info.dimension), dtype=np.float32)
        if texts:
            rows[worded] = encoder.encode_query(texts)
        vectors.append(rows)
    intervals = (
        with_retired_from(nodes).select("valid_from", "valid_to", "ended", "retired_from").with_row_index("node")
    )
    return Asked(questions, wording, tuple(vectors), intervals)


def _worded(questions: pl.DataFrame) -> NDArray[np.bool_]:
    """Which questions have a content word, and a letter or a digit: signs alone have no meaning to look for."""
    lettered = pl.col("question").str.contains(r"[\p{L}\p{N}]")
    return questions.select((pl.col("content_words") > 0) & lettered).to_series().to_numpy()
