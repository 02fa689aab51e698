"""Whether changes set the same thing, and whether they set it alike."""

from __future__ import annotations

from tuner.model.action import STRATEGIES, Action, ActionKind
from tuner.model.change import Change


def same_target(a: Action, b: Action) -> bool:
    """Whether two actions set the same thing, so that only one can be in force: a join has one strategy, by one of its sides."""
    if (a.kind, a.target, a.query) != (b.kind, b.target, b.query):
        return False
    return a.relations == b.relations or (a.kind is ActionKind.HINT_JOIN and STRATEGIES.issuperset((a.value, b.value)))


def share_target(one: Change, other: Change) -> bool:
    """Whether two changes set the same thing; people analyse tables for several."""
    return any(same_target(a, b) for a in one.carried_out for b in other.carried_out)


def differ_on_target(one: Change, other: Change) -> bool:
    """Whether two changes set the same thing otherwise, so that only one can be in force."""
    pairs = ((a, b) for a in one.carried_out for b in other.carried_out)
    return any(same_target(a, b) and (a.value, a.relations) != (b.value, b.relations) for a, b in pairs)
