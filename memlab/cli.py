"""The command line: build a store, ask it, explain it, look around a node, and grade an exam."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from memlab.errors import MemlabError

app = typer.Typer(
    help="Decide which memory a question means: resolved, choose, or none.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_out = Console()
_err = Console(stderr=True)

_Store = Annotated[Path, typer.Argument(help="Folder of a store.")]
_Question = Annotated[str, typer.Argument(help="The question.")]
_Encoder = Annotated[
    str | None,
    typer.Option("--encoder", help="embedded, embedded-e5, embedded-fused, or a sentence-transformers model."),
]
_SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A TOML file of settings.")]
_AsOf = Annotated[str | None, typer.Option("--as-of", help="The instant asked about, such as 2019-06-01.")]
_Retired = Annotated[bool, typer.Option("--include-retired", help="Show what has ended, too.")]
_Arms = Annotated[
    list[str] | None, typer.Option("--arm", help="An arm of an installed package, by name; may be repeated.")
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for programs.")]


@contextmanager
def _progress(quiet: bool = False) -> Iterator[Any]:
    """Show a bar for whatever takes longer than a second; on standard error, and only on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    if quiet or not _err.is_terminal:
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=_err, transient=True,
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

        _line(f"memlab {__version__}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Decide which memory a question means: resolved, choose, or none."""


@app.command()
def build(
    source: Annotated[Path, typer.Argument(help="A file or folder: tables, PEPs, LoCoMo.")],
    store: Annotated[Path, typer.Argument(help="Folder of the store to write.")],
    reader: Annotated[str, typer.Option("--reader", help="Name of a reader; found out when left out.")] = "auto",
    encoder: Annotated[str, typer.Option("--encoder", help="Encoder of the title vectors.")] = "embedded",
    force: Annotated[bool, typer.Option("--force", help="Let a source without nodes replace a store.")] = False,
    as_json: _Json = False,
) -> None:
    """Turn a source into a store."""
    from memlab.building import build_store

    started = time.perf_counter()
    with _progress(as_json) as tell:
        lab = build_store(source, store, reader=reader, encoder=encoder, force=force, progress=tell)
    saved = lab.store
    counts = {"nodes": saved.nodes.height, "edges": saved.edges.height, "pieces": saved.pieces.height}
    if as_json:
        encoders = [e.info.as_dict() for e in lab.encoders]
        about = {"store": str(store), "checksum": saved.checksum, "reader": saved.about.reader}
        _print_json(about | counts | {"notes": list(saved.about.notes), "encoders": encoders})
        return
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in saved.nodes["kind"].value_counts(sort=True).rows())
    took = time.perf_counter() - started
    sizes = ", ".join(f"{n:,} {part}" for part, n in counts.items())
    _line(f"{store}: {sizes} ({kinds}), in {took:.1f} s")
    for note in saved.about.notes:
        _line(f"note: {note}", style="dim")


@app.command()
def ask(
    store: _Store,
    question: _Question,
    as_of: _AsOf = None,
    include_retired: _Retired = False,
    settings: _SettingsFile = None,
    encoder: _Encoder = None,
    arm: _Arms = None,
    log: Annotated[Path | None, typer.Option("--log", help="Append the decision to this log of JSON lines.")] = None,
    as_json: _Json = False,
) -> None:
    """Ask which memory a question means."""
    from memlab.lab import Lab

    with _progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, settings=settings, extra_arms=arm or (), progress=tell)
        answer = lab.resolve(question, as_of=as_of, include_retired=include_retired)
        logged = {} if log is None else {"question_id": _log(lab, answer, log)}
    if as_json:
        _print_json(answer.as_dict() | logged)
        return
    _out.print(answer)
    if log is not None:
        _line(f"logged as {logged['question_id']} in {log}", style="dim")


def _log(lab: Any, answer: Any, log: Path) -> str:
    """Append a decision to a log, under the clock; returns its id there."""
    from datetime import UTC, datetime

    from memlab.resolver import Resolver

    return Resolver.of(lab, log=log).record(answer, now=datetime.now(UTC)).question_id


@app.command()
def explain(
    store: _Store,
    question: _Question,
    as_of: _AsOf = None,
    include_retired: _Retired = False,
    settings: _SettingsFile = None,
    encoder: _Encoder = None,
    chart: Annotated[Path | None, typer.Option("--chart", help="Draw it: a .svg, .png, .pdf, .html or .json.")] = None,
    as_json: _Json = False,
) -> None:
    """Show the whole way of one decision, and what would have settled it."""
    from memlab.lab import Lab

    if chart is not None and not chart.suffix:
        raise MemlabError(f"--chart: {chart} names no format; end it in .svg, .png, .pdf, .html or .json")
    with _progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, settings=settings, progress=tell)
        explanation = lab.explain(question, as_of=as_of, include_retired=include_retired)
    files: list[Path] = []
    if chart is not None:
        from memlab import charts

        files = charts.save(charts.waterfall(explanation), chart.with_suffix(""), [chart.suffix[1:]])
    if as_json:
        _print_json(explanation.as_dict())
        return
    _out.print(explanation)
    for file in files:
        _line(str(file))


@app.command()
def around(
    store: _Store,
    node: Annotated[str, typer.Argument(help="Id of a node.")],
    as_of: _AsOf = None,
    depth: Annotated[int, typer.Option("--depth", help="How many connections away.")] = 1,
    as_json: _Json = False,
) -> None:
    """Show what is connected to a node, each thing still itself."""
    from datetime import UTC, datetime

    from memlab.around import around as look
    from memlab.store import Store, parse_instant

    found = look(Store.open(store), node, as_of=parse_instant(as_of) or datetime.now(UTC), depth=depth)
    if as_json:
        _print_json(found.as_dict())
    else:
        _out.print(found)


@app.command()
def exam(
    store: _Store,
    exam: Annotated[Path, typer.Argument(help="An exam: JSON lines, or a LoCoMo file.")],
    settings: _SettingsFile = None,
    preset: Annotated[str | None, typer.Option("--preset", help="Settings by name, such as two_words.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Also by lang, kind, author or tag.")] = None,
    gold: Annotated[str, typer.Option("--gold", help="lenient or strict, where the exam has both.")] = "lenient",
    charts: Annotated[Path | None, typer.Option("--charts", help="Write the charts into this folder.")] = None,
    encoder: _Encoder = None,
    arm: _Arms = None,
    as_json: _Json = False,
) -> None:
    """Grade an exam and print the outcome table."""
    from memlab.exam import report

    if by is not None and by not in ("lang", "kind", "author", "tag"):
        raise MemlabError(f"--by: one of lang, kind, author, tag, not {by!r}")
    with _progress(as_json) as tell:
        made = report(
            store, exam, settings=settings, preset=preset, gold=gold, encoder=encoder, extra_arms=arm or (),
            progress=tell,
        )  # fmt: skip
    files = _charts(made.outcomes, charts, made.settings.gap) if charts else []
    if as_json:
        _print_json(made.as_dict())
        return
    _out.print(made)
    if by:
        _out.print(made.table(by))
    for file in files:
        _line(str(file))


def _charts(outcomes: Any, folder: Path, threshold: float) -> list[Path]:
    from memlab import charts

    folder.mkdir(parents=True, exist_ok=True)
    made = {"outcomes": charts.outcomes(outcomes), "gaps": charts.gaps(outcomes, threshold=threshold)}
    files: list[Path] = []
    for name, chart in made.items():
        files.extend(charts.save(chart, folder / name))
    return files


def _line(text: str, style: str | None = None) -> None:
    # Paths and titles may hold square brackets, which rich would read as mark-up.
    _out.print(text, markup=False, highlight=False, soft_wrap=True, style=style)


def _print_json(values: dict[str, Any]) -> None:
    # Straight to standard output: rich would wrap it.
    sys.stdout.write(json.dumps(values, ensure_ascii=False, indent=1, default=str) + "\n")


def main() -> None:
    """Entry point: one clear line and exit status 2 on bad input, never a traceback."""
    warnings.showwarning = _warn
    try:
        app()
    except MemlabError as error:
        _err.print(f"memlab: {error}", markup=False, highlight=False, style="red", soft_wrap=True)
        raise SystemExit(2) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise SystemExit(0) from None
        place = f"{error.filename}: " if error.filename else ""
        _err.print(
            f"memlab: {place}{error.strerror or error}", markup=False, highlight=False, style="red", soft_wrap=True
        )
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        _err.print("memlab: stopped; nothing was changed", markup=False)
        raise SystemExit(130) from None


def _warn(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    if issubclass(category, UserWarning):
        _err.print(f"memlab: {message}", markup=False, highlight=False, style="yellow", soft_wrap=True)


if __name__ == "__main__":
    main()
