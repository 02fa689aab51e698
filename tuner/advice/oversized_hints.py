"""Which hints no longer fit into memory, as a run measured their sides."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.advice.built_size import SIZES, BuiltSize, hinted_sides
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind
from tuner.model.reason import Reason, ReasonCode


def oversized_hints(facts: Facts, actions: Iterable[Action]) -> dict[str, Reason]:
    """The hints whose side, as this run measured it, is now too large to build: why, by action id.

    Hints that the agent can hold back by itself in the next run are left to it.
    """
    found = {}
    for action in actions:
        size_of = SIZES.get(action.value) if action.kind is ActionKind.HINT_JOIN else None
        hinted = [one for query in facts.queries for one in hinted_sides(query, action)] if size_of else []
        if size_of is None or (facts.reach is Reach.AGENT and any(side.leaf_bytes for _, _, side in hinted)):
            continue
        if reason := next(filter(None, (_too_large(size_of(facts, *one)) for one in hinted)), None):
            found[action.id] = reason
    return found


def _too_large(built: BuiltSize) -> Reason | None:
    if built.size <= built.most:
        return None
    return Reason(ReasonCode.OVERSIZED, {"bytes": built.size, "most_bytes": built.most})
