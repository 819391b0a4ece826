"""What a person says of an answer, kept in a log that an exam is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memlab.answer import Answer
from memlab.errors import InputError
from memlab.lab import Lab
from memlab.resolver import Resolver


@dataclass(frozen=True)
class Choice:
    """What a person said that a question means.

    Attributes
    ----------
    question : str
    node_id, title : str or None
        None says that no node of the store is meant.
    by : str
    at : datetime
    question_id : str or None
        Of the decision in the log; None where nothing was recorded.
    """

    question: str
    node_id: str | None
    title: str | None
    by: str
    at: datetime
    question_id: str | None


class Recording:
    """Logs decisions that were judged, and what was said of them; nothing else is written.

    Parameters
    ----------
    lab : Lab
        What decides.
    log : str or Path, optional
        A file of JSON lines, made with the first choice; without one nothing is recorded.
    """

    def __init__(self, lab: Lab, log: str | Path | None) -> None:
        self.log = None if log is None else Path(log)
        self._resolver = None if log is None else Resolver.of(lab, log=log)
        self._logged: tuple[Answer, str] | None = None

    def choose(self, answer: Answer, node_id: str | None, by: str, now: datetime) -> str | None:
        """Record what an answer's question means; said again, the last word counts.

        Parameters
        ----------
        answer : Answer
            Of this recording's lab.
        node_id : str or None
            A node of the store, or None for none of them.
        by : str
            Who says so.
        now : datetime
            When.

        Returns
        -------
        str or None
            The decision's id in the log, None without a log.

        Raises
        ------
        InputError
            If there is a log and no name. Nothing is written then.
        """
        if self._resolver is None:
            return None
        if not by.strip():
            raise InputError("write your name first: it becomes the author of the exam's row", field="your name")
        if self._logged is None or self._logged[0] is not answer:
            self._logged = answer, self._resolver.record(answer, now=now).question_id
        name = self._logged[1]
        if node_id is None:
            self._resolver.none_of_these(name, by=by.strip(), now=now)
        else:
            self._resolver.choose(name, node_id, by=by.strip(), now=now)
        return name
