"""When a job's surroundings changed, and what its queries took before and after, with the tuner's changes and without."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TurnedBy(StrEnum):
    """cluster: Spark or the cluster is another. data: inputs grew."""

    CLUSTER = "cluster"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds that a query took in `runs`: the median, the least and the most of them."""

    seconds: float
    least: float
    most: float
    runs: int


@dataclass(frozen=True, slots=True)
class TurnedQuery:
    """A query that would have got slower: what it took without any change before and since, and with changes since (None: no
    run since had any). All are of runs that were measured; nothing is foretold."""

    query: str
    before: Took
    without: Took
    tuned: Took | None = None

    @property
    def slower_seconds(self) -> float:
        """What a run would have lost without the tuner."""
        return self.without.seconds - self.before.seconds

    @property
    def prevented_seconds(self) -> float:
        """What of that a run did not lose: no more than there was to lose."""
        return (
            0.0 if self.tuned is None else max(0.0, min(self.slower_seconds, self.without.seconds - self.tuned.seconds))
        )

    @property
    def prevented_at_least(self) -> float:
        """The same, of the fastest run without changes and the slowest with them."""
        if self.tuned is None:
            return 0.0
        return max(0.0, min(self.without.least - self.before.most, self.without.least - self.tuned.most))


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """`run_key` is the first run since, which began `at`; `difference` says in words what it had in place of what was before.

    `queries` are those that would have got slower, which lost most first, `compared` how many there were to tell of; of `untold`
    no run since was without changes, or none before.
    """

    run_key: str
    at: datetime
    by: TurnedBy
    difference: str
    queries: tuple[TurnedQuery, ...] = ()
    compared: int = 0
    untold: int = 0
    runs_since: int = 0

    @property
    def slower_seconds(self) -> float:
        return sum(query.slower_seconds for query in self.queries)

    @property
    def prevented_seconds(self) -> float:
        return sum(query.prevented_seconds for query in self.queries)

    @property
    def prevented_at_least(self) -> float:
        return sum(query.prevented_at_least for query in self.queries)
