"""How unsure a sum is whose parts are off by chance, each by itself, and together."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(slots=True)
class UnsureSum:
    """What differs by chance evens out, what moves all parts does not: the variance of what is their own, and the standard
    deviation of what is common to all."""

    own: float = 0.0
    common: float = 0.0

    def add(self, variance: float, shared: float) -> None:
        """A part, of whose variance this share is common to all."""
        self.own += (1 - shared) * variance
        self.common += math.sqrt(shared * variance)

    @property
    def variance(self) -> float:
        return self.own + self.common**2

    @property
    def shared(self) -> float:
        """The share that is common to all."""
        return self.common**2 / self.variance if self.variance else 0.0
