"""The resolver: the door for production, with the rules and without the laboratory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from memlab._version import __version__
from memlab.answer import Answer
from memlab.arms import Arm, Asking, Gathering, Questions, questions_frame
from memlab.errors import InputError
from memlab.lab import Lab
from memlab.log import DecisionLog, choice
from memlab.pool import Evidence
from memlab.resolution import Resolution, resolutions
from memlab.rules import Settings, decide
from memlab.store import Store, parse_instant


class Resolver:
    """Decides questions on one store by one set of settings (chapter 18), and keeps a log if asked to.

    Parameters
    ----------
    store : Store or path
        A store that ``memlab build`` made, or one in memory.
    settings : Settings or path, optional
        A TOML file that the laboratory saved; those measured for the store's encoder when left out.
    encoder : str, optional
        Name of an encoder; the one that the store was built with when left out. Settings that neither
        ask the semantic nor the graph arm load none.
    gathering : Gathering, optional
    extra_arms : sequence of str or Arm
        Arms of your own, or names of registered ones.
    log : str or Path, optional
        A file of JSON lines that every decision is appended to.

    Raises
    ------
    MemlabError
        If the store, the settings, the encoder or the log cannot be used. Settings whose gaps belong
        to another encoder than the store's are told by a warning.
    """

    def __init__(
        self,
        store: Store | str | Path,
        settings: Settings | str | Path | None = None,
        *,
        encoder: str | None = None,
        gathering: Gathering | None = None,
        extra_arms: Sequence[str | Arm] = (),
        log: str | Path | None = None,
    ) -> None:
        # The log first: it is the cheaper one to be wrong about.
        held = None if log is None else DecisionLog(log)
        self._begin(
            Lab.for_settings(store, settings, encoder=encoder, gathering=gathering, extra_arms=extra_arms), held
        )

    @classmethod
    def of(cls, lab: Lab, *, log: str | Path | None = None) -> Resolver:
        """Make a resolver that decides as a lab does."""
        made = cls.__new__(cls)
        made._begin(lab, None if log is None else DecisionLog(log))
        return made

    def _begin(self, lab: Lab, log: DecisionLog | None) -> None:
        self._lab = lab
        self._log = log
        self._logged: set[str] = set()

    @property
    def settings(self) -> Settings:
        """What is decided by."""
        return self._lab.settings

    @property
    def store(self) -> Store:
        """The store that is asked."""
        return self._lab.store

    def resolve(
        self,
        question: str,
        *,
        question_id: str | None = None,
        as_of: str | datetime | None = None,
        include_retired: bool = False,
        now: datetime | None = None,
    ) -> Resolution:
        """Decide which memory a question means.

        Parameters
        ----------
        question : str
        question_id : str, optional
            What to call it in the log; made of its content when left out.
        as_of : str or datetime, optional
            The instant asked about; ``now`` when left out, and the clock's when that is left out too.
        include_retired : bool
            Show what has ended, too.
        now : datetime, optional
            When it was asked, for the log, which never reads the clock by itself.
        """
        row: dict[str, object] = {"question": question, "as_of": as_of, "include_retired": include_retired}
        if question_id is not None:
            row["question_id"] = question_id
        return self.resolve_many([row], now=now)[0]

    def resolve_many(self, questions: Questions, *, now: datetime | None = None) -> list[Resolution]:
        """Decide many questions at once, in their order.

        Parameters
        ----------
        questions : Exam, polars.DataFrame or sequence of mappings
            With ``question``, and optionally ``question_id``, ``as_of``, ``include_retired``, ``lang``.
        now : datetime, optional
            As in :meth:`resolve`.
        """
        asked_at = _instant(now)
        frame = _named(questions, questions_frame(questions, asked_at or datetime.now(UTC)), asked_at)
        return self._decided(self._lab.gather(frame, arms=self.settings.arms), asked_at)

    def record(self, answer: Answer, *, now: datetime | None = None) -> Resolution:
        """Log an answer of the lab that this resolver is of; nothing is searched again.

        Parameters
        ----------
        answer : Answer
            Of this store, by these settings.
        now : datetime, optional
            As in :meth:`resolve`.

        Raises
        ------
        InputError
            If it was decided by other settings, or on another store.
        """
        if answer.settings != self.settings or answer.evidence.store != self.store.checksum:
            raise InputError("of another store or by other settings than this resolver's", field="answer")
        asked_at = _instant(now)
        questions = _named([{}], answer.evidence.questions, asked_at)
        frame = answer.evidence.frame.with_columns(question_id=pl.lit(questions["question_id"][0]))
        return self._decided(replace(answer.evidence, frame=frame, questions=questions), asked_at)[0]

    def record_all(self, evidence: Evidence, *, now: datetime | None = None) -> list[Resolution]:
        """Decide evidence that the lab of this resolver gathered, and log it; nothing is searched again.

        Parameters
        ----------
        evidence : Evidence
            Its questions are called by the ids that they have there.
        now : datetime, optional
            As in :meth:`resolve`.

        Raises
        ------
        InputError
            If it is of another store.
        """
        if evidence.store != self.store.checksum:
            raise InputError("of another store than this resolver's", field="evidence")
        return self._decided(evidence, _instant(now))

    def _decided(self, evidence: Evidence, asked_at: datetime | None) -> list[Resolution]:
        made = resolutions(evidence, decide(evidence, self.settings), asked_at)
        if self._log is not None and made:
            langs = evidence.questions["lang"].to_list()
            self._log.append(
                [self._decision(one, lang) for one, lang in zip(made, langs, strict=True)], self._settings_entry()
            )
            self._logged.update(one.question_id for one in made)
        return made

    def choose(self, question_id: str, node_id: str, *, by: str = "", now: datetime | None = None) -> None:
        """Log which node a person picked for a question that was asked.

        Parameters
        ----------
        question_id : str
            Of a decision in the log.
        node_id : str
            Any node of the store.
        by : str
            Who picked it.
        now : datetime, optional
            When.

        Raises
        ------
        InputError
            If there is no log, no such decision in it, or no such node.
        """
        if not isinstance(node_id, str) or node_id not in self.store.nodes["id"]:
            raise InputError(f"{node_id!r} is no node of this store", field="node_id")
        self._pick(question_id, node_id, by, now)

    def none_of_these(self, question_id: str, *, by: str = "", now: datetime | None = None) -> None:
        """Log that a person found no node of the store to be what a question means."""
        self._pick(question_id, None, by, now)

    def skip(self, question_id: str, *, by: str = "", now: datetime | None = None) -> None:
        """Log that a person looked at a question and put it off; it says nothing of what is right."""
        self._pick(question_id, None, by, now, skipped=True)

    def _pick(
        self, question_id: str, node_id: str | None, by: str, now: datetime | None, *, skipped: bool = False
    ) -> None:
        if self._log is None:
            raise InputError("there is none; open the resolver with log=FILE", field="log")
        if not isinstance(question_id, str):
            raise InputError(f"must be text, not {question_id!r}", field="question_id")
        entry = choice(question_id, node_id, by, _instant(now), skipped=skipped)
        if question_id not in self._logged and not self._log.has_question(question_id):
            raise InputError(f"{question_id!r} was never decided in this log", field="question_id")
        self._log.append([entry])

    def _settings_entry(self) -> dict[str, Any]:
        values = self.settings.as_dict() | {"gathering": self._lab.gathering.as_dict()}
        return {"line": "settings", "id": _digest(values), "settings": values}

    def _decision(self, one: Resolution, lang: str) -> dict[str, Any]:
        encoders = self._lab.encoders
        plain = one.as_dict()
        told = ("question_id", "question", "asked_at", "as_of", "include_retired", "state", "node", "reason", "reasons")
        return {
            "line": "decision",
            **{name: plain[name] for name in told},
            "lang": lang,
            "candidates": [c.node for c in one.candidates],
            "hidden": [c.node for c in one.hidden],
            "gap": one.gap,
            "similarity": one.similarity,
            "store": self.store.checksum,
            "encoder": encoders[0].info.key if encoders else None,
            "settings": self._settings_entry()["id"],
            "memlab": __version__,
        }


def _instant(now: datetime | None) -> datetime | None:
    if now is not None and not isinstance(now, datetime):
        raise InputError(f"must be a datetime, not {now!r}", field="now")
    return parse_instant(now, "now")


def _digest(values: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:12]


def _named(given: Questions, frame: pl.DataFrame, asked_at: datetime | None) -> pl.DataFrame:
    """Give an id made of its content to every question that came without one."""
    rows = given.questions if isinstance(given, Asking) else given
    if isinstance(rows, pl.DataFrame):
        has = ["question_id" in rows.columns or "id" in rows.columns] * frame.height
    else:
        has = ["question_id" in row or "id" in row for row in rows]
    ids = [
        row["question_id"]
        if named
        else "q-" + _digest({"question": row["question"], "as_of": str(row["as_of"]),
                             "include_retired": row["include_retired"], "asked_at": str(asked_at)})
        for row, named in zip(frame.iter_rows(named=True), has, strict=True)
    ]  # fmt: skip
    named_frame = frame.with_columns(question_id=pl.Series(ids, dtype=pl.String))
    if named_frame["question_id"].is_duplicated().any():
        twice = named_frame.filter(pl.col("question_id").is_duplicated())["question"][0]
        raise InputError(f"{twice!r} is asked twice; ask it once, or give both an id", part="questions", field="id")
    return named_frame
