"""memlab: decide which memory a question means, or say that none is meant.

Search narrows where a memory might be; resolution decides which memory it is. The usual start::

    import memlab as ml

    lab = ml.Lab.open("my.store")
    lab.resolve("Why did we leave Subversion?")

Everything here is imported on first use: ``import memlab`` loads neither faiss nor torch, nor any
notebook package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memlab._version import __version__ as __version__

_HOMES = {
    "About": "memlab.store",
    "Answer": "memlab.answer",
    "Arm": "memlab.arms",
    "Calibration": "memlab.exam",
    "Comparison": "memlab.exam",
    "Curve": "memlab.exam",
    "Encoder": "memlab.encoders",
    "EncoderInfo": "memlab.encoders",
    "Evidence": "memlab.pool",
    "Exam": "memlab.exam",
    "Explanation": "memlab.explain",
    "Gathering": "memlab.arms",
    "InputError": "memlab.errors",
    "Lab": "memlab.lab",
    "Labelling": "memlab.exam",
    "MemlabError": "memlab.errors",
    "Neighbourhood": "memlab.around",
    "Outcomes": "memlab.exam",
    "PRESETS": "memlab.rules",
    "Resolution": "memlab.resolution",
    "Resolver": "memlab.resolver",
    "Settings": "memlab.rules",
    "Split": "memlab.exam",
    "Standing": "memlab.exam",
    "Store": "memlab.store",
    "Study": "memlab.exam.study",
    "agreement": "memlab.exam",
    "build_store": "memlab.building",
    "calibrate": "memlab.exam",
    "check_arm": "memlab.arms",
    "compare": "memlab.exam",
    "confidence_of": "memlab.exam",
    "decide": "memlab.rules",
    "evidence_from": "memlab.candidates",
    "export": "memlab.charts.export",
    "fitted_on": "memlab.exam",
    "get_encoders": "memlab.encoders",
    "grade": "memlab.exam",
    "read_beir": "memlab.exam.interchange",
    "read_decisions": "memlab.exam.interchange",
    "read_qrels": "memlab.exam.interchange",
    "read_run": "memlab.exam.interchange",
    "read_store": "memlab.readers",
    "remove_gold": "memlab.exam",
    "risk_coverage": "memlab.exam",
    "sample_exam": "memlab.sample",
    "sample_questions": "memlab.exam",
    "sample_store": "memlab.sample",
    "split": "memlab.exam",
    "standing": "memlab.exam",
    "study": "memlab.exam.study",
    "tune": "memlab.exam",
    "write_beir": "memlab.exam.interchange",
    "write_decisions": "memlab.exam.interchange",
    "write_qrels": "memlab.exam.interchange",
    "write_run": "memlab.exam.interchange",
    "write_study": "memlab.reporting",
}
_MODULES = ("charts", "widgets")

__all__ = [*sorted(_HOMES), *_MODULES]

if TYPE_CHECKING:
    from memlab import charts as charts
    from memlab import widgets as widgets
    from memlab.answer import Answer as Answer
    from memlab.arms import Arm as Arm
    from memlab.arms import Gathering as Gathering
    from memlab.arms import check_arm as check_arm
    from memlab.around import Neighbourhood as Neighbourhood
    from memlab.building import build_store as build_store
    from memlab.candidates import evidence_from as evidence_from
    from memlab.charts.export import export as export
    from memlab.encoders import Encoder as Encoder
    from memlab.encoders import EncoderInfo as EncoderInfo
    from memlab.encoders import get_encoders as get_encoders
    from memlab.errors import InputError as InputError
    from memlab.errors import MemlabError as MemlabError
    from memlab.exam import Calibration as Calibration
    from memlab.exam import Comparison as Comparison
    from memlab.exam import Curve as Curve
    from memlab.exam import Exam as Exam
    from memlab.exam import Labelling as Labelling
    from memlab.exam import Outcomes as Outcomes
    from memlab.exam import Split as Split
    from memlab.exam import Standing as Standing
    from memlab.exam import agreement as agreement
    from memlab.exam import calibrate as calibrate
    from memlab.exam import compare as compare
    from memlab.exam import confidence_of as confidence_of
    from memlab.exam import fitted_on as fitted_on
    from memlab.exam import grade as grade
    from memlab.exam import remove_gold as remove_gold
    from memlab.exam import risk_coverage as risk_coverage
    from memlab.exam import sample_questions as sample_questions
    from memlab.exam import split as split
    from memlab.exam import standing as standing
    from memlab.exam import tune as tune
    from memlab.exam.interchange import read_beir as read_beir
    from memlab.exam.interchange import read_decisions as read_decisions
    from memlab.exam.interchange import read_qrels as read_qrels
    from memlab.exam.interchange import read_run as read_run
    from memlab.exam.interchange import write_beir as write_beir
    from memlab.exam.interchange import write_decisions as write_decisions
    from memlab.exam.interchange import write_qrels as write_qrels
    from memlab.exam.interchange import write_run as write_run
    from memlab.exam.study import Study as Study
    from memlab.exam.study import study as study
    from memlab.explain import Explanation as Explanation
    from memlab.lab import Lab as Lab
    from memlab.pool import Evidence as Evidence
    from memlab.readers import read_store as read_store
    from memlab.reporting import write_study as write_study
    from memlab.resolution import Resolution as Resolution
    from memlab.resolver import Resolver as Resolver
    from memlab.rules import PRESETS as PRESETS
    from memlab.rules import Settings as Settings
    from memlab.rules import decide as decide
    from memlab.sample import sample_exam as sample_exam
    from memlab.sample import sample_store as sample_store
    from memlab.store import About as About
    from memlab.store import Store as Store


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"memlab.{name}")
    raise AttributeError(f"module 'memlab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
