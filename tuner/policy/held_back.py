"""How changes are kept out of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason


def held_back(decided: DecidedChange, held: Reason) -> DecidedChange:
    """Out of this run, and why; what is not in force, or pinned by a person, is left as it is."""
    if not decided.is_in_force or decided.standing is Standing.PINNED:
        return decided
    return replace(decided, standing=Standing.HELD, held=held)


def held_back_for(decided: Sequence[DecidedChange], reasons: Mapping[str, Reason]) -> list[DecidedChange]:
    """All of them, each that there is a reason for, by its id, out of this run."""
    return [held_back(d, reasons[d.id]) if d.id in reasons else d for d in decided]
