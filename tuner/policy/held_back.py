"""How a change is kept out of one run."""

from __future__ import annotations

from dataclasses import replace

from tuner.model.decision import IN_FORCE, DecidedAction, Standing


def held_back(decided: DecidedAction, why: str) -> DecidedAction:
    """Out of this run, and why; what is not in force, or pinned by a person, is left as it is."""
    if decided.standing not in IN_FORCE or decided.standing is Standing.PINNED:
        return decided
    return replace(decided, standing=Standing.HELD, reason=f"{decided.reason}; held: {why}")
