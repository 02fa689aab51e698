"""What a change did to all queries that it reached, as one: those it was meant for, and those it moved beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.policy.evidence.comparison import Comparison, pooled


@dataclass(frozen=True, slots=True)
class Effect:
    """Comparisons of the queries that a change names, and of the others that it `moved`, of all `beside`."""

    named: Sequence[Comparison]
    moved: Sequence[Comparison] = ()
    beside: Sequence[Comparison] = ()

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return (*self.named, *self.moved)

    @property
    def total(self) -> Comparison:
        """All as one query."""
        return pooled(self.comparisons)

    @property
    def whole(self) -> Comparison:
        """All that it reaches as one query, whether it moved or not."""
        return pooled((*self.named, *self.beside)) if self.beside else self.total

    @property
    def gain(self) -> float | None:
        """Seconds, less than 0 for a loss; None where nothing was measured."""
        return self.total.gain if self.comparisons else None
