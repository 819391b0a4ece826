"""The lab: a store, its indexes and its encoders in one hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from memlab.answer import Answer
from memlab.arms import (
    Arm,
    Gathering,
    GraphArm,
    Questions,
    SemanticArm,
    TitleArm,
    ask,
    check_names,
    make_arms,
    questions_frame,
    refuse_unknown,
    search_checked,
)
from memlab.defaults import default_settings, given, save_both, warn_of_another_encoder
from memlab.encoders import CachedEncoder, Encoder, get_encoders
from memlab.errors import InputError, MemlabError
from memlab.indexes import Indexes, build_indexes, load_indexes, saved_encoders, write_indexes
from memlab.pool import Evidence, pool
from memlab.rules import ARMS, Settings, decide
from memlab.store import Store, parse_instant
from memlab.store.columns import kind_of

if TYPE_CHECKING:
    from memlab.around import Neighbourhood
    from memlab.explain import Explanation

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Lab:
    """A store that can be asked.

    Attributes
    ----------
    store : Store
    indexes : Indexes
    encoders : tuple of Encoder
        One a semantic arm; none without that arm.
    settings : Settings
        What :meth:`resolve` decides by.
    gathering : Gathering
        How deep the arms go.
    extra_arms : tuple of Arm
        Arms of your own.
    """

    store: Store
    indexes: Indexes
    encoders: tuple[Encoder, ...]
    settings: Settings = field(default_factory=Settings)
    gathering: Gathering = field(default_factory=Gathering)
    extra_arms: tuple[Arm, ...] = ()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        encoder: str | None = None,
        settings: Settings | str | Path | None = None,
        gathering: Gathering | None = None,
        extra_arms: Sequence[str | Arm] = (),
        progress: Progress | None = None,
    ) -> Lab:
        """Open a saved store.

        Parameters
        ----------
        path : str or Path
            Folder of a store that ``memlab build`` made.
        encoder : str, optional
            Name of an encoder; the one that the store was built with when left out.
        settings : Settings, or path of a TOML file, optional
        gathering : Gathering, optional
            That of the settings file when left out.
        extra_arms : sequence of str or Arm
            Arms of your own, or names of arms that installed packages registered (``memlab.arms``).

        Raises
        ------
        MemlabError
            If the store, the encoder or an arm cannot be opened.
        """
        store = _opened(path)
        return cls.of(
            store,
            encoder=encoder or _built_with(store),
            settings=settings,
            gathering=gathering,
            extra_arms=extra_arms,
            progress=progress,
        )

    @classmethod
    def of(
        cls,
        store: Store,
        *,
        encoder: str | Sequence[Encoder] | None = "embedded",
        settings: Settings | str | Path | None = None,
        gathering: Gathering | None = None,
        extra_arms: Sequence[str | Arm] = (),
        progress: Progress | None = None,
        pieces: bool = True,
    ) -> Lab:
        """Make a lab of a store in memory; ``encoder=None`` leaves the semantic arm out.

        ``pieces=False`` leaves a saved index of pieces unread, where the graph arm will not be asked.
        The other parameters are those of :meth:`open`.
        """
        if not isinstance(store, Store):
            raise InputError(f"give a Store, or open a path with Lab.open; {kind_of(store)}", field="store")
        rules, gathering = given(settings, gathering)
        if encoder is None:
            encoders: tuple[Encoder, ...] = ()
        elif isinstance(encoder, str):
            encoders = get_encoders(encoder)
        else:
            encoders = tuple(encoder)
        _watch(encoders, progress)
        indexes = load_indexes(store, encoders, pieces=pieces) or build_indexes(store, encoders)
        _watch(encoders, None)
        extra = make_arms(extra_arms, store, indexes, encoders)
        if rules is not None:
            refuse_unknown(rules.arms, check_names(extra), "settings")
            warn_of_another_encoder(rules, encoders)
        return cls(
            store, indexes, encoders, rules or default_settings(encoders, indexes), gathering or Gathering(), extra
        )

    @classmethod
    def for_settings(
        cls,
        store: Store | str | Path,
        settings: Settings | str | Path | None = None,
        *,
        encoder: str | None = None,
        gathering: Gathering | None = None,
        extra_arms: Sequence[str | Arm] = (),
    ) -> Lab:
        """Open what the arms of some settings need, and no more; other arms cannot be asked.

        The parameters are those of :meth:`open`, and a store in memory is taken as well.
        """
        rules, gathering = given(settings, gathering)
        arms = ARMS if rules is None else rules.arms
        held = store if isinstance(store, Store) else _opened(store)
        by_vectors = "semantic" in arms or "graph" in arms
        return cls.of(
            held,
            encoder=(encoder or _built_with(held) or (None if held.folder else "embedded")) if by_vectors else None,
            settings=rules,
            gathering=gathering,
            extra_arms=extra_arms,
            pieces="graph" in arms,
        )

    def save(self, path: str | Path) -> Lab:
        """Save the store with its indexes; returns a lab on what was saved."""
        saved = self.store.save(path, extra=lambda folder: write_indexes(self.indexes, folder))
        return Lab(saved, self.indexes, self.encoders, self.settings, self.gathering, self.extra_arms)

    def save_settings(self, path: str | Path, settings: Settings | None = None) -> None:
        """Write settings (the lab's when left out) and how its evidence is gathered into one TOML file.

        :meth:`open` and :class:`memlab.Resolver` read both from it.
        """
        save_both(path, settings or self.settings, self.gathering)

    def gather(
        self,
        questions: Questions,
        *,
        arms: Sequence[str] | None = None,
        now: datetime | None = None,
    ) -> Evidence:
        """Gather the evidence of a batch of questions: everything slow happens here.

        Parameters
        ----------
        questions : Exam, polars.DataFrame or sequence of mappings
            With ``question``, and optionally ``question_id``, ``lang``, ``as_of``,
            ``include_retired``.
        arms : sequence of str, optional
            Arms to ask; all when left out. Arms of your own are always asked.
        now : datetime, optional
            The instant of questions without ``as_of``; the clock's when left out.
        """
        frame = questions_frame(questions, now or datetime.now(UTC))
        extra = check_names(self.extra_arms)
        asked_arms = ARMS if arms is None else refuse_unknown(arms, extra)
        encoders = self.encoders if "semantic" in asked_arms or "graph" in asked_arms else ()
        asked = ask(frame, self.store.nodes, encoders)
        hits: list[pl.DataFrame] = []
        beyond = pieces = None
        if "title" in asked_arms:
            found, beyond = TitleArm(self.indexes.names).search_and_cut(asked, self.gathering)
            hits.append(found)
        if "graph" in asked_arms:
            graph = GraphArm(self.indexes, self.store.nodes["kind"])
            pieces = graph.pieces(asked, self.gathering)
            hits.append(graph.follow(pieces, asked, self.gathering))
        if "semantic" in asked_arms:
            hits.extend(
                SemanticArm(vectors, number).search(asked, self.gathering)
                for number, vectors in enumerate(self.indexes.vectors)
            )
        hits.extend(search_checked(arm, asked, self.gathering) for arm in self.extra_arms)
        if not hits:
            raise MemlabError(f"arms: nothing to ask; name one or more of {', '.join(ARMS)}")
        return pool(
            pl.concat(hits),
            asked,
            self.store,
            self.indexes,
            gathering=self.gathering,
            pieces=pieces,
            beyond=beyond,
            encoders=[e.info for e in self.encoders],
        )

    def resolve(
        self,
        question: str,
        *,
        as_of: str | datetime | None = None,
        include_retired: bool = False,
        arms: Sequence[str] | None = None,
        settings: Settings | None = None,
    ) -> Answer:
        """Decide which memory a question means (chapter 18).

        Parameters
        ----------
        question : str
        as_of : str or datetime, optional
            The instant asked about; now when left out.
        include_retired : bool
            Show what has ended, too.
        arms : sequence of str, optional
            Arms to ask; those of the settings when left out.
        settings : Settings, optional
            The lab's when left out.
        """
        rules = self.settings if settings is None else settings
        if not isinstance(rules, Settings):
            raise InputError(f"give Settings, such as lab.settings.but(gap=0.1); {kind_of(rules)}", field="settings")
        extra = check_names(self.extra_arms)
        refuse_unknown(rules.arms, extra, "settings")
        if arms is not None:
            rules = rules.but(arms=refuse_unknown(arms, extra))
        instant = parse_instant(as_of) or datetime.now(UTC)
        row: Mapping[str, object] = {
            "question_id": "q",
            "question": question,
            "as_of": instant,
            "include_retired": include_retired or rules.include_retired,
        }
        evidence = self.gather([row], arms=rules.arms)
        return Answer.of(evidence, decide(evidence, rules), rules, store=self.store)

    def explain(
        self,
        question: str,
        *,
        as_of: str | datetime | None = None,
        include_retired: bool = False,
        arms: Sequence[str] | None = None,
        settings: Settings | None = None,
        now: datetime | None = None,
    ) -> Explanation:
        """Decide as :meth:`resolve` does, and return the whole way: words, arms, order, gap, gates, verdict.

        Parameters
        ----------
        question, as_of, include_retired, arms, settings
            As for :meth:`resolve`.
        now : datetime, optional
            The instant of a question without ``as_of``; the clock's when left out.
        """
        from memlab.explain import explain

        instant = as_of if as_of is not None else now
        answer = self.resolve(question, as_of=instant, include_retired=include_retired, arms=arms, settings=settings)
        return explain(answer, self.store, self.indexes, self.encoders, self.gathering)

    def around(
        self, node: str | Answer, *, as_of: str | datetime | None = None, depth: int = 1, now: datetime | None = None
    ) -> Neighbourhood:
        """Show what is connected to a node, each thing still itself (chapter 18, section 6).

        Parameters
        ----------
        node : str or Answer
            An id of the store, or an answer that resolved one.
        as_of : str or datetime, optional
            The instant at which validity is told; that of the answer, or now, when left out.
        depth : int
            How many connections away.
        now : datetime, optional
            The instant of an id without ``as_of``; the clock's when left out.

        Raises
        ------
        InputError
            If the store has no such node, naming the nearest; or if the answer resolved none.
        """
        from memlab.around import around

        instant = parse_instant(as_of) or (None if isinstance(node, Answer) else now or datetime.now(UTC))
        return around(self.store, node, as_of=instant, depth=depth)


def _opened(path: object) -> Store:
    if not isinstance(path, str | Path):
        raise InputError(f"give the path of a store; {kind_of(path)}", field="store")
    return Store.open(path)


def _built_with(store: Store) -> str | None:
    names = [info.name for info in saved_encoders(store)]
    if names == ["embedded", "embedded-e5"]:
        return "embedded-fused"
    return names[0] if names else None


def _watch(encoders: Sequence[Encoder], progress: Progress | None) -> None:
    for encoder in encoders:
        if isinstance(encoder, CachedEncoder):
            name = encoder.info.name
            encoder.progress = (
                (lambda done, total, n=name: progress(f"encoding ({n})", done, total)) if progress else None
            )
