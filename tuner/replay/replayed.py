"""A replay that has been walked, whoever walked it: this process, or Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tuner.replay.cohort_replay import LoggedRun, ReplayedRun, ReplaySummary


class Replayed(Protocol):
    """What reports are made of."""

    @property
    def summary(self) -> ReplaySummary: ...

    def runs(self, cohort: str | None = None) -> Iterator[ReplayedRun]:
        """The runs in time order, of all cohorts or one."""
        ...

    def logged(self, cohort: str) -> Iterator[LoggedRun]:
        """A cohort's runs as their logs tell them, in time order."""
        ...
