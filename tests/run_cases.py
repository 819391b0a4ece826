"""Run a file of cases through the public interface: ``python tests/run_cases.py FILE``.

Prints a line for each case that fails (expected, got) and closes with ``N passed, M failed``.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import memlab as ml


def _decomposed(case: dict[str, Any]) -> dict[str, Any]:
    """Decompose the places that an editor may have composed."""
    for place in case.get("nfd_in", []):
        target: Any = case
        *path, last = (int(p) if p.isdigit() else p for p in place.split("."))
        for step in path:
            target = target[step]
        target[last] = unicodedata.normalize("NFD", target[last])
    return case


def _store(case: dict[str, Any]) -> ml.Store:
    if "raw_rows" in case:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "nodes.jsonl").write_text("\n".join(case["raw_rows"]) + "\n", encoding="utf-8")
            return ml.read_store(Path(folder))
    return ml.Store.from_frames(case["nodes"], case["edges"], case["pieces"])


def _ask(case: dict[str, Any], order: random.Random | None = None) -> ml.Answer:
    if order is not None:
        case = json.loads(json.dumps(case))
        for part in ("nodes", "pieces", "edges"):
            order.shuffle(case.get(part, []))
    arms = case["arms"]
    lab = ml.Lab.of(_store(case), encoder="embedded" if "semantic" in arms else None)
    return lab.resolve(case["question"], as_of=case["as_of"], include_retired=case["include_retired"], arms=arms)


def _outcome(answer: ml.Answer) -> tuple[str, str | None, tuple[str, ...]]:
    return answer.state, answer.node_id, tuple(answer.candidates["node_id"])


def faults(case: dict[str, Any], shuffles: int = 3) -> Iterator[str]:
    """Yield what does not hold of a case, as ``expected …, got …``; its rows are shuffled so many times."""
    expect = case["expect"]
    try:
        answer = _ask(case)
    except ml.MemlabError as error:
        yield from _error_faults(expect, str(error))
        return
    if "error" in expect:
        yield f"expected an error naming {expect['error']!r}, got {answer.state}"
        return
    state, node, candidates = _outcome(answer)
    got = f"got {state} {node or ''} {list(candidates)} ({', '.join(answer.reasons)})"
    allowed = [expect["state"]] if "state" in expect else expect.get("state_in")
    if allowed and state not in allowed:
        yield f"expected {' or '.join(allowed)}, {got}"
    if "node" in expect and node != expect["node"]:
        yield f"expected node {expect['node']}, {got}"
    if state == "resolved" and node in expect.get("never_resolved_to", []):
        yield f"expected never {node}, {got}"
    for key, seen, wanted in (
        ("in_pool", answer.pool, True),
        ("not_in_pool", answer.pool, False),
        ("in_candidates", candidates, True),
        ("not_in_candidates", candidates, False),
    ):
        wrong = [n for n in expect.get(key, []) if (n in seen) is not wanted]
        if wrong:
            yield f"expected {key} {wrong}, {got}, pool {list(answer.pool)}"
    if len(candidates) > expect.get("max_candidates", 5):
        yield f"expected at most {expect.get('max_candidates', 5)} candidates, {got}"
    for seed in range(shuffles):
        shuffled = _outcome(_ask(case, random.Random(seed)))
        if shuffled != (state, node, candidates):
            yield f"expected the same when shuffled, {got} and {shuffled}"
            break


def _error_faults(expect: dict[str, Any], message: str) -> Iterator[str]:
    if "error" not in expect:
        yield f"expected {expect}, got the error {message!r}"
        return
    missing = [word for word in expect["error"].split() if word not in message]
    if missing:
        yield f"expected an error naming {expect['error']!r}, got {message!r}"


def load(path: Path) -> list[dict[str, Any]]:
    """Read a file of cases."""
    return [_decomposed(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main(path: str) -> int:
    """Run every case; the number of failures decides the exit status."""
    passed = failed = 0
    for case in load(Path(path)):
        problems = list(faults(case))
        if problems:
            failed += 1
            print(f"{case['id']}: {problems[0]}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/run_cases.py FILE")
    sys.exit(main(sys.argv[1]))
