"""How long memlab takes: each arm, the pool and the rules, beside bm25s and FAISS flat in the same run.

    python benchmarks/arms.py [--sizes 10000,100000] [--questions 2000] [--json FILE]

Stores are made up from a seed. Nothing is asserted: read the ratios, not the milliseconds.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import bm25s
import faiss
import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import memlab as ml
from memlab.arms import Asked, Gathering, GraphArm, SemanticArm, TitleArm, ask, questions_frame
from memlab.encoders import EncoderInfo
from memlab.indexes import Indexes, build_indexes, load_indexes, write_indexes
from memlab.pool import Evidence, pool
from memlab.store import Store

SEED = 20
NOW = datetime(2025, 6, 1, tzinfo=UTC)
KINDS = ("Concept", "Record", "Decision", "Episode")
WORDS = 30_000
Report = dict[str, Any]


def vocabulary(chance: np.random.Generator) -> NDArray[np.str_]:
    """Made-up pronounceable words, all different."""
    syllables = [c + v for c in "b d f g k l m n p r s t v z br dr kl pr st tr".split() for v in "aeiou"]
    made: dict[str, None] = {}
    while len(made) < WORDS:
        picked = chance.choice(syllables, size=(WORDS, 4))
        # The longer the rarer the same string is a stop word of some language.
        sizes = chance.integers(3, 5, size=WORDS)
        made |= dict.fromkeys("".join(row[:n]) for row, n in zip(picked, sizes, strict=True))
    return np.array(list(made)[:WORDS])


class Words:
    """Words by Zipf's law, without its head: what is left when stop words are gone."""

    def __init__(self, chance: np.random.Generator) -> None:
        self.chance = chance
        self.known = vocabulary(chance)
        weight = 1 / (np.arange(WORDS) + 10)
        self.share = np.cumsum(weight / weight.sum())

    def texts(self, sizes: NDArray[np.int64]) -> list[list[str]]:
        """Return one list of words a size."""
        flat = self.known[np.searchsorted(self.share, self.chance.random(int(sizes.sum()))).clip(max=WORDS - 1)]
        return [part.tolist() for part in np.split(flat, np.cumsum(sizes)[:-1])]


class HashedEncoder:
    """Unit sum of one seeded random direction a word: cheap, so that encoding is not what is measured."""

    info = EncoderInfo("benchmark-hash", "1", 128)

    def __init__(self) -> None:
        self._directions = np.random.default_rng(SEED).standard_normal((1 << 14, self.info.dimension), dtype=np.float32)

    def encode_document(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.empty((len(texts), self.info.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._directions[[crc32(w.encode()) & 0x3FFF for w in text.lower().split()]].sum(axis=0, out=row)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))

    encode_query = encode_document


def synthetic(size: int, questions: int) -> tuple[Store, list[Report]]:
    """Make a store of ``size`` nodes and questions about it; the same seed makes the same."""
    chance = np.random.default_rng(SEED)
    words = Words(chance)
    titles = words.texts(chance.integers(3, 13, size=size))
    aliases = words.texts(chance.integers(2, 6, size=size))
    has_alias = chance.random(size) < 0.3
    # A fifth has an interval; about half of those has ended by now.
    dated = chance.random(size) < 0.2
    start = chance.integers(0, 3000, size=size)
    length = chance.integers(100, 4000, size=size)
    kinds = chance.choice(KINDS, size=size)
    day = datetime(2015, 1, 1, tzinfo=UTC)
    nodes = pl.DataFrame(
        {
            "id": [f"n{i}" for i in range(size)],
            "kind": kinds,
            "title": [" ".join(t).capitalize() for t in titles],
            "aliases": [[" ".join(a)] if has else [] for a, has in zip(aliases, has_alias, strict=True)],
            "valid_from": [day + timedelta(days=int(s)) if d else None for s, d in zip(start, dated, strict=True)],
            "valid_to": [
                day + timedelta(days=int(s + n)) if d else None for s, n, d in zip(start, length, dated, strict=True)
            ],
        }
    )
    count = size // 2
    concepts = np.flatnonzero(kinds == "Concept")
    told = chance.choice(concepts, size=(count, 2))
    told_of = chance.choice(size, size=count)
    running = words.texts(chance.integers(8, 16, size=count))
    pieces = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(count)],
            "text": [" ".join(r + titles[a] + titles[b]) for r, (a, b) in zip(running, told, strict=True)],
            "mentions": [[f"n{a}", f"n{b}"] if a != b else [f"n{a}"] for a, b in told],
        }
    )
    edges = pl.DataFrame({"source": [f"n{i}" for i in told_of[::5]], "type": "FROM",
                          "target": pieces["id"].gather_every(5)})  # fmt: skip
    asked = []
    for number, (node, other) in enumerate(
        zip(chance.integers(0, size, questions), words.texts(chance.integers(1, 5, questions)), strict=True)
    ):
        # About half of the title's words and some others, as a question in its own words has them.
        mine = [w for w in titles[node] if chance.random() < 0.5]
        asked.append({"question_id": f"q{number}", "question": " ".join(["What about", *mine, *other]) + "?"})
    return Store.from_frames(nodes, edges, pieces), asked


def median_ms(run: Callable[[], object], repetitions: int) -> float:
    """Median of some runs, in milliseconds, after one that is not counted."""
    run()
    taken = []
    for _ in range(repetitions):
        gc.collect()
        start = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def memory_mb() -> float:
    """Most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)


def _gather(lab: ml.Lab, asked: Asked, depth: Gathering) -> tuple[dict[str, Callable[[], object]], Evidence]:
    """The steps of gathering, each ready to be run alone, and the evidence that they give."""
    title = TitleArm(lab.indexes.names)
    graph = GraphArm(lab.indexes, lab.store.nodes["kind"])
    semantic = SemanticArm(lab.indexes.vectors[0])
    found, beyond = title.search_and_cut(asked, depth)
    pieces = graph.pieces(asked, depth)
    hits = pl.concat([found, graph.follow(pieces, asked, depth), semantic.search(asked, depth)])

    def pooled() -> Evidence:
        return pool(hits, asked, lab.store, lab.indexes, gathering=depth, pieces=pieces, beyond=beyond,
                    encoders=[e.info for e in lab.encoders])  # fmt: skip

    steps: dict[str, Callable[[], object]] = {
        "title arm": lambda: title.search_and_cut(asked, depth),
        "semantic arm": lambda: semantic.search(asked, depth),
        "graph arm": lambda: graph.search(asked, depth),
        "pool": pooled,
    }
    return steps, pooled()


def _saved_and_loaded(store: Store, indexes: Indexes, encoder: HashedEncoder) -> tuple[float, float]:
    """Megabytes of the indexes on disk, and milliseconds to load them."""
    with tempfile.TemporaryDirectory() as folder:
        saved = store.save(Path(folder) / "store", extra=lambda at: write_indexes(indexes, at))
        size = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file()) / 1e6
        return size, median_ms(lambda: load_indexes(saved, [encoder]), 3)


def _rivals(names: pl.DataFrame, lab: ml.Lab, asked: Asked, depth: int) -> dict[str, Callable[[], object]]:
    """Plain search over the same titles, tokens and vectors."""
    titles = names.filter("is_title")
    words = lab.indexes.names.terms.join(titles.select("name"), on="name")
    coded = words.select("term").unique().sort("term").with_row_index("token")
    lists = words.join(coded, on="term").group_by("name").agg("token").sort("name")["token"].to_list()
    bm25 = bm25s.BM25()
    bm25.index((lists, dict(coded.select("term", "token").iter_rows())), show_progress=False)
    queries = asked.terms.join(coded, on="term").group_by("query").agg("token").sort("query")["token"].to_list()
    flat = faiss.IndexFlatIP(lab.encoders[0].info.dimension)
    flat.add(lab.encoders[0].encode_document(titles["text"].to_list()))
    vectors = np.ascontiguousarray(asked.vectors[0])
    return {
        "bm25s": lambda: bm25.retrieve(queries, k=depth, show_progress=False, n_threads=1),
        "FAISS flat": lambda: flat.search(vectors, depth),
    }


def measure(size: int, n_questions: int, repetitions: int) -> Report:
    """Measure one size of store."""
    encoder, depth = HashedEncoder(), Gathering()
    start = time.perf_counter()
    store, rows = synthetic(size, n_questions)
    made = time.perf_counter() - start
    start = time.perf_counter()
    indexes = build_indexes(store, [encoder])
    built = time.perf_counter() - start
    lab = ml.Lab(store, indexes, (encoder,))
    questions = questions_frame(rows, NOW)
    asked = ask(questions, store.nodes, [encoder])
    steps, evidence = _gather(lab, asked, depth)
    rivals = _rivals(indexes.names.names, lab, asked, depth.depth)
    settings = lab.settings
    batch = {
        "words and vectors": median_ms(lambda: ask(questions, store.nodes, [encoder]), repetitions),
        **{name: median_ms(run, repetitions) for name, run in steps.items()},
        "decide": median_ms(lambda: ml.decide(evidence, settings), 2 * repetitions + 1),
        **{name: median_ms(run, repetitions) for name, run in rivals.items()},
    }
    alone = [lab.gather([row], now=NOW) for row in rows[:1]]
    one = {
        "gather": median_ms(lambda: lab.gather(rows[7:8], now=NOW), 4 * repetitions),
        "decide": median_ms(lambda: ml.decide(alone[0], settings), 4 * repetitions),
    }
    megabytes, loaded = _saved_and_loaded(store, indexes, encoder)
    states = ml.decide(evidence, settings)["state"].value_counts(sort=True).rows()
    return {
        "nodes": size,
        "names": indexes.names.names.height,
        "pieces": store.pieces.height,
        "questions": n_questions,
        "pool_rows": evidence.frame.height,
        "pool_mean": round(evidence.frame.height / n_questions, 1),
        "states": dict(states),
        "store_seconds": made,
        "index_seconds": built,
        "store_megabytes": megabytes,
        "load_ms": loaded,
        "peak_memory_mb": memory_mb(),
        "batch_ms": batch,
        "one_question_ms": one,
    }


def tables(report: Report) -> list[Table]:
    """Tables of one size, and what else was seen."""
    batch, n = report["batch_ms"], report["questions"]
    table = Table(
        title=f"{report['nodes']:,} nodes, {report['names']:,} names, {report['pieces']:,} pieces; "
        f"a batch of {n:,} questions, pools of {report['pool_mean']:g} on average",
        title_justify="left",
    )
    for name in ("step", "ms for the batch", "ms a question", "x bm25s", "x FAISS flat"):
        table.add_column(name, justify="left" if name == "step" else "right")
    for name, taken in batch.items():
        table.add_row(
            name,
            f"{taken:,.0f}",
            f"{taken / n:.3f}",
            f"{taken / batch['bm25s']:.2f}",
            f"{taken / batch['FAISS flat']:.2f}",
            end_section=name == "decide",
        )
    rest = Table(show_header=False)
    rest.add_column()
    rest.add_column(justify="right")
    rest.add_row("one question alone: gather", f"{report['one_question_ms']['gather']:.1f} ms")
    rest.add_row("one question alone: decide", f"{report['one_question_ms']['decide']:.1f} ms")
    rest.add_row("indexes built in", f"{report['index_seconds']:.1f} s")
    rest.add_row("indexes loaded in", f"{report['load_ms']:.0f} ms")
    rest.add_row("store and indexes on disk", f"{report['store_megabytes']:.0f} MB")
    rest.add_row("peak memory of the process so far", f"{report['peak_memory_mb']:,.0f} MB")
    return [table, rest]


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of nodes, commas between")
    parser.add_argument("--questions", type=int, default=2000, help="questions in the batch")
    parser.add_argument("--repetitions", type=int, default=3, help="runs that a median is taken of")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    console = Console(width=max(100, Console().width))
    reports = []
    for size in (int(s) for s in given.sizes.split(",")):
        reports.append(measure(size, given.questions, given.repetitions))
        for table in tables(reports[-1]):
            console.print(table)
    versions = {"python": platform.python_version(), "polars": pl.__version__, "bm25s": bm25s.__version__,
                "faiss": faiss.__version__, "numpy": np.__version__, "cores": os.cpu_count()}  # fmt: skip
    console.print(" · ".join(f"{k} {v}" for k, v in versions.items()), highlight=False)
    if given.json:
        given.json.write_text(json.dumps({"versions": versions, "sizes": reports}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
