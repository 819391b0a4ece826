"""One decision with everything that was asked on the way, and what it would have been otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from memlab.pool import Evidence
from memlab.rules import Settings
from memlab.rules.decide import judged_by
from memlab.rules.succession import settle
from memlab.rules.weigh import ordered


class Verdict(NamedTuple):
    """What was decided, or would be."""

    state: str
    node_id: str | None
    reason: str


@dataclass(frozen=True, eq=False)
class Trace:
    """The way of one question.

    Attributes
    ----------
    evidence : Evidence
        Of one question.
    settings : Settings
    """

    evidence: Evidence
    settings: Settings

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Everything that :func:`memlab.rules.judge` kept."""
        return judged_by(self.evidence, self.settings).row(0, named=True)

    @property
    def verdict(self) -> Verdict:
        """What was decided."""
        facts = self.facts
        return Verdict(facts["state"], facts["picked"] if facts["resolved"] else None, facts["reasons"][0])

    def again(self, **changes: Any) -> Verdict:
        """Decide again under changed settings; nothing is searched again."""
        return Trace(self.evidence, self.settings.but(**changes)).verdict

    @property
    def gap_setting(self) -> str:
        """Name of the setting that the gap has to reach where no title is whole."""
        facts = self.facts
        led = facts["lead"] and facts["agreed"]
        return "gap" if led and facts["needed"] == self.settings.gap else "gap_alone"

    @cached_property
    def pool(self) -> pl.DataFrame:
        """The pool in order, best first, with ``apart``: what a succession set apart is no rival."""
        pool = ordered(self.evidence.frame, self.evidence.questions, self.settings)
        background = self.evidence.backgrounds[0] if self.evidence.backgrounds else 0.0
        settled = settle(pool, self.settings, background)
        apart: list[str] = [] if settled is None else settled.apart["node_id"].to_list()
        told = self.evidence.frame.select("node_id", "kind", "title", "name_used", "hidden_by")
        pool = pool.with_columns(apart=pl.col("node_id").is_in(pl.Series(apart, dtype=pl.String).implode()))
        if settled is not None and settled.rivals.height:
            # Ranks by meaning were taken anew among the rivals.
            anew = settled.rivals.select("node_id", "semantic_rank", "semantic_gap")
            pool = pool.update(anew, on="node_id", how="left")
        return pool.join(told, on="node_id", how="left", maintain_order="left")

    @cached_property
    def leaders(self) -> pl.DataFrame:
        """Rows of the pool that stand highest by title, hidden ones included."""
        best = self.facts["best"] or 0
        return self.pool.filter(~pl.col("apart") & (pl.col("standing") == best) & (pl.col("standing") > 0))

    @cached_property
    def nearest(self) -> pl.DataFrame:
        """Rows of the pool that are first by meaning, those that share a title or a similarity with it included."""
        found = self.pool.filter(~pl.col("apart") & pl.col("semantic_similarity").is_not_null())
        if found.is_empty():
            return found
        first = found.sort("semantic_rank", "content_rank").row(0, named=True)
        keys = self.evidence.frame.select("node_id", key="title_key")
        key = keys.filter(pl.col("node_id") == first["node_id"])["key"][0]
        near = found.join(keys, on="node_id", how="left", maintain_order="left")
        same = (pl.col("semantic_similarity") >= first["semantic_similarity"]) | (pl.col("key") == key)
        return near.filter(same).sort("semantic_rank", "content_rank").drop("key")

    def title(self, node_id: str) -> str:
        """Title of a node of the pool; its id where the pool does not hold it."""
        return self._titles.get(node_id, node_id)

    @cached_property
    def _titles(self) -> dict[str, str]:
        return dict(self.evidence.frame.select("node_id", "title").iter_rows())
