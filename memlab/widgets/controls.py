"""Sliders and switches for the settings: they show a Settings and change it, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import ipywidgets
import traitlets

from memlab.rules import ARMS, PRESETS, Settings
from memlab.rules.settings import ORDERS
from memlab.widgets.ranges import Ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

Value: TypeAlias = bool | int | float | str | tuple[str, ...]

OWN: Final = "(own)"
GIVEN: Final = "as given"
# From here on a gap or a word count is out of reach, which is how the settings turn a ground off.
_OFF_GAP: Final = 10.0
_OFF_WORDS: Final = 100
_MOST_WORDS: Final = 6
# What is no rule but a record: it goes along and is not moved.
RECORDS: Final = ("gate_by", "fitted_by", "fitted", "encoder")

SWITCHES: Final = {
    "whole_title": "a whole title resolves",
    "title_needs_gap": "a title lead needs the gap too",
    "substitution": "another number or name forbids",
    "veto": "arms that disagree forbid",
    "include_retired": "show what has ended",
    "succession": "a predecessor does not block its successor",
    "gate": "off-subject gate",
    "concept_gate": "another Concept's node forbids",
    "normalise_length": "share of a title's words, not their number",
}
# What stands together, under which name, and whether it is open at the start.
SECTIONS: Final = {
    "words and gaps": ("min_words", "gap", "min_share", "gap_alone", "alone_words", "floor", "piece_floor"),
    "arms and order": ("arms", "order", "normalise_length"),
    "grounds, and what forbids": (
        "whole_title", "title_needs_gap", "substitution", "veto", "veto_words", "veto_gap", "veto_pieces",
    ),
    "gates": ("gate", "concept_gate"),
    "what holds now": ("include_retired", "succession"),
    "handing back": ("limit",),
}  # fmt: skip
_OPEN: Final = ("words and gaps", "arms and order")


class Controls(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """Every setting as a slider, a switch or a list.

    Parameters
    ----------
    settings : Settings
        What is shown first.
    ranges : Ranges
        How far the sliders reach.
    on_error : callable
        Told of a setting that is refused; the controls then show the last good settings again.

    Attributes
    ----------
    settings : Settings
        As the controls stand. Setting it moves them.
    sliders, switches, arms : dict
        The controls by the name of their setting, and of their arm.
    order, preset : ipywidgets.Dropdown
    """

    settings = traitlets.Instance(Settings)

    def __init__(
        self, settings: Settings, ranges: Ranges | None = None, on_error: Callable[[Exception], None] | None = None
    ) -> None:
        # What a store was opened with stands in for the default: its floors are its own.
        self._presets = {GIVEN: settings} | {name: preset for name, preset in PRESETS.items() if name != "default"}
        self._on_error = on_error
        self._quiet = False
        self.preset = ipywidgets.Dropdown(options=[*self._presets, OWN], description="preset", layout=_WIDE)
        self.sliders = _sliders(ranges or Ranges())
        self.captions = {name: ipywidgets.HTML() for name in _captions(settings)}
        self.arms = {arm: _switch(arm) for arm in ARMS}
        self.switches = {name: _switch(label) for name, label in SWITCHES.items()}
        self.order = ipywidgets.Dropdown(options=ORDERS, description="order", layout=_WIDE)
        for name, control in {**self.sliders, **self.switches, "order": self.order}.items():
            control.observe(lambda change, name=name: self._moved(name, change["new"]), "value")
        for control in self.arms.values():
            control.observe(lambda _: self._moved("arms", self._chosen_arms()), "value")
        self.preset.observe(lambda change: self._choose_preset(change["new"]), "value")
        super().__init__(
            children=[self._section(name) for name in SECTIONS], settings=settings, layout={"width": "auto"}
        )
        self._show(settings)

    @traitlets.observe("settings")
    def _follow(self, change: dict[str, Any]) -> None:
        if hasattr(self, "captions"):
            self._show(change["new"])

    def _section(self, section: str) -> ipywidgets.VBox:
        """One section, to open and close by itself."""
        parts: list[ipywidgets.Widget] = []
        for name in SECTIONS[section]:
            if name == "arms":
                parts.append(ipywidgets.HBox(list(self.arms.values()), layout={"flex_flow": "row wrap"}))
            else:
                parts.append({**self.sliders, **self.switches, "order": self.order}[name])
            parts += [self.captions[name]] if name in self.captions else []
        box = ipywidgets.VBox(parts, layout={"overflow": "hidden", "padding": "4px 8px"})
        # A button, as the heading of an Accordion cannot be reached by key.
        head = ipywidgets.ToggleButton(value=section in _OPEN, description=section, layout={"width": "auto"})
        head.add_class("memlab-section-head")

        def follow(_: object = None) -> None:
            box.layout.display = None if head.value else "none"
            head.icon = "caret-down" if head.value else "caret-right"

        head.observe(follow, "value")
        follow()
        whole = ipywidgets.VBox([head, box], layout={"margin": "0 0 6px"})
        whole.add_class("memlab-section")
        return whole

    def _moved(self, name: str, value: Value) -> None:
        """One control was moved: the settings follow, unless the move came from them."""
        slider = self.sliders.get(name)
        # The page rounds what it is given to its own steps and sends that back, which is no move.
        echo = (
            slider is not None
            and isinstance(value, float)
            and abs(value - getattr(self.settings, name)) < slider.step / 2
        )
        if self._quiet or echo:
            return
        self._try(**{name: self._off_at_end(name, value)})

    def _off_at_end(self, name: str, value: Value) -> Value:
        slider = self.sliders.get(name)
        at_end = slider is not None and isinstance(value, int | float) and value >= slider.max
        if at_end and name == "min_words":
            return _OFF_WORDS
        if at_end and name in ("gap_alone", "piece_floor"):
            return _OFF_GAP
        # Sliders add steps up in floating point; the settings keep what the reader sees.
        return round(value, 3) if isinstance(value, float) else value

    def _try(self, **changes: Value) -> None:
        try:
            self.settings = self.settings.but(**changes)
        except ValueError as error:
            self._show(self.settings)
            if self._on_error is None:
                raise
            self._on_error(error)

    def _choose_preset(self, name: str) -> None:
        if not self._quiet and name in self._presets:
            # A preset says nothing of the encoder, and the gaps stay with theirs.
            self.settings = self._presets[name].but(encoder=self.settings.encoder)

    def _chosen_arms(self) -> tuple[str, ...]:
        # Arms that other systems brought have no switch here and stay as they are.
        others = tuple(arm for arm in self.settings.arms if arm not in self.arms)
        return tuple(arm for arm, switch in self.arms.items() if switch.value) + others

    def _show(self, settings: Settings) -> None:
        with self._silence():
            for name, slider in self.sliders.items():
                value = min(max(getattr(settings, name), slider.min), slider.max)
                # Sending back what the page just sent, rounded, would undo the key presses since.
                if abs(slider.value - value) > slider.step / 2:
                    slider.value = value
            for name, switch in self.switches.items():
                switch.value = getattr(settings, name)
            for arm, switch in self.arms.items():
                switch.value = arm in settings.arms
            self.order.value = settings.order
            self.preset.value = next(
                (n for n, preset in self._presets.items() if preset.but(encoder=settings.encoder) == settings), OWN
            )
        for name, text in _captions(settings).items():
            self.captions[name].value = f'<span style="{_SMALL}">{text}</span>'

    @contextmanager
    def _silence(self) -> Iterator[None]:
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = False


_WIDE: Final = {"width": "auto", "flex": "1 1 auto"}
_LABEL: Final = {"description_width": "84px"}
_SMALL: Final = "font-size:12px;line-height:1.3;opacity:.85;display:block;margin:-4px 0 4px 2px;white-space:normal"


def _sliders(ranges: Ranges) -> dict[str, ipywidgets.IntSlider | ipywidgets.FloatSlider]:
    low, high = ranges.floor
    return {
        "min_words": _whole("min_words", _MOST_WORDS),
        "gap": _slider("gap", 0.0, ranges.gap),
        "min_share": _slider("min_share", 0.0, 1.0, step=0.01, shown=".2f"),
        "gap_alone": _slider("gap_alone", 0.0, ranges.gap),
        "alone_words": _whole("alone_words", _MOST_WORDS),
        "floor": _slider("floor", low, high, step=0.01, shown=".2f"),
        "piece_floor": _slider("piece_floor", low, high, step=0.01, shown=".2f"),
        "veto_words": _whole("veto_words", _MOST_WORDS),
        "veto_gap": _slider("veto_gap", 0.0, ranges.gap),
        "veto_pieces": _whole("veto_pieces", ranges.pieces),
        "limit": _whole("limit", 5),
    }


def _whole(name: str, most: int) -> ipywidgets.IntSlider:
    return ipywidgets.IntSlider(min=1, max=most, description=name, layout=_WIDE, style=_LABEL)


def _slider(name: str, low: float, high: float, step: float = 0.001, shown: str = ".3f") -> ipywidgets.FloatSlider:
    return ipywidgets.FloatSlider(
        min=low, max=high, step=step, readout_format=shown, description=name, layout=_WIDE, style=_LABEL
    )


def _switch(label: str) -> ipywidgets.Checkbox:
    return ipywidgets.Checkbox(description=label, indent=False, layout={"width": "auto"})


def _captions(settings: Settings) -> dict[str, str]:
    """Say what each control means as it stands."""
    words, alone = settings.min_words, settings.gap_alone
    return {
        "min_words": "off: no title lead resolves" if words > _MOST_WORDS - 1 else "title words that a lead needs",
        "gap": "cosine by which a title lead must also be nearest"
        if settings.title_needs_gap
        else "not asked for: a title lead needs no gap",
        "min_share": "of a long title's words: under this share the higher gap is needed",
        "gap_alone": "off: no gap resolves alone" if alone >= 2 else "cosine gap that resolves without a title lead",
        "alone_words": "content words that a question needs for that",
        "floor": "best similarity with a title under which nothing is handed back",
        "piece_floor": "off: pieces do not count as near"
        if settings.piece_floor > 1
        else "… unless a piece lies nearer",
        "order": "after agreement: title words, then nearness"
        if settings.order == "words"
        else "after agreement: reciprocal ranks of all arms",
        "veto_words": "title words from which a title forbids another node",
        "veto_gap": "cosine gap from which meaning forbids another node",
        "veto_pieces": "pieces from which they forbid another node",
        "gate": f"looked at on exams by {escape(', '.join(settings.gate_by) or 'nobody')}",
        "limit": "most candidates that are handed back",
    }
