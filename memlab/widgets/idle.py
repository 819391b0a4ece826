"""What can wait until nobody moves anything: done in steps, between which the page is heard.

JupyterLab sends what widgets say to a thread of its own (a subshell), while cells run in another: jobs may
be asked for in both, and are done in one at a time.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

# A step yields nothing, or work to be done in another thread before the next.
Steps: TypeAlias = Iterator[Callable[[], object] | None]

_PAUSE: Final = 0.04  # seconds after a move before anything that can wait begins
_NEXT: Final = 0.001  # and between two steps: a message of the page that has come meanwhile goes first
_BUSY: Final = 0.005  # until it is looked again whether another thread has ended its step


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
        # Of the plans to go on, the last one counts.
        self._plan = 0
        self._apart = False
        self._held, self._stepping = threading.Lock(), threading.RLock()

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
        steps = job()
        with self._held:
            self._jobs[name] = steps
        if self.loops:
            self._go_on(_PAUSE)

    def drop(self, name: str) -> None:
        """Forget a job."""
        with self._held:
            self._jobs.pop(name, None)

    def finish(self) -> None:
        """Do everything that waits, now."""
        with self._stepping:
            while self._jobs:
                work = self._step()
                if work is None:
                    continue
                try:
                    work()
                except Exception as error:
                    self._on_error(error)

    def _go_on(self, wait: float) -> None:
        with self._held:
            self._plan += 1
        asyncio.get_running_loop().call_later(wait, self._tick, self._plan)

    def _tick(self, plan: int) -> None:
        # What runs in another thread goes on by itself when it has ended.
        if plan != self._plan or self._apart:
            return
        if not self._stepping.acquire(blocking=False):
            asyncio.get_running_loop().call_later(_BUSY, self._tick, plan)
            return
        try:
            work = self._step()
        finally:
            self._stepping.release()
        if work is not None:
            self._elsewhere(work)
        elif self._jobs and plan == self._plan:
            self._go_on(_NEXT)

    def _step(self) -> Callable[[], object] | None:
        """Do one step of the first job; return what it wants done in another thread."""
        with self._held:
            first = next(iter(self._jobs.items()), None)
        if first is None:
            return None
        name, steps = first
        try:
            return next(steps)
        except StopIteration:
            self._done(name, steps)
        except Exception as error:
            self._done(name, steps)
            self._on_error(error)
        return None

    def _done(self, name: str, steps: Steps) -> None:
        with self._held:
            if self._jobs.get(name) is steps:
                del self._jobs[name]

    def _elsewhere(self, work: Callable[[], object]) -> None:
        self._apart = True
        loop = asyncio.get_running_loop()

        def back(future: asyncio.Future[object]) -> None:
            self._apart = False
            error = future.exception()
            if isinstance(error, Exception):
                self._on_error(error)
            if self._jobs:
                self._go_on(_NEXT)

        loop.run_in_executor(None, work).add_done_callback(back)
