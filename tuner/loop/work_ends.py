"""How the work of an application ended, and whether that failed it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tuner.model.application import Application, Completeness, JobStatus, ProblemCode, Work


@dataclass(slots=True)
class WorkEnds:
    """SQL executions, and jobs outside them, as one that a program catches the failure of goes on. A batch that its stream's stop
    has cut says nothing.

    `is_broken` says that an execution failed, `is_open` that something did not end. `failed_ms` is when the last such job
    failed, `begun_ms` when the last work began that succeeded.
    """

    is_broken: bool = False
    is_open: bool = False
    failed_ms: int = -1
    begun_ms: int = -1

    @property
    def has_failed(self) -> bool:
        return self.is_broken or self.is_open or self.failed_ms > self.begun_ms

    def take(self, work: Work) -> None:
        execution = work.execution
        if execution is None:
            self._take_jobs(work)
        elif execution.stopped:
            return
        elif execution.error:
            self.is_broken = True
        elif execution.end_ms is None:
            self.is_open = True
            self._take_jobs(work)
        else:
            self.begun_ms = max(self.begun_ms, execution.start_ms)

    def absorb(self, other: WorkEnds) -> None:
        """Take in how other work of the application ended, whichever was first."""
        self.is_broken |= other.is_broken
        self.is_open |= other.is_open
        self.failed_ms = max(self.failed_ms, other.failed_ms)
        self.begun_ms = max(self.begun_ms, other.begun_ms)

    def told_by(self, application: Application) -> WorkEnds:
        """The same as the whole log tells it: where Spark dropped events of one that ended, work may have ended unseen."""
        dropped = any(problem.code is ProblemCode.DROPPED_EVENTS for problem in application.problems)
        return replace(self, is_open=False) if dropped and application.status is Completeness.COMPLETE else self

    def _take_jobs(self, work: Work) -> None:
        for job in work.jobs:
            if job.status is JobStatus.SUCCEEDED:
                self.begun_ms = max(self.begun_ms, job.submitted_ms or 0)
            elif job.status is JobStatus.FAILED:
                self.failed_ms = max(self.failed_ms, job.completed_ms or 0)
            else:
                self.is_open = True
