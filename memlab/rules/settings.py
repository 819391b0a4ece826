"""Settings: every rule has a name and a value, validated when made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from memlab.errors import InputError
from memlab.plain import as_plain, check_number, check_switch, from_plain, read_toml, write_toml
from memlab.rules.fitted import Fitted, as_fitted

PART = "settings"
ARMS = ("title", "graph", "semantic")
ORDERS = ("words", "fused")
SWITCHES = (
    "title_needs_gap", "whole_title", "substitution", "veto", "succession", "normalise_length", "gate",
    "concept_gate", "include_retired",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What it takes to be confident (chapter 18, sections 4, 5 and 8).

    Gaps and similarities are raw cosines of the store's first encoder; a threshold is worth
    something for that encoder alone.

    Attributes
    ----------
    arms : tuple of str
        Arms that count: ``title``, ``graph``, ``semantic``.
    min_words : int
        Title words that a leader by title needs.
    title_needs_gap : bool
        A leader by title must also be the semantic arm's first, by at least ``gap``.
    gap : float
        Gap that a leader by title needs, in cosine.
    min_share : float
        Share of its words that a leader by title must find in the question. A long title shares words
        with many questions (chapter 18, section 3), so under this share it needs ``gap_alone``.
    gap_alone : float
        Gap that is enough where the title does not carry the decision, in cosine. Above 2 it is off.
    alone_words : int
        Content words that a question needs to be resolved where the title does not carry the decision.
    floor : float
        Best similarity with a title under which nothing is handed back, unless a piece lies nearer
        than ``piece_floor`` or a candidate has two title words. Calibrated to each store when it is
        opened.
    piece_floor : float
        Similarity from which a piece counts as near. Above 1 none does, and ``floor`` stands alone.
    whole_title : bool
        A title that is the question, word for word, resolves.
    substitution : bool
        Words left over on both sides, one of them a number or a name, forbid confidence.
    veto_words, veto_gap, veto_pieces : int, float, int
        How firmly an arm must stand on another node to forbid confidence.
    veto : bool
        Whether arms that disagree forbid confidence at all.
    succession : bool
        A candidate that has ended does not block the one that is named as its successor. Off: a
        predecessor is a rival like any other.
    normalise_length : bool
        Count the share of a title's words in place of their number. Off: a short title then wins on
        one word (``docs/findings.md`` has the measurement).
    order : {"words", "fused"}
        What orders candidates after agreement: title words and then the nearest rank by meaning or by
        pieces (the chapter's order), or the reciprocal ranks of all arms.
    gate : bool
        The off-subject gate: what the title left over must touch something that search returned. Off,
        because its rule and its exam share an author.
    concept_gate : bool
        The question must not name a Concept that the node is not connected to, while it is connected
        to another of the same sort. Off, likewise.
    gate_by : tuple of str
        Who wrote the exams that the gates were looked at on.
    fitted_by : tuple of str
        Who wrote the exams that the thresholds were chosen on; empty where nobody said.
    fitted : tuple of Fitted
        Those exams themselves, where they are known: reports tell by them what is held out.
    include_retired : bool
        Show candidates that have ended. (A question of an exam may ask for it by itself.)
    limit : int
        Most candidates that are handed back.
    encoder : str
        Key of the encoder that the thresholds belong to; empty where nobody said.

    Raises
    ------
    InputError
        If a value is out of its range; the message names the field.
    """

    arms: tuple[str, ...] = ARMS
    min_words: int = 2
    title_needs_gap: bool = True
    gap: float = 0.05
    min_share: float = 0.33
    gap_alone: float = 0.15
    alone_words: int = 2
    floor: float = 0.2
    piece_floor: float = 10.0
    whole_title: bool = True
    substitution: bool = True
    veto: bool = True
    veto_words: int = 2
    veto_gap: float = 0.1
    veto_pieces: int = 2
    succession: bool = False
    normalise_length: bool = False
    order: str = "words"
    gate: bool = False
    concept_gate: bool = False
    gate_by: tuple[str, ...] = ("memlab-authors",)
    fitted_by: tuple[str, ...] = ()
    fitted: tuple[Fitted, ...] = ()
    include_retired: bool = False
    limit: int = 5
    encoder: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.arms, list | tuple):
            raise _refused("arms", f"must be a list of arms, not {self.arms!r}")
        object.__setattr__(self, "arms", tuple(self.arms))
        for name, low, high in (
            ("min_words", 1, 100),
            ("alone_words", 1, 100),
            ("veto_words", 1, 100),
            ("veto_pieces", 1, 10_000),
            ("limit", 1, 5),
        ):
            check_number(PART, name, getattr(self, name), low, high, whole=True)
        for name, low, high in (
            ("gap", 0, 10), ("min_share", 0, 1), ("gap_alone", 0, 10), ("veto_gap", 0, 10), ("floor", -1, 10),
            ("piece_floor", -1, 10),
        ):  # fmt: skip
            check_number(PART, name, getattr(self, name), low, high, whole=False)
        for name in SWITCHES:
            check_switch(PART, name, getattr(self, name))
        for name in ("gate_by", "fitted_by"):
            value = getattr(self, name)
            if not isinstance(value, list | tuple) or not all(isinstance(who, str) for who in value):
                raise _refused(name, f"must be a list of names, not {value!r}")
            object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "fitted", as_fitted(self.fitted))
        if not isinstance(self.encoder, str):
            raise _refused("encoder", f"must be text, not {self.encoder!r}")
        unknown = [arm for arm in self.arms if not isinstance(arm, str) or not arm.strip()]
        if not self.arms or unknown or len(set(self.arms)) != len(self.arms):
            raise _refused("arms", f"name one or more different arms, such as {', '.join(ARMS)}")
        if self.order not in ORDERS:
            raise _refused("order", f"must be one of {', '.join(ORDERS)}, not {self.order!r}")

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return as_plain(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Settings:
        """Make settings from plain values; an unknown name is refused by name."""
        return from_plain(cls, values, PART)

    def to_toml(self) -> str:
        """Return the settings as TOML text."""
        import tomli_w

        return tomli_w.dumps(self.as_dict())

    def save(self, path: str | Path) -> None:
        """Write the settings to a TOML file."""
        write_toml(path, self.as_dict())

    @classmethod
    def load(cls, path: str | Path) -> Settings:
        """Read settings from a TOML file that :meth:`save` wrote.

        A table ``[gathering]``, which says how evidence is gathered, is the lab's and left alone.
        """
        values = read_toml(path)
        try:
            return cls.from_dict({name: value for name, value in values.items() if name != "gathering"})
        except InputError as error:
            raise error.in_file(str(path)) from None

    def but(self, **changes: Any) -> Settings:
        """Return a copy with some values changed."""
        return self.from_dict({f.name: getattr(self, f.name) for f in fields(self)} | changes)


def _refused(name: str, problem: str) -> InputError:
    return InputError(problem, part=PART, field=name)


_HISTORY = Settings(
    title_needs_gap=False,
    min_share=0.0,
    gap_alone=10.0,
    alone_words=1,
    floor=-1.0,
    whole_title=False,
    substitution=False,
    veto=False,
)
# Before the semantic arm, titles and pieces were all there was.
_BEFORE = _HISTORY.but(arms=("title", "graph"))

PRESETS: dict[str, Settings] = {
    "default": Settings(),
    # The chapter's history, one step each, so that each step's effect can be measured.
    "one_word": _BEFORE.but(min_words=1),
    "two_words": _BEFORE.but(min_words=2),
    "gap": _HISTORY.but(min_words=100, gap_alone=0.1),
    "two_words_and_gap": _HISTORY.but(min_words=2, title_needs_gap=True),
    # Either ground is enough, where the other does not point elsewhere.
    "either": _HISTORY.but(min_words=2, gap_alone=0.1),
}
