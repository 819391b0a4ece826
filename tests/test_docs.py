"""The Python in the documents runs, and shows what the text around it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_page_on_own_candidates_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "own-candidates.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) == 3
    seen: dict[str, Any] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"own-candidates.md block {number}", "exec"), seen)
    assert seen["decisions"]["state"].to_list() == ["resolved", "none"]
    assert seen["outcomes"].counts()["resolved_right"] == 1
    assert seen["answer"].candidates["first_by"].to_list()[0] == ["newest"]
    assert seen["answer"].state == "choose"
    assert seen["judged"].questions["gold"].to_list() == [["b"]]
    assert capsys.readouterr().out
