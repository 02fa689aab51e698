"""Whether changes set the same thing, and whether they set it alike."""

from __future__ import annotations

from tuner.model.action import Action
from tuner.model.change import Change


def same_target(a: Action, b: Action) -> bool:
    """Whether two actions set the same thing, so that only one can be in force."""
    return (a.kind, a.target, a.query, a.relations) == (b.kind, b.target, b.query, b.relations)


def share_target(one: Change, other: Change) -> bool:
    """Whether two changes set the same thing; people analyse tables for several."""
    return any(same_target(a, b) for a in one.carried_out for b in other.carried_out)


def differ_on_target(one: Change, other: Change) -> bool:
    """Whether two changes set the same thing to different values, so that only one can be in force."""
    pairs = ((a, b) for a in one.carried_out for b in other.carried_out)
    return any(same_target(a, b) and a.value != b.value for a, b in pairs)
