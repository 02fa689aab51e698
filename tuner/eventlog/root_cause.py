"""Of what failed in an application, what most likely failed the application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.failure import UNEXPLAINED, FailureKind, LoggedFailure


def root_cause(failures: Sequence[LoggedFailure]) -> LoggedFailure | None:
    """Of the failures in the log's order the last that was not merely stopped, with the cause that its execution gives.

    A lost executor counts with the reason for its loss, where the log tells one. None where no execution or job failed.
    """
    ended = [f for f in failures if f.execution_id is not None or f.job_id is not None]
    if not ended:
        return None
    last = next((f for f in reversed(ended) if f.kind is not FailureKind.STOPPED), ended[-1])
    same = [f for f in ended if f is last or (f.execution_id is not None and f.execution_id == last.execution_id)]
    found = next((f for f in reversed(same) if f.kind not in UNEXPLAINED), last)
    if found.kind is FailureKind.EXECUTOR_LOST:
        lost = [f for f in failures if f.execution_id is None and f.job_id is None]
        if lost:
            return replace(found, kind=lost[-1].kind, words=lost[-1].words)
    return found
