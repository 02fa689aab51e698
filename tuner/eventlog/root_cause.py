"""Of what failed in an application, what most likely failed the application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.failure import OF_EXECUTOR_MEMORY, UNEXPLAINED, FailureKind, LoggedFailure

# The fewest lost executors that end an application: twice as many as it has, but 3 at least (ExecutorFailureTracker). Of more
# than are kept of a log (failure_events) nobody knows.
_ENDS_IT, _OF_EACH, MOST_TOLD = 3, 2, 20
_RESULT_NOT_TAKEN = "the driver could not take a task's result, which its executor still had"


def root_cause(
    failures: Sequence[LoggedFailure], executors: int = 0, *, is_killed: bool = False
) -> LoggedFailure | None:
    """Of the failures in the log's order the last that was not merely stopped, with the cause that its execution gives.

    A lost executor counts with the reason for its loss, where the log tells one, and so does a result that was lost with it.
    Where the failure names the executor, others' losses, which Spark made up for, say nothing. What was only stopped failed for
    the memory of its executors where as many were lost for it as end an application of so many `executors` at once, and nobody
    is known to have killed it (`is_killed`). A result that was lost though no executor was, waited on a disk or in memory for a
    driver that could not hold it. None where no execution or job failed.
    """
    ended = [f for f in failures if f.execution_id is not None or f.job_id is not None]
    if not ended:
        return None
    last = next((f for f in reversed(ended) if f.kind is not FailureKind.STOPPED), ended[-1])
    same = [f for f in ended if f is last or (f.execution_id is not None and f.execution_id == last.execution_id)]
    found = next((f for f in reversed(same) if f.kind not in UNEXPLAINED), last)
    lost = [f for f in failures if f.execution_id is None and f.job_id is None and _is_of(f, found)]
    of_memory = [loss for loss in lost if loss.kind in OF_EXECUTOR_MEMORY]
    ends_it = min(max(_ENDS_IT, _OF_EACH * executors), MOST_TOLD)
    if found.kind is FailureKind.STOPPED and not is_killed and len(of_memory) >= ends_it:
        return replace(found, kind=of_memory[-1].kind, words=of_memory[-1].words)
    if lost and found.kind in (FailureKind.EXECUTOR_LOST, FailureKind.RESULT_LOST):
        return replace(found, kind=lost[-1].kind, words=lost[-1].words)
    if found.kind is FailureKind.RESULT_LOST:
        return replace(found, kind=FailureKind.DRIVER_OUT_OF_MEMORY, words=_RESULT_NOT_TAKEN)
    return found


def _is_of(loss: LoggedFailure, failed: LoggedFailure) -> bool:
    return failed.lost_executor in ("", loss.lost_executor)
