"""Thresholds by encoder: similarities of one model say nothing about those of another."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from memlab.rules.fitted import Fitted, as_fitted
from memlab.rules.settings import Settings

SHIPPED = Path(__file__).parent / "shipped.json"
# The exams that each encoder's thresholds were chosen on, of those in the file.
_EXAMS = ("python-memory", "python_faq_ko", "locomo", "off_topic")
_CHOSEN_ON = {"embedded": (*_EXAMS, "pep_exam"), "embedded-e5": _EXAMS}
# Measured on the development exams that docs/findings.md names, for these encoders only.
_MEASURED: dict[str, dict[str, Any]] = {
    "embedded": {"gap": 0.05, "gap_alone": 0.15, "veto_gap": 0.1, "floor": 0.2},
    "embedded-e5": {"gap": 0.015, "gap_alone": 0.05, "veto_gap": 0.02, "floor": 0.78},
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


@cache
def shipped() -> dict[str, Fitted]:
    """Return the exams that thresholds of this package were chosen on, with fingerprints, by name."""
    return {one.exam: one for one in as_fitted(json.loads(SHIPPED.read_text(encoding="utf-8")))}


def settings_for(encoder: str, key: str = "") -> Settings:
    """Return the default settings for an encoder.

    Parameters
    ----------
    encoder : str
        Its name; one that was not measured gets careful thresholds, under which little resolves.
    key : str
        What tells it and its revision from every other; kept in the settings.
    """
    chosen_on = [shipped()[name] for name in _CHOSEN_ON.get(encoder, ())]
    authors = sorted({author for one in chosen_on for author in one.authors})
    by_gate = sorted({author for one in chosen_on if "gate" in one.what for author in one.authors})
    # Their fingerprints stay in the package: a settings file names the exam by its checksum.
    fitted = [replace(one, questions="") for one in chosen_on]
    made = Settings(encoder=key, fitted_by=tuple(authors), fitted=tuple(fitted))
    looked_at = {"gate_by": by_gate} if by_gate else {}
    return made.but(**_MEASURED.get(encoder, _UNKNOWN), **looked_at)


def settings_of(evidence: object) -> Settings:
    """Return the default settings for the first encoder that evidence names, if it names one."""
    encoders: Any = getattr(evidence, "encoders", ())
    return settings_for(encoders[0].name, encoders[0].key) if encoders else Settings()
