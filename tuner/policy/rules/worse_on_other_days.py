"""An order of joins that would be slower with the rows of another day is held, where days come that were never measured."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def worse_on_other_days(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds the orders that are priced slower than what they replace on a day that their query has seen; what a person asked
    for stays."""
    reasons = situation.worse_on_other_days
    return [
        held_back(d, reasons[d.id]) if d.id in reasons and not situation.is_asked_for(d.change) else d for d in decided
    ]
