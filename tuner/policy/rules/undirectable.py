"""What the agent has no way to be told of is held."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def undirectable(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds the changes that could not be put into the agent's message."""
    reasons = situation.undirectable
    return [held_back(d, reasons[d.id]) if d.id in reasons else d for d in decided]
