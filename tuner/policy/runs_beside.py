"""Which of a cohort's measured runs were beside another: mapped instances, dates of a backfill. They had one machine, and its
one hour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tuner.model.run import Run
from tuner.policy.end_of_run import end_of_run


@dataclass(slots=True)
class RunsBeside:
    """Those so far; runs are added oldest first."""

    _latest_end: datetime | None = None

    def add(self, run: Run) -> bool:
        """Whether the next run began before one of those so far had ended."""
        end, before = end_of_run(run), self._latest_end
        self._latest_end = end if before is None else max(before, end)
        return before is not None and run.started_at < before
