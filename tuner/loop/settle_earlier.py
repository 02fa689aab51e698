"""Runs whose driver did not live to harvest them, or did so before their logs had landed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from tuner.errors import EventLogUnreadError
from tuner.eventlog.find import LogSource
from tuner.eventlog.root_cause import root_cause
from tuner.history.blocks_as_written import with_blocks_as_written
from tuner.history.outcome import state_of
from tuner.history.store import Store
from tuner.loop.catching_up import CatchingUp
from tuner.loop.earlier_tries import UNSTEERED_END
from tuner.loop.event_log_place import of_key
from tuner.loop.harvest import harvest
from tuner.loop.logs_of_runs import LogsOfRuns
from tuner.loop.preparing import Preparing
from tuner.loop.read_marks import MOST_DEATHS, has_killed_its_readers, marked, unmark
from tuner.loop.run_outcome import failure_of_run, has_ended, outcomes_of
from tuner.loop.turn import JobToRun
from tuner.model.run import LONGEST_RUN, Run, RunState, are_two_tries
from tuner.policy.borrowed_changes import with_borrowed
from tuner.problems import Problems

LOST_AFTER = LONGEST_RUN
# A job waits no longer for the log of an earlier run that ended unseen.
MAX_PENDING_SEARCH_SECONDS = 5.0


def settle_all(pending: Sequence[Run], preparing: Preparing, catching_up: CatchingUp) -> None:
    """Bring in runs that were not harvested; others may still be running, and are left alone.

    `pending` are oldest first. The newest comes first: it tells most, and a log that takes too long keeps back older ones alone.
    """
    job, now, problems = preparing.job, preparing.now, catching_up.problems
    runs = [run for run in reversed(pending) if not _is_beside(job, run) or _is_given_up(job, run, now)]
    logs = LogsOfRuns(runs, job.access, MAX_PENDING_SEARCH_SECONDS)
    with Store.open(preparing.store_url) as store:
        for run in runs:
            if catching_up.is_left:
                return
            step = partial(_settle, store, job, run, logs, now, problems)
            problems.guard(f"harvest run {run.key}", step, None)


def _settle(store: Store, job: JobToRun, run: Run, logs: LogsOfRuns, now: datetime, problems: Problems) -> None:
    if _runs_unsteered(store, run):
        store.finish(run.key, RunState.LOST, now, None)
        return
    superseded, given_up = _is_superseded(job, run), _is_given_up(job, run, now)
    was_seen, has_succeeded = _was_seen_to_fail(run), run.was_seen_to_succeed
    try:
        log = logs.of(run)
        if not (given_up or was_seen) and _is_being_written(log):
            return
        if has_killed_its_readers(job, run.key):
            raise EventLogUnreadError(f"{MOST_DEATHS} that read its log were ended while they did")
        with marked(job, run.key):
            found = harvest(log).as_ended(now)
    except Exception as error:
        if given_up:
            # Where its task ended before it, or for another job, it may never have started.
            is_blamed = superseded and not (has_succeeded or (job.shares_task and job.is_waited_for))
            store.finish(run.key, RunState.FAILED if is_blamed else RunState.LOST, now, None)
            if isinstance(error, EventLogUnreadError):
                problems.found.append(f"gave up the log of run {run.key}: {error}")
            unmark(job, run.key)
        return
    # Where its driver died that log never ends. A retry takes no half of one that does not tell why.
    tells = was_seen and (not superseded or root_cause(found.application.failures) is not None)
    if not (given_up or tells or has_ended(found)):
        return
    # Its driver was killed or its worker lost: whether the task counted as failed, nobody tells; a later try says so. Where no
    # task sees how its job ends, one that succeeded may be cleared, and one of several jobs fails for another's failure: a clean
    # log accuses no change then.
    is_unseen = job.log_lands_late or not job.is_waited_for or job.shares_task
    seems_failed = found.has_failed or (superseded and not (is_unseen and has_ended(found)))
    failed = was_seen or (seems_failed and not has_succeeded)
    state = state_of(found.application, failed=failed)
    outcome = problems.guard(f"read the plans of run {run.key}", found.outcome, None)
    if outcome:
        outcome = with_blocks_as_written(outcome, partial(outcomes_of, store, run))
    if outcome and state is RunState.FAILED:
        outcome = replace(outcome, failure=failure_of_run(found, outcome, is_seen=was_seen))
    _finish(store, replace(run, state=state, outcome=outcome), now)


def _finish(store: Store, run: Run, now: datetime) -> None:
    if run.ended_at and run.state is RunState.FAILED:
        # What it was decided to have stands, as it was told.
        store.finish(run.key, run.state, run.ended_at, run.outcome, tells_more=True)
        return
    ended = with_borrowed(replace(run, ended_at=now))
    if ended.decision != run.decision:
        store.begin(ended.begun)
    store.finish(run.key, run.state, now, ended.outcome)


def _runs_unsteered(store: Store, run: Run) -> bool:
    """Whether its record came too late, so that its job runs under another key, and who was to take it back has ended. A DAG run
    that was made again under its id began later."""
    if run.state is not RunState.RUNNING:
        return False
    unsteered = store.run(f"{run.key}{UNSTEERED_END}")
    return unsteered is not None and (unsteered.cohort, unsteered.started_at) == (run.cohort, run.started_at)


def is_sought(job: JobToRun, run: Run) -> bool:
    """Whether the log of a run that was seen to fail is looked for again: where it may land late, or could not be read and lies
    by itself. Among those of others that takes seconds, and it was there when the run failed, or never will be."""
    return job.log_lands_late or (run.outcome is None and run.event_log_dir.endswith(of_key(run.key)))


def _is_superseded(job: JobToRun, run: Run) -> bool:
    """Whether the job is a later try of the run."""
    return are_two_tries(run.key, job.key)


def _was_seen_to_fail(run: Run) -> bool:
    """Whether its task has told so, before its log could: there is no hurry to read that."""
    return run.state is RunState.FAILED and run.ended_at is not None


def _is_given_up(job: JobToRun, run: Run, now: datetime) -> bool:
    superseded = _is_superseded(job, run) and run.ended_at is None
    return superseded or now - run.started_at > LOST_AFTER


def _is_beside(job: JobToRun, run: Run) -> bool:
    """Whether the run is another instance of the same mapped task: its own process harvests it, and each of many would look."""
    return job.origin is not None and run.origin is not None and job.origin.is_beside(run.origin)


def _is_being_written(log: LogSource) -> bool:
    """Whether its application runs: not worth reading yet."""
    return log.in_progress and not log.delivered
