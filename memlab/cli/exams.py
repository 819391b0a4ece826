"""Commands on an exam: grade it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memlab.cli.base import (
    ArmNames,
    AsOf,
    EncoderName,
    ExamFile,
    Json,
    SettingsFile,
    StoreFolder,
    app,
    command_again,
    instant,
    line,
    out,
    print_json,
    progress,
)
from memlab.errors import MemlabError


@app.command()
def exam(
    store: StoreFolder,
    exam: ExamFile,
    settings: SettingsFile = None,
    preset: Annotated[str | None, typer.Option("--preset", help="Settings by name, such as two_words.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Also by lang, kind, pair, author, tag, unanswerable or standing.")
    ] = None,
    gold: Annotated[str, typer.Option("--gold", help="lenient or strict, where the exam has both.")] = "lenient",
    charts: Annotated[Path | None, typer.Option("--charts", help="Write the charts into this folder.")] = None,
    encoder: EncoderName = None,
    arm: ArmNames = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Grade an exam and print the outcome table."""
    from memlab.exam import report
    from memlab.exam.grade import GROUPS

    if by is not None and by not in GROUPS:
        raise MemlabError(f"--by: one of {', '.join(GROUPS)}, not {by!r}")
    now = instant(as_of)
    again = command_again(now)
    with progress(as_json) as tell:
        made = report(
            store, exam, settings=settings, preset=preset, gold=gold, encoder=encoder, extra_arms=arm or (),
            now=now, progress=tell,
        )  # fmt: skip
    files = _charts(made, charts) if charts else []
    if as_json:
        print_json(made.as_dict() | {"command": again})
        return
    out.print(made)
    if by:
        out.print(made.table(by))
    line(f"again: {again}", style="dim")
    for file in files:
        line(str(file))


def _charts(made: Any, folder: Path) -> list[Path]:
    from memlab import charts

    folder.mkdir(parents=True, exist_ok=True)
    drawn = {
        "outcomes": charts.outcomes(made.outcomes),
        "gaps": charts.gaps(made.outcomes, threshold=made.settings.gap),
        "funnel": charts.funnel(made.outcomes),
        "risk-coverage": charts.risk_coverage(made.curve, made.outcomes),
    }
    files: list[Path] = []
    for name, chart in drawn.items():
        files.extend(charts.save(chart, folder / name))
    return files
