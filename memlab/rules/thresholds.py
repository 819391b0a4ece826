"""Thresholds by encoder: similarities of one model say nothing about those of another."""

from __future__ import annotations

import warnings
from typing import Any

from memlab.rules.settings import Settings

_EXAMS = ("locomo", "memlab-authors", "python-docs-ko")
# Measured on the development exams that docs/findings.md names, for these encoders only.
_MEASURED: dict[str, dict[str, Any]] = {
    "embedded": {"gap": 0.05, "gap_alone": 0.15, "veto_gap": 0.1, "floor": 0.2, "fitted_by": (*_EXAMS, "python-docs")},
    "embedded-e5": {"gap": 0.015, "gap_alone": 0.05, "veto_gap": 0.02, "floor": 0.78, "fitted_by": _EXAMS},
}
# An encoder that nobody measured: a title must lead too, and the gap alone is never enough.
_UNKNOWN: dict[str, Any] = {"gap": 0.1, "gap_alone": 10.0, "veto_gap": 0.2, "floor": -1.0}


def is_measured(encoder: str) -> bool:
    """Whether thresholds were measured for an encoder of this name."""
    return encoder in _MEASURED


def warn_if_unmeasured(encoder: str) -> None:
    """Warn whoever opens a store or hands over candidates that little will resolve."""
    if not is_measured(encoder):
        warnings.warn(
            f"encoder {encoder}: no thresholds were measured for it, so little will resolve; tune them on an exam",
            UserWarning,
            stacklevel=4,
        )


def settings_for(encoder: str, key: str = "") -> Settings:
    """Return the default settings for an encoder.

    Parameters
    ----------
    encoder : str
        Its name; one that was not measured gets careful thresholds, under which little resolves.
    key : str
        What tells it and its revision from every other; kept in the settings.
    """
    return Settings(encoder=key).but(**_MEASURED.get(encoder, _UNKNOWN))


def settings_of(evidence: object) -> Settings:
    """Return the default settings for the first encoder that evidence names, if it names one."""
    encoders: Any = getattr(evidence, "encoders", ())
    return settings_for(encoders[0].name, encoders[0].key) if encoders else Settings()
