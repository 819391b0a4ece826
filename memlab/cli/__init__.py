"""The command line: build a store, ask it, explain it, look around a node; make, grade, tune on and hand on an exam."""

from __future__ import annotations

import warnings

from memlab.cli import (  # noqa: F401  # each registers its commands
    exams,
    making,
    questions,
    stores,
    studies,
    tuning,
)
from memlab.cli.base import app, err
from memlab.errors import MemlabError


def main() -> None:
    """Entry point: one clear line and exit status 2 on bad input, never a traceback."""
    warnings.showwarning = _warn
    try:
        app()
    except MemlabError as error:
        err.print(f"memlab: {error}", markup=False, highlight=False, style="red", soft_wrap=True)
        raise SystemExit(2) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise SystemExit(0) from None
        place = f"{error.filename}: " if error.filename else ""
        err.print(
            f"memlab: {place}{error.strerror or error}", markup=False, highlight=False, style="red", soft_wrap=True
        )
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        err.print("memlab: stopped; nothing was changed", markup=False)
        raise SystemExit(130) from None


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    if issubclass(category, UserWarning):
        err.print(f"memlab: {message}", markup=False, highlight=False, style="yellow", soft_wrap=True)
