"""Study three exams and write what they show of each claim into docs/findings.md: ``python docs/studies.py``.

Needs ``$MEMLAB_REAL_DATA``. The reports themselves go to ``build/study/``; the commands that make each of them
stand in it.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import memlab as ml
from memlab.exam.study import CLAIMS, Study, study

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "findings.md"
BUILD = ROOT / "build"
# Any instant after the last that the stores name gives the same figures.
NOW = datetime(2026, 11, 30, tzinfo=UTC)
OTHER_ENCODER = "embedded-e5"


def studied(name: str, source: Path, exam: Path, off: Path) -> Study:
    """Study one exam, and write its report."""
    store = BUILD / f"{name}.store"
    if not (store / "manifest.json").exists():
        ml.build_store(source, store)
    made = study(ml.Lab.open(store), ml.Exam.read(exam), now=NOW, encoders=(OTHER_ENCODER,),
                 off_subject=ml.Exam.read(off))  # fmt: skip
    target = BUILD / "study" / name
    command = " ".join([
        "memlab", "study", f"build/{name}.store", _told(exam), "--to", f"build/study/{name}",
        "--off-subject", _told(off), "--other-encoder", OTHER_ENCODER, "--as-of", NOW.isoformat(),
    ])  # fmt: skip
    ml.write_study(made, target, command=command)
    print(name, "done", flush=True)
    return made


def _told(path: Path) -> str:
    """A path as anybody may have it: under the repository, or under the folder of the public exams."""
    if path.is_relative_to(ROOT):
        return str(path.relative_to(ROOT))
    return f"$MEMLAB_REAL_DATA/{path.relative_to(os.environ['MEMLAB_REAL_DATA'])}"


def claims(studies: dict[str, Study]) -> str:
    """A table of verdicts, and what each exam shows of each claim."""
    header = ["claim", *studies]
    rows = [[f"[{claim.title}](#{name})", *(one.findings[name].verdict for one in studies.values())]
            for name, claim in CLAIMS.items()]  # fmt: skip
    lines = ["| " + " | ".join(line) + " |" for line in (header, ["---"] * len(header), *rows)]
    for name, claim in CLAIMS.items():
        lines += ["", f'<a id="{name}"></a>', f"**{claim.title}** ({claim.section}) The chapter: {claim.chapter}",
                  f"The claim {claim.rule}.", ""]  # fmt: skip
        lines += [
            f"- {exam}: *{one.findings[name].verdict}*. {one.findings[name].here}" for exam, one in studies.items()
        ]
    return "\n".join(lines)


def main() -> None:
    """Run the studies and fill the page."""
    real = os.environ.get("MEMLAB_REAL_DATA")
    if not real:
        sys.exit("MEMLAB_REAL_DATA is not set; it names the folder of the public exams")
    data, sample = Path(real), ROOT / "data" / "python-memory"
    off = data / "off_topic" / "exam.jsonl"
    studies = {
        "sample": studied("python-memory", sample, sample / "exam.jsonl", off),
        "PEP": studied("peps", data / "peps", data / "pep_exam" / "exam.jsonl", off),
        "LoCoMo": studied("locomo", data / "locomo" / "locomo.json", data / "locomo" / "locomo.json", off),
    }
    page = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- begin claims -->", "<!-- end claims -->"
    head, rest = page.split(begin, 1)
    PAGE.write_text(f"{head}{begin}\n{claims(studies)}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
