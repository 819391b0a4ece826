"""How far labellers agree: the share of questions on which two say the same, and Cohen's kappa."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Final

import polars as pl

from memlab.errors import InputError
from memlab.exam.intervals import wilson
from memlab.exam.log import asked
from memlab.log import is_log

_NONE: Final = ""
_SCHEMA: Final = pl.Schema(
    {"one": pl.String, "other": pl.String, "both": pl.Int64, "agreed": pl.Int64, "share": pl.Float64,
     "low": pl.Float64, "high": pl.Float64, "kappa": pl.Float64}
)  # fmt: skip


def agreement(path: str | Path) -> pl.DataFrame:
    """Compare what labellers last said of the same questions, pair by pair.

    Parameters
    ----------
    path : str or Path
        A log of decisions that several people labelled or picked in.

    Returns
    -------
    polars.DataFrame
        ``one`` · ``other`` (labellers) · ``both`` (questions that both judged) · ``agreed`` (the same
        node, or none of them) · ``share`` · ``low`` · ``high`` (Wilson 95 %) · ``kappa`` (Cohen, Educational
        and Psychological Measurement 1960; null where it is not defined).

    Raises
    ------
    InputError
        If the file is no log, naming the line that cannot be read.
    """
    file = Path(path)
    if not file.is_file() or not is_log(file):
        raise InputError("is no log of decisions; name a file that people labelled or picked in", file=str(path))
    picks = [one.picks for one in asked(file)[0].values()]
    people = sorted({by for one in picks for by in one})
    rows = []
    for one, other in combinations(people, 2):
        said = [(held[one] or _NONE, held[other] or _NONE) for held in picks if one in held and other in held]
        agreed = sum(mine == theirs for mine, theirs in said)
        low, high = wilson(agreed, len(said))
        rows.append((one, other, len(said), agreed, agreed / len(said) if said else None, low, high, _kappa(said)))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _kappa(said: list[tuple[str, str]]) -> float | None:
    """Agreement beyond chance; null where both always say one and the same."""
    if len({label for pair in said for label in pair}) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(*zip(*said, strict=True)))
