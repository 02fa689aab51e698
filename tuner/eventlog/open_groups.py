"""What of a log belongs together, and is handed on as one once all of it has ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from tuner.eventlog.finish import finish_execution, finish_job, finish_stage
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.open_work import OpenJob, OpenStage, add_updates
from tuner.eventlog.spark_totals import take_spark_totals
from tuner.eventlog.told_ids import ENDED, STARTED
from tuner.model.application import Job, Work

# The listener bus orders events of one queue only: what belongs to an execution may follow its end closely.
_LINGER_EVENTS = 1_000
# Ends of tasks that Spark dropped from its queue (spark.scheduler.listenerbus.eventqueue.capacity) never come.
_GIVE_UP_EVENTS = 100_000
_NEVER = 1 << 62


class Group(NamedTuple):
    """An SQL execution with its jobs and their stages, or a job of none (not `of_sql`) with its stages."""

    of_sql: bool
    number: int


class _Ended(NamedTuple):
    """By which event a group that has ended is looked at, and by which it is given up."""

    look_at: int
    give_up_at: int
    group: Group


class OpenGroups:
    """The groups of a stretch of a log, of which `head` has the first events: `pass_on` gets each that is finished, with the
    bytes that its plan's events had."""

    def __init__(self, fragment: Fragment, head: Fragment, pass_on: Callable[[Work, int], None]) -> None:
        self._fragment = fragment
        self._head = head
        self._pass_on = pass_on
        self._of_stage: dict[int, Group] = {}
        self._jobs_of_stage: dict[int, dict[int, None]] = {}
        self._jobs_of_execution: dict[int, set[int]] = {}
        self._stages_of_no_job: dict[int, set[int]] = {}
        self._ended: deque[_Ended] = deque()
        # The event at which `release_ended` has something to do: looked at with each.
        self.due_at = _NEVER

    @property
    def entries(self) -> int:
        """How many things it keeps."""
        waiting = sum(map(len, self._jobs_of_stage.values()))
        return len(self._of_stage) + waiting + len(self._stages_of_no_job) + len(self._ended)

    def own_stages(self, job_id: int, job: OpenJob) -> None:
        """A job began: its stages are its group's, but for those that another group has."""
        group = Group(False, job_id) if job.execution_id is None else Group(True, job.execution_id)
        for stage_id in job.stage_ids:
            self._jobs_of_stage.setdefault(stage_id, {})[job_id] = None
            # A later job that reuses a stage's shuffle lists the stage again, as skipped.
            self._of_stage.setdefault(stage_id, group)
        if job.execution_id is not None:
            self._jobs_of_execution.setdefault(job.execution_id, set()).add(job_id)
        for info in job.stages:
            stage = self._fragment.stages.get(info.stage_id)
            running = stage and stage.attempts.get(info.attempt)
            if running and running.info.completed_ms is None:
                running.job_ids[job_id] = None

    def own_stage_of_no_job(self, stage_id: int, execution_id: int) -> None:
        """A stage began that no job listed, for the log lacks the start of its own: it is its execution's."""
        if stage_id not in self._of_stage:
            self._of_stage[stage_id] = Group(True, execution_id)
            self._stages_of_no_job.setdefault(execution_id, set()).add(stage_id)

    def waiting(self, stage_id: int) -> dict[int, None]:
        """The jobs that need a stage and have not ended."""
        found = ((job_id, self._fragment.jobs.get(job_id)) for job_id in self._jobs_of_stage.get(stage_id, ()))
        return {job_id: None for job_id, job in found if job is not None and job.end is None}

    def await_release(self, group: Group) -> None:
        """A group has ended: it is handed on a little later."""
        now = self._fragment.events
        self._await(_Ended(now + _LINGER_EVENTS, now + _GIVE_UP_EVENTS, group))

    def _await(self, ended: _Ended) -> None:
        self._ended.append(ended)
        self.due_at = self._ended[0].look_at

    def release_ended(self) -> None:
        """Hand on what ended long enough ago."""
        now = self._fragment.events
        while self._ended and self._ended[0].look_at <= now:
            _, give_up_at, group = self._ended.popleft()
            if not self._release_if_finished(group, whatever_runs=give_up_at <= now):
                self._await(_Ended(now + _LINGER_EVENTS, give_up_at, group))
        self.due_at = self._ended[0].look_at if self._ended else _NEVER

    def release_all(self) -> None:
        """Hand on all that is open, of a log that ends here."""
        here = self._fragment
        for execution_id in sorted(
            here.executions.keys() | self._jobs_of_execution.keys() | self._stages_of_no_job.keys()
        ):
            self._release(Group(True, execution_id))
        for job_id in sorted(here.jobs):
            self._release(Group(False, job_id))
        # Stages of which the log does not tell whose they are.
        if here.stages:
            self._hand_on(None, (), sorted(here.stages))

    def _release_if_finished(self, group: Group, *, whatever_runs: bool = False) -> bool:
        """Whether nothing of the group is left here: it was handed on, or another stretch of the log has its start."""
        here, (of_sql, number) = self._fragment, group
        if of_sql:
            execution = here.executions.get(number)
            if execution is None or execution.start is None:
                return True
            ended = execution.end is not None
            jobs = [job for j in self._jobs_of_execution.get(number, ()) if (job := here.jobs.get(j))]
        else:
            job = here.jobs.get(number)
            if job is None or not job.started or job.execution_id is not None:
                return True
            ended, jobs = True, [job]
        stage_ids = {s for job in jobs for s in job.stage_ids} | self._listed_by_none(group)
        stages = map(here.stages.get, stage_ids)
        runs = any(job.end is None for job in jobs) or any(s.running > 0 for s in stages if s is not None)
        if not ended or (runs and not whatever_runs):
            return False
        self._release(group)
        return True

    def _listed_by_none(self, group: Group) -> set[int]:
        return self._stages_of_no_job.get(group.number, set()) if group.of_sql else set()

    def _release(self, group: Group) -> None:
        here, (of_sql, number) = self._fragment, group
        job_ids = sorted(self._jobs_of_execution.pop(number, ())) if of_sql else [number]
        listed = {stage_id for j in job_ids if j in here.jobs for stage_id in here.jobs[j].stage_ids}
        listed |= self._listed_by_none(group)
        owned = sorted(s for s in listed if self._of_stage.get(s) == group)
        if of_sql:
            self._stages_of_no_job.pop(number, None)
        self._hand_on(number if of_sql else None, job_ids, owned)

    def _hand_on(self, execution_id: int | None, job_ids: Iterable[int], stage_ids: Collection[int]) -> None:
        here = self._fragment
        self._take_spark_totals(execution_id, stage_ids)
        jobs = self._finish_jobs(job_ids)
        stages = {s: stage for s in stage_ids if (stage := here.stages.pop(s, None))}
        for stage_id in stage_ids:
            self._of_stage.pop(stage_id, None)
        for stage_id, stage in stages.items():
            self._share(stage)
            dropped = stage.dropped_ends
            here.dropped_ends += dropped
            here.dropping_stages += dropped > 0
            if 0 in stage.attempts:
                here.told_stages.is_first(stage_id, STARTED | ENDED)
        execution, plan_bytes = None, 0
        if execution_id is not None and (started := here.executions.pop(execution_id, None)):
            for stage_id in {s for job in jobs for s in job.stage_ids} - stages.keys():
                if (shared := here.stages.get(stage_id)) and shared.jobs() & {job.job_id for job in jobs}:
                    add_updates(started.driver_updates, shared.updates)
            here.hand_on(execution_id)
            execution = finish_execution(started, stages, jobs, here.note)
            plan_bytes = started.plan_bytes
        finished = tuple(
            finish_stage(stage, attempt, execution_id)
            for stage in stages.values()
            for _, attempt in sorted(stage.attempts.items())
        )
        if execution or jobs or finished:
            self._pass_on(Work(execution, jobs, finished), plan_bytes)

    def _take_spark_totals(self, execution_id: int | None, stage_ids: Iterable[int]) -> None:
        here = self._fragment
        execution = None if execution_id is None else here.executions.get(execution_id)
        stages = [stage for stage_id in stage_ids if (stage := here.stages.get(stage_id))]
        take_spark_totals(stages, here.version or self._head.version, execution.driver_updates if execution else ())

    def _share(self, stage: OpenStage) -> None:
        """Leave what a stage did, which is to be let go, to the jobs that waited for it besides those that ran it."""
        here = self._fragment
        for attempt in stage.attempts.values():
            for job_id in attempt.job_ids:
                if other := here.jobs.get(job_id):
                    other.count(attempt)
        waiting = {other.execution_id for job_id in stage.jobs() if (other := here.jobs.get(job_id))}
        for execution_id in waiting:
            if execution_id is not None and (execution := here.executions.get(execution_id)):
                add_updates(execution.driver_updates, stage.updates)

    def _finish_jobs(self, job_ids: Iterable[int]) -> tuple[Job, ...]:
        here, finished = self._fragment, []
        for job_id in job_ids:
            job = here.jobs.pop(job_id, None)
            if job is None or not job.started:
                continue
            for stage_id in job.stage_ids:
                self._forget_job(stage_id, job_id)
                if stage := here.stages.get(stage_id):
                    for attempt in stage.attempts.values():
                        if job_id in attempt.job_ids:
                            job.count(attempt)
            finished.append(finish_job(job_id, job))
        return tuple(finished)

    def _forget_job(self, stage_id: int, job_id: int) -> None:
        waiting = self._jobs_of_stage.get(stage_id, {})
        waiting.pop(job_id, None)
        if not waiting:
            self._jobs_of_stage.pop(stage_id, None)
