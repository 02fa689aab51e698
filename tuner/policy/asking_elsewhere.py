"""Which changes may be decided otherwise where others like them come to something else in other cohorts."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.change import Change
from tuner.model.decision import TAKEN_OUT, DecidedChange, Decision, Standing
from tuner.model.reason import ReasonCode
from tuner.policy.imported_changes import is_imported
from tuner.policy.same_target import share_target
from tuner.policy.tried_elsewhere import kinds_of_change

# What stands so is on record here, or a person has said so; what is held so was before anybody looked elsewhere.
_KNOWN_HERE = TAKEN_OUT | {Standing.PROMOTED, Standing.PINNED}
_HELD_BEFORE = frozenset({ReasonCode.LOST_ALIKE, ReasonCode.MAY_LOSE})


def asking_elsewhere(advised: Iterable[Change], decision: Decision) -> list[Change]:
    """Of the changes that a decision was made of, and those in it, the ones that it asks other cohorts of, or may: by
    `tuner.policy.decided_advice` it asks of what this cohort knows nothing itself."""
    proven = {
        kind
        for decided in decision.changes
        if decided.standing is Standing.PROMOTED and decided.change.is_on_joins
        for kind in kinds_of_change(decided.change)
    }
    known = {decided.id for decided in decision.changes if _is_known(decided)}
    changes = [*advised, *(decided.change for decided in decision.changes)]
    return [
        change
        for change in changes
        if not (change.needs or is_imported(change))
        and proven.isdisjoint(kinds_of_change(change))
        and (change.id not in known or any(_may_complete(change, other) for other in changes))
    ]


def _is_known(decided: DecidedChange) -> bool:
    return decided.standing in _KNOWN_HERE or (decided.held is not None and decided.held.code in _HELD_BEFORE)


def _may_complete(change: Change, other: Change) -> bool:
    """Whether another is decided as one with what this sets: then others like both count."""
    if change.is_on_joins or other.is_on_joins or not share_target(other, change):
        return False
    return not kinds_of_change(change) <= kinds_of_change(other)
