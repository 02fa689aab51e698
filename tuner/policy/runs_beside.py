"""Which of a cohort's measured runs were beside another: mapped instances, dates of a backfill. They had one machine, and its
one hour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from tuner.model.run import Run
from tuner.policy.end_of_run import began_after, end_of_run


@dataclass(slots=True)
class RunsBeside:
    """Those so far, in groups; runs are added oldest first."""

    # Of the latest group: which began it, and which ends last.
    _first: Run | None = None
    _last: Run | None = None

    def add(self, run: Run) -> bool:
        """Whether the next run began before the first of the latest group had ended, or, of one DAG run, any of that group;
        else it begins a new one.

        One after the other that overlap their neighbours, as of an hourly job of 65 minutes, had not one hour.
        """
        if self._first is None or self._last is None or began_after(run, self._until(run, self._first, self._last)):
            self._first = self._last = run
            return False
        self._last = max(self._last, run, key=end_of_run)
        return True

    @staticmethod
    def _until(run: Run, first: Run, last: Run) -> Run:
        """Instances of a mapped task start in waves, where fewer have a slot at once."""
        return last if are_of_one_dag_run(run, first) else first


def groups_beside(runs: Iterable[Run]) -> list[int]:
    """Of each run, oldest first, the number of its group."""
    beside = RunsBeside()
    return list(accumulate(int(not beside.add(run)) for run in runs))


def are_of_one_dag_run(run: Run, other: Run) -> bool:
    return bool(run.origin and other.origin and run.origin.run_id == other.origin.run_id)
