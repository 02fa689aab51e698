"""Runs whose Spark may not have started for want of the agent's jar."""

from __future__ import annotations

from tuner.model.run import Run, RunState


def left_no_log(run: Run) -> bool:
    """Whether it failed and no log tells of it."""
    return run.state is RunState.FAILED and run.outcome is None


def may_lack_jar(run: Run) -> bool:
    """Whether it failed without a log where Spark had the agent's jar to fetch: it does not start where that is not to be had."""
    return left_no_log(run) and bool(run.decision.fetched_jar)
