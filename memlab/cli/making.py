"""Commands that make exams and hand them on: pick, sample, remove-gold, export."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from memlab.cli.base import EncoderName, ExamFile, Json, SettingsFile, StoreFolder, app, line, print_json, progress
from memlab.errors import MemlabError

Seed = Annotated[int, typer.Option("--seed", help="The same seed picks the same questions.")]


@app.command()
def pick(
    log: Annotated[Path, typer.Argument(help="A log of decisions.")],
    question_id: Annotated[str, typer.Argument(help="Id of a question in it.")],
    node: Annotated[str | None, typer.Argument(help="Id of the node that the question means.")] = None,
    by: Annotated[str, typer.Option("--by", help="Who picked it: the author of the exam's row.")] = "",
    none: Annotated[bool, typer.Option("--none", help="No node of the store is meant.")] = False,
    store: Annotated[Path | None, typer.Option("--store", help="To pick a node that was not shown.")] = None,
    as_json: Json = False,
) -> None:
    """Say which node a logged question means: the log is an exam of what people said."""
    from memlab.exam.picks import log_pick
    from memlab.store import Store

    if none == (node is not None):
        raise MemlabError("name a node, or say --none; one of them")
    held = None if store is None else Store.open(store)
    decision = log_pick(log, question_id, node, by=by, now=datetime.now(UTC), store=held)
    if as_json:
        print_json({"question_id": question_id, "question": decision.get("question"), "node": node, "by": by.strip()})
        return
    line(f"{decision.get('question')} → {node or 'none of these'}, says {by.strip()}")


@app.command()
def sample(
    store: StoreFolder,
    questions: Annotated[Path, typer.Argument(help="An exam, a log, CSV, JSON lines, or text with one a line.")],
    to: Annotated[Path, typer.Option("--to", help="File to write: .jsonl, .csv or .parquet.")],
    n: Annotated[int, typer.Option("--n", help="How many questions.")] = 50,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="What makes a stratum: state, reason, lang, …; may be repeated.")
    ] = None,
    equal: Annotated[bool, typer.Option("--equal", help="As many of each stratum, not by its size.")] = False,
    seed: Seed = 0,
    settings: SettingsFile = None,
    encoder: EncoderName = None,
    as_json: Json = False,
) -> None:
    """Pick questions by chance to be labelled by hand."""
    from memlab.exam import sample_questions
    from memlab.exam.files import check_ending, write_rows
    from memlab.exam.sampling import questions_of
    from memlab.rules import decide

    _refuse_the_same(to, questions)
    check_ending(to)
    found, decisions = questions_of(questions), None
    strata = tuple(by or ())
    if any(name not in found.columns for name in strata):
        from memlab.lab import Lab

        with progress(as_json) as tell:
            lab = Lab.open(store, encoder=encoder, settings=settings, progress=tell)
            decisions = decide(lab.gather(found, arms=lab.settings.arms), lab.settings)
    chosen = sample_questions(found, n, seed=seed, by=strata, decisions=decisions, equal=equal)
    write_rows(chosen.rename({"question_id": "id"}), to)
    sizes = (
        chosen.group_by(*strata, "stratum_size", "stratum_sampled", maintain_order=True)
        .agg()
        .sort(strata or "stratum_size")
    )
    if as_json:
        print_json({"file": str(to), "n": chosen.height, "of": found.height, "strata": sizes.to_dicts()})
        return
    line(f"{to}: {chosen.height} of {found.height} questions (seed {seed})")
    for row in sizes.iter_rows(named=True) if strata else ():
        told = ", ".join(f"{name} {row[name] or '–'}" for name in strata)
        line(f"  {row['stratum_sampled']} of {row['stratum_size']}: {told}", style="dim")


@app.command("remove-gold")
def remove_gold_command(
    store: StoreFolder,
    exam: ExamFile,
    store_out: Annotated[Path, typer.Argument(help="Folder of the store to write.")],
    exam_out: Annotated[Path, typer.Argument(help="Exam to write: .jsonl, .csv or .parquet.")],
    share: Annotated[
        float | None, typer.Option("--share", help="Of the answerable questions; 0.2 when left out.")
    ] = None,
    n: Annotated[int | None, typer.Option("--n", help="How many questions, instead of a share.")] = None,
    seed: Seed = 0,
    encoder: EncoderName = None,
    as_json: Json = False,
) -> None:
    """Take the gold of some questions out of a store: honest questions without an answer."""
    from memlab.exam import Exam, remove_gold
    from memlab.exam.files import check_ending
    from memlab.lab import Lab

    _refuse_the_same(store_out, store)
    _refuse_the_same(exam_out, exam)
    check_ending(exam_out)
    if not exam_out.absolute().parent.is_dir():
        raise MemlabError(f"{exam_out}: cannot be written; name a file in a folder that is there")
    with progress(as_json) as tell:
        lab = Lab.open(store, encoder=encoder, progress=tell)
        smaller, left = remove_gold(lab.store, Exam.read(exam), share=share, n=n, seed=seed)
        made = Lab.of(smaller, encoder=lab.encoders, progress=tell).save(store_out)
    left.write(exam_out)
    if as_json:
        counts = {"nodes": made.store.nodes.height, "unanswerable": int((~left.questions["answerable"]).sum())}
        print_json({"store": str(store_out), "exam": str(exam_out), "note": left.notes[-1]} | counts)
        return
    line(f"{store_out}, {exam_out}: {left.notes[-1]}")


@app.command()
def export(
    store: StoreFolder,
    exam: ExamFile,
    to: Annotated[Path, typer.Option("--to", help="Folder to write into.")],
    form: Annotated[str, typer.Option("--format", help="beir, trec, parquet or csv.")],
    escape: Annotated[bool, typer.Option("--escape", help="trec: write spaces in ids as %20.")] = False,
    tag: Annotated[str, typer.Option("--tag", help="trec: name of the run.")] = "memlab",
    settings: SettingsFile = None,
    encoder: EncoderName = None,
    as_json: Json = False,
) -> None:
    """Write an exam and what was decided in the formats of other tools."""
    from memlab.exam import Exam, grade, interchange
    from memlab.lab import Lab
    from memlab.rules import decide
    from memlab.store import Store

    if form not in ("beir", "trec", "parquet", "csv"):
        raise MemlabError(f"--format: one of beir, trec, parquet, csv, not {form!r}")
    if to.exists() and not to.is_dir():
        raise MemlabError(f"--to: {to} is a file; name a folder")
    asked = Exam.read(exam)
    if form == "beir":
        held = Store.open(store)
        files = [interchange.write_beir(held, asked.for_store(held), to)]
    else:
        with progress(as_json) as tell:
            lab = Lab.open(store, encoder=encoder, settings=settings, progress=tell)
            asked = asked.for_store(lab.store)
            decisions = decide(lab.gather(asked, arms=lab.settings.arms), lab.settings)
        outcomes = grade(decisions, asked, kinds=lab.store.nodes, settings=lab.settings)
        files = _write(outcomes, to, form, tag=tag, escape=escape)
    unanswerable = int((~asked.questions["answerable"]).sum())
    if as_json:
        print_json({"files": [str(file) for file in files], "unanswerable": unanswerable})
        return
    for file in files:
        line(str(file))
    if form == "trec" and unanswerable:
        line(f"note: {unanswerable} unanswerable questions have no line in the qrels", style="dim")


def _write(outcomes: Any, folder: Path, form: str, *, tag: str, escape: bool) -> list[Path]:
    from memlab.exam import interchange

    folder.mkdir(parents=True, exist_ok=True)
    if form != "trec":
        return [interchange.write_decisions(outcomes, folder / f"decisions.{form}")]
    run = interchange.write_run(outcomes, folder / "run.trec", tag=tag, escape=escape)
    return [interchange.write_qrels(outcomes.exam, folder / "qrels.trec", escape=escape), run]


def _refuse_the_same(target: Path, source: Path) -> None:
    if target.exists() and source.exists() and target.samefile(source):
        raise MemlabError(f"{target}: is what is read; name another place, so that nothing is lost")
