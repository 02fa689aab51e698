"""Runs whose Spark may not have started for want of the agent's jar."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.run import Run, RunState


def left_no_log(run: Run) -> bool:
    """Whether it failed and no log tells of it."""
    return run.state is RunState.FAILED and run.outcome is None


def may_lack_jar(run: Run) -> bool:
    """Whether it failed without a log where Spark had the agent's jar to fetch: it does not start where that is not to be had."""
    return left_no_log(run) and bool(run.decision.fetched_jar)


def lacks_new_jar(run: Run, earlier: Iterable[Run]) -> bool:
    """Whether none of the runs before it shows that this jar is to be had, either: a driver that dies may leave no log that can
    be read (stores of objects), too."""
    jar = run.decision.fetched_jar
    return may_lack_jar(run) and not any(one.outcome and one.decision.fetched_jar == jar for one in earlier)
