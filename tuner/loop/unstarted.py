"""Tries whose Spark may not have started for where its event log was to go, on a machine that nobody can look at from here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tuner.model.run import Run, RunState
from tuner.policy.never_started import left_no_log

# So long a job runs without an event log that kept it from starting: then someone may have mended that.
WITHOUT_FOR = timedelta(days=7)


def may_not_start(earlier_tries: Sequence[Run]) -> bool:
    """Whether one of these was seen to fail with an event log and left none, and none of them left any."""
    return not any(run.outcome is not None for run in earlier_tries) and any(map(_left_none, earlier_tries))


def did_not_start(runs: Sequence[Run], now: datetime) -> bool:
    """Whether lately a run, of these that began one after another, failed so, and what came after the last such one without an
    event log did not, or nothing came; not once any of these left a log."""
    if any(run.outcome is not None for run in runs):
        return False
    failed = [number for number, run in enumerate(runs) if _left_none(run) and now - run.started_at < WITHOUT_FOR]
    if not failed:
        return False
    after = {run.state for run in runs[failed[-1] :] if not run.event_log_dir}
    return RunState.LOST in after or RunState.FAILED not in after


def _left_none(run: Run) -> bool:
    return left_no_log(run) and bool(run.event_log_dir)
