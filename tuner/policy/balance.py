"""What a change gained on all nights, less what it cost on those on which it was far slower than without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from tuner.model.reason import Reason


@dataclass(frozen=True, slots=True)
class Balance:
    """In seconds, over the runs so far; `severe` is how many nights were far slower."""

    seconds: float = 0.0
    severe: int = 0

    def after(self, gain_seconds: float | None, severe: Reason | None) -> Balance:
        """With the next run; `severe` is what is said of it where it was far slower."""
        if severe is not None:
            return Balance(self.seconds - _lost_seconds(severe), self.severe + 1)
        return Balance(self.seconds + (gain_seconds or 0.0), self.severe)

    def is_lost_with(self, severe: Reason) -> bool:
        """Whether another night that was far slower is not the first, and makes them cost more than was gained on all others."""
        return self.severe > 0 and self.after(None, severe).seconds < 0


def _lost_seconds(severe: Reason) -> float:
    took, expected = (cast("float", severe.numbers[name]) for name in ("seconds", "expected_seconds"))
    return max(0.0, took - expected)
