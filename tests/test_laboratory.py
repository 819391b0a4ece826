"""The laboratory: a form that opens stores, and what it does with mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memlab.errors import InputError
from memlab.widgets import Laboratory
from memlab.widgets.opening import found

NODES = [
    {"id": "git", "kind": "Decision", "title": "Move to Git", "text": ["Mercurial was slow."]},
    {"id": "svn", "kind": "Decision", "title": "Leave Subversion"},
    {"id": "loom", "kind": "Concept", "title": "Loom"},
]
EXAM = [
    {"id": "a", "question": "Move to Git", "gold": ["git"], "answerable": True, "written_by": "Ann"},
    {"id": "b", "question": "what is a kiln?", "gold": [], "answerable": False, "written_by": "Ann"},
]


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "notes/nodes.jsonl", NODES)
    write(tmp_path / "notes/exam.jsonl", EXAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_there_is_offered(folder: Path) -> None:
    (folder / "mine.toml").write_text("gap = 0.1\n")
    assert found(folder) == (["notes"], ["notes/exam.jsonl"], ["mine.toml"])


def test_a_folder_of_tables_becomes_a_store_to_ask_and_tune(folder: Path) -> None:
    laboratory = Laboratory()
    laboratory.form.store.value = "notes"
    laboratory.form.exam.value = "notes/exam.jsonl"
    laboratory.form.button.click()
    assert "3 nodes · 2 questions" in laboratory.form.told.value
    assert (folder / "notes.store/manifest.json").is_file()
    assert laboratory.tuner is not None
    assert laboratory.tuner.outcomes.counts()["resolved_right"] == 1
    assert laboratory.lab is not None
    # What the sliders stand at is what a question is asked under.
    laboratory.tuner.controls.switches["whole_title"].value = False
    (tabs,) = laboratory.work.children
    tabs.selected_index = 1
    assert laboratory.asking is not None
    assert laboratory.asking.settings == laboratory.tuner.settings
    # The store that was built is opened the next time, and offered.
    again = Laboratory()
    again.form.store.value, again.form.exam.value = "notes.store", ""
    again.press()
    assert again.tuner is None
    assert again.asking is not None
    assert "no exam" in again.form.told.value
    assert "notes.store" in again.form.store.options


def test_a_store_that_was_built_is_opened_and_built_anew_when_pressed_again(folder: Path) -> None:
    def pressed(laboratory: Laboratory) -> tuple[int, str]:
        laboratory.press()
        assert laboratory.lab is not None
        return laboratory.lab.store.nodes.height, laboratory.form.told.value

    laboratory = Laboratory()
    laboratory.form.store.value, laboratory.form.exam.value = "notes", ""
    assert "before" not in pressed(laboratory)[1]
    write(folder / "notes/nodes.jsonl", NODES[:2])
    nodes, told = pressed(laboratory)
    assert (nodes, "notes.store was built before: press again" in told) == (3, True)
    # A form that was changed meanwhile is a first press.
    laboratory.form.exam.value = "notes/exam.jsonl"
    assert pressed(laboratory)[0] == 3
    nodes, told = pressed(laboratory)
    assert (nodes, "before" in told) == (2, False)


@pytest.mark.parametrize(
    ("store", "exam", "told"),
    [
        ("", "", "name a store"),
        ("nowhere", "", "nowhere"),
        ("notes", "none.jsonl", "none.jsonl"),
        ("notes", "notes/nodes.jsonl", "nodes.jsonl"),
    ],
)
def test_a_mistake_is_told_and_what_was_open_stays(folder: Path, store: str, exam: str, told: str) -> None:
    laboratory = Laboratory()
    laboratory.form.store.value, laboratory.form.exam.value = "notes", "notes/exam.jsonl"
    laboratory.press()
    before = laboratory.tuner
    laboratory.form.store.value, laboratory.form.exam.value = store, exam
    laboratory.form.button.click()
    assert told in laboratory.form.told.value
    assert "memlab-error" in laboratory.form.told.value
    assert laboratory.tuner is before
    assert not laboratory.form.button.disabled


def test_settings_of_a_file_are_those_of_the_tuner(folder: Path) -> None:
    Path("mine.toml").write_text("gap = 0.123\n")
    laboratory = Laboratory()
    laboratory.form.store.value, laboratory.form.exam.value = "notes", "notes/exam.jsonl"
    laboratory.form.settings.value = "mine.toml"
    laboratory.press()
    assert laboratory.tuner is not None
    assert laboratory.tuner.settings.gap == 0.123


def test_it_opens_nothing_before_it_is_told_to_and_has_a_place_in_the_page(folder: Path) -> None:
    laboratory = Laboratory()
    assert laboratory.lab is None
    assert laboratory.model_id


@pytest.mark.parametrize("where", ["nowhere", "notes/nodes.jsonl"])
def test_a_folder_that_is_none_is_refused(folder: Path, where: str) -> None:
    with pytest.raises(InputError, match="folder"):
        Laboratory(where)
