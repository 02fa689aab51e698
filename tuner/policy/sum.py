"""What a change did to all queries that it reached, as one: those it was meant for, and those it moved beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.policy.measure import Comparison, pooled


@dataclass(frozen=True, slots=True)
class Sum:
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

    @property
    def words(self) -> str:
        """Over which queries."""
        return over_queries(len(self.comparisons), len(self.moved))


def over_queries(queries: int, not_named: int = 0) -> str:
    """As in "4 queries, 1 of them not named"; `not_named` were moved by a property that was meant for others."""
    words = "1 query" if queries == 1 else f"{queries} queries"
    if not not_named:
        return words
    return f"{words}, not named" if queries == not_named == 1 else f"{words}, {not_named} of them not named"
