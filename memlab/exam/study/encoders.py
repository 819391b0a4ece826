"""Another encoder in the place of the first (chapter 18, section 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from memlab.defaults import default_settings
from memlab.encoders import get_encoders
from memlab.exam.compare import compare
from memlab.exam.grade import Outcomes
from memlab.exam.study.base import FAILS, HOLDS, NOTHING, OPEN, Bench, Finding, Verdict, measured, said, shares
from memlab.indexes import PieceIndex
from memlab.indexes.vectors import TitleVectors
from memlab.pool import Evidence
from memlab.rules import Settings


def encoder(bench: Bench) -> Finding:
    """The semantic arm by another encoder, all else as it was, each with the settings measured for it."""
    own = bench.lab.encoders[0].info.name if bench.lab.encoders else None
    others = [name for name in bench.others if name != own]
    if own is None or not others:
        here = "No other encoder was asked for." if own else "The store has no encoder."
        return Finding("encoder", here, OPEN, {"encoder": pl.DataFrame()})
    graded = {own: bench.outcomes}
    alone = {own: bench.graded(bench.settings.but(arms=("semantic",)))}
    for name in others:
        evidence, settings = _swapped(bench, name)
        graded[name] = bench.graded(settings, evidence)
        alone[name] = bench.graded(settings.but(arms=("semantic",)), evidence)
    rows: list[dict[str, Any]] = []
    for name, whole in graded.items():
        rows += _measured(name, "all arms", whole) + _measured(name, "semantic arm alone", alone[name])
    other = others[0]
    table = compare(graded[own], {other: graded[other]}, seed=bench.seed).table
    lines = {row["measure"]: row for row in table.iter_rows(named=True)}
    verdict: Verdict = OPEN
    here = "No question has an answer."
    if "first" in lines:
        first, right = lines["first"], lines["resolved_right"]
        moved = first["low"] > 0 or first["high"] < 0
        committed = right["low"] > 0 or right["high"] < 0
        still = first["low"] > -NOTHING and first["high"] < NOTHING
        verdict = HOLDS if moved and not committed else FAILS if committed or still else OPEN
        here = (
            f"With {other} in the place of {own}, gold is first on {first['before']} → {first['after']} of {first['n']}"
            f" ({said((first['difference'], first['low'], first['high']))}) and resolved right on {right['before']} →"
            f" {right['after']} ({said((right['difference'], right['low'], right['high']))})."
        )
    notes = (
        "titles alone are encoded anew; pieces are found as before, and floors are set by titles",
        "thresholds belong to an encoder: what is resolved compares two sets of settings too",
    )
    return Finding("encoder", here, verdict, {"encoder": shares(rows)}, notes)


def _swapped(bench: Bench, name: str) -> tuple[Evidence, Settings]:
    """Gather with both encoders, and put the second in the place of the first."""
    lab, second = bench.lab, get_encoders(name)[0]
    vectors = TitleVectors.build(lab.indexes.names.names, second)
    both = replace(
        lab,
        encoders=(*lab.encoders[:1], second),
        indexes=replace(lab.indexes, vectors=(*lab.indexes.vectors[:1], vectors)),
    )
    evidence = both.gather(bench.exam, now=bench.now)
    own = {
        column: column.replace("semantic2", "semantic") for column in evidence.frame.columns if "semantic2" in column
    }
    frame = evidence.frame.drop(own.values()).rename(own)
    arm = pl.element()
    frame = frame.with_columns(
        first_by=pl.col("first_by").list.eval(arm.filter(arm != "semantic").replace("semantic2", "semantic"))
    ).filter(pl.any_horizontal(pl.col(f"{arm}_rank").is_not_null() for arm in ("title", "graph", "semantic")))
    made = replace(evidence, frame=frame, encoders=evidence.encoders[1:], backgrounds=evidence.backgrounds[1:])
    without_pieces = replace(lab.indexes, vectors=(vectors,), pieces=PieceIndex.none())
    return made, default_settings((second,), without_pieces)


def _measured(name: str, arms: str, one: Outcomes) -> list[dict[str, Any]]:
    found, committed = measured(one)[:2], measured(one)[2:]
    rows = one.rows.filter("answerable", pl.col("crosses").fill_null(False))
    crossing = {
        "measure": "first is gold, scripts crossed", "count": int(rows["first_right"].sum()), "n": rows.height
    }  # fmt: skip
    # What the semantic arm resolves alone is no setting that anybody has.
    told = [*found, crossing, *(committed if arms == "all arms" else ())]
    return [{"encoder": name, "arms": arms} | row for row in told]
