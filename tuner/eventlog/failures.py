"""What failed in an application, as its log tells it, and what of it most likely failed the application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tuner.eventlog.failure_rules import recognise
from tuner.model.failure import FailureKind
from tuner.printable import printable

if TYPE_CHECKING:
    from tuner.eventlog import events as ev
    from tuner.eventlog.open import Fragment

# Says that something ended, not why.
VAGUE = frozenset({FailureKind.STOPPED, FailureKind.UNKNOWN})
# What an application came to is told by its last failures.
_MAX_FAILURES = 20
_MAX_WHERE = 80


@dataclass(frozen=True, slots=True)
class Failed:
    """Something that failed: a SQL execution, a job (of an execution, where it is known), or an executor.

    `where` names it. `words` quote numbers of Spark's own, and nothing of the job's.
    """

    kind: FailureKind
    words: str
    where: str
    execution_id: int | None = None
    job_id: int | None = None


def take_execution(fragment: Fragment, event: ev.ExecutionEnd) -> None:
    """Keep why a SQL execution failed, if it did (logged since 3.4, SPARK-40834)."""
    if event.error:
        _keep(fragment.failures, event.error, f"SQL execution {event.execution_id}", execution_id=event.execution_id)


def take_job(fragment: Fragment, event: ev.JobEnd, execution_id: int | None) -> None:
    """Keep why a job failed, if it did."""
    if event.result.exception is not None and event.result.exception.message:
        text = event.result.exception.message
        _keep(fragment.failures, text, f"job {event.job_id}", execution_id=execution_id, job_id=event.job_id)


def take_executor(fragment: Fragment, event: ev.ExecutorRemoved) -> None:
    """Keep why an executor is gone, where that is no word of an idle one that was given back."""
    if isinstance(event.reason, str) and recognise(event.reason)[0] is not FailureKind.UNKNOWN:
        _keep(fragment.losses, event.reason, f"executor {event.executor_id}")


def absorb_failures(here: Fragment, later: Fragment) -> None:
    """Take in those of the stretch that follows; a job may have begun here. Its jobs are to be known here already."""
    for failed in later.failures:
        if failed.job_id is not None and failed.execution_id is None and (job := here.jobs.get(failed.job_id)):
            failed = replace(failed, execution_id=job.execution_id)
        _add(here.failures, failed)
    for lost in later.losses:
        _add(here.losses, lost)


def _keep(
    kept: list[Failed], text: str, where: str, *, execution_id: int | None = None, job_id: int | None = None
) -> None:
    kind, words = recognise(text)
    _add(kept, Failed(kind, words, printable(where, _MAX_WHERE), execution_id, job_id))


def _add(kept: list[Failed], failed: Failed) -> None:
    kept.append(failed)
    if len(kept) > _MAX_FAILURES:
        del kept[0]


def plainest(failures: Sequence[Failed]) -> Failed | None:
    """Of what failed in an application, in the log's order, what most likely failed it: the last that was not merely
    stopped, as the plainest word on its execution tells it; of a lost executor, why it was lost, where that is told."""
    ended = [f for f in failures if f.execution_id is not None or f.job_id is not None]
    if not ended:
        return None
    last = next((f for f in reversed(ended) if f.kind is not FailureKind.STOPPED), ended[-1])
    same = [f for f in ended if f is last or (f.execution_id is not None and f.execution_id == last.execution_id)]
    found = next((f for f in reversed(same) if f.kind not in VAGUE), last)
    if found.kind is FailureKind.EXECUTOR_LOST:
        lost = [f for f in failures if f.execution_id is None and f.job_id is None]
        if lost:
            return Failed(lost[-1].kind, lost[-1].words, found.where, found.execution_id, found.job_id)
    return found
