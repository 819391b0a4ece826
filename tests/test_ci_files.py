"""What must not be in the repository: paths of one machine, and outputs of notebooks."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# In parts, so that this file does not hold what it looks for.
FOREIGN = ("/" + "work/", ".." + "/shared")
MAY = {".ci/run"}


def kept_files() -> list[Path]:
    """Files that git keeps, or would keep."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("no git here, so nothing says which files are kept")
    command = [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return [file for name in listed.split("\0") if name and (file := ROOT / name).is_file()]


def test_no_file_names_a_folder_of_one_machine() -> None:
    guilty = [
        str(file.relative_to(ROOT))
        for file in kept_files()
        if any(word.encode() in file.read_bytes() for word in FOREIGN)
    ]
    assert set(guilty) <= MAY


def test_notebooks_are_kept_without_outputs() -> None:
    for file in kept_files():
        if file.suffix == ".ipynb":
            cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
            assert not [n for n, cell in enumerate(cells) if cell.get("outputs") or cell.get("execution_count")], file


def test_ci_runs_every_check() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for check in ("lint", "types", "demo", "notebooks", "test"):
        assert check in script
