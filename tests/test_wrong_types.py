"""What is handed over by mistake ends in one clear line that names the argument, never in a library's traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tiny import NOW, lab_of, titles

import memlab as ml

EXAM = ml.Exam.from_rows([{"id": "q", "question": "loom", "gold": ["n1"]}])


@pytest.fixture(scope="module")
def lab() -> ml.Lab:
    return lab_of(titles("Loom", "Choir rehearsal"), semantic=False)


def _graded(lab: ml.Lab) -> ml.Outcomes:
    return ml.grade(ml.decide(lab.gather(EXAM, now=NOW)), EXAM)


MISTAKES: dict[str, tuple[Callable[[ml.Lab], object], str]] = {
    "a path for a store": (lambda lab: ml.Lab.of("my.store"), "store: give a Store"),  # type: ignore[arg-type]
    "no path": (lambda lab: ml.Lab.open(5), "store: give the path"),  # type: ignore[arg-type]
    "settings as a dict": (
        lambda lab: ml.Lab.of(lab.store, encoder=None, settings={"gap": 1}),  # type: ignore[arg-type]
        "settings: give Settings or the path",
    ),
    "settings as text": (
        lambda lab: lab.resolve("loom", settings="x"),  # type: ignore[arg-type]
        "settings: give Settings, such as lab.settings.but(gap=0.1); 'x' is text",
    ),
    "a gathering as a dict": (
        lambda lab: ml.Lab.of(lab.store, encoder=None, gathering={"depth": 1}),  # type: ignore[arg-type]
        "gathering: give a Gathering",
    ),
    "arms as text": (lambda lab: lab.gather(EXAM, arms="title"), "arms: name a list of arms"),
    "a path for questions": (
        lambda lab: lab.gather("exam.jsonl"),  # type: ignore[arg-type]
        "questions: give an exam, a frame or a list of rows",
    ),
    "one question for many": (
        lambda lab: lab.gather({"question": "loom"}),  # type: ignore[arg-type]
        "questions: give an exam",
    ),
    "questions as texts": (
        lambda lab: lab.gather(["loom"]),  # type: ignore[list-item]
        "questions row 1: must be an object",
    ),
    "evidence for decisions": (
        lambda lab: ml.grade(lab.gather(EXAM, now=NOW), EXAM),  # type: ignore[arg-type]
        "decisions: give what memlab.decide(evidence, settings) returned, not Evidence",
    ),
    "another frame for decisions": (lambda lab: ml.grade(pl.DataFrame({"a": [1]}), EXAM), "decisions: give what"),
    "a path for an exam": (
        lambda lab: ml.grade(ml.decide(lab.gather(EXAM, now=NOW)), "exam.jsonl"),  # type: ignore[arg-type]
        "exam: give an Exam, not str",
    ),
    "a misspelt setting": (lambda lab: lab.settings.but(gapp=1), "settings gapp: no such setting; there are "),
    "one format for many": (
        lambda lab: ml.charts.save(ml.charts.outcomes(ml.grade(ml.decide(lab.gather(EXAM, now=NOW)), EXAM)), "x",
                                   formats="png"),
        "formats: give a list",
    ),
    "a number for a lab to ask": (lambda lab: ml.widgets.AskWidget(3), "lab: give the Lab to ask"),  # type: ignore[arg-type]
    "a number for an instant": (lambda lab: ml.widgets.AskWidget(lab, as_of=5), "as_of: give an instant"),  # type: ignore[arg-type]
    "a log that no file can be": (lambda lab: ml.widgets.AskWidget(lab, log="a\0b"), "log: holds a sign"),
    "a number for a sitting": (lambda lab: ml.widgets.LabellingWidget(3), "session: give a sitting"),  # type: ignore[arg-type]
    "a number for a lab to compare in": (
        lambda lab: ml.widgets.ComparisonWidget(_graded(lab), _graded(lab), lab=3),  # type: ignore[arg-type]
        "lab: give the Lab that gathered",
    ),
    "a number to compare with": (
        lambda lab: ml.compare(_graded(lab), 3),  # type: ignore[arg-type]
        "others: give Outcomes, one or several by name",
    ),
    "nothing to compare": (lambda lab: ml.compare(None, {}), "baseline: give Outcomes"),  # type: ignore[arg-type]
    "nothing for a folder": (lambda lab: ml.widgets.Laboratory(None), "folder: give a path, not NoneType"),  # type: ignore[arg-type]
    "a folder that is not there": (
        lambda lab: lab.settings.save("/no/such/folder/s.toml"),
        "/no/such/folder/s.toml: cannot be written (No such file or directory)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_by_the_argument(mistake: str, lab: ml.Lab) -> None:
    make, told = MISTAKES[mistake]
    with pytest.raises(ml.InputError) as caught:
        make(lab)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    "encoders", ["embedded", [5], [{"name": "embedded"}], [{"name": 1, "revision": "", "dimension": 1}]]
)
def test_a_manifest_that_was_edited_by_hand_is_told(encoders: Any, lab: ml.Lab, tmp_path: Path) -> None:
    lab.save(tmp_path / "a.store")
    file = tmp_path / "a.store" / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["indexes"]["encoders"] = encoders
    file.write_text(json.dumps(manifest), encoding="utf-8")
    for opened in (ml.Lab.open, ml.Resolver):
        with pytest.raises(ml.MemlabError, match=r"a\.store: damaged: its manifest does not name its encoders"):
            opened(tmp_path / "a.store")


FAR = 2**62


@pytest.mark.parametrize(
    ("dtype", "value"),
    [(pl.Date, 2**31 - 1), (pl.Date, -(2**31)),
     *((pl.Datetime(unit), sign * FAR) for unit in ("ms", "us") for sign in (1, -1)),
     (pl.Datetime("us", "UTC"), FAR), (pl.Date, 2_932_897), (pl.Date, -719_163)],
)  # fmt: skip
def test_instants_out_of_every_calendar_are_refused_by_row(dtype: Any, value: int) -> None:
    known = pl.Series("valid_from", [0, value], dtype=pl.Int64).cast(
        pl.Int32 if dtype == pl.Date else pl.Int64
    ).cast(dtype)  # fmt: skip
    nodes = pl.DataFrame({"id": ["a", "b"], "kind": ["Concept"] * 2, "title": ["Loom", "Warp"]}).with_columns(known)
    with pytest.raises(ml.InputError, match="nodes row 2 valid_from: lies outside the years 1 to 9999"):
        ml.Store.from_frames(nodes)


def test_the_first_and_the_last_day_there_are_can_be_told() -> None:
    days = pl.Series("valid_from", [date(1, 1, 1), date(9999, 12, 31), None])
    nodes = pl.DataFrame({"id": ["a", "b", "c"], "kind": ["Concept"] * 3, "title": ["Loom", "Warp", "Weft"]})
    store = ml.Store.from_frames(nodes.with_columns(days))
    assert store.nodes.sort("id")["valid_from"].dt.year().to_list() == [1, 9999, None]


def test_a_page_shows_control_characters_as_a_sign() -> None:
    answer = lab_of([{"id": "n", "kind": "Concept", "title": "Loom \u202e\x1b[31m"}], semantic=False).resolve(
        "loom", as_of=NOW
    )
    page = answer._repr_html_()
    assert "\N{REPLACEMENT CHARACTER}" in page
    assert "\u202e" not in page
    assert "\x1b" not in page
