"""How long the tuner may keep a job waiting, whatever hangs."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Allowance:
    """Seconds that any job waits, the share of its time that a longer one does, and the seconds that none waits longer than."""

    least: float
    share: float
    most: float

    def of(self, job_seconds: float) -> float:
        return min(max(self.least, self.share * job_seconds), self.most)


# Deciding on 100 queries takes 2 s of a core, reading their log and looking ahead 8 (TPC-DS, tests/benchmarks/large_job.py): a
# job of so many takes minutes.
BEFORE = _Allowance(2.0, 0.02, 10.0)
AFTER = _Allowance(5.0, 0.05, 30.0)


@dataclass(frozen=True, slots=True)
class MostSeconds:
    """Seconds that a job waits at most: for its decision before it starts, for its harvest after it has ended. None: as BEFORE
    and AFTER allow a job that takes so long. `left` is what its task still waits for all of its jobs (None: it has but one);
    `waited_before` and `waited_after` are what it has waited for this one already."""

    before: float | None = None
    after: float | None = None
    left: float | None = None
    waited_before: float = 0.0
    waited_after: float = 0.0

    def before_run(self, usual_seconds: float = 0.0) -> float:
        """`usual_seconds` is what its runs take, as far as that is known."""
        return self._of_left(BEFORE.of(usual_seconds) if self.before is None else self.before, self.waited_before)

    def after_run(self, run_seconds: float = 0.0) -> float:
        """`run_seconds` is what this run took."""
        return self._of_left(AFTER.of(run_seconds) if self.after is None else self.after, self.waited_after)

    def before_all(self) -> float:
        """What a task waits before all of its jobs, however many."""
        return BEFORE.most if self.before is None else self.before

    def after_all(self) -> float:
        """What a task waits after all of its jobs, however many."""
        return AFTER.most if self.after is None else self.after

    def _of_left(self, seconds: float, waited: float) -> float:
        return max(0.0, (seconds if self.left is None else min(self.left, seconds)) - waited)


DEFAULT = MostSeconds()


def is_limit(seconds: float) -> bool:
    """Whether so many seconds can bound a wait; not a number cannot, nor can what never ends."""
    return 0 < seconds < math.inf
