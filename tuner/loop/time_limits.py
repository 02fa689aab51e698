"""How long the tuner may keep a job waiting, whatever hangs."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MostSeconds:
    """Seconds that a job waits at most: for its decision before it starts, for its harvest after it has ended."""

    before: float = 2.0
    after: float = 5.0


DEFAULT = MostSeconds()


def is_limit(seconds: float) -> bool:
    """Whether so many seconds can bound a wait; not a number cannot, nor can what never ends."""
    return 0 < seconds < math.inf
