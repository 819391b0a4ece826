"""What each arm saw of a candidate, and what it lacks to be resolved: a line each, in words."""

from __future__ import annotations

from typing import Any, Final

from memlab.explain import Explanation

# From here on a gap is out of reach, which is how the settings turn a ground off.
_OFF: Final = 2.0
_ARMS: Final = {"title": "title", "graph": "pieces", "semantic": "meaning", "semantic2": "meaning (second encoder)"}


def evidence_line(row: dict[str, Any], gap: float | None) -> str:
    """Say what each arm saw of a node.

    Parameters
    ----------
    row : dict
        Its row of the evidence.
    gap : float, optional
        Of the question, raw cosine; it belongs to the nearest.
    """
    words, size = row["title_words"], row["title_size"]
    counted = f"{words} of {_many(size, 'title word')}" if words else "no title word"
    told = ["the whole title" if row["whole_title"] else counted]
    if row["semantic_rank"] is not None:
        near = f"similarity {row['semantic_similarity']:.3f}, {_place(row['semantic_rank'])} by meaning"
        ahead = row["semantic_rank"] == 1 and gap is not None
        told.append(f"{near}, gap {gap:.3f}" if ahead else near)
    if row["graph_pieces"]:
        told.append(_many(row["graph_pieces"], "piece"))
    first = [_ARMS.get(arm, arm) for arm in row["first_by"]]
    told += [f"alone in front by {' and '.join(first)}"] if first else []
    return " · ".join(told)


def missing_line(row: dict[str, Any], one: Explanation) -> str:
    """Say what keeps a candidate from being resolved; for what is resolved, by which ground it is.

    Parameters
    ----------
    row : dict
        Its row of the evidence.
    one : Explanation
    """
    if row["node_id"] == one.node_id:
        held = [of for (of,), part in one.grounds.group_by("of", maintain_order=True) if part["passed"].all()]
        return f"holds: {', '.join(held) or one.reason}"
    told = [*_by_title(row, one), *_differs(row), *_by_meaning(row, one)]
    if row["validity"] != "current":
        told.append(f"{row['validity']} at that time")
    if not told and one.state != "resolved":
        return f"kept back by: {', '.join(one.reasons)}"
    return f"missing: {' · '.join(told)}" if told else ""


def _by_title(row: dict[str, Any], one: Explanation) -> list[str]:
    rules = one.answer.settings
    if "title" not in rules.arms:
        return []
    tied = one.order.filter("tied")["node_id"].to_list()
    rivals = len(tied) - 1 if row["node_id"] in tied else 0
    if row["whole_title"]:
        return [f"{_many(rivals, 'other')} with the same whole title"] if rivals else []
    words = row["title_words"]
    if words < rules.min_words:
        return [f"{_many(words, 'title word')}, {rules.min_words} needed" if words else "title words"]
    if rivals:
        return [f"{_many(rivals, 'other')} with as many title words"]
    best = one.order["title_words"].max()
    behind = one.order["whole_title"].any() or (isinstance(best, int) and words < best)
    return ["another leads by title"] if behind else []


def _differs(row: dict[str, Any]) -> list[str]:
    names = {"number_differs": "another number", "name_differs": "another name, or the opposite"}
    return [said for name, said in names.items() if row[name]]


def _by_meaning(row: dict[str, Any], one: Explanation) -> list[str]:
    if "semantic" not in one.answer.settings.arms:
        return []
    rank = row["semantic_rank"]
    if rank is None:
        return ["not near by meaning"]
    if rank > 1:
        return [f"not nearest ({_place(rank)})"]
    gap = one.gap
    if not gap.setting or (gap.gap or 0.0) >= gap.needed:
        return []
    return ["a title lead" if gap.needed >= _OFF else f"gap {gap.gap or 0.0:.3f}, {gap.needed:.3f} needed"]


def _many(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def _place(rank: int) -> str:
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending}"
