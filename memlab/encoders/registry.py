"""Encoders by name."""

from __future__ import annotations

from pathlib import Path

from memlab.encoders.base import Encoder
from memlab.encoders.cache import CachedEncoder
from memlab.encoders.embedded import EmbeddedE5Encoder, EmbeddedEncoder
from memlab.errors import InputError

NAMES = ("embedded", "embedded-e5", "embedded-fused")


def get_encoders(name: str = "embedded", *, cached: bool = True) -> tuple[Encoder, ...]:
    """Return the encoders that a name stands for, one a semantic arm.

    Parameters
    ----------
    name : str
        ``embedded`` (the default), ``embedded-e5``, ``embedded-fused`` (both, as two arms), or the
        name or folder of a sentence-transformers model.
    cached : bool
        Keep vectors on disk, so that nothing is encoded twice.

    Raises
    ------
    MemlabError
        If there is no such encoder here.
    """
    made: tuple[Encoder, ...]
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"encoder: name one of {', '.join(NAMES)}, or a sentence-transformers model")
    if name == "embedded":
        made = (EmbeddedEncoder(),)
    elif name == "embedded-e5":
        made = (EmbeddedE5Encoder(),)
    elif name == "embedded-fused":
        made = (EmbeddedEncoder(), EmbeddedE5Encoder())
    elif name.startswith("embed") and not Path(name).exists():
        raise InputError(f"encoder {name!r}: no such embedded encoder; there are {', '.join(NAMES)}")
    else:
        from memlab.encoders.transformers import SentenceTransformersEncoder

        made = (SentenceTransformersEncoder(name),)
    return tuple(CachedEncoder(e) for e in made) if cached else made
