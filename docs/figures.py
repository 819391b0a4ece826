"""Make the tables of docs/findings.md again: ``python docs/figures.py`` (needs ``$MEMLAB_REAL_DATA``).

Stores are built into ``build/`` on first use. Each table stands between two markers in the page; the
text around them is left as it is.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import memlab as ml
from memlab.arms import ask, questions_frame
from memlab.exam import Outcomes, wilson
from memlab.indexes.match import best_names, match_names

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "findings.md"
BUILD = ROOT / "build"
SEED = 20_26
# A sentence with fewer content words than this has no content of its own.
OWN_CONTENT = 3
PRESETS = ("one_word", "two_words", "gap", "two_words_and_gap", "either")
# One rule changed at a time.
CHANGES = {
    "no substitution rule": {"substitution": False},
    "fused order": {"order": "fused"},
    "succession settles": {"succession": True},
    "off-subject gate": {"gate": True},
    "other-Concept gate": {"concept_gate": True},
    "share of the title's words": {"normalise_length": True},
}
WAYS = {
    "raw cosine": {},
    "centred": {"centred": True},
    "half the hub score off": {"hub": 0.5},
    "both": {"centred": True, "hub": 0.5},
}
# Stores small enough to be encoded again by the slower encoder.
CORRECTED = ("sample", "FAQ", "LoCoMo")
SHOWN = ("in_pool", "first", "resolved_right", "confident_wrong", "choose_has_gold", "none", "risk")


def _lab(name: str, source: Path) -> ml.Lab:
    target = BUILD / f"{name}.store"
    if not (target / "manifest.json").exists():
        ml.build_store(source, target)
    return ml.Lab.open(target)


def _percent(count: int, n: int) -> str:
    low, high = wilson(count, n)
    return "–" if low is None or high is None else f"{count}/{n} = {count / n:.2f} [{low:.2f}, {high:.2f}]"


def _markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _measures(outcomes: Outcomes, *names: str) -> list[str]:
    table = {row["measure"]: row for row in outcomes.table().iter_rows(named=True)}
    return [_percent(table[name]["count"], table[name]["n"]) for name in names]


def _split(lab: ml.Lab, exam: ml.Exam, evidence: ml.Evidence, outcomes: Outcomes) -> str:
    """The PEP sentences apart, with intervals over gold documents."""
    asked = ask(questions_frame(exam.questions, evidence.questions["as_of"].max()), lab.store.nodes, ())  # type: ignore[arg-type]
    ids = asked.questions.with_row_index("query").select("query", "question_id", "content_words")
    nodes = lab.store.nodes.with_row_index("node").select("node", gold="id")
    pairs = (
        exam.questions.select("question_id", "gold").explode("gold").join(nodes, on="gold").join(ids, on="question_id")
    )
    named = best_names(
        match_names(pairs.select("query", "node"), asked.wording, lab.indexes.names), lab.indexes.names
    ).filter(pl.col("title_leftover") == 0, pl.col("is_title"), pl.col("title_words") > 0)
    rows = outcomes.rows.join(ids, on="question_id").with_columns(
        sort=pl.when(pl.col("query").is_in(named["query"].implode()))
        .then(pl.lit("carries the whole title"))
        .when(pl.col("content_words") < OWN_CONTENT)
        .then(pl.lit("no content of its own"))
        .otherwise(pl.lit("the rest")),
        document=pl.col("gold").list.first(),
    )
    lines = []
    for lang in ("en", "ko"):
        for sort in ("all", "the rest", "carries the whole title", "no content of its own"):
            part = rows.filter(pl.col("lang") == lang, (pl.col("sort") == sort) | (sort == "all"))
            if part.height:
                shares = [_clustered(part, column) for column in ("in_pool", "first_right")]
                lines.append([lang, sort, str(part.height), str(part["document"].n_unique()), *shares])
    return _markdown(["lang", "sentences", "n", "gold documents", "gold in the first 50", "first is gold"], lines)


def _corrections(name: str, lab: ml.Lab, exam: ml.Exam) -> list[list[str]]:
    """Centring and the hub correction, for each embedded encoder."""
    lines = []
    for encoder in ("embedded", "embedded-e5", "embedded-fused"):
        asked = lab if encoder == "embedded" else ml.Lab.of(lab.store, encoder=encoder)
        ways = WAYS if encoder != "embedded-fused" else {"raw cosine": {}}
        for way, changes in ways.items():
            evidence = replace(asked, gathering=ml.Gathering(**changes)).gather(exam)
            alone, all_arms = (
                ml.grade(ml.decide(evidence, asked.settings.but(arms=arms)), exam)
                for arms in (("semantic",), asked.settings.arms)
            )
            lines.append([name, encoder, way, *_measures(alone, "first", "in_pool"),
                          *_measures(all_arms, "first", "resolved_right", "risk")])  # fmt: skip
    return lines


def _floors(name: str, lab: ml.Lab, exam: ml.Exam, evidence: ml.Evidence, off: ml.Exam) -> list[list[str]]:
    """What a floor catches of questions on other subjects, and what it costs."""
    far, lines = lab.gather(off), []
    titles, pieces = lab.indexes.vectors[0].reach, lab.indexes.pieces.reach
    sets = {"0.20, fixed": lab.settings.but(floor=0.2, piece_floor=10.0)}
    for share in (0.5, 0.95):
        floor = round(float(np.quantile(titles, share)), 3)
        sets[f"{share:.2f} of reference questions, titles alone"] = lab.settings.but(floor=floor, piece_floor=10.0)
    sets["**as shipped**: 0.95, titles and pieces"] = lab.settings
    for what, settings in sets.items():
        states = ml.decide(far, settings)["state"].cast(pl.String)
        mine = ml.grade(ml.decide(evidence, settings), exam)
        spread = [
            f"{lang or '–'} {int((part['state'].cast(pl.String) == 'none').sum())}/{part.height}"
            for (lang,), part in sorted(mine.rows.filter("answerable").group_by("lang"))
        ]
        shown = "–" if settings.piece_floor > 1 or not len(pieces) else f"{settings.piece_floor:.3f}"
        lines.append([name, what, f"{settings.floor:.3f}", shown, _percent(int((states == "none").sum()), len(states)),
                      ", ".join(spread), str(mine.counts()["choose_has_gold"])])  # fmt: skip
    return lines


def _clustered(rows: pl.DataFrame, column: str) -> str:
    """A share with a bootstrap interval that resamples gold documents, not sentences."""
    per = rows.group_by("document", maintain_order=True).agg(pl.col(column).sum().alias("hit"), pl.len().alias("n"))
    hit, n = per["hit"].to_numpy(), per["n"].to_numpy()
    drawn = np.random.default_rng(SEED).integers(0, len(hit), size=(5000, len(hit)))
    low, high = np.quantile(hit[drawn].sum(1) / n[drawn].sum(1), [0.025, 0.975])
    return f"{hit.sum() / n.sum():.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Ask every exam once, and write the tables."""
    real = os.environ.get("MEMLAB_REAL_DATA")
    if not real:
        sys.exit("MEMLAB_REAL_DATA is not set; it names the folder of the public exams")
    data = Path(real)
    sample = ROOT / "data" / "python-memory"
    exams = {
        "sample": (_lab("python-memory", sample), ml.Exam.read(sample / "exam.jsonl")),
        "FAQ": (
            _lab("faq", data / "python_faq_ko" / "nodes.jsonl"),
            ml.Exam.read(data / "python_faq_ko" / "exam.jsonl"),
        ),
        "LoCoMo": (_lab("locomo", data / "locomo" / "locomo.json"), ml.Exam.read(data / "locomo" / "locomo.json")),
        "PEP": (_lab("peps", data / "peps"), ml.Exam.read(data / "pep_exam" / "exam.jsonl")),
    }
    off = ml.Exam.read(data / "off_topic" / "exam.jsonl")
    default, unanswerable, history, floors, locomo, corrections = [], [], [], [], [], []
    tables: dict[str, str] = {}
    for name, (lab, exam_as_read) in exams.items():
        exam = exam_as_read.for_store(lab.store)
        evidence = lab.gather(exam)
        kinds = lab.store.nodes.select("id", "kind")

        def graded(settings: ml.Settings, exam: ml.Exam = exam, evidence: ml.Evidence = evidence,
                   kinds: pl.DataFrame = kinds) -> Outcomes:  # fmt: skip
            return ml.grade(ml.decide(evidence, settings), exam, kinds=kinds)

        outcomes = graded(lab.settings)
        default.append(
            [name, ", ".join(exam.authors),
             *_measures(outcomes, *SHOWN)]
        )  # fmt: skip
        if outcomes.counts()["n_unanswerable"]:
            unanswerable.append(
                [name, *_measures(outcomes, "unanswerable_resolved", "unanswerable_choose", "unanswerable_none")]
            )
        steps = {f"`{preset}`": ml.PRESETS[preset] for preset in PRESETS} | {"as shipped": lab.settings}
        steps |= {f"as shipped, {what}": lab.settings.but(**changes) for what, changes in CHANGES.items()}
        history += [
            [name, what, *_measures(graded(settings), "first", "resolved_right", "risk")]
            for what, settings in steps.items()
        ]
        if name in CORRECTED:
            corrections += _corrections(name, lab, exam)
        if name == "PEP":
            tables["pep"] = _split(lab, exam, evidence, outcomes)
        if name == "LoCoMo":
            strict = ml.grade(ml.decide(evidence, lab.settings), exam.strict(), kinds=kinds)
            for label, part in (("lenient gold", outcomes), ("strict gold", strict)):
                locomo.append(
                    [label, *_measures(part, "in_pool", "first", "resolved_right", "confident_wrong", "risk")]
                )
            for tag in ("cited:one", "cited:several"):
                rows = outcomes.rows.filter(pl.col("tags").list.contains(tag))
                locomo.append(
                    [
                        f"lenient, {tag.replace(':', ' ')}",
                        *_measures(
                            Outcomes(rows, exam), "in_pool", "first", "resolved_right", "confident_wrong", "risk"
                        ),
                    ]
                )
        floors += _floors(name, lab, exam, evidence, off)
        print(name, "done", flush=True)
    tables["default"] = _markdown(
        [
            "exam",
            "written by",
            "gold in the first 50",
            "first is gold",
            "resolved right",
            "confident wrong",
            "choose has gold",
            "none",
            "risk",
        ],
        default,
    )
    tables["unanswerable"] = _markdown(["exam", "resolved", "choose", "none"], unanswerable)
    tables["history"] = _markdown(["exam", "settings", "first is gold", "resolved right", "risk"], history)
    tables["locomo"] = _markdown(
        ["LoCoMo", "gold in the first 50", "first is gold", "resolved right", "confident wrong", "risk"], locomo
    )
    tables["floor"] = _markdown(
        ["store", "floor set by", "titles", "pieces", "off-subject: none", "answerable, by language: none",
         "choose lists that hold the gold"], floors
    )  # fmt: skip
    tables["corrections"] = _markdown(
        ["exam", "encoder", "nearest titles by", "semantic arm alone: first is gold", "gold in the first 50",
         "as shipped: first is gold", "resolved right", "risk"], corrections
    )  # fmt: skip
    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        head, rest = page.split(begin, 1)
        page = f"{head}{begin}\n{table}\n{end}{rest.split(end, 1)[1]}"
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
