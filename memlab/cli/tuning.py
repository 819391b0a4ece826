"""Commands that choose settings: tune them on an exam, with a bound on the risk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
def tune(
    store: StoreFolder,
    exam: ExamFile,
    risk: Annotated[float, typer.Option("--risk", help="Most of the resolved that may be wrong.")] = 0.05,
    confidence: Annotated[float, typer.Option("--confidence", help="How sure of that to be.")] = 0.9,
    to: Annotated[Path | None, typer.Option("--to", help="Write the settings found into this TOML file.")] = None,
    share: Annotated[float, typer.Option("--share", help="Share of the questions to calibrate on.")] = 0.5,
    group: Annotated[
        str, typer.Option("--group", help="What stays together: auto, gold, document, or tag:PREFIX.")
    ] = "auto",
    seed: Annotated[int, typer.Option("--seed", help="Another seed gives another split.")] = 0,
    settings: SettingsFile = None,
    encoder: EncoderName = None,
    arm: ArmNames = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Choose thresholds with a bound on the risk; exit status 1 where the exam cannot certify any."""
    from memlab.exam.made_by import versions
    from memlab.exam.tune import tune as find

    if to is not None and (to.is_dir() or not to.absolute().parent.is_dir()):
        raise MemlabError(f"--to: {to} cannot be written; name a file in a folder that is there")
    now = instant(as_of)
    with progress(as_json) as tell:
        made = find(
            store, exam, risk=risk, confidence=confidence, share=share, group=group, seed=seed, settings=settings,
            encoder=encoder, extra_arms=arm or (), now=now, progress=tell,
        )  # fmt: skip
    certified = made.calibration.certified
    if certified and to is not None:
        made.save(to)
    if as_json:
        print_json(
            made.as_dict()
            | {"versions": dict(versions()), "command": command_again(now), "to": str(to) if certified and to else None}
        )
    else:
        out.print(made)
        if to is not None:
            line(f"settings: {to}" if certified else f"{to} was not written: nothing is certified")
        line(f"again: {command_again(now)}", style="dim")
    if not certified:
        raise typer.Exit(1)
