"""How fast the machine was in a run, by what no change can have touched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tuner.policy.evidence.log_filter import FREEDOM

_ROUNDS = 4
# A busy machine takes several times as long as an idle one: believed when controls are this many standard deviations off.
BUSY, SEEMS_BUSY = 0.5, 2.5
# So few queries may be slow because of a property that reaches them: they do not tell that a machine is busy.
FEW = 3
# Of fewer controls than these, one that is to be judged itself is left out.
MANY = 5


class Control(NamedTuple):
    """By how much a quantity was off (log), and the variance that is expected of it with a machine as usual.

    `clean`: no change in force can have touched it.
    """

    error: float
    variance: float
    clean: bool = True


class Speed(NamedTuple):
    """The log factor that all of a run shares, and how unsure it is (a variance)."""

    log: float
    variance: float


def machine_speed(controls: Sequence[Control], spread: float) -> Speed:
    """How fast the machine was. `spread` is that of machines where nothing tells.

    A normal prior and Student-t errors: what few queries do alone is theirs.
    """
    if not controls or not spread:
        return Speed(0.0, spread**2)
    middle = sorted(controls)[len(controls) // 2]
    telling = len(controls) >= FEW or any(control.clean for control in controls)
    if telling and abs(middle.error) > SEEMS_BUSY * math.sqrt(spread**2 + middle.variance):
        spread = max(spread, BUSY)
    return _estimate(controls, spread)


def _estimate(controls: Sequence[Control], spread: float) -> Speed:
    middle = sorted(controls)[len(controls) // 2].error
    precision = 1.0
    for _ in range(_ROUNDS):
        precision, weighted = 1 / spread**2, 0.0
        for error, variance, _ in controls:
            off = (error - middle) ** 2 / variance
            weight = (FREEDOM + 1) / (FREEDOM + off) / variance
            precision += weight
            weighted += weight * error
        middle = weighted / precision
    return Speed(middle, 1 / precision)


def without(controls: Sequence[Control], one: Control | None) -> Sequence[Control]:
    """The controls that tell of a query that is one of them itself."""
    if one is None or len(controls) >= MANY:
        return controls
    others = list(controls)
    others.remove(one)
    return others
