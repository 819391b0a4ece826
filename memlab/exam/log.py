"""From a log of decisions to an exam: what people picked becomes gold."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.errors import InputError
from memlab.log import TORN, Entry, read_log

# Who is named where nobody said who picked.
UNKNOWN = "unknown"
# Who "wrote" the gold of a question that only the rules judged.
RULES = "memlab-rules"
UNJUDGED = "unjudged"


@dataclass
class Asked:
    """The last decision of one id, and what each person last picked for it."""

    line: int
    entry: Entry
    picks: dict[str, str | None] = field(default_factory=dict)


def exam_rows(
    path: Path, *, written_by: str | None = None, judged_only: bool = True
) -> tuple[list[dict[str, Any]], list[str]]:
    """Turn a log into the rows of an exam.

    Parameters
    ----------
    path : Path
    written_by : str, optional
        Author of picks that do not say who made them.
    judged_only : bool
        Leave out what nobody judged. Otherwise what the rules resolved is its own gold, under the
        author ``memlab-rules`` and the tag ``unjudged``: such rows show what changes, not what is right.

    Returns
    -------
    tuple
        The rows, in the order asked, and notes on what was left out.

    Raises
    ------
    InputError
        Naming the file and the line.
    """
    told, cut = asked(path)
    rows: list[dict[str, Any]] = []
    left = {"unjudged": 0, "torn": 0, "own": 0}
    for name, one in told.items():
        row = _row(path, name, one)
        nodes = {node for node in one.picks.values() if node is not None}
        if not one.picks:
            if judged_only or one.entry.get("state") != "resolved":
                left["unjudged"] += 1
                continue
            left["own"] += 1
            rows.append(row | {"gold": [one.entry["node"]], "written_by": RULES, "tags": [UNJUDGED]})
            continue
        if nodes and None in one.picks.values():
            left["torn"] += 1
            continue
        authors = sorted({by or written_by or UNKNOWN for by in one.picks})
        rows.append(row | {"gold": sorted(nodes), "answerable": bool(nodes), "written_by": ", ".join(authors)})
    notes = [f"line {number} was cut short and is left out" for number in cut]
    if left["unjudged"]:
        notes.append(f"{left['unjudged']} decisions that nobody judged are left out")
    if left["torn"]:
        notes.append(f"{left['torn']} questions are left out: one person picked a node and another none of them")
    if left["own"]:
        notes.append(f"{left['own']} questions have the rules' own answer as gold: they show change, not what is right")
    return rows, notes


def asked(path: Path) -> tuple[dict[str, Asked], list[int]]:
    """Return what was asked, by id, and the numbers of lines that were cut short."""
    found: dict[str, Asked] = {}
    cut: list[int] = []
    for number, entry in read_log(path):
        if entry["line"] == TORN:
            cut.append(number)
        if entry["line"] not in ("decision", "choice"):
            continue
        name = entry.get("question_id")
        if not isinstance(name, str) or not name:
            raise _refuse(path, number, "question_id", "missing")
        if entry["line"] == "decision":
            known = found.get(name)
            if known is not None and known.entry.get("question") != entry.get("question"):
                raise _refuse(path, number, "question_id", f"{name!r} is also another question, in line {known.line}")
            found[name] = Asked(number, entry, known.picks if known else {})
            continue
        if name not in found:
            raise _refuse(path, number, "question_id", f"{name!r} was not decided before this line")
        node, by = entry.get("node"), entry.get("by", "")
        if node is not None and (not isinstance(node, str) or not node):
            raise _refuse(path, number, "node", "must be the id of a node, or null for none of these")
        if not isinstance(by, str):
            raise _refuse(path, number, "by", "must be a name")
        found[name].picks[by] = node
    return found, cut


def _row(path: Path, name: str, one: Asked) -> dict[str, Any]:
    entry = one.entry
    for text in ("question", "as_of"):
        if not isinstance(entry.get(text), str):
            raise _refuse(path, one.line, text, "must be text")
    if not isinstance(entry.get("include_retired", False), bool):
        raise _refuse(path, one.line, "include_retired", "must be true or false")
    if entry.get("state") == "resolved" and not isinstance(entry.get("node"), str):
        raise _refuse(path, one.line, "node", "must be the id of a node, as the state is resolved")
    return {
        "id": name,
        "question": entry["question"],
        "lang": entry.get("lang") or "",
        "as_of": entry["as_of"],
        "include_retired": entry.get("include_retired", False),
    }


def _refuse(path: Path, line: int, name: str, problem: str) -> InputError:
    return InputError(problem, part="line", row=line, field=name, file=path.name)
