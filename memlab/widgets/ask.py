"""Ask a question in a notebook: see what is decided and why, and say what was meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

import ipywidgets
import traitlets

from memlab.answer import Answer
from memlab.charts.given import given
from memlab.display import one_line, shortened
from memlab.exam.finder import Finder
from memlab.exam.tasks import Option
from memlab.explain import Explanation
from memlab.lab import Lab
from memlab.plain import nameable
from memlab.rules import Settings
from memlab.widgets.answers import LONG, caption_html, hidden_html, settles_html, verdict_html
from memlab.widgets.askbox import AskBox
from memlab.widgets.fault import fault_html
from memlab.widgets.keys import Keys
from memlab.widgets.panels import Panels
from memlab.widgets.recording import Choice, Recording

_NONE, _RIGHT = "n", "r"
_CLASS: Final = "memlab-ask"
_RIVALS: Final = 3
_INSTANT: Final = "an instant, such as 2026-01-01, or nothing for now"


class AskWidget(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Ask, see the state with its grounds, and say which node was meant.

    Enter asks, Escape leaves the box. A candidate is picked by its button or by its number; n says that none of
    them is meant, r that
    what was resolved is right. Any other node is found by words of its names.

    Parameters
    ----------
    lab : Lab
    log : str or Path, optional
        A file of JSON lines. What a person says of an answer is kept there, with the decision, and
        :meth:`memlab.Exam.from_log` makes an exam of it. Without one it is only in ``last_choice``.
    by : str
        Who says it: the author of the exam's rows. It can be written in the widget, and nothing is recorded
        before.
    as_of : str or datetime, optional
        What the field for the instant holds at first; empty stands for now.
    settings : Settings, optional
        The lab's when left out.
    now : callable, optional
        Gives the instant of each question and each choice; the clock's when left out.

    Attributes
    ----------
    question : str
        As it was last asked.
    answer : Answer or None
    explanation : Explanation or None
    last_choice : Choice or None
        What was last said of the answer; None again with the next question.
    settings : Settings
        Setting it asks again.

    Examples
    --------
    >>> asking = ml.widgets.AskWidget(lab, log="picks.jsonl", by="Ada")  # doctest: +SKIP
    >>> asking.ask("what is a loom?").state  # doctest: +SKIP
    """

    question = traitlets.Unicode()
    answer = traitlets.Instance(Answer, allow_none=True)
    explanation = traitlets.Instance(Explanation, allow_none=True)
    last_choice = traitlets.Instance(Choice, allow_none=True)
    settings = traitlets.Instance(Settings)

    def __init__(
        self,
        lab: Lab,
        log: str | Path | None = None,
        by: str = "",
        as_of: str | datetime | None = None,
        settings: Settings | None = None,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        given(lab, Lab, "lab", "the Lab to ask, such as ml.Lab.open(store)")
        if settings is not None:
            given(settings, Settings, "settings", "Settings, such as lab.settings")
        first = as_of.isoformat() if isinstance(as_of, datetime) else given(as_of or "", str, "as_of", _INSTANT)
        self._now = now or (lambda: datetime.now(UTC))
        self._log = None if log is None else nameable(log, "log")
        self._finder = Finder(lab.store)
        self._lab = lab if settings is None else replace(lab, settings=settings)
        self._recording = Recording(self._lab, self._log)
        self.box = AskBox(lambda: self._guard(self._ask), first)
        self.error = ipywidgets.HTML(layout={"display": "none"})
        self.verdict = ipywidgets.HTML()
        self.settles = ipywidgets.HTML()
        self.hidden = ipywidgets.HTML()
        self.said = ipywidgets.HTML()
        self.by = ipywidgets.Text(
            value=by, description="as", placeholder="your name", layout={"width": "220px"},
            style={"description_width": "20px"}, continuous_update=False,
        )  # fmt: skip
        self.by.observe(lambda _: self._guard(self._tell), "value")
        self.picks: list[ipywidgets.Button] = []
        self.others: list[ipywidgets.Button] = []
        self.offers: list[ipywidgets.Button] = []
        self.rivals: list[ipywidgets.Button] = []
        self.options = ipywidgets.VBox()
        self.right = self._button("right (r)", lambda: self._choose(self._resolved()))
        self.none = self._button("none of these (n)", lambda: self._choose(None))
        self.find = ipywidgets.Text(
            placeholder="find another node by words of its title, or its id", layout={"width": "auto"}
        )
        self.found = ipywidgets.VBox()
        self.find.observe(lambda _: self._guard(self._search), "value")
        self.offered = ipywidgets.VBox()
        self.panels = Panels(self.show_error, self._offer, self.offered)
        self.keyboard = Keys(self._press, _CLASS)
        recorded = ipywidgets.HBox([self.said, self.by], layout={"flex_flow": "row wrap", "align_items": "center"})
        actions = ipywidgets.HBox([self.right, self.none], layout={"flex_flow": "row wrap", "margin": "10px 0 0"})
        # What is not needed before a question is asked is not there.
        self._rest = ipywidgets.VBox(
            [
                self.verdict,
                recorded,
                self.options,
                actions,
                self.find,
                self.found,
                self.settles,
                self.hidden,
                self.panels,
            ],
            layout={"display": "none"},
        )
        super().__init__(
            children=[self.box, self.error, self._rest, self.keyboard], settings=self._lab.settings
        )  # fmt: skip
        self.add_class(_CLASS)
        self.observe(lambda change: self._guard(lambda: self._decide_by(change["new"])), "settings")

    def ask(self, question: str, *, as_of: str | datetime | None = None, include_ended: bool = False) -> Answer:
        """Ask as the box does, and show the answer.

        Parameters
        ----------
        question : str
        as_of : str or datetime, optional
            Now when left out.
        include_ended : bool
            Show what has ended, too.

        Raises
        ------
        MemlabError
            If it cannot be asked.
        """
        self.box.question, self.box.include_ended = question, include_ended
        self.box.as_of = as_of.isoformat() if isinstance(as_of, datetime) else as_of or ""
        self._ask()
        assert self.answer is not None  # noqa: S101  # _ask has set it, or has raised
        return self.answer

    def show_error(self, error: Exception | str) -> None:
        """Show what went wrong under the question; the last answer stays."""
        if error:
            self._fault(fault_html(error))

    def _fault(self, told: str) -> None:
        # An empty line would take its room.
        self.error.value, self.error.layout.display = told, "" if told else "none"

    def _ask(self) -> None:
        question, instant = self.box.question, self._now()
        explained = self._lab.explain(
            question, as_of=self.box.as_of or None, include_retired=self.box.include_ended, now=instant
        )
        self._fault("")
        self.question = question
        self.last_choice = None
        self.answer, self.explanation = explained.answer, explained
        self._show(explained)

    def _decide_by(self, settings: Settings) -> None:
        self._lab = replace(self._lab, settings=settings)
        self._recording = Recording(self._lab, self._log)
        if self.answer is not None:
            self._ask()

    def _show(self, one: Explanation) -> None:
        rows = {row["node_id"]: row for row in one.answer.evidence.frame.iter_rows(named=True)}
        self.picks, shown = [], []
        for at, name in enumerate(one.answer.candidates["node_id"], 1):
            button = self._option(name, rows[name]["title"], f"{at} · " if at < 10 else "")
            self.picks.append(button)
            shown += [button, ipywidgets.HTML(caption_html(rows[name], one))]
        # What is hidden and a rival may well be what is meant; it has no number, as it is not handed back.
        self.rivals = []
        for rival in one.hidden.filter("rival").head(_RIVALS).iter_rows(named=True):
            button = self._option(rival["node_id"], rival["title"])
            self.rivals.append(button)
            row = rows[rival["node_id"]]
            shown += [
                button,
                ipywidgets.HTML(caption_html(row, one, f"hidden: {rival['hidden_by'] or row['validity']}")),
            ]
        self.options.children = tuple(shown)
        resolved = one.state == "resolved"
        self.right.layout.display = "" if resolved else "none"
        self.none.description = {"none": "right: no node is meant (n)", "resolved": "no node is meant (n)"}.get(
            one.state, "none of these (n)"
        )
        self.find.value = ""
        self._search()
        self.settles.value, self.hidden.value = settles_html(one), hidden_html(one)
        self.panels.show(self._lab, one)
        self.keyboard.task = f"{one.answer.evidence.questions['as_of'][0]} {one.question}"
        self.keyboard.means = [*(str(at) for at in range(1, min(9, len(self.picks)) + 1)), _NONE, *[_RIGHT] * resolved]
        self._tell()
        self.verdict.value = verdict_html(one)
        self._rest.layout.display = ""

    def _search(self) -> None:
        if self.answer is None:
            return
        found = self._finder.find(self.find.value, self.answer.evidence.questions["as_of"][0])
        self.others, rows = self._listed(found)
        nothing = [] if found or not self.find.value.strip() else [ipywidgets.HTML("<i>no such node</i>")]
        self.found.children = (*rows, *nothing)

    def _offer(self, node_id: str) -> None:
        """Offer the node that is selected in the table of candidates to be picked."""
        if self.answer is None:
            return
        rows = self._finder.rows([node_id] if node_id else [])
        self.offers, shown = self._listed(self._finder.options(rows, self.answer.evidence.questions["as_of"][0]))
        told = [ipywidgets.HTML('<div class="memlab-head">Say that this one is meant:</div>')] if shown else []
        self.offered.children = (*told, *shown)

    def _listed(self, found: Sequence[Option]) -> tuple[list[ipywidgets.Button], list[ipywidgets.Widget]]:
        """Return a button a node, and the rows that show them."""
        buttons, rows = [], []
        for one in found:
            button = self._option(one.node, one.title)
            buttons.append(button)
            told = f"{escape(one.kind)} · {escape(one.validity)} · {escape(one_line(shortened(one.node)))}"
            rows += [button, ipywidgets.HTML(f'<div class="memlab-caption">{told}</div>')]
        return buttons, rows

    def _option(self, node: str, title: str, key: str = "") -> ipywidgets.Button:
        # A button shows text as it is.
        button = ipywidgets.Button(
            description=key + one_line(shortened(title, LONG)), tooltip=one_line(f"{title} · {node}")
        )
        button.add_class("memlab-option")
        button.on_click(partial(self._clicked, self.answer, node))
        return button

    def _clicked(self, answer: Answer | None, node: str, _: object) -> None:
        # A second click on an answer that has gone is not for the next one.
        if answer is self.answer:
            self._guard(lambda: self._choose(node))

    def _button(self, label: str, step: Callable[[], None]) -> ipywidgets.Button:
        button = ipywidgets.Button(description=label)
        button.on_click(lambda _: self._guard(step))
        return button

    def _resolved(self) -> str | None:
        return None if self.answer is None else self.answer.node_id

    def _choose(self, node_id: str | None) -> None:
        answer, now = self.answer, self._now()
        if answer is None:
            return
        name = self._recording.choose(answer, node_id, self.by.value, now)
        title = None if node_id is None else self._lab.store.nodes.filter(id=node_id)["title"].item()
        self._fault("")
        self.last_choice = Choice(answer.question, node_id, title, self.by.value.strip(), now, name)
        self._tell()

    def _tell(self) -> None:
        """Say what was said, and where it is kept."""
        said, log = self.last_choice, self._recording.log
        nodes = self.answer.candidates["node_id"].to_list() if self.answer is not None else []
        for node, button in zip(nodes, self.picks, strict=True):
            _mark(button, said is not None and said.node_id == node)
        self.by.layout.display = "" if log is not None else "none"
        where = f"recorded in <code>{escape(str(log))}</code>"
        if log is None:
            where = "not recorded: no <code>log=</code> was given"
        elif said is None and not self.by.value.strip():
            where = "write your name, so that what you say is recorded"
        if said is not None:
            meant = (
                "no node is meant" if said.title is None else f"“{escape(one_line(shortened(said.title)))}” is meant"
            )
            self.said.value = f'<div role="status" class="memlab-head">You said: {meant} · {where}</div>'
            return
        asked = {"resolved": "Is it right?", "choose": "Which one is meant?", "none": "Is nothing meant?"}
        question = "" if self.answer is None else asked[self.answer.state]
        self.said.value = f'<div class="memlab-head">{question} <span class="memlab-faint">{where}</span></div>'

    def _press(self, key: str) -> None:
        actions = {_NONE: self.none, _RIGHT: self.right}
        (actions[key] if key in actions else self.picks[int(key) - 1]).click()

    def _guard(self, step: Callable[[], None]) -> None:
        # A callback's exception would end in the kernel's log, where nobody looks.
        try:
            step()
        except Exception as error:
            self.show_error(error)


def _mark(button: ipywidgets.Button, said: bool) -> None:
    (button.add_class if said else button.remove_class)("memlab-said")
