"""What can wait until nobody moves anything: done in steps, between which the page is heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

# A step yields nothing, or work to be done in another thread before the next.
Steps: TypeAlias = Iterator[Callable[[], object] | None]

_PAUSE: Final = 0.04  # seconds after a move before anything that can wait begins


class Idle:
    """Run jobs step by step when the kernel has nothing else to do.

    A job asked for again under its name begins anew, so a slider that moves on leaves no queue behind.
    Without a running event loop (a plain script, a test) jobs wait until :meth:`finish`.

    Parameters
    ----------
    on_error : callable
        Told what a job raised; the other jobs go on.
    """

    def __init__(self, on_error: Callable[[Exception], None]) -> None:
        self._on_error = on_error
        self._jobs: dict[str, Steps] = {}
        self._waiting: asyncio.TimerHandle | None = None
        self._apart = False

    @property
    def busy(self) -> bool:
        """Whether something is still to be done."""
        return bool(self._jobs) or self._apart

    @property
    def loops(self) -> bool:
        """Whether there is an event loop to wait in."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    def later(self, name: str, job: Callable[[], Steps]) -> None:
        """Do a job when there is time; jobs run in the order of their first asking."""
        self._jobs[name] = job()
        if not self.loops:
            return
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(_PAUSE, self._tick)

    def drop(self, name: str) -> None:
        """Forget a job."""
        self._jobs.pop(name, None)

    def finish(self) -> None:
        """Do everything that waits, now."""
        while self._jobs:
            steps = self._jobs.pop(next(iter(self._jobs)))
            try:
                for work in steps:
                    if work is not None:
                        work()
            except Exception as error:
                self._on_error(error)

    def _tick(self) -> None:
        self._waiting = None
        if not self._jobs or self._apart:
            return
        name, steps = next(iter(self._jobs.items()))
        try:
            work = next(steps)
        except StopIteration:
            self._done(name, steps)
        except Exception as error:
            self._done(name, steps)
            self._on_error(error)
        else:
            if work is not None:
                self._elsewhere(work)
                return
        self._go_on()

    def _done(self, name: str, steps: Steps) -> None:
        if self._jobs.get(name) is steps:
            del self._jobs[name]

    def _go_on(self) -> None:
        # Not at once: a message of the page that has come meanwhile goes first.
        if self._jobs and self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(0.001, self._tick)

    def _elsewhere(self, work: Callable[[], object]) -> None:
        self._apart = True
        loop = asyncio.get_running_loop()

        def back(future: asyncio.Future[object]) -> None:
            self._apart = False
            error = future.exception()
            if isinstance(error, Exception):
                self._on_error(error)
            self._go_on()

        loop.run_in_executor(None, work).add_done_callback(back)
