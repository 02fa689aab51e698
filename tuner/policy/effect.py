"""What a change did to all queries that it reached, as one: those it was meant for, and those it moved beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.policy.measure import Comparison, pooled


@dataclass(frozen=True, slots=True)
class Effect:
    """Comparisons of the queries that a change names, and of the others that it `moved`; `drift` as these were measured."""

    named: Sequence[Comparison]
    moved: Sequence[Comparison]
    drift: float

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return (*self.named, *self.moved)

    @property
    def total(self) -> Comparison:
        """All as one query."""
        return pooled(self.comparisons, self.drift)

    @property
    def gain(self) -> float | None:
        """Seconds, less than 0 for a loss; None where nothing was measured."""
        return self.total.gain if self.comparisons else None
