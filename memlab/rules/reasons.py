"""The closed list of states and reasons.

When several reasons apply, the first in this order is reported and ``reasons`` lists all.
"""

from __future__ import annotations

import polars as pl

STATES = ("resolved", "choose", "none")

RESOLVED = {
    "whole_title": "the question is this title, nothing left over",
    "title_and_gap": "leads by title words and stands alone in front by meaning",
    "semantic_gap": "stands far in front by meaning",
    "title_lead": "leads by title words (no semantic arm asked)",
}
CHOOSE = {
    "tie": "several candidates are equally plausible",
    "retired_rival": "a candidate that does not hold at that instant ties with or beats the one that does",
    "number_differs": "words are left over on both sides, and one is a number",
    "name_differs": "words are left over on both sides and one is a name, or the two say opposite things",
    "arms_disagree": "the arms put different candidates first",
    "one_word": "too few title words match",
    "small_gap": "the first is not far enough in front of the second",
    "graph_only": "only pieces mention it",
    "gate": "what the title left over touches nothing that search returned",
}
NONE = {
    "empty_question": "the question has no words to go by",
    "empty_pool": "nothing matches",
    "all_retired": "everything that matches has ended or has not begun",
    "below_floor": "everything is too far from the question",
}
# Every reason in words.
WHY = RESOLVED | CHOOSE | NONE
REASONS = tuple(WHY)

STATE = pl.Enum(STATES)
REASON = pl.Enum(REASONS)
