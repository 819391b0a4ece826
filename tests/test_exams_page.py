"""The Python in docs/exams.md runs, and gives what the text around it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "exams.md"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_on_exams_runs() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) == 6
    seen: dict[str, Any] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"exams.md block {number}", "exec"), seen)
    assert seen["harder"].questions["answerable"].to_list().count(True) == 1
    assert seen["smaller"].nodes.height < 4
    assert seen["sample"]["weight"].sum() == pytest.approx(4)
    assert seen["labelled"].authors == ("Ada",)
    assert len(seen["labelled"]) == 3
    assert seen["store"].checksum == seen["lab"].store.checksum
    assert seen["back"].checksum == seen["exam"].checksum
    assert seen["judged"].height == 3
