"""The queries that will hardly come back: in a job whose new queries seldom do, those that one run alone had.

What is advised for such a query steers nothing; and no run without a property would tell what it does to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tuner.model.run import Run
from tuner.policy.known_queries import COMES_BACK
from tuner.policy.usable import usable

# New queries seldom come back where less than this share of those so far did. (An edited query comes back: it is new once.)
SELDOM = 0.5


@dataclass(slots=True)
class PassingQueries:
    """What runs tell of which queries come back, added oldest first."""

    _runs_of: dict[str, int] = field(default_factory=dict)
    # Those that came after the first run: all of that are new to us, and most of them old to the job.
    _new_before: set[str] = field(default_factory=set)
    _new_now: frozenset[str] = frozenset()

    def add(self, run: Run) -> None:
        """The next run."""
        now = frozenset(run.fingerprints)
        self._new_before |= self._new_now
        self._new_now = now - self._runs_of.keys() if self._runs_of else frozenset()
        for query in now:
            self._runs_of[query] = self._runs_of.get(query, 0) + 1

    @property
    def found(self) -> frozenset[str]:
        """Those of all runs so far, by fingerprint."""
        once = {query for query, runs in self._runs_of.items() if runs < COMES_BACK}
        return frozenset(once) if len(once & self._new_before) > (1 - SELDOM) * len(self._new_before) else frozenset()


def passing_queries(runs: Sequence[Run]) -> frozenset[str]:
    """Those of a cohort's usable runs, oldest first, by fingerprint."""
    passing = PassingQueries()
    for run in filter(usable, runs):
        passing.add(run)
    return passing.found
