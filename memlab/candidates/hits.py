"""Hits that were handed over: checked by row, numbered and ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from memlab.arms.base import HIT_SCHEMA
from memlab.arms.names import is_own_name, is_semantic
from memlab.errors import InputError
from memlab.indexes.vectors import DECIMALS
from memlab.rules import ARMS
from memlab.store.columns import Loose, kind_of, loosen, texts

_LIST = ["query", "arm"]
# Sums of float32 products leave a unit vector's cosine with itself this far above 1.
_SLACK = 1e-4
_MOST = 2**32 - 1
# No arm of one's own may be called so (see `is_own_name`).
_SEMANTIC = pl.col("arm").str.starts_with("semantic")


def semantic_arms(arms: Iterable[str]) -> list[str]:
    """The arms that give cosines, in the order of their encoders.

    Raises
    ------
    InputError
        If one is left out: ``semantic2`` without ``semantic``.
    """
    found = sorted((arm for arm in arms if is_semantic(arm)), key=lambda arm: (len(arm), arm))
    for place, arm in enumerate(found):
        wanted = f"semantic{place + 1}" if place else "semantic"
        if arm != wanted:
            raise InputError(
                f"{arm!r} without {wanted!r}; number the encoders' arms in a row", part="hits", field="arm"
            )
    return found


def handed_hits(
    rows: pl.DataFrame | Sequence[Mapping[str, object]],
    questions: pl.Series,
    nodes: pl.Series,
    *,
    default_arm: str,
    part: str = "hits",
    what: str = "node",
) -> pl.DataFrame:
    """Check candidate lists and turn them into hits.

    Parameters
    ----------
    rows : polars.DataFrame or sequence of mappings
        ``question_id`` · ``arm`` · ``node_id`` · ``rank`` · ``score``.
    questions, nodes : polars.Series of str
        The known ids, in the order that gives their numbers.
    default_arm : str
        Arm of all rows where none is said.
    part, what : str
        What the lists are called in messages, and what stands in them: ``piece`` reads ``piece_id``.

    Returns
    -------
    polars.DataFrame
        :data:`memlab.arms.HIT_SCHEMA`.
    """
    identity = f"{what}_id"
    fields = ("question_id", "arm", identity, "rank", "score")
    loose = loosen(part, rows, fields)
    if not loose.height:
        return pl.DataFrame(schema=HIT_SCHEMA)
    for field in ("question_id", identity):
        if field not in loose.columns:
            raise InputError(f"no such column; hits have {', '.join(fields)}", part=part, field=field)
    if "rank" not in loose.columns and "score" not in loose.columns:
        raise InputError("hits need a rank, a score or both", part=part, field="score")
    question = texts(loose, "question_id", "say which question it is a candidate for")
    node = texts(loose, identity, f"say which {what} it is")
    arm = _arms(loose, default_arm)
    rank, score = _numbers(loose, "rank"), _numbers(loose, "score")
    whole = (rank >= 1) & (rank <= _MOST) & (rank == rank.round())
    loose.fail(
        ~whole.fill_null(True), "rank", lambda at: f"{_shown(loose, 'rank', at)}; ranks are whole numbers from 1"
    )
    frame = pl.DataFrame([question, arm, node.alias("node"), rank, score]).with_columns(
        query=_number(question, questions), node=_number(node, nodes)
    )
    loose.fail(frame["query"].is_null(), "question_id", lambda at: f"{question[at]!r} is none of the questions")
    loose.fail(frame["node"].is_null(), identity, lambda at: f"{node[at]!r} is no {what}; name the id of one")
    again = frame.select("query", "arm", "node")
    loose.fail(
        again.is_duplicated() & ~again.select(pl.struct(pl.all()).is_first_distinct()).to_series(),
        identity,
        lambda at: f"{node[at]!r} stands twice in the list of {question[at]!r} by {arm[at]!r}",
    )
    _check_scores(loose, frame)
    return _ranked(loose, frame)


def _arms(loose: Loose, default: str) -> pl.Series:
    arm = texts(loose, "arm").fill_null(default)
    for name in arm.unique(maintain_order=True):
        if name not in ARMS and not is_semantic(name) and not is_own_name(name):
            problem = f"{name!r} cannot be an arm's name; use a-z, 0-9 and _, such as 'bm25'"
            if "arm" not in loose.columns:
                raise InputError(problem, field="arm")
            loose.fail(arm == name, "arm", problem)
    return arm


def _number(ids: pl.Series, known: pl.Series) -> pl.Series:
    """Row number of each id among the known ones, null where it is none of them."""
    numbered = pl.DataFrame({"id": known}).with_row_index("number")
    return ids.alias("id").to_frame().join(numbered, on="id", how="left", maintain_order="left")["number"]


def _numbers(loose: Loose, field: str) -> pl.Series:
    """A column of numbers, null where absent."""
    values = loose.values(field)
    if isinstance(values, pl.Series) and (values.dtype.is_numeric() or values.dtype == pl.Null):
        numbers = values.cast(pl.Float64).alias(field)
    else:
        held = list(values)
        wrong = [not (v is None or (isinstance(v, int | float) and not isinstance(v, bool))) for v in held]
        loose.fail(pl.Series(wrong, dtype=pl.Boolean), field, lambda at: f"{kind_of(held[at])}; write a number")
        numbers = pl.Series(field, held, dtype=pl.Float64, strict=False)
    loose.fail(
        ~numbers.is_finite().fill_null(True), field, lambda at: f"{_shown(loose, field, at)}; write a finite number"
    )
    return numbers


def _shown(loose: Loose, field: str, at: int) -> str:
    return kind_of(loose.values(field)[at])


def _check_scores(loose: Loose, frame: pl.DataFrame) -> None:
    semantic = frame.select(_SEMANTIC).to_series()
    score = frame["score"]
    loose.fail(
        semantic & score.is_null(),
        "score",
        "missing; an arm called semantic gives cosines, and one that only ranks needs another name",
    )
    loose.fail(
        (semantic & (score.abs() > 1 + _SLACK)).fill_null(False),
        "score",
        lambda at: f"{_shown(loose, 'score', at)}, and an arm called semantic gives raw cosines from -1 to 1",
    )
    neither = frame["rank"].is_null() & score.is_null()
    loose.fail(neither, "score", "neither rank nor score; give one for every row")
    # Half of either would compare places with scores.
    mixed = frame.select(pl.col("rank").is_null() & pl.col("rank").is_not_null().any().over(_LIST)).to_series()
    loose.fail(mixed, "rank", "missing, where others of its list have one; give it for all or for none")


def _ranked(loose: Loose, frame: pl.DataFrame) -> pl.DataFrame:
    frame = frame.with_row_index("row").with_columns(
        score=pl.when(_SEMANTIC).then(pl.col("score").clip(-1.0, 1.0).round(DECIMALS)).otherwise("score")
    )
    _refuse_contradictions(loose, frame.filter(_SEMANTIC & pl.col("rank").is_not_null()))
    by_score = pl.col("score").rank("min", descending=True).over(_LIST)
    # What scores alike is put in no order by its arm, whatever row it stands in.
    alike = pl.when(pl.col("score").is_null()).then("rank").otherwise(pl.col("rank").min().over(*_LIST, "score"))
    rank = pl.when(_SEMANTIC | pl.col("rank").is_null()).then(by_score).otherwise(alike)
    return frame.select("query", "arm", "node", rank.alias("rank"), "score").cast(HIT_SCHEMA)


def _refuse_contradictions(loose: Loose, given: pl.DataFrame) -> None:
    """Refuse cosines that stand in another order than their ranks."""
    rows = given.sort(*_LIST, "rank", "score", descending=[False, False, False, True])
    before = rows.select(pl.col("rank", "score").shift().over(_LIST)).rename({"rank": "r", "score": "s"})
    wrong = rows.hstack(before).filter((pl.col("rank") > pl.col("r")) & (pl.col("score") > pl.col("s")))
    bad = (
        pl.Series([False] * loose.height)
        if wrong.is_empty()
        else pl.int_range(loose.height, eager=True, dtype=pl.UInt32).is_in(wrong["row"].implode())
    )
    loose.fail(bad, "rank", "behind a lower cosine; leave rank out, it follows the cosines")
