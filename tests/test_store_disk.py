"""A store on disk: whole or not there, and nobody's files are touched."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memlab.errors import MemlabError
from memlab.store import About, Store

OLD = [{"id": "a", "kind": "Concept", "title": "Loom"}]
NEW = [{"id": "b", "kind": "Concept", "title": "Shuttle"}]


def test_a_saved_store_opens_as_it_was(tmp_path: Path) -> None:
    about = About("tables", "nodes.jsonl", exam_include_retired=True, notes=("한 줄",))
    store = Store.from_frames([{**OLD[0], "text": "베틀", "valid_from": "2024-01-01"}], about=about)
    saved = store.save(tmp_path / "s")
    opened = Store.open(tmp_path / "s")
    assert opened.about == about
    assert opened.checksum == store.checksum
    assert opened.nodes.equals(store.nodes)
    assert opened.edges.equals(store.edges)
    assert opened.pieces.equals(store.pieces)
    assert opened.folder == saved.folder
    assert opened.manifest["counts"] == {"nodes": 1, "edges": 1, "pieces": 1}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.lists(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1), max_size=4))
def test_any_text_survives_the_disk(tmp_path: Path, titles: list[str]) -> None:
    try:
        store = Store.from_frames([{"id": f"n{n}", "kind": "Record", "title": t} for n, t in enumerate(titles)])
    except MemlabError:
        return
    store.save(tmp_path / "s")
    assert Store.open(tmp_path / "s").nodes.equals(store.nodes)


def test_saving_again_replaces_the_store_and_clears_the_old_one(tmp_path: Path) -> None:
    Store.from_frames(OLD).save(tmp_path)
    Store.from_frames(NEW).save(tmp_path)
    assert Store.open(tmp_path).nodes["id"].to_list() == ["b"]
    assert len(list(tmp_path.glob("gen-*"))) == 1


def test_extra_files_are_named_in_the_manifest(tmp_path: Path) -> None:
    def index(folder: Path) -> dict[str, object]:
        (folder / "words").mkdir()
        (folder / "words" / "postings.bin").write_bytes(b"xyz")
        return {"words": {"version": 1}}

    Store.from_frames(OLD).save(tmp_path, extra=index)
    opened = Store.open(tmp_path)
    assert opened.folder is not None
    assert (opened.folder / "words" / "postings.bin").read_bytes() == b"xyz"
    assert opened.manifest["indexes"] == {"words": {"version": 1}}
    assert opened.manifest["files"]["words/postings.bin"]["bytes"] == 3  # type: ignore[index]


def test_a_failing_index_leaves_the_old_store_whole(tmp_path: Path) -> None:
    Store.from_frames(OLD).save(tmp_path)

    def fails(folder: Path) -> dict[str, object]:
        (folder / "half").write_text("x")
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        Store.from_frames(NEW).save(tmp_path, extra=fails)
    with pytest.raises(MemlabError, match="plain JSON"):
        Store.from_frames(NEW).save(tmp_path, extra=lambda folder: {"folder": folder})
    assert Store.open(tmp_path).nodes["id"].to_list() == ["a"]
    assert len(list(tmp_path.glob("gen-*"))) == 1


KILLED = """
import os, signal, sys
from memlab.store import Store, manifest
step, path = int(sys.argv[1]), sys.argv[2]
calls = 0
def die(*_):
    global calls
    calls += 1
    if calls == step:
        os.kill(os.getpid(), signal.SIGKILL)
sync, replace, files, rmtree = manifest._sync, manifest.Path.replace, manifest._files, manifest.shutil.rmtree
manifest._sync = lambda p: (die(), sync(p), die())
manifest.Path.replace = lambda a, b: (die(), replace(a, b), die())
manifest.shutil.rmtree = lambda *a, **k: (die(), rmtree(*a, **k), die())
Store.from_frames([{"id": "b", "kind": "Concept", "title": "Shuttle"}]).save(path, extra=lambda folder: die() or {})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_save_leaves_one_whole_store(tmp_path: Path) -> None:
    seen = set()
    for step in range(1, 40):
        path = tmp_path / str(step)
        Store.from_frames(OLD).save(path)
        ran = subprocess.run([sys.executable, "-c", KILLED, str(step), str(path)], check=False)
        seen.add(Store.open(path).nodes["id"].item())
        if ran.returncode == 0:
            break
        assert ran.returncode == -signal.SIGKILL
        Store.from_frames(OLD).save(path)
        folders = [p.name for p in path.iterdir() if p.is_dir()]
        assert folders == [Store.open(path).folder.name]  # type: ignore[union-attr]
    else:
        pytest.fail("the save never came to its end")
    assert step > 10
    assert seen == {"a", "b"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_first_save_can_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "s"
    subprocess.run([sys.executable, "-c", KILLED, "1", str(path)], check=False)
    with pytest.raises(MemlabError, match="not a memlab store"):
        Store.open(path)
    Store.from_frames(OLD).save(path)
    assert Store.open(path).nodes["id"].to_list() == ["a"]


def test_a_folder_of_something_else_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(MemlabError, match=r"holds 'notes\.txt' and is not a memlab store"):
        Store.from_frames(OLD).save(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(MemlabError, match="is a file"):
        Store.from_frames(OLD).save(tmp_path / "notes.txt")


@pytest.mark.parametrize("content", ['{"name": "an extension"}', "[1]", "{broken"])
def test_somebody_elses_manifest_is_never_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(MemlabError):
        Store.from_frames(OLD).save(tmp_path)
    assert (tmp_path / "manifest.json").read_text() == content


def test_a_folder_that_only_looks_like_a_generation_is_kept(tmp_path: Path) -> None:
    store = Store.from_frames(OLD)
    store.save(tmp_path)
    mine = tmp_path / "gen-0123456789ab-1"
    mine.mkdir()
    (mine / "diary.txt").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    store.save(tmp_path)
    assert (mine / "diary.txt").exists()
    assert (tmp_path / "notes.txt").exists()


def _damage(path: Path, **changes: object) -> None:
    file = path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_damage_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(MemlabError, match="no such store"):
        Store.open(tmp_path / "none")
    with pytest.raises(MemlabError, match="not a memlab store"):
        Store.open(tmp_path)

    def fresh(name: str) -> tuple[Path, Path]:
        saved = Store.from_frames(OLD).save(tmp_path / name)
        assert saved.folder is not None
        return tmp_path / name, saved.folder

    path, folder = fresh("cut")
    (folder / "nodes.parquet").write_bytes(b"PAR1")
    with pytest.raises(MemlabError, match=r"checksum of nodes\.parquet differs"):
        Store.open(path)
    path, folder = fresh("gone")
    (folder / "edges.parquet").unlink()
    with pytest.raises(MemlabError, match=r"edges\.parquet cannot be read"):
        Store.open(path)
    path, _ = fresh("newer")
    _damage(path, schema_version=99)
    with pytest.raises(MemlabError, match="written by a newer memlab"):
        Store.open(path)
    for change in ({"generation": "../../etc"}, {"files": 3}, {"about": {"x": 1}}, {"schema_version": "1"}):
        path, _ = fresh("odd" + next(iter(change)))
        _damage(path, **change)
        with pytest.raises(MemlabError, match="damaged"):
            Store.open(path)


def test_a_missing_index_file_is_told(tmp_path: Path) -> None:
    saved = Store.from_frames(OLD).save(tmp_path, extra=lambda folder: {"x": (folder / "x").write_text("abc")})
    assert saved.folder is not None
    (saved.folder / "x").write_text("ab")
    with pytest.raises(MemlabError, match="x is missing or cut short"):
        Store.open(tmp_path)


def test_a_second_save_while_one_is_under_way_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store"
    Store.from_frames(OLD).save(path)
    second = Store.from_frames([{"id": "c", "kind": "Concept", "title": "Warp"}])

    def meanwhile(folder: Path) -> dict[str, object]:
        with pytest.raises(MemlabError, match="under way"):
            second.save(path)
        return {}

    Store.from_frames([{"id": "b", "kind": "Concept", "title": "Shuttle"}]).save(path, extra=meanwhile)
    assert Store.open(path).nodes["id"].to_list() == ["b"]


def test_a_changed_index_file_of_the_same_size_is_told(tmp_path: Path) -> None:
    path = tmp_path / "store"
    Store.from_frames(OLD).save(path, extra=lambda folder: (folder / "titles.faiss").write_bytes(b"abc") and {})
    (Store.open(path).folder / "titles.faiss").write_bytes(b"abd")  # type: ignore[operator]
    with pytest.raises(MemlabError, match=r"checksum of titles\.faiss differs"):
        Store.open(path)
