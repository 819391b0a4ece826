"""Write memlab/rules/shipped.json again: the exams that the shipped thresholds were chosen on, as fingerprints.

``python docs/fitted.py`` (needs ``$MEMLAB_REAL_DATA``). It holds no question, only six bytes of a hash of each.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import memlab as ml
from memlab.exam.provenance import record_of

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "memlab" / "rules" / "shipped.json"
THRESHOLDS = ("gap", "gap_alone", "veto_gap")
GATES = ("gate", "concept_gate")


def main() -> None:
    """Read each exam and write its record."""
    real = os.environ.get("MEMLAB_REAL_DATA")
    if not real:
        sys.exit("MEMLAB_REAL_DATA is not set; it names the folder of the public exams")
    data = Path(real)
    exams = {
        ROOT / "data" / "python-memory" / "exam.jsonl": (*THRESHOLDS, *GATES),
        data / "python_faq_ko" / "exam.jsonl": (*THRESHOLDS, *GATES),
        data / "locomo" / "locomo.json": (*THRESHOLDS, *GATES),
        data / "pep_exam" / "exam.jsonl": (*THRESHOLDS, *GATES),
        data / "off_topic" / "exam.jsonl": ("floor", "piece_floor"),
    }
    records = [asdict(record_of(ml.Exam.read(path), what)) for path, what in exams.items()]
    TARGET.write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for one in records:
        print(one["exam"], one["checksum"][:12], one["n"], ", ".join(one["authors"]))


if __name__ == "__main__":
    main()
