"""A user's own setting wins: what it speaks against is held."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange
from tuner.policy.held_back import held_back
from tuner.policy.situation import Situation


def overruled(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds the changes that the job's own settings speak against."""
    reasons = situation.overruled
    return [held_back(d, reasons[d.id]) if d.id in reasons else d for d in decided]
