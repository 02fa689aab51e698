"""What a run without a change is to tell of it, before it is in force again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tuner.model.run import Run
from tuner.policy.evidence.history import History
from tuner.policy.measure import Measured
from tuner.policy.queries_that_read import none_read

# A query of each week comes back within so many runs of a job of each night. What is held out for longer is held out for nothing.
LONGEST_WAIT = 7


@dataclass(frozen=True, slots=True)
class AwaitedRun:
    """A run is awaited that measured one of these queries (fingerprints; none: any), with these values of its filters (ids; none:
    any). `runs` have ended since that told nothing of it."""

    queries: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    runs: int = 0

    def after(self, run: Run, measured: Sequence[Measured], *, reaches_all: bool) -> AwaitedRun | None:
        """What is still awaited after a run without the change, which measured these queries; None where that told, or the wait
        has been long enough. What `reaches_all` queries waits no longer for one that does not run."""
        of_these = [query for query in measured if not self.queries or query.fingerprint in self.queries]
        if any(not self.values or query.literals in self.values for query in of_these):
            return None
        if not of_these and (not reaches_all or none_read(run, measured)):
            return self
        return replace(self, runs=self.runs + 1) if self.runs + 1 < LONGEST_WAIT else None


def awaited_run(id_: str, queries: Collection[str], measured: Sequence[Measured], history: History) -> AwaitedRun:
    """A run without a change with these queries, with the values that they had with it in the latest run, which measured these,
    as far as they come back."""
    mine = (query for query in measured if query.fingerprint in queries and query.is_reached_by(id_))
    return AwaitedRun(frozenset(queries), frozenset(query.literals for query in mine if history.has_come_back(query)))
