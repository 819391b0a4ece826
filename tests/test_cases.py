"""The cases: tiny invented stores, each with one question and what a careful reader would accept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from run_cases import faults, load, main

FOLDER = Path(__file__).parent / "cases"
FILE = FOLDER / "cases.jsonl"
# Near misses in every script, and their neighbours that must resolve.
CASES = [*load(FILE), *load(FOLDER / "extra.jsonl")]

# Ids of cases that do not hold yet. A case in here that passes is a failure too: take it out.
KNOWN_FAILURES: frozenset[str] = frozenset()


def test_the_known_failures_are_cases() -> None:
    assert {case["id"] for case in CASES} >= KNOWN_FAILURES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    found = list(faults(case, shuffles=1))
    if case["id"] in KNOWN_FAILURES:
        assert found, "holds now: take it out of KNOWN_FAILURES"
    else:
        assert not found, found[0]


def test_the_runner_says_what_was_expected_and_what_came(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    wrong = lines[0].replace('"state": "choose"', '"state": "none"')
    assert wrong != lines[0]
    (tmp_path / "cases.jsonl").write_text(f"{wrong}\n{lines[2]}\n", encoding="utf-8")
    assert main(str(tmp_path / "cases.jsonl")) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("equal-changelog-1: expected none, got choose")
    assert last == "1 passed, 1 failed"
