"""Commands on one question: ask it, and explain what was decided."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memlab.cli.base import (
    ArmNames,
    AsOf,
    EncoderName,
    Json,
    QuestionText,
    Retired,
    SettingsFile,
    StoreFolder,
    app,
    line,
    out,
    print_json,
    progress,
)
from memlab.errors import MemlabError


@app.command()
def ask(
    store: StoreFolder,
    question: QuestionText,
    as_of: AsOf = None,
    include_retired: Retired = False,
    settings: SettingsFile = None,
    encoder: EncoderName = None,
    arm: ArmNames = None,
    log: Annotated[Path | None, typer.Option("--log", help="Append the decision to this log of JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """Ask which memory a question means."""
    from memlab.lab import Lab

    with progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, settings=settings, extra_arms=arm or (), progress=tell)
        answer = lab.resolve(question, as_of=as_of, include_retired=include_retired)
        logged = {} if log is None else {"question_id": _log(lab, answer, log)}
    if as_json:
        print_json(answer.as_dict() | logged)
        return
    out.print(answer)
    if log is not None:
        line(f"logged as {logged['question_id']} in {log}", style="dim")


def _log(lab: Any, answer: Any, log: Path) -> str:
    """Append a decision to a log, under the clock; returns its id there."""
    from datetime import UTC, datetime

    from memlab.resolver import Resolver

    return Resolver.of(lab, log=log).record(answer, now=datetime.now(UTC)).question_id


@app.command()
def explain(
    store: StoreFolder,
    question: QuestionText,
    as_of: AsOf = None,
    include_retired: Retired = False,
    settings: SettingsFile = None,
    encoder: EncoderName = None,
    chart: Annotated[Path | None, typer.Option("--chart", help="Draw it: a .svg, .png, .pdf, .html or .json.")] = None,
    as_json: Json = False,
) -> None:
    """Show the whole way of one decision, and what would have settled it."""
    from memlab.lab import Lab

    if chart is not None and not chart.suffix:
        raise MemlabError(f"--chart: {chart} names no format; end it in .svg, .png, .pdf, .html or .json")
    with progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, settings=settings, progress=tell)
        explanation = lab.explain(question, as_of=as_of, include_retired=include_retired)
    files: list[Path] = []
    if chart is not None:
        from memlab import charts

        files = charts.save(charts.waterfall(explanation), chart.with_suffix(""), [chart.suffix[1:]])
    if as_json:
        print_json(explanation.as_dict())
        return
    out.print(explanation)
    for file in files:
        line(str(file))
