"""Any sentence-transformers model, by name or local folder, with its own prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memlab.encoders.base import EncoderInfo, Vectors, unit
from memlab.errors import MemlabError


class SentenceTransformersEncoder:
    """Adapter of a sentence-transformers model.

    Parameters
    ----------
    model : str
        A model name (``BAAI/bge-m3``) or the folder of one.

    Raises
    ------
    MemlabError
        If there is no such model, or it cannot be fetched here.
    """

    def __init__(self, model: str) -> None:
        # torch takes seconds to import, so only who asks for such a model pays for it.
        from sentence_transformers import SentenceTransformer

        try:
            # A model that is not here, and no network: the library would try again for a minute.
            here_only = not Path(model).exists() and not _hub_answers()
            self._model: Any = SentenceTransformer(model, local_files_only=here_only)
        except Exception as error:  # the library raises many kinds for "no such model"
            first = next(iter(str(error).splitlines()), type(error).__name__)
            raise MemlabError(
                f"encoder {model!r}: cannot be loaded ({first}); name one of memlab's embedded encoders, a folder,"
                " or a sentence-transformers model that can be fetched from here"
            ) from None
        dimension = self._model.get_embedding_dimension()
        revision = getattr(self._model.model_card_data, "base_model_revision", None) or _folder_revision(model)
        self.info = EncoderInfo(model, revision, int(dimension or 0))

    def encode_query(self, texts: Sequence[str]) -> Vectors:
        """Encode questions with the model's query prompt, where it has one."""
        if not texts:
            return np.zeros((0, self.info.dimension), dtype=np.float32)
        return unit(self._model.encode_query(list(texts), normalize_embeddings=True, show_progress_bar=False))

    def encode_document(self, texts: Sequence[str]) -> Vectors:
        """Encode titles or pieces with the model's document prompt, where it has one."""
        if not texts:
            return np.zeros((0, self.info.dimension), dtype=np.float32)
        return unit(self._model.encode_document(list(texts), normalize_embeddings=True, show_progress_bar=False))


def _hub_answers(seconds: float = 5.0) -> bool:
    """Whether the hub that models come from can be reached; a proxy is trusted to know the way."""
    import socket
    import threading
    from urllib.parse import urlsplit
    from urllib.request import getproxies

    from huggingface_hub.constants import ENDPOINT

    if getproxies():
        return True
    hub = urlsplit(ENDPOINT)
    answered = threading.Event()

    def knock() -> None:
        try:
            with socket.create_connection((hub.hostname, hub.port or (80 if hub.scheme == "http" else 443)), seconds):
                answered.set()
        except OSError:
            pass

    # In a thread, because looking up a name has no time limit of its own.
    knocking = threading.Thread(target=knock, daemon=True)
    knocking.start()
    knocking.join(seconds)
    return answered.is_set()


def _folder_revision(model: str) -> str:
    """A revision for a model folder: the checksum of its weights' sizes and its configuration."""
    import hashlib

    folder = Path(model)
    if not folder.is_dir():
        return "main"
    digest = hashlib.sha256()
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(f"{file.relative_to(folder)}:{file.stat().st_size}\n".encode())
        if file.suffix == ".json":
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
