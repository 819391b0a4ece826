"""Arms of one's own: registered by a package, found by name, and held to their contract."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
from tiny import NOW, TrigramEncoder, lab_of, titles

import memlab as ml
from memlab.arms import HIT_SCHEMA, Asked

LOOM = titles("Loom repair handbook", "Choir rehearsal", "Boat insurance")
ASKED = [{"id": "a", "question": "velvet", "as_of": NOW}, {"id": "b", "question": "ribbon", "as_of": NOW}]


@dataclass
class Fixed:
    """Puts one node first for every question."""

    node: int
    name: str = "oracle"

    def search(self, asked: Asked, gathering: ml.Gathering) -> pl.DataFrame:
        rows = [{"query": q, "arm": self.name, "node": self.node, "rank": 1} for q in range(asked.questions.height)]
        return pl.DataFrame(rows, schema=HIT_SCHEMA)


def make_oracle(store: ml.Store, indexes: Any, encoders: Sequence[Any]) -> Fixed:
    assert indexes.names.names.height >= store.nodes.height
    assert all(e.info.dimension for e in encoders)
    return Fixed(store.nodes["title"].to_list().index("Boat insurance"))


def make_misnamed(store: ml.Store, indexes: Any, encoders: Sequence[Any]) -> Fixed:
    return Fixed(0, "other")


def make_broken(store: ml.Store, indexes: Any, encoders: Sequence[Any]) -> Fixed:
    raise RuntimeError("no key for the service")


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that registers arms, as if it were installed."""
    module = ModuleType("their_arms")
    module.__dict__.update(make=make_oracle, misnamed=make_misnamed, broken=make_broken)
    monkeypatch.setitem(sys.modules, "their_arms", module)
    there = {"oracle": "make", "strange": "misnamed", "broken": "broken", "lost": "nowhere"}
    entries = [EntryPoint(name, f"their_arms:{what}", "memlab.arms") for name, what in there.items()]
    monkeypatch.setattr("memlab.arms.extra.entry_points", lambda group: EntryPoints(entries).select(group=group))


def lab(extra: Sequence[Any], **more: Any) -> ml.Lab:
    store = ml.Store.from_frames(LOOM)
    return ml.Lab.of(store, encoder=[TrigramEncoder()], settings=ml.Settings(), extra_arms=extra, **more)


def boat(of: ml.Lab) -> str:
    return next(n["id"] for n in LOOM if n["title"] == "Boat insurance")


@pytest.mark.usefixtures("package")
def test_a_registered_arm_is_found_by_its_name_and_takes_part() -> None:
    with_it = lab(["oracle"])
    frame = with_it.gather(ASKED, arms=("title",)).frame
    assert frame["node_id"].unique().to_list() == [boat(with_it)]
    assert frame["first_by"].to_list() == [["oracle"], ["oracle"]]
    assert frame["oracle_rank"].to_list() == [1, 1]


@pytest.mark.usefixtures("package")
def test_an_arm_of_ones_own_orders_the_pool_and_never_resolves_alone() -> None:
    with_it = lab(["oracle"])
    for rules in (ml.Settings(), ml.Settings(gap=0.0, min_words=1, veto=False, arms=("title",))):
        answer = with_it.resolve("velvet", as_of=NOW, settings=rules)
        assert (answer.state, answer.candidates["node_id"][0]) == ("choose", boat(with_it))


@pytest.mark.usefixtures("package")
def test_a_saved_store_opens_with_an_arm(tmp_path: Path) -> None:
    lab([]).save(tmp_path / "a.store")
    store = ml.Store.open(tmp_path / "a.store")
    opened = ml.Lab.of(store, encoder=[TrigramEncoder()], settings=ml.Settings(arms=("title", "oracle")),
                       extra_arms=["oracle"])  # fmt: skip
    assert [a.name for a in opened.extra_arms] == ["oracle"]
    assert opened.resolve("velvet", as_of=NOW).candidates["node_id"].to_list() == [boat(opened)]


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (["tarot"], "no such arm as 'tarot'; there are: broken, lost, oracle, strange"),
        (["strange"], "made an arm called 'other'; call it 'strange' too"),
        (["broken"], "cannot be made: no key for the service"),
        (["lost"], "cannot be made"),
        ("oracle", "give a list of names or arms"),
        ([Fixed(0), Fixed(1)], "two arms are called 'oracle'"),
        ([Fixed(0, "title")], "'title' cannot be an arm's name"),
        ([Fixed(0, "semantic9")], "'semantic9' cannot be an arm's name"),
        ([object()], "object is no arm"),
    ],
)
def test_an_arm_that_cannot_be_is_refused(wanted: Any, told: str) -> None:
    with pytest.raises(ml.MemlabError, match=told):
        lab(wanted)


def test_an_arm_that_nothing_offers_is_told_how_one_comes_about() -> None:
    with pytest.raises(ml.MemlabError, match=r"no such arm as 'tarot'.*memlab\.arms"):
        lab(["tarot"])


@pytest.mark.parametrize(
    "ask",
    [
        lambda of: of.resolve("loom", arms=("tittle",)),
        lambda of: of.gather(ASKED, arms=["tittle"]),
        lambda of: of.resolve("loom", settings=ml.Settings(arms=("tittle",))),
        lambda of: ml.Lab.of(of.store, encoder=None, settings=ml.Settings(arms=("title", "tittle"))),
    ],
)
def test_an_unknown_arm_is_refused_with_those_there_are(ask: Callable[[ml.Lab], object]) -> None:
    with pytest.raises(ml.InputError, match="arms: no such arm as 'tittle'; there are title, graph, semantic"):
        ask(lab_of(LOOM, semantic=False))
    with pytest.raises(ml.InputError, match=r"semantic, oracle$"):
        lab([Fixed(0)]).resolve("loom", arms=("tittle",))


def hits(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame({"query": [0], "arm": ["oracle"], "node": [1], "rank": [1], "score": [0.5]} | columns)


BAD: dict[str, tuple[Any, str]] = {
    "no frame": ([{"query": 0}], "must return a polars DataFrame, not list"),
    "wrong columns": (hits().rename({"node": "node_id"}), "hits have the columns query, arm, node, rank, score, not"),
    "ids for numbers": (hits(node=["n1"]), "node must be whole numbers"),
    "no such node": (hits(node=[3]), "node 3 is no node: they run from 0 to 2"),
    "no such question": (hits(query=[2]), "query 2 is no question"),
    "a rank of 0": (hits(rank=[0]), "rank 0 is no rank"),
    "no rank": (hits(rank=pl.Series([None], dtype=pl.UInt32)), "rank None is no rank"),
    "another's name": (hits(arm=["title"]), "its hits say arm 'title'"),
    "NaN": (hits(score=[float("nan")]), "a score is NaN"),
    "text as score": (hits(score=["high"]), "score must be numbers"),
    "twice": (pl.concat([hits(), hits(rank=[2])]), "node 1 stands twice for question 0"),
}


@pytest.mark.parametrize("case", BAD)
def test_hits_that_break_the_contract_are_told(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, told = BAD[case]
    arm = Fixed(0)
    monkeypatch.setattr(arm, "search", lambda asked, gathering: found)
    with pytest.raises(ml.MemlabError) as caught:
        replace(lab([]), extra_arms=(arm,)).gather(ASKED)
    assert str(caught.value).startswith("arm 'oracle': ")
    assert told in str(caught.value)


def test_no_hits_in_any_shape_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    arm = Fixed(0)
    monkeypatch.setattr(arm, "search", lambda asked, gathering: pl.DataFrame([], schema=HIT_SCHEMA.names()))
    assert replace(lab([]), extra_arms=(arm,)).gather(ASKED).frame.equals(lab([]).gather(ASKED).frame)


def test_an_arm_is_held_to_questions_that_say_nothing_about_each_other() -> None:
    store = ml.Store.from_frames(LOOM)

    class ByPlace(Fixed):
        def search(self, asked: Asked, gathering: ml.Gathering) -> pl.DataFrame:
            return super().search(asked, gathering).with_columns(node=pl.col("query"))

    class ByCompany(Fixed):
        def search(self, asked: Asked, gathering: ml.Gathering) -> pl.DataFrame:
            return super().search(asked, gathering).with_columns(score=pl.lit(float(asked.questions.height)))

    assert ml.check_arm(Fixed(1), ASKED, store)["node"].to_list() == [1, 1]
    with pytest.raises(ml.MemlabError, match="depend on the order of the questions"):
        ml.check_arm(ByPlace(0), ASKED, store)
    with pytest.raises(ml.MemlabError, match="'a' depend on what else was asked"):
        ml.check_arm(ByCompany(0), ASKED, store)
