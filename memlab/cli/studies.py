"""Commands that measure: the chapter's experiments on a store, and settings compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memlab.cli.base import (
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

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from memlab.rules import Settings

# Measures in few letters, for 80 columns.
_SHORT = {
    "in_pool": "gold in first 50",
    "first": "first is gold",
    "resolved_right": "resolved right",
    "wrong": "wrong of all",
    "choose_has_gold": "choose has gold",
    "unanswerable_none": "no answer: none",
    "risk": "risk (of resolved)",
}

_With = Annotated[
    list[str] | None, typer.Option("--with", help="Settings to compare: a preset's name or a TOML file; repeatable.")
]


@app.command()
def study(
    store: StoreFolder,
    exam: ExamFile,
    to: Annotated[Path, typer.Option("--to", help="Folder of the report; an earlier study there is replaced.")],
    settings: SettingsFile = None,
    compare_with: _With = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="One experiment by name; repeatable.")] = None,
    other_encoder: Annotated[
        list[str] | None,
        typer.Option(
            "--other-encoder",
            help="Encoder to try in the store's place, or none; repeatable. One that is installed when left out.",
        ),
    ] = None,
    off_subject: Annotated[
        Path | None, typer.Option("--off-subject", help="An exam of questions on other subjects, none answerable.")
    ] = None,
    gold_removed: Annotated[
        float, typer.Option("--gold-removed", min=0, max=1, help="Share of questions asked again without their gold.")
    ] = 0.2,
    formats: Annotated[str, typer.Option("--formats", help="Of the charts: svg, png, pdf, html, json.")] = "svg",
    gold: Annotated[str, typer.Option("--gold", help="lenient or strict, where the exam has both.")] = "lenient",
    seed: Annotated[int, typer.Option("--seed", help="Of the bootstraps and of what gold is removed.")] = 2026,
    encoder: EncoderName = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Run the chapter's experiments on a store, and write the report, its charts and its tables."""
    from memlab.charts import FORMATS
    from memlab.exam import Exam
    from memlab.exam.report import by_gold
    from memlab.exam.study import study as run
    from memlab.lab import Lab
    from memlab.reporting import check_folder, write_study

    wanted = [name.strip() for name in formats.split(",") if name.strip()]
    for name in wanted:
        if name not in FORMATS:
            raise MemlabError(f"--formats: no such format as {name!r}; there are {', '.join(FORMATS)}")
    now = instant(as_of)
    # Before anything slow begins.
    check_folder(to)
    questions, others = by_gold(Exam.read(exam), gold), _settings(compare_with)
    with progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, settings=settings, progress=tell)
        made = run(
            lab, questions, now=now, others=others, only=only,
            encoders=other_encoder, off_subject=None if off_subject is None else Exam.read(off_subject),
            gold_removed=gold_removed, seed=seed, progress=tell,
        )  # fmt: skip
        files = write_study(made, to, command=command_again(now), formats=wanted)
    if as_json:
        standing = made.bench.outcomes.standing().as_dict()
        print_json(made.made_by(command_again(now)) | {"findings": made.summary().to_dicts(), "standing": standing})
        return
    for name, finding in made.findings.items():
        line(f"{name}: {finding.verdict}. {finding.here}")
    line(f"figures: {made.bench.outcomes.standing()}")
    line(f"{to / 'index.html'} and {len(files) - 1} files beside it")
    line(f"again: {command_again(now)}", style="dim")


@app.command()
def compare(
    store: StoreFolder,
    exam: ExamFile,
    compare_with: _With,
    settings: SettingsFile = None,
    by: Annotated[
        str | None, typer.Option("--group-by", help="Draw questions that share a tag together, such as conversation:.")
    ] = None,
    flips: Annotated[int, typer.Option("--flips", help="Flipped questions to list.")] = 20,
    encoder: EncoderName = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Compare settings on the same questions: what changes, for which, and whether it is more than chance."""
    from memlab.exam import Exam, grade
    from memlab.exam.compare import compare as beside
    from memlab.exam.compare import groups_by_tag
    from memlab.exam.made_by import made_by
    from memlab.lab import Lab
    from memlab.rules import decide

    others = _settings(compare_with)
    if not others:
        raise MemlabError("--with: name a preset or a settings file to compare with")
    now = instant(as_of)
    with progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, settings=settings, progress=tell)
        read = Exam.read(exam)
        questions = read.for_store(lab.store)
        evidence = lab.gather(questions, now=now)
    graded = {
        name: grade(decide(evidence, one), questions, kinds=lab.store.nodes, settings=one)
        for name, one in {"baseline": lab.settings, **others}.items()
    }
    baseline = graded.pop("baseline")
    made = beside(baseline, graded, groups=None if by is None else groups_by_tag(questions, by))
    if as_json:
        about = made_by(lab, read, lab.settings, now=now, command=command_again(now))
        print_json(about | {"table": made.table.to_dicts(), "flips": made.flips.to_dicts(),
                            "others": {name: one.as_dict() for name, one in others.items()},
                            "standing": made.standing().as_dict()})  # fmt: skip
        return
    for shown in _comparison_tables(made.table):
        out.print(shown)
    for row in made.flips.head(flips).iter_rows(named=True):
        line("{setting}: {way}: {before} → {after}: {question} ({question_id})".format_map(row))
    if made.flips.height > flips:
        line(f"… and {made.flips.height - flips} more; --flips {made.flips.height} lists all")
    line(f"figures: {made.standing()}", style="dim")
    line(f"again: {command_again(now)}", style="dim")


def _comparison_tables(table: pl.DataFrame) -> list[Table]:
    """A table for each of the settings, in 80 columns."""
    from rich.table import Table

    tables: dict[str, Table] = {}
    for row in table.iter_rows(named=True):
        if row["setting"] not in tables:
            shown = Table(title=row["setting"], title_justify="left", box=None, padding=(0, 2, 0, 0))
            shown.add_column("measure", no_wrap=True)
            for name in ("before → after", "difference [95 %]", "p", "Holm"):
                shown.add_column(name, justify="right", no_wrap=True)
            tables[row["setting"]] = shown
        known = row["difference"] is not None
        tables[row["setting"]].add_row(
            _SHORT.get(row["measure"], row["measure"]),
            f"{row['before']}/{row['n_before']} → {row['after']}/{row['n']}",
            f"{row['difference']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}]" if known else "–",
            *("–" if row[name] is None else f"{row[name]:.1g}" for name in ("p", "p_holm")),
        )
    return list(tables.values())


def _settings(names: list[str] | None) -> dict[str, Settings]:
    """Settings by preset or by file; two of one name are told apart by their folders."""
    from memlab.rules import PRESETS, Settings

    found: dict[str, Settings] = {}
    for name in names or ():
        if name in PRESETS:
            found[name] = PRESETS[name]
        elif Path(name).suffix == ".toml" or Path(name).exists():
            # What a file is called must not pass for a preset, another file, or the settings in use.
            taken = {*PRESETS, *found, "baseline", "as set"}
            found[Path(name).stem if Path(name).stem not in taken else name] = Settings.load(name)
        else:
            raise MemlabError(f"--with: {name!r} is neither a settings file nor one of {', '.join(PRESETS)}")
    return found
