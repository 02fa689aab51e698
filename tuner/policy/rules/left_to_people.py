"""What no driver at hand can carry out is left to people, with what is nothing without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.action import ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.situation import Situation


def left_to_people(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Proposes what would be in force, while a driver can carry out none of it."""
    return [
        replace(d, standing=Standing.PROPOSED)
        if d.is_in_force and not any(action.kind in situation.drivable for action in d.change.actions)
        else d
        for d in decided
    ]


def kinds_for_people(situation: Situation, change: Change) -> frozenset[ActionKind]:
    """The kinds of actions of an advised change, and of the one that it needs, that no driver can carry out."""
    family = (c for c in situation.advised if c.id in (change.id, change.needs))
    return frozenset(a.kind for c in family for a in c.actions) - situation.drivable


def proposed_to_people(situation: Situation, decided: DecidedChange) -> DecidedChange:
    """An advised change that only a person can carry out in part, proposed until one has said so of it."""
    kinds = kinds_for_people(situation, decided.change)
    if not decided.is_in_force or not kinds:
        return decided
    drivable = any(action.kind in situation.drivable for action in decided.change.actions)
    if drivable and situation.is_asked_for(decided.change):
        return decided
    held = Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": tuple(sorted(kind.value for kind in kinds))})
    return replace(decided, standing=Standing.PROPOSED, held=held)
