"""Split an exam in two, so that neighbours do not leak: one half to choose on, one to report on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from memlab.errors import InputError
from memlab.exam.chance import shuffled
from memlab.exam.provenance import bare
from memlab.exam.questions import Exam
from memlab.plain import check_number
from memlab.store import Store

# Tags that name where a question comes from; what stands together there is alike.
NATURAL = ("conversation", "dialogue", "session", "thread", "document")
# With fewer groups than this a side is one or two of them, and says little about the next one.
LEAST_GROUPS = 4
SIDE = pl.Enum(["calibration", "report"])


@dataclass(frozen=True, eq=False)
class Groups:
    """Which questions stand together, and on which side.

    Attributes
    ----------
    rows : polars.DataFrame
        ``question_id`` · ``group`` · ``side`` (``calibration`` or ``report``), in the order of the exam.
    by : str
        What made the groups: ``gold``, ``document`` or ``tag:PREFIX``.
    chosen : bool
        Whether ``auto`` chose it.
    """

    rows: pl.DataFrame
    by: str
    chosen: bool

    def count(self, side: str) -> int:
        """Return how many groups stand on a side."""
        return self.rows.filter(pl.col("side").cast(pl.String) == side)["group"].n_unique()

    def __str__(self) -> str:
        words = {"gold": "questions that share a gold node", "document": "questions about one document"}
        what = words.get(self.by, f"questions with one tag {self.by.removeprefix('tag:')}:…")
        return f"{what} stay together{' (chosen by auto)' if self.chosen else ''}"


class Split(NamedTuple):
    """Two halves of an exam that share no group.

    Attributes
    ----------
    calibration, report : Exam
    groups : Groups
    """

    calibration: Exam
    report: Exam
    groups: Groups


def split(exam: Exam, share: float = 0.5, *, by: str = "auto", seed: int = 0, store: Store | None = None) -> Split:
    """Split an exam into questions to calibrate on and questions to report on.

    Groups are taken whole, in the order of a hash of their name and the seed: neither the order of the
    rows nor the other groups change where one stands in it. Questions that share a gold node are always
    in one group, so the same question in two languages is.

    Parameters
    ----------
    exam : Exam
    share : float
        Share of the questions to calibrate on, more than 0 and less than 1; met as nearly as whole groups allow.
    by : str
        ``gold``, ``document`` (of the gold nodes; needs ``store``), ``tag:PREFIX`` (tags such as
        ``PREFIX:one``), or ``auto``: a tag such as ``conversation:…`` where every question has one and there
        are at least four, gold otherwise. A question without any of it goes by its text.
    seed : int
        Another seed gives another split.
    store : Store, optional
        Knows which documents a node came from.

    Raises
    ------
    InputError
        If a value is out of range, no question has the tag, or the groups leave a side empty.
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise InputError(f"must be more than 0 and less than 1, not {share!r}", field="share")
    if not isinstance(by, str):
        raise InputError(f"one of auto, gold, document, tag:PREFIX, not {by!r}", field="by")
    check_number("", "seed", seed, 0, 2**63, whole=True)
    chosen = by == "auto"
    by = _natural(exam) if chosen else by
    links = _links(exam, by, store)
    groups = _components(links)
    in_calibration = _chosen(groups, share, seed)
    sides = ["calibration" if group in in_calibration else "report" for group in groups]
    rows = exam.questions.select(
        "question_id", group=pl.Series(groups, dtype=pl.String), side=pl.Series(sides, dtype=SIDE)
    )
    if rows["side"].n_unique() < 2:
        held = rows["group"].n_unique()
        raise InputError(
            f"the exam's {len(exam)} questions make {held} group{'' if held == 1 else 's'} by {by}, so a side would be"
            " empty; add questions, or group them by something finer",
            field="by",
        )
    halves = {
        side: Exam(exam.questions.filter(rows["side"] == side), f"{exam.name} ({side})".strip(), exam.notes)
        for side in SIDE.categories
    }
    return Split(halves["calibration"], halves["report"], Groups(rows, by, chosen))


def _natural(exam: Exam) -> str:
    """The grouping that the exam's tags offer, or gold."""
    for name in NATURAL:
        held = [{tag for tag in tags if tag.startswith(f"{name}:")} for tags in exam.questions["tags"]]
        if held and all(held) and len(set().union(*held)) >= LEAST_GROUPS:
            return f"tag:{name}"
    return "gold"


def _links(exam: Exam, by: str, store: Store | None) -> list[list[str]]:
    """What each question hangs on; two that hang on one thing are in one group."""
    questions = exam.questions
    golds = [
        [f"gold:{node}" for node in {*gold, *(strict or ())}]
        for gold, strict in questions.select("gold", "gold_strict").iter_rows()
    ]
    texts = [f"text:{bare(text)}" for text in questions["question"]]
    if by == "gold":
        return [[*gold, text] for gold, text in zip(golds, texts, strict=True)]
    if by == "document":
        if store is None:
            raise InputError("grouping by document needs the store, which knows the documents", field="by")
        documents = _documents(store)
        named = [[f"document:{d}" for g in gold for d in documents.get(g.removeprefix("gold:"), ())] for gold in golds]
        return [[*name, *gold, text] for name, gold, text in zip(named, golds, texts, strict=True)]
    prefix = by.removeprefix("tag:").removesuffix(":")
    if not by.startswith("tag:") or not prefix:
        raise InputError(f"one of auto, gold, document, tag:PREFIX, not {by!r}", field="by")
    tagged = [[f"tag:{tag}" for tag in tags if tag.startswith(f"{prefix}:")] for tags in questions["tags"]]
    if not any(tagged):
        raise InputError(f"no question has a tag {prefix}:…; {_tags(questions['tags'].to_list())}", field="by")
    # Without gold nothing but its text tells that a question is asked again elsewhere.
    return [[*tag, *(gold or [text])] for tag, gold, text in zip(tagged, golds, texts, strict=True)]


def _tags(tags: Sequence[Sequence[str]]) -> str:
    known = sorted({tag.split(":")[0] for row in tags for tag in row if ":" in tag})
    return f"there are {', '.join(known)}" if known else "its tags have no prefix"


def _documents(store: Store) -> dict[str, list[str]]:
    """The documents that each node came from."""
    found = (
        store.edges.filter(pl.col("type") == "FROM")
        .join(store.pieces.select("document", target="id"), on="target")
        .group_by("source")
        .agg(pl.col("document").unique())
    )
    return dict(found.iter_rows())


def _components(links: Sequence[Sequence[str]]) -> list[str]:
    """The group of each row, named by the first thing in it; rows without a link in common are apart."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    things = {thing: number for number, thing in enumerate(sorted({thing for row in links for thing in row}))}
    pairs = [(row, len(links) + things[thing]) for row, held in enumerate(links) for thing in held]
    size = len(links) + len(things)
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(pairs), dtype=np.int8), (rows, columns)), shape=(size, size))
    label = connected_components(graph, directed=False)[1]
    first: dict[int, str] = {}
    for thing, number in things.items():
        first.setdefault(int(label[len(links) + number]), thing)
    return [first[int(label[row])] for row in range(len(links))]


def _chosen(groups: Sequence[str], share: float, seed: int) -> set[str]:
    """The groups to calibrate on: as hashed, as long as each brings their number nearer to the share."""
    sizes: dict[str, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1
    order = shuffled(sizes, seed)
    wanted, taken, chosen = share * len(groups), 0, set[str]()
    for group in order:
        if taken + sizes[group] / 2 <= wanted:
            chosen.add(group)
            taken += sizes[group]
    # However uneven the groups, neither side stays empty where there are two.
    if len(order) > 1 and not chosen:
        chosen = {min(order, key=lambda group: (sizes[group], group))}
    if len(order) > 1 and len(chosen) == len(order):
        chosen.remove(min(order, key=lambda group: (sizes[group], group)))
    return chosen
