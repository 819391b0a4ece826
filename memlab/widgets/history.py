"""What was there before, and the way back to it."""

from __future__ import annotations

from memlab.rules import Settings


class History:
    """Settings that were left, to go back to and forward again.

    Moves of one slider, one after the other, are one step: nobody wants to undo a drag pixel by pixel.
    """

    def __init__(self) -> None:
        self._past: list[Settings] = []
        self._future: list[Settings] = []
        self._last: frozenset[str] = frozenset()

    @property
    def can_undo(self) -> bool:
        """Whether there is something to go back to."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether something was undone."""
        return bool(self._future)

    def moved(self, before: Settings, after: Settings) -> None:
        """Remember a move; what was undone before it is gone."""
        names = differing(before, after)
        if not names:
            return
        if names != self._last:
            self._past.append(before)
        self._future.clear()
        # A switch that is thrown and thrown back is two steps.
        self._last = names if _slides(names, after) else frozenset()

    def undo(self, now: Settings) -> Settings:
        """Return the settings before the last step, or those of now where there was none."""
        return self._step(self._past, self._future, now)

    def redo(self, now: Settings) -> Settings:
        """Return the settings that were undone last."""
        return self._step(self._future, self._past, now)

    def _step(self, source: list[Settings], target: list[Settings], now: Settings) -> Settings:
        if not source:
            return now
        target.append(now)
        self._last = frozenset()
        return source.pop()


def _slides(names: frozenset[str], settings: Settings) -> bool:
    """Whether one slider was moved."""
    values = [getattr(settings, name) for name in names]
    return len(values) == 1 and isinstance(values[0], int | float) and not isinstance(values[0], bool)


def differing(before: Settings, after: Settings) -> frozenset[str]:
    """Names of the settings that differ."""
    first, second = before.as_dict(), after.as_dict()
    return frozenset(name for name in first if first[name] != second[name])
