"""Long titles: how long they are by kind, whose questions they win, and whether dividing by length helps."""

from __future__ import annotations

import polars as pl

from memlab.exam.compare import compare
from memlab.exam.grade import Outcomes
from memlab.exam.intervals import wilson
from memlab.exam.study.base import FAILS, FEW, HOLDS, OPEN, Bench, Finding, Verdict, of, said, shares
from memlab.text import segment


def titles(bench: Bench) -> Finding:
    """Words of a title by kind, and which kind stands first on whose questions."""
    lengths = _lengths(bench)
    won = _won(bench.outcomes, bench.kinds)
    wrong = won.group_by("first_kind").agg((pl.col("count") - pl.col("right")).sum().alias("count"))
    longest = lengths.sort("median", "kind", descending=[True, False]).head(1)
    total, verdict = int(wrong["count"].sum()), OPEN
    if lengths.height < 2 or total < FEW:
        here = f"The store has {lengths.height} kinds, and {total} first places are wrong."
    else:
        kind, nodes = longest["kind"][0], int(longest["n"][0])
        base = nodes / int(lengths["n"].sum())
        taken = int(wrong.filter(pl.col("first_kind") == kind)["count"].sum())
        low, high = wilson(taken, total)
        if low is not None and high is not None:
            verdict = HOLDS if low > base else FAILS if high < base else OPEN
        medians = ", ".join(f"{row['kind']} {row['median']:.0f}" for row in lengths.iter_rows(named=True))
        here = (
            f"Median words of a title: {medians}. {kind} titles are the longest and {base:.2f} of the nodes; of the"
            f" wrong first places they take {of(taken, total)}."
        )
    note = "a word is what stands between spaces, or what the segmenter gives in scripts without spaces"
    return Finding("titles", here, verdict, {"lengths": lengths, "won": won}, (note,))


def length(bench: Bench) -> Finding:
    """Rank by the share of a title's words in place of their number."""
    plain, divided = bench.outcomes, bench.graded(bench.settings.but(normalise_length=True))
    compared = compare(plain, {"share of words": divided}, seed=bench.seed)
    first = compared.table.filter(pl.col("measure") == "first")
    rows = []
    for label, one in (("words", plain), ("share of words", divided)):
        kinds = sorted(one.rows["gold_kind"].drop_nulls().unique())
        for kind in ["all", *kinds]:
            part = one.rows.filter("answerable", (pl.col("gold_kind") == kind) | (pl.lit(kind) == "all"))
            for measure, flag in (("first is gold", part["first_right"]), ("resolved right", _right(part))):
                rows.append(
                    {"gold_kind": kind, "measure": measure, "counted": label, "count": int(flag.sum()), "n": len(flag)}
                )
    verdict: Verdict = OPEN
    here = "No question has an answer."
    if first.height:
        line = first.row(0, named=True)
        verdict = HOLDS if line["high"] < 0 else FAILS if line["low"] > 0 else OPEN
        here = (
            f"By shares the gold is first on {line['after']} of {line['n']} questions instead of {line['before']}:"
            f" {said((line['difference'], line['low'], line['high']))}, McNemar p = {line['p']:.2g}."
        )
        records = [r for r in rows if r["gold_kind"] == "Record" and r["measure"] == "first is gold"]
        if len(records) == 2:
            here += f" After a Record: {records[0]['count']} → {records[1]['count']} of {records[0]['n']}."
    return Finding("length", here, verdict, {"length": shares(rows), "flips": compared.flips})


def _lengths(bench: Bench) -> pl.DataFrame:
    nodes = bench.lab.store.nodes
    words = segment(nodes["title"].to_list()).group_by("text").agg(words=pl.col("word").n_unique())
    held = nodes.select(kind=pl.col("kind").cast(pl.String)).with_row_index("text")
    return (
        held.join(words.with_columns(pl.col("text").cast(pl.UInt32)), on="text", how="left")
        .with_columns(pl.col("words").fill_null(0))
        .group_by("kind")
        .agg(
            n=pl.len(),
            q25=pl.col("words").quantile(0.25, "linear"),
            median=pl.col("words").median(),
            q75=pl.col("words").quantile(0.75, "linear"),
            longest=pl.col("words").max(),
        )
        .sort("kind")
    )


def _won(outcomes: Outcomes, kinds: pl.DataFrame) -> pl.DataFrame:
    """Count answerable questions by the kind of their gold and of what stands first."""
    named = kinds.select(first="id", first_kind=pl.col("kind").cast(pl.String))
    first = outcomes.rows.filter("answerable").join(named, on="first", how="left", maintain_order="left")
    return (
        first.group_by("gold_kind", "first_kind")
        .agg(count=pl.len(), right=pl.col("first_right").sum())
        .with_columns(n=pl.col("count").sum().over("gold_kind"))
        .sort("gold_kind", "first_kind")
    )


def _right(rows: pl.DataFrame) -> pl.Series:
    return rows.select(right=pl.col("outcome").cast(pl.String) == "resolved_right")["right"]
