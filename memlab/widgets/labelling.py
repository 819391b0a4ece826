"""Labelling in a notebook: one question at a time, its candidates, and a few keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from typing import Final

import ipywidgets

from memlab.charts.given import given
from memlab.exam.labelling import Labelling
from memlab.exam.tasks import Option, Task
from memlab.widgets.fault import fault_html
from memlab.widgets.keys import Keys

_SUMMARY: Final = 280  # characters of a summary that are shown
_DIGITS: Final = "1234567890"
_NONE, _SKIP, _BACK = "n", "s", "b"
_CSS: Final = """<style>
.memlab-labelling { max-width: 760px; padding: 2px; outline: none; }
.memlab-labelling .widget-html-content, .memlab-labelling .jupyter-widget-html-content {
  line-height: 1.4; white-space: normal; overflow-wrap: anywhere; word-break: keep-all; }
.memlab-labelling .jupyter-button.memlab-option { white-space: normal; overflow-wrap: anywhere; word-break: keep-all;
  text-align: left;
  height: auto; min-height: 30px; line-height: 1.35; padding: 5px 10px; width: 100%; margin: 6px 0 0; }
.memlab-labelling .jupyter-button:focus-visible { outline: 2px solid #0072B2; outline-offset: 1px; }
.memlab-labelling .memlab-caption { font-size: 12px; opacity: .8; margin: 1px 0 0 11px; }
.memlab-labelling .memlab-question { font-size: 18px; line-height: 1.4; margin: 6px 0 2px; }
</style>"""


class LabellingWidget(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Show a sitting's questions one by one and log what the labeller says.

    Candidates are buttons; 1 to 9 and 0 pick one, n says none of these, s skips, b goes back. Any other node is
    found by words of its names. Every answer is in the log before the next question is shown.

    Parameters
    ----------
    session : Labelling
        The questions, the labeller and the log.
    now : callable, optional
        Gives the instant of each answer; the clock's when left out.

    Examples
    --------
    >>> session = ml.Labelling(lab, sample, "labels.jsonl", by="Ada")  # doctest: +SKIP
    >>> ml.widgets.LabellingWidget(session)  # doctest: +SKIP
    """

    def __init__(self, session: Labelling, now: Callable[[], datetime] | None = None) -> None:
        self.session = given(session, Labelling, "session", "a sitting: ml.Labelling(lab, exam, log, by=name)")
        self._now = now or (lambda: datetime.now(UTC))
        self.progress = ipywidgets.HTML()
        self.question = ipywidgets.HTML()
        self.error = ipywidgets.HTML()
        self.options = ipywidgets.VBox()
        self.actions = ipywidgets.HBox(layout={"flex_flow": "row wrap", "margin": "12px 0 0"})
        self.find = ipywidgets.Text(
            placeholder="find another node by words of its title, or its id", layout={"width": "100%"}
        )
        self.found = ipywidgets.VBox()
        self.keyboard = Keys(self._press, "memlab-labelling")
        self.picks: list[ipywidgets.Button] = []
        self.others: list[ipywidgets.Button] = []
        self.none = self.skip = self.back = ipywidgets.Button()
        self.find.observe(lambda _: self._guard(self._search), "value")
        parts = [ipywidgets.HTML(_CSS), self.progress, self.question, self.options, self.actions, self.find, self.found]
        super().__init__(children=[*parts, self.error, self.keyboard])
        self.add_class("memlab-labelling")
        self._show()

    def _show(self) -> None:
        session, task = self.session, self.session.current
        self.picks, rows = self._buttons(task, task.options if task else ())
        self.options.children = rows
        judged = task is not None and task.judged
        left = task is not None
        skips = "leave as it is (s)" if judged else "skip (s)"
        self.none = self._action("none of these (n)", lambda now: session.none(now=now), enabled=left)
        self.skip = self._action(skips, lambda now: session.skip(now=now), enabled=left)
        self.back = self._action("back (b)", lambda _: session.back(), enabled=session.can_go_back)
        if judged and task is not None and task.picked is None:
            self.none.button_style = "info"
        self.actions.children = (self.none, self.skip, self.back)
        self.find.layout.display = None if task else "none"
        self.find.value = ""
        self._search()
        self.keyboard.task = _name(task)
        digits = list(_DIGITS[: len(self.picks)])
        self.keyboard.means = [*digits, *([_NONE, _SKIP] if task else []), *([_BACK] if session.can_go_back else [])]
        # Last, so that a key pressed by whoever reads the question is for it.
        self.progress.value = _progress_html(session)
        self.question.value = _question_html(task, session)

    def _search(self) -> None:
        task = self.session.current
        found = self.session.find(self.find.value)
        self.others, rows = self._buttons(task, tuple(found))
        nothing = [] if found or not self.find.value.strip() else [ipywidgets.HTML("<i>no such node</i>")]
        self.found.children = (*rows, *nothing)

    def _buttons(
        self, task: Task | None, options: tuple[Option, ...]
    ) -> tuple[list[ipywidgets.Button], tuple[ipywidgets.Widget, ...]]:
        """Return a button an option, and the rows that show them."""
        buttons, rows = [], []
        keys = _DIGITS if task is not None and options is task.options else ""
        for at, option in enumerate(options):
            # A button shows text as it is; only the caption is HTML.
            button = ipywidgets.Button(description=option.title, tooltip=option.node)
            button.add_class("memlab-option")
            if task is not None and task.judged and task.picked == option.node:
                button.button_style = "info"
            self._bind(button, self._picking(option.node), task)
            buttons.append(button)
            rows += [button, ipywidgets.HTML(_caption_html(option, keys[at : at + 1]))]
        return buttons, tuple(rows)

    def _picking(self, node: str) -> Callable[[datetime], None]:
        return lambda now: self.session.pick(node, now=now)

    def _action(self, label: str, step: Callable[[datetime], None], *, enabled: bool) -> ipywidgets.Button:
        button = ipywidgets.Button(description=label, disabled=not enabled, layout={"width": "auto"})
        self._bind(button, step, self.session.current)
        return button

    def _bind(self, button: ipywidgets.Button, step: Callable[[datetime], None], task: Task | None) -> None:
        def clicked(_: object) -> None:
            # A second click on a question that has gone is not for the next one.
            if _name(self.session.current) == _name(task):
                self._guard(lambda: self._do(step))

        button.on_click(clicked)

    def _do(self, step: Callable[[datetime], None]) -> None:
        step(self._now())
        self._show()

    def _press(self, key: str) -> None:
        actions = {_NONE: self.none, _SKIP: self.skip, _BACK: self.back}
        button = actions[key] if key in actions else self.picks[_DIGITS.index(key)]
        button.click()

    def _guard(self, step: Callable[[], None]) -> None:
        self.error.value = ""
        try:
            step()
        except Exception as error:
            self.error.value = fault_html(error)


def _name(task: Task | None) -> str:
    return "" if task is None else task.question_id


def _progress_html(session: Labelling) -> str:
    skipped = f" · {session.skipped} skipped" if session.skipped else ""
    share = 100 * session.done / session.total
    bar = (
        '<div style="height:4px;background:rgba(128,128,128,.25);margin:2px 0 0">'
        f'<div style="height:4px;width:{share:.1f}%;background:#0072B2"></div></div>'
    )
    told = f"{session.done} of {session.total} judged{skipped} · as {escape(session.by)}"
    return f'<div class="memlab-progress">{told}{bar}</div>'


def _question_html(task: Task | None, session: Labelling) -> str:
    if task is None:
        return (
            f'<div class="memlab-question">All {session.total} questions are judged.</div>'
            f"<div>The exam: <code>ml.Exam.from_log({escape(repr(str(session.log)))})</code></div>"
        )
    told = [f"asked as of {task.as_of:%Y-%m-%d}"]
    told += [f"lang {task.lang}"] if task.lang else []
    told += [f"{task.state}: {task.reason}"] if task.state else []
    told += ["judged before; pick again to change it"] if task.judged else []
    question = escape(task.question) or "<i>(an empty question)</i>"
    return (
        f'<div class="memlab-question" style="white-space:pre-wrap">{question}</div>'
        f'<div class="memlab-caption" style="margin-left:0">{escape(" · ".join(told))}</div>'
    )


def _caption_html(option: Option, key: str) -> str:
    holds = "" if option.validity == "current" else f" · <b>{escape(option.validity)}</b>"
    summary = option.summary if len(option.summary) <= _SUMMARY else option.summary[:_SUMMARY].rstrip() + "…"
    told = f"<br>{escape(summary)}" if summary else ""
    pressed = f"<b>{key}</b> · " if key else ""
    return f'<div class="memlab-caption">{pressed}{escape(option.kind)}{holds} · {escape(option.node)}{told}</div>'
