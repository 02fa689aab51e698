"""What changes gain by all runs that had them, with the interval of that: what taking them out would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tuner.model.decision import DecidedChange
from tuner.model.run import Run
from tuner.policy.comparisons import compare
from tuner.policy.context import ByContext
from tuner.policy.effect import Effect
from tuner.policy.evidence.history import History
from tuner.policy.judging.queries_beside import QueriesBeside
from tuner.policy.judging.told_apart import is_told
from tuner.policy.literal_classes import with_literal_classes
from tuner.policy.measure import Measured
from tuner.policy.queries_that_read import queries_that_read
from tuner.policy.usable import usable


@dataclass(frozen=True, slots=True)
class MeasuredGain:
    """Seconds that a run like the latest takes less with changes than without (less than 0: more), by all runs so far; nine of
    ten lie between `low` and `high`, and `probability` is how sure a gain is. Of the `queries` that it is over, `not_named` were
    moved by a property that was meant for others; `runs` is in how many runs they had the changes (side by side
    they count as one)."""

    seconds: float
    low: float
    high: float
    probability: float
    queries: int
    not_named: int
    runs: int


@dataclass(frozen=True, slots=True)
class RunsSoFar:
    """The queries of the latest measured run that read anything, and what all runs of its context tell of them."""

    latest: tuple[Measured, ...]
    history: History

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Self:
        """`runs` are oldest first; none need have been measured. In time linear in runs."""
        histories, beside, found = ByContext(History), QueriesBeside(), cls((), History())
        for run in filter(usable, with_literal_classes(runs)):
            history = histories.of(run)
            queries = queries_that_read(run, history)
            history.add(queries, beside=beside.add(run))
            found = cls(queries, history) if queries else found
        return found

    def gain(self, changes: Sequence[DecidedChange]) -> MeasuredGain | None:
        """Of changes that are tried together; None where the latest run had none of them, no run was without them, or runs do
        not tell them from others that were always in force with them."""
        found = compare(self.latest, self.history, changes)
        effect = Effect.of_all(found)
        if not effect.comparisons or not all(map(is_told, effect.named)):
            return None
        total = effect.total
        return MeasuredGain(
            seconds=total.usual_gain,
            low=total.expected * (1 - total.ratio.high),
            high=total.expected * (1 - total.ratio.low),
            probability=total.gain_probability,
            queries=len(effect.comparisons),
            not_named=len(effect.moved),
            runs=max(c.runs for c in effect.comparisons),
        )
