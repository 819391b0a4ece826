"""The lab: a store, its indexes and its encoders in one hand."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from memlab.answer import Answer
from memlab.arms import Arm, Gathering, GraphArm, SemanticArm, TitleArm, ask, questions_frame
from memlab.encoders import CachedEncoder, Encoder, get_encoders
from memlab.errors import MemlabError
from memlab.indexes import Indexes, build_indexes, load_indexes, write_indexes
from memlab.pool import Evidence, pool
from memlab.rules import ARMS, Settings, decide, is_measured, settings_for
from memlab.store import Store, parse_instant

if TYPE_CHECKING:
    from memlab.around import Neighbourhood
    from memlab.explain import Explanation

Progress = Callable[[str, int, int], None]


@runtime_checkable
class Asking(Protocol):
    """Anything with questions, such as an exam."""

    @property
    def questions(self) -> pl.DataFrame:
        """Return one row a question."""


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

        Raises
        ------
        MemlabError
            If the store or the encoder cannot be opened.
        """
        store = Store.open(path)
        return cls.of(
            store,
            encoder=encoder or _built_with(store),
            settings=Settings.load(settings) if isinstance(settings, str | Path) else settings,
            gathering=gathering,
            progress=progress,
        )

    @classmethod
    def of(
        cls,
        store: Store,
        *,
        encoder: str | Sequence[Encoder] | None = "embedded",
        settings: Settings | None = None,
        gathering: Gathering | None = None,
        progress: Progress | None = None,
    ) -> Lab:
        """Make a lab of a store in memory; ``encoder=None`` leaves the semantic arm out."""
        if encoder is None:
            encoders: tuple[Encoder, ...] = ()
        elif isinstance(encoder, str):
            encoders = get_encoders(encoder)
        else:
            encoders = tuple(encoder)
        _watch(encoders, progress)
        indexes = load_indexes(store, encoders) or build_indexes(store, encoders)
        _watch(encoders, None)
        if settings is not None:
            _check_settings(settings, encoders)
        return cls(store, indexes, encoders, settings or default_settings(encoders, indexes), gathering or Gathering())

    def save(self, path: str | Path) -> Lab:
        """Save the store with its indexes; returns a lab on what was saved."""
        saved = self.store.save(path, extra=lambda folder: write_indexes(self.indexes, folder))
        return Lab(saved, self.indexes, self.encoders, self.settings, self.gathering, self.extra_arms)

    def gather(
        self,
        questions: Asking | pl.DataFrame | Sequence[Mapping[str, object]],
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
            Arms to ask; all when left out.
        now : datetime, optional
            The instant of questions without ``as_of``; the clock's when left out.
        """
        rows = questions.questions if isinstance(questions, Asking) else questions
        frame = questions_frame(rows, now or datetime.now(UTC))
        asked_arms = tuple(ARMS if arms is None else arms)
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
        hits.extend(arm.search(asked, self.gathering) for arm in self.extra_arms)
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
        rules = settings or self.settings
        if arms is not None:
            rules = rules.but(arms=tuple(arms))
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


def _built_with(store: Store) -> str | None:
    indexes = store.manifest.get("indexes")
    names = [e["name"] for e in indexes.get("encoders", [])] if isinstance(indexes, dict) else []
    if names == ["embedded", "embedded-e5"]:
        return "embedded-fused"
    return str(names[0]) if names else None


def default_settings(encoders: Sequence[Encoder], indexes: Indexes) -> Settings:
    """The settings measured for the first encoder, or careful ones where none were measured.

    The floors are this store's own: what unrelated questions reach in it.
    """
    if not encoders:
        return Settings()
    info = encoders[0].info
    if not is_measured(info.name):
        warnings.warn(
            f"encoder {info.name}: no thresholds were measured for it, so little will resolve; tune them on an exam",
            UserWarning,
            stacklevel=3,
        )
    return calibrated(settings_for(info.name, info.key), indexes)


def calibrated(settings: Settings, indexes: Indexes) -> Settings:
    """Set the floors to what the fixed reference questions reach in a store, by its first encoder.

    A question further from every title and every piece than 95 % of them is far from the store. Titles
    alone say less: without pieces the floor is their median, which costs about as little.
    """
    reach, pieces = indexes.vectors[0].reach, indexes.pieces.reach
    if not len(reach):
        return settings
    if not len(pieces):
        return settings.but(floor=_quantile(reach, FAR_BY_TITLES))
    return settings.but(floor=_quantile(reach, FAR), piece_floor=_quantile(pieces, FAR))


# Chosen by what they cost in candidates, by language (docs/findings.md).
FAR, FAR_BY_TITLES = 0.95, 0.5


def _quantile(reach: NDArray[np.float64], share: float) -> float:
    return round(float(np.quantile(reach, share)), 3)


def _check_settings(settings: Settings, encoders: Sequence[Encoder]) -> None:
    key = encoders[0].info.key if encoders else ""
    if settings.encoder and key and settings.encoder != key:
        warnings.warn(
            f"settings: their gaps belong to the encoder {settings.encoder}, and this store is asked by {key}",
            UserWarning,
            stacklevel=3,
        )


def _watch(encoders: Sequence[Encoder], progress: Progress | None) -> None:
    for encoder in encoders:
        if isinstance(encoder, CachedEncoder):
            name = encoder.info.name
            encoder.progress = (
                (lambda done, total, n=name: progress(f"encoding ({n})", done, total)) if progress else None
            )


def build_store(
    source: str | Path,
    target: str | Path,
    *,
    reader: str = "auto",
    encoder: str = "embedded",
    progress: Progress | None = None,
) -> Lab:
    """Turn a source into a store with its indexes: what ``memlab build`` does.

    Parameters
    ----------
    source : str or Path
        A file or folder that one of the readers knows.
    target : str or Path
        Folder of the store; an older store there is replaced whole, or not at all.
    reader : str
        Name of a reader, or ``auto``.
    encoder : str
        Name of an encoder.

    Raises
    ------
    MemlabError
        If the source cannot be read; nothing has been written then.
    """
    from memlab.readers import read_store

    store = read_store(Path(source), reader, progress)
    return Lab.of(store, encoder=encoder, progress=progress).save(target)
