"""Commands on an exam: grade it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from memlab.cli.base import ArmNames, EncoderName, Json, SettingsFile, StoreFolder, app, line, out, print_json, progress
from memlab.errors import MemlabError


@app.command()
def exam(
    store: StoreFolder,
    exam: Annotated[
        Path, typer.Argument(help="An exam: JSON lines, CSV, parquet, a LoCoMo file, a BEIR folder, or a log.")
    ],
    settings: SettingsFile = None,
    preset: Annotated[str | None, typer.Option("--preset", help="Settings by name, such as two_words.")] = None,
    by: Annotated[str | None, typer.Option("--by", help="Also by lang, kind, author or tag.")] = None,
    gold: Annotated[str, typer.Option("--gold", help="lenient or strict, where the exam has both.")] = "lenient",
    charts: Annotated[Path | None, typer.Option("--charts", help="Write the charts into this folder.")] = None,
    encoder: EncoderName = None,
    arm: ArmNames = None,
    as_json: Json = False,
) -> None:
    """Grade an exam and print the outcome table."""
    from memlab.exam import report

    if by is not None and by not in ("lang", "kind", "author", "tag"):
        raise MemlabError(f"--by: one of lang, kind, author, tag, not {by!r}")
    with progress(as_json) as tell:
        made = report(
            store, exam, settings=settings, preset=preset, gold=gold, encoder=encoder, extra_arms=arm or (),
            progress=tell,
        )  # fmt: skip
    files = _charts(made.outcomes, charts, made.settings.gap) if charts else []
    if as_json:
        print_json(made.as_dict())
        return
    out.print(made)
    if by:
        out.print(made.table(by))
    for file in files:
        line(str(file))


def _charts(outcomes: Any, folder: Path, threshold: float) -> list[Path]:
    from memlab import charts

    folder.mkdir(parents=True, exist_ok=True)
    made = {"outcomes": charts.outcomes(outcomes), "gaps": charts.gaps(outcomes, threshold=threshold)}
    files: list[Path] = []
    for name, chart in made.items():
        files.extend(charts.save(chart, folder / name))
    return files
