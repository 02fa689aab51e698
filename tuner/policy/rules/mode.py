"""The cohort's mode: observe applies nothing, suggest only what a person approved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.policy.situation import Situation


def mode(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Proposes what would be in force, where the mode leaves it to people."""
    return [replace(d, standing=Standing.PROPOSED) if d.is_in_force and _waits(situation, d) else d for d in decided]


def _waits(situation: Situation, decided: DecidedChange) -> bool:
    if situation.mode is Mode.AUTO:
        return False
    return situation.mode is Mode.OBSERVE or not situation.is_asked_for(decided.change)
