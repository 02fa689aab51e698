"""A cohort whose Spark does not load the agent, or whose job fails where it joins, does without it for a while."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import takewhile

from tuner.model.failure import FailureKind
from tuner.model.run import Outcome, Run, RunState
from tuner.policy.extensions_beside import FINDS_BY_JAR, extensions_beside, had_by_name, was_to_have_agent
from tuner.policy.never_started import left_no_log
from tuner.spark.properties import EXTENSIONS
from tuner.spark.version import read_version

# Then it is tried again: another jar may have been deployed meanwhile.
DOES_WITHOUT = timedelta(days=7)
# What a program runs into whose data sources or functions are not there; no change to a plan makes these.
_WITHOUT_ITS_JARS = frozenset({FailureKind.CODE, FailureKind.OWN_EXIT})

_UNTOLD = frozenset({RunState.RUNNING, RunState.LOST})


def why_no_agent(runs: Sequence[Run], now: datetime, *, sees_defaults: bool = True, jar: str = "") -> str:
    """Why the next run is not to have the agent; "" where it may. `runs` are the latest of a cohort, oldest first;
    `sees_defaults` is as its submission has it, `jar` as `Decision.fetched_jar` of it."""
    if jar and (why := _why_not_fetched(runs, now, jar)):
        return why
    if sees_defaults:
        return _why_not_loaded(runs, now)
    return ("" if _is_named_next(runs) else _why_not_loaded(runs, now)) or _why_fails_with_it(runs, now)


def _why_not_fetched(runs: Sequence[Run], now: datetime, jar: str) -> str:
    """Spark does not start where it cannot fetch a jar, and leaves no log.

    So where the latest run that had this one left none, and none without it did so since. Of a jar with which runs succeeded one
    run that left none is not enough, once the next has been without it.
    """
    had = [run for run in runs if run.decision.fetched_jar == jar and run.state not in _UNTOLD]
    failed = list(takewhile(left_no_log, reversed(had)))
    if not failed or now - failed[0].started_at > DOES_WITHOUT:
        return ""
    since = [run for run in runs[runs.index(failed[0]) + 1 :] if run.state not in _UNTOLD]
    if any(map(left_no_log, since)) or (since and len(failed) == 1 and len(had) > 1):
        return ""
    until = failed[0].started_at + DOES_WITHOUT
    return (
        f"run {failed[0].key} was to fetch it, failed and left no event log: Spark does not start without its jar; see that "
        f"{jar} is there and that the job may read it, and what lies below event_log_base; it is tried again from "
        f"{until:%Y-%m-%d} on, or with another agent_jar"
    )


def _is_named_next(runs: Sequence[Run]) -> bool:
    """Whether the next run is the first to have the agent by its name."""
    told = _told(runs)
    return told is not None and not had_by_name(told) and extensions_beside(runs, DOES_WITHOUT) is not None


def _why_fails_with_it(runs: Sequence[Run], now: datetime) -> str:
    """A service's own spark.jars give way to the list that brings the agent: a job that needs them fails whenever it joins.

    So where no run with it ever succeeded, and none without it has failed in that way since.
    """
    had_it = [run for run in runs if any(decided.change.is_on_joins for decided in run.decision.in_force)]
    if not had_it or any(run.state is RunState.SUCCEEDED for run in had_it):
        return ""
    told = had_it[-1]
    if not _lacked_its_jars(told) or now - told.started_at > DOES_WITHOUT:
        return ""
    if any(map(_lacked_its_jars, runs[runs.index(told) + 1 :])):
        return ""
    until = told.started_at + DOES_WITHOUT
    return (
        f"run {told.key} failed with it, and none has succeeded: the agent's jar may have taken the place of spark.jars that the "
        f"service sets for all its jobs; list those in the job; it is tried again from {until:%Y-%m-%d} on"
    )


def _lacked_its_jars(run: Run) -> bool:
    return run.state is RunState.FAILED and run.failure is not None and run.failure.kind in _WITHOUT_ITS_JARS


def _why_not_loaded(runs: Sequence[Run], now: datetime) -> str:
    """A jar that is for another Spark or Scala does not link: Spark starts without the extension, or the agent leaves all plans
    alone. The latest run that was to have the agent tells.
    """
    told = _told(runs)
    if told is None or told.outcome is None or not told.outcome.agent_missing or now - told.started_at > DOES_WITHOUT:
        return ""
    if any(run.outcome and run.outcome.spark_version != told.outcome.spark_version for run in runs[runs.index(told) :]):
        return ""
    until = told.started_at + DOES_WITHOUT
    return (
        f"it did not load in run {told.key} (Spark {told.outcome.spark_version}), or could not read what it was told; "
        f"{_what_to_do(told, told.outcome)}; it is tried again from {until:%Y-%m-%d} on, or with another Spark"
    )


def _told(runs: Sequence[Run]) -> Run | None:
    return next((run for run in reversed(runs) if was_to_have_agent(run)), None)


def _what_to_do(told: Run, outcome: Outcome) -> str:
    if outcome.conf.get(EXTENSIONS) and not had_by_name(told) and read_version(outcome.spark_version) < FINDS_BY_JAR:
        return (
            f"its session was made with other extensions: set {EXTENSIONS} in the job's conf and not in its code, and the "
            "agent's is added there"
        )
    return "deploy a jar for that Spark and its Scala"
