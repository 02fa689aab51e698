"""What a change did to all queries that it reached, as one: those it was meant for, and those it moved beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tuner.model.decision import DecidedChange
from tuner.policy.comparisons import Comparisons
from tuner.policy.evidence.comparison import Comparison, pooled


@dataclass(frozen=True, slots=True)
class Effect:
    """Comparisons of the queries that a change names, and of the others that it `moved`, of all `beside`."""

    named: Sequence[Comparison]
    moved: Sequence[Comparison] = ()
    beside: Sequence[Comparison] = ()

    @classmethod
    def of_all(cls, found: Comparisons) -> Self:
        """What all the changes that were compared did together."""
        return cls(found.touched, found.moved, found.beside)

    @classmethod
    def of_one(cls, decided: DecidedChange, group: Sequence[DecidedChange], found: Comparisons) -> Self:
        """What one of a group did that was compared: to the queries that it names, and to those that it moved beside them, where
        no other property can have done that."""
        properties = [d for d in group if not d.change.is_on_joins]
        named = [c for c in found.touched if c.fingerprint in decided.queries]
        return cls(named, found.moved, found.beside) if properties == [decided] else cls(named)

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
    def on_the_clock(self) -> Self:
        """The same by the clock alone, as far as that is held against one run without."""
        return type(self)(*([c.on_the_clock for c in each] for each in (self.named, self.moved, self.beside)))

    @property
    def gain(self) -> float | None:
        """Seconds, less than 0 for a loss; None where nothing was measured."""
        return self.total.gain if self.comparisons else None

    @property
    def gain_between(self) -> tuple[float, float] | None:
        """Least and most of that."""
        return self.total.gain_between if self.comparisons else None

    @property
    def ratio(self) -> float | None:
        """How many times as long the queries that it names take as without, by all runs; None where nothing was measured."""
        return math.exp(min(50.0, pooled(self.named).ratio.mean)) if self.named else None
