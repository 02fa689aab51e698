"""A change is out while the change that it needs is."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def needed_change(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds what needs a change that is not in force."""
    out = {d.id: d for d in decided if not d.is_in_force}
    return [held_back(d, because_of(out[d.change.needs])) if d.change.needs in out else d for d in decided]


def because_of(needed: DecidedChange) -> Reason:
    """That the change which another needs is out."""
    return Reason(ReasonCode.NEEDED_CHANGE_OUT, {"standing": needed.standing.value})
