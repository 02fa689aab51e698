"""When a run ended, as far as its clock is believed, and what began since."""

from __future__ import annotations

from datetime import datetime, timedelta

from tuner.model.run import Run

# No run is taken to end later than this after its start.
LONGEST_RUN = timedelta(days=2)


def end_of_run(run: Run) -> datetime:
    """Its start, where it has not ended."""
    took = run.ended_at - run.started_at if run.ended_at else timedelta()
    # A clock that was ahead is believed for no longer than a run may take.
    return run.started_at + min(took, LONGEST_RUN)


def began_after(run: Run, other: Run) -> bool:
    """Whether a run began once another had ended."""
    return run.started_at >= end_of_run(other)
