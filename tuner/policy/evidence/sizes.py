"""How large the inputs of a query's runs were, with each change and without: runs tell what it does to as much as they read."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

# Inputs have grown past what runs without a change read where all of so many last runs with it read over twice as much: a date
# that is run again, a day of each week, and a weekend are fewer.
LAST_RUNS, OUTGROWN = 3, math.log(2.0)


class Outgrown(NamedTuple):
    """Logs: the `least` that the last runs with a change read, and the `most` that any without it did."""

    least: float
    most: float

    @property
    def by(self) -> float:
        return self.least - self.most

    def is_told_at(self, size: float) -> bool:
        """Whether a run without the change is nearer to those with it than to the others without."""
        return size > (self.least + self.most) / 2


@dataclass(slots=True)
class Sizes:
    """Logs of inputs. By change (id): those of the last runs `_with` it, and the most `_without` it, which a run that was left
    without it since its inputs had grown counts to have read: one is enough, whatever that read."""

    _most: float = -math.inf
    _with: dict[str, deque[float]] = field(default_factory=dict)
    _without: dict[str, float] = field(default_factory=dict)

    def add(self, size: float, in_force: AbstractSet[str], *, is_beside: bool) -> None:
        """That of the next run. Runs side by side, as dates of a backfill are, count as one."""
        for id_ in self._with.keys() - in_force:
            grown = self.outgrown(id_)
            self._without[id_] = max(self._without[id_], size, grown.least if grown else size)
        for id_ in in_force:
            self._without.setdefault(id_, self._most)
            last = self._with.setdefault(id_, deque(maxlen=LAST_RUNS))
            if not (last and is_beside):
                last.append(size)
        self._most = max(self._most, size)

    def outgrown(self, id_: str) -> Outgrown | None:
        """How far inputs have grown past what runs without a change read; None where they have not, or no run was without it."""
        last, most = self._with.get(id_, ()), self._without.get(id_, -math.inf)
        if len(last) < LAST_RUNS or most == -math.inf:
            return None
        found = Outgrown(min(last), most)
        return found if found.by > OUTGROWN else None

    def told_anew(self, size: float, in_force: AbstractSet[str]) -> dict[str, float]:
        """The changes that a run of this size is the first to be without since its inputs have grown, and by how much."""
        grown = {id_: found for id_ in self._with.keys() - in_force if (found := self.outgrown(id_))}
        return {id_: found.by for id_, found in grown.items() if found.is_told_at(size)}
