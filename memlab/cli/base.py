"""What every command shares: the application, its options, progress, and what is printed where."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

# In the order in which a newcomer needs them.
_ORDER = (
    "build",
    "ask",
    "explain",
    "around",
    "exam",
    "compare",
    "study",
    "tune",
    "sample",
    "pick",
    "remove-gold",
    "export",
)


class _InOrder(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands in an order that tells the way."""
        known = super().list_commands(ctx)
        return sorted(known, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


app = typer.Typer(
    cls=_InOrder,
    help="Decide which memory a question means: resolved, choose, or none.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Console()
err = Console(stderr=True)

StoreFolder = Annotated[Path, typer.Argument(help="Folder of a store.")]
QuestionText = Annotated[str, typer.Argument(help="The question.")]
EncoderName = Annotated[
    str | None,
    typer.Option("--encoder", help="embedded, embedded-e5, embedded-fused, or a sentence-transformers model."),
]
ExamFile = Annotated[Path, typer.Argument(help="CSV, JSON lines, parquet, a log, a BEIR folder or a LoCoMo file.")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A TOML file of settings.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="The instant asked about, such as 2019-06-01.")]
Retired = Annotated[bool, typer.Option("--include-retired", help="Show what has ended, too.")]
ArmNames = Annotated[
    list[str] | None, typer.Option("--arm", help="An arm of an installed package, by name; may be repeated.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for programs.")]


@contextmanager
def progress(quiet: bool = False) -> Iterator[Any]:
    """Show a bar for whatever takes longer than a second; on standard error, and only on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    if quiet or not err.is_terminal:
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=err, transient=True,
    )  # fmt: skip
    tasks: dict[str, Any] = {}
    with bar:

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield tell


def _version(wanted: bool) -> None:
    if wanted:
        from memlab._version import __version__

        line(f"memlab {__version__}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Decide which memory a question means: resolved, choose, or none."""


def instant(as_of: str | None) -> datetime:
    """Return the instant of questions that name none: the one that was given, or the clock's, in whole seconds."""
    from memlab.store import parse_instant

    return parse_instant(as_of) or datetime.now(UTC).replace(microsecond=0)


def command_again(now: datetime) -> str:
    """Return the command that was given, with the instant that it left to the clock: it makes the same again."""
    # A file may be called by bytes that are no text.
    given = [word.encode("utf-8", "backslashreplace").decode() for word in sys.argv[1:]]
    named = any(word == "--as-of" or word.startswith("--as-of=") for word in given)
    return shlex.join(["memlab", *given, *([] if named else ["--as-of", now.isoformat()])])


def line(text: str, style: str | None = None) -> None:
    """Print one line as it is, whatever signs it holds."""
    # Paths and titles may hold square brackets, which rich would read as mark-up.
    out.print(text, markup=False, highlight=False, soft_wrap=True, style=style)


def print_json(values: dict[str, Any]) -> None:
    """Print one JSON object for programs."""
    # Straight to standard output: rich would wrap it.
    sys.stdout.write(json.dumps(values, ensure_ascii=False, indent=1, default=str) + "\n")
