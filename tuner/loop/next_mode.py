"""The mode of a cohort's next run."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import Decision, Mode
from tuner.model.verdict import ModeChange


def next_mode(changes: Sequence[ModeChange], newest: Decision | None) -> Mode:
    """As far as the store knows: a person's, else that of the newest run; observe where its job has steering switched off.
    `changes` are oldest first."""
    if newest is not None and newest.steering_off:
        return Mode.OBSERVE
    given = changes[-1].mode if changes else None
    return given or (newest.mode if newest else Mode.OBSERVE)
