"""What a replay takes from a log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from tuner.eventlog.as_ended import as_ended
from tuner.eventlog.find import LogSource
from tuner.eventlog.location import shown
from tuner.eventlog.log_version import log_bytes
from tuner.eventlog.properties import redact
from tuner.eventlog.read import holds_no_events, read_log
from tuner.loop.kept_queries import KeptQueries
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application, Completeness, Work
from tuner.model.run import RunState
from tuner.plan.queries import in_full, query_and_plans
from tuner.replay.cohort_of import CohortRules
from tuner.replay.cohort_replay import LoggedRun
from tuner.replay.logged_run import logged_run
from tuner.replay.spool import Encoded, encoded


@dataclass(frozen=True, slots=True)
class ReadLog:
    """A log's bytes, its run (None: it has no place in time), and why that is not used as evidence ("" where it is)."""

    log: str
    size_bytes: int
    run: Encoded | None
    unused: str


def read_run(source: LogSource, rules: CohortRules) -> ReadLog | None:
    """None for a file that is no event log, among others in a directory. Never raises for what a log holds."""
    try:
        return _read(source, rules)
    except Exception as error:
        # Hostile values: numbers beyond 64 bits, text that is no Unicode.
        return ReadLog(shown(source.path), 0, None, redact(f"cannot be read: {type(error).__name__}: {error}"))


def _read(source: LogSource, rules: CohortRules) -> ReadLog | None:
    kept, ends = KeptQueries(), WorkEnds()

    def take(work: Work) -> None:
        ends.take(work)
        if work.execution and (one := query_and_plans(work.execution, work.stages, work.steering)):
            kept.add(in_full(one, work.stages, work.execution.logical_plan))

    application = as_ended(read_log(source, take), datetime.now(UTC))
    if holds_no_events(application) and not source.named:
        return None
    log = shown(source.path)
    run = logged_run(application, kept.found, log, rules, ends)
    is_used = run is not None and run.state is not RunState.PARTIAL and run.outcome.queries
    unused = "" if is_used else unused_because(application, run)
    return ReadLog(log, log_bytes(source), None if run is None else encoded(run), unused)


def unused_because(application: Application, run: LoggedRun | None) -> str:
    """Why a log is not used, or not whole."""
    first = f": {application.problems[0].message}" if application.problems else ""
    if application.status is Completeness.FAILED:
        return f"no application could be read{first}"
    if run is None:
        return "does not say which application it is of, or when that started"
    if application.status is Completeness.PARTIAL:
        return f"is not whole; that run is not used as evidence{first}"
    return "ran no SQL query: there is nothing to plan"
