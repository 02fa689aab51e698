"""When a run ended, as far as its clock is believed, what began since, and which runs may go on."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from tuner.model.run import LONGEST_RUN, Run, RunMark, RunState

# What nobody saw end is taken to have ended once it would have taken so many times what the longest did, and so long at least: it
# may have waited for its cluster.
FAR_LONGER, LEAST_WAIT = 10, timedelta(hours=1)


def end_of_run(run: Run) -> datetime:
    """Its start, where it has not ended."""
    took = run.ended_at - run.started_at if run.ended_at else timedelta()
    # A clock that was ahead is believed for no longer than a run may take.
    return run.started_at + min(took, LONGEST_RUN)


def under_way(marks: Collection[RunMark], now: datetime | None) -> set[str]:
    """The keys of those of a cohort's runs that may go on; all that were not seen to end where no run was measured, or nobody
    knows what time it is (None). A worker that died tells of no end."""
    running = [mark for mark in marks if mark.state == RunState.RUNNING]
    longest_ms = max((mark.duration_ms for mark in marks if mark.duration_ms is not None), default=None)
    if longest_ms is None or now is None:
        return {mark.key for mark in running}
    # A damaged log may tell any number.
    longest = timedelta(milliseconds=min(longest_ms, LONGEST_RUN / timedelta(milliseconds=1)))
    most = max(min(FAR_LONGER * longest, LONGEST_RUN), LEAST_WAIT)
    return {mark.key for mark in running if now - mark.started_at <= most}


def began_after(run: Run, other: Run) -> bool:
    """Whether a run began once another had ended."""
    return run.started_at >= end_of_run(other)
