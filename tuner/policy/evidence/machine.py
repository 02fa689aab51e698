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


class Shared(NamedTuple):
    """What many controls are off by together, however many they are: as much as the machine may have been off in so many `runs`,
    and it was `told` otherwise (a precision)."""

    runs: int
    told: float

    def variance(self, spread: float) -> float:
        return 1 / (self.runs / spread**2 + self.told)


class Control(NamedTuple):
    """By how much a quantity was off (log), and the variance that is expected of it with a machine as usual.

    `clean`: no change in force can have touched it. `shared`: what it is off by besides, with all controls that share the same.
    """

    error: float
    variance: float
    clean: bool = True
    shared: Shared | None = None


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
    return _estimate(controls, _prior(controls, spread))


def told_by(controls: Sequence[Control], spread: float, speed: Speed) -> float:
    """How surely controls tell that the machine had this `speed`, beside what is known of machines (a precision)."""
    if not controls or not spread:
        return 0.0
    return max(0.0, 1 / speed.variance - 1 / _prior(controls, spread) ** 2)


def _prior(controls: Sequence[Control], spread: float) -> float:
    """The spread of machines; of a busy one, where controls are far off."""
    middle = _middle(controls)
    telling = len(controls) >= FEW or any(control.clean for control in controls)
    expected = spread**2 + _together(middle.shared, spread) + middle.variance
    is_busy = telling and abs(middle.error) > SEEMS_BUSY * math.sqrt(expected)
    return max(spread, BUSY) if is_busy else spread


def _estimate(controls: Sequence[Control], spread: float) -> Speed:
    middle, precision = _middle(controls).error, 1.0
    each = [(error, variance, shared, variance + _together(shared, spread)) for error, variance, _, shared in controls]
    for _ in range(_ROUNDS):
        told: dict[Shared | None, tuple[float, float]] = {}
        for error, variance, shared, with_shared in each:
            off = (error - middle) ** 2 / with_shared
            weight = (FREEDOM + 1) / (FREEDOM + off) / variance
            weights, errors = told.get(shared, (0.0, 0.0))
            told[shared] = weights + weight, errors + weight * error
        precision, weighted = 1 / spread**2, 0.0
        for shared, (weights, errors) in told.items():
            of_group = 1 / (_together(shared, spread) + 1 / weights)
            precision += of_group
            weighted += of_group * errors / weights
        middle = weighted / precision
    return Speed(middle, 1 / precision)


def _middle(controls: Sequence[Control]) -> Control:
    return sorted(controls, key=lambda control: control[:3])[len(controls) // 2]


def _together(shared: Shared | None, spread: float) -> float:
    return shared.variance(spread) if shared else 0.0


def without(controls: Sequence[Control], one: Control | None) -> Sequence[Control]:
    """The controls that tell of a query that is one of them itself."""
    if one is None or len(controls) >= MANY:
        return controls
    others = list(controls)
    others.remove(one)
    return others
