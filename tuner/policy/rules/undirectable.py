"""What the agent has no way to be told of is held."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.held_back import held_back_for
from tuner.policy.situation import Situation


def undirectable(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds the changes that could not be put into the agent's message."""
    return held_back_for(decided, situation.undirectable)
