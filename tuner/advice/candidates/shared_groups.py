"""What making the groups of a query once would save, of those that it makes several times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.learned.unit_cost_fit import work_seconds
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.query import Query
from tuner.model.shared_subplan import SharedSubplan
from tuner.spark.knobs import ANSI, EXCHANGE_REUSE


@dataclass(frozen=True, slots=True)
class SharedGroups:
    """Groups of a query, with the wall seconds that making them once saves, and those that it adds in reading them."""

    query: Query
    subplan: SharedSubplan
    saved: float
    added: float

    def action(self, join: str) -> Action:
        """The hint that has them made once above the join of this signature."""
        return Action(ActionKind.HINT_JOIN, join, Hint.SHARE, self.query.fingerprint, self.subplan.relations)


def shared_groups(facts: Facts) -> Iterator[SharedGroups]:
    """Those that the agent can make once; where they are already, nothing is left to save."""
    if facts.reach is not Reach.AGENT or not facts.settings[EXCHANGE_REUSE]:
        return
    cores = max(1, facts.cluster.cores)
    for query in facts.succeeded:
        for found in query.shared_subplans:
            # It could overflow in groups that only another copy has.
            if found.adds_bigint and facts.settings[ANSI]:
                continue
            amounts = ({}, {}) if found.reused else (found.saved_amounts, found.added_amounts)
            saved, added = (work_seconds(of, facts.costs) / cores for of in amounts)
            yield SharedGroups(query, found, saved, added)
