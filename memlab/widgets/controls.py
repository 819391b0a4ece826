"""Sliders and switches for the settings: they show a Settings and change it, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import ipywidgets
import traitlets

from memlab.rules import ARMS, PRESETS, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

Value: TypeAlias = bool | int | float | tuple[str, ...]

OWN: Final = "(own)"
GIVEN: Final = "as given"
# From here on a gap or a word count is out of reach, which is how the settings turn a ground off.
_OFF_GAP: Final = 10.0
_OFF_WORDS: Final = 100
_MOST_WORDS: Final = 6

SWITCHES: Final = {
    "whole_title": "a whole title resolves",
    "title_needs_gap": "a title lead needs the gap too",
    "substitution": "another number or name forbids",
    "veto": "arms that disagree forbid",
    "succession": "a predecessor does not block its successor",
    "include_retired": "show what has ended",
    "gate": "off-subject gate",
    "concept_gate": "another Concept's node forbids",
    "normalise_length": "share of a title's words, not their number",
}


@dataclass(frozen=True)
class Ranges:
    """How far the sliders reach: it depends on the encoder, whose similarities have a scale of their own.

    Attributes
    ----------
    gap : float
        Widest gap, in cosine.
    floor : tuple of float
        Lowest and highest best similarity, in cosine.
    """

    gap: float = 0.3
    floor: tuple[float, float] = (0.0, 1.0)


class Controls(ipywidgets.VBox):  # type: ignore[misc]  # its base has no types
    """The settings as sliders and switches.

    Parameters
    ----------
    settings : Settings
        What is shown first, and what ``reset`` returns to.
    ranges : Ranges
        How far the sliders reach.
    on_error : callable
        Told of a setting that is refused; the controls then show the last good settings again.
    """

    settings = traitlets.Instance(Settings)

    def __init__(
        self, settings: Settings, ranges: Ranges | None = None, on_error: Callable[[Exception], None] | None = None
    ) -> None:
        self._first = settings
        # What a store was opened with stands in for the default: its floors are its own.
        self._presets = {GIVEN: settings} | {name: preset for name, preset in PRESETS.items() if name != "default"}
        self._on_error = on_error
        self._quiet = False
        ranges = ranges or Ranges()
        low, high = ranges.floor
        self.preset = ipywidgets.Dropdown(
            options=[*self._presets, OWN], description="preset", layout={"width": "200px"}
        )
        self.reset = ipywidgets.Button(
            description="reset", tooltip="Back to the first settings", layout={"width": "64px"}
        )
        self.sliders: dict[str, ipywidgets.IntSlider | ipywidgets.FloatSlider] = {
            "min_words": ipywidgets.IntSlider(min=1, max=_MOST_WORDS, description="min_words", layout=_WIDE),
            "gap": _slider("gap", 0.0, ranges.gap),
            "min_share": _slider("min_share", 0.0, 1.0, step=0.01, shown=".2f"),
            "gap_alone": _slider("gap_alone", 0.0, ranges.gap),
            "floor": _slider("floor", low, high, step=0.01, shown=".2f"),
            "piece_floor": _slider("piece_floor", low, high, step=0.01, shown=".2f"),
        }
        self.captions = {name: ipywidgets.HTML() for name in self.sliders}
        self.arms = {arm: _switch(arm) for arm in ARMS}
        self.switches = {name: _switch(label) for name, label in SWITCHES.items()}
        heard = {**self.sliders, **self.switches}
        for name, control in heard.items():
            control.observe(lambda change, name=name: self._moved(name, change["new"]), "value")
        for control in self.arms.values():
            control.observe(lambda _: self._moved("arms", self._chosen_arms()), "value")
        self.preset.observe(lambda change: self._choose_preset(change["new"]), "value")
        self.reset.on_click(lambda _: self.set_trait("settings", self._first))
        super().__init__(children=self._laid_out(), settings=settings, layout={"width": "auto"})
        self._show(settings)

    @traitlets.observe("settings")
    def _follow(self, change: dict[str, Any]) -> None:
        if hasattr(self, "captions"):
            self._show(change["new"])

    def _laid_out(self) -> list[ipywidgets.Widget]:
        sliders = [part for name, slider in self.sliders.items() for part in (slider, self.captions[name])]
        return [
            ipywidgets.HBox([self.preset, self.reset]),
            *sliders,
            ipywidgets.HTML("<b>arms</b>"),
            ipywidgets.HBox(list(self.arms.values())),
            ipywidgets.HTML("<b>rules</b>"),
            *self.switches.values(),
        ]

    def _moved(self, name: str, value: Value) -> None:
        """One control was moved: the settings follow, unless the move came from them."""
        if self._quiet:
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
_SMALL: Final = "font-size:12px;line-height:1.3;opacity:.85;display:block;margin:-4px 0 4px 2px;white-space:normal"


def _slider(name: str, low: float, high: float, step: float = 0.001, shown: str = ".3f") -> ipywidgets.FloatSlider:
    return ipywidgets.FloatSlider(min=low, max=high, step=step, readout_format=shown, description=name, layout=_WIDE)


def _switch(label: str) -> ipywidgets.Checkbox:
    return ipywidgets.Checkbox(description=label, indent=False, layout={"width": "auto"})


def _captions(settings: Settings) -> dict[str, str]:
    """Say what each slider means as it stands."""
    words, alone = settings.min_words, settings.gap_alone
    return {
        "min_words": "off: no title lead resolves" if words > _MOST_WORDS - 1 else "title words that a lead needs",
        "gap": "cosine by which a title lead must also be nearest"
        if settings.title_needs_gap
        else "not asked for: a title lead needs no gap",
        "min_share": "of a long title's words: under this share the higher gap is needed",
        "gap_alone": "off: no gap resolves alone" if alone >= 2 else "cosine gap that resolves without a title lead",
        "floor": "best similarity with a title under which nothing is handed back",
        "piece_floor": "off: pieces do not count as near"
        if settings.piece_floor > 1
        else "… unless a piece lies nearer",
    }
