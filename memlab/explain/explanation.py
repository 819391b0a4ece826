"""What :meth:`memlab.Lab.explain` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from memlab.answer import Answer
from memlab.display import jsonable
from memlab.settles import Settle

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


class Gap(NamedTuple):
    """First minus second similarity of the first encoder, raw cosine (chapter 18, section 4).

    ``second`` is None where nothing else was found; ``background`` is the store's, and stands in for a
    lower second. ``needed`` is the bar that applied and ``setting`` its name, empty for a whole title,
    which needs no gap; ``why`` says what made the
    gap 0 where no subtraction did.
    """

    gap: float | None
    first: float | None
    second: float | None
    background: float | None
    stands_in: bool
    needed: float
    setting: str
    why: str


@dataclass(frozen=True, eq=False)
class Explanation:
    """The whole way of one decision.

    Attributes
    ----------
    answer : Answer
        What was decided, with the evidence and the settings.
    words : polars.DataFrame
        The question's words in reading order: ``word`` · ``surface`` · ``start`` · ``end`` (place in
        the source) · ``content`` · ``number`` · ``name`` · ``again`` (said before, not counted twice) ·
        ``consumed`` (stands in the name of ``about``) · ``title_word`` · ``title_start`` · ``title_end``.
    about : str or None
        The node that ``consumed`` is about: the resolved one, else what leads by title, else the first.
    matches : polars.DataFrame
        Which words meet, for the first candidates: ``question_id`` · ``node_id`` · ``word`` ·
        ``question_start`` · ``question_end`` · ``title_word`` · ``title_start`` · ``title_end`` · ``name``.
    arms : polars.DataFrame
        Candidates of each arm: ``arm`` · ``rank`` · ``node_id`` · ``title`` · ``score`` · ``unit`` ·
        ``alone`` (in first place) · ``visible``.
    order : polars.DataFrame
        The first 50 of the pool with what they are sorted by, best first: ``place`` · ``node_id`` · ``title`` ·
        ``kind`` · ``whole_title`` · ``agree`` · ``title_words`` · ``standing`` · ``nearest_rank`` ·
        ``fused`` · ``content_rank`` · ``similarity`` · ``graph_pieces`` · ``first_by`` · ``tied`` ·
        ``visible``.
    keys : tuple of str
        The columns of ``order`` that sorted it.
    hidden : polars.DataFrame
        What the filter hid: ``place`` · ``node_id`` · ``title`` · ``kind`` · ``hidden_by`` · ``rival``.
    gap : Gap
    pieces : polars.DataFrame
        Pieces that counted: ``rank`` · ``piece_id`` · ``document`` · ``text`` · ``similarity`` ·
        ``leads_to`` (nodes of the pool) · ``touches`` (left-over words that it holds).
    grounds, forbids : polars.DataFrame
        Every condition: ``of`` · ``condition`` · ``have`` · ``needed`` · ``passed`` · ``value`` ·
        ``bar`` · ``on``.
    settles : tuple of Settle
        What would have settled it.
    """

    answer: Answer
    words: pl.DataFrame
    about: str | None
    matches: pl.DataFrame
    arms: pl.DataFrame
    order: pl.DataFrame
    keys: tuple[str, ...]
    hidden: pl.DataFrame
    gap: Gap
    pieces: pl.DataFrame
    grounds: pl.DataFrame
    forbids: pl.DataFrame
    settles: tuple[Settle, ...]

    @property
    def question(self) -> str:
        """The question as it was asked; spans are places in it."""
        text: str = self.answer.evidence.questions["question"][0]
        return text

    @property
    def state(self) -> str:
        """``resolved``, ``choose`` or ``none``."""
        return self.answer.state

    @property
    def node_id(self) -> str | None:
        """The node, where one was resolved."""
        return self.answer.node_id

    @property
    def reason(self) -> str:
        """From the closed list; ``reasons`` holds all that apply."""
        return self.answer.reason

    @property
    def reasons(self) -> tuple[str, ...]:
        """All reasons that apply, the reported one first."""
        return self.answer.reasons

    @property
    def about_title(self) -> str | None:
        """Title of ``about``."""
        return None if self.about is None else str(self.order.filter(node_id=self.about)["title"][0])

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, as ``memlab explain --json`` prints them."""
        frames = ("words", "matches", "arms", "order", "hidden", "pieces", "grounds", "forbids")
        return {
            **self.answer.as_dict(),
            "about": self.about,
            "keys": list(self.keys),
            "gap_of": self.gap._asdict(),
            **{name: jsonable(getattr(self, name)) for name in frames},
            "settled_by": [one.as_dict() for one in self.settles],
        }

    def _repr_html_(self) -> str:
        from memlab.explain.notebook import html

        return html(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from memlab.explain.terminal import blocks

        yield from blocks(self)
