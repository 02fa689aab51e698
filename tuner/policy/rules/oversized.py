"""What builds a hash relation that has grown too large is held."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.held_back import held_back_for
from tuner.policy.situation import Situation


def oversized(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds hints whose side, as the latest run measured it, memory no longer holds."""
    return held_back_for(decided, situation.oversized)
