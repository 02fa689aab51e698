"""A user's own setting wins: what it speaks against is held."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.held_back import held_back_for
from tuner.policy.situation import Situation


def overruled(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds the changes that the job's own settings speak against."""
    return held_back_for(decided, situation.overruled)
