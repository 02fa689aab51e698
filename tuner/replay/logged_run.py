"""An application, as its log tells it, as a run of its cohort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from tuner.history.counted_once import counted_once
from tuner.history.failure import with_query
from tuner.history.outcome import outcome_of, state_of
from tuner.loop.work_ends import WorkEnds
from tuner.model.application import Application, Completeness
from tuner.model.query import Query
from tuner.model.run import Origin, RunState
from tuner.replay.cohort_of import BY_LOG, CohortRules, cohort_of
from tuner.replay.cohort_replay import LoggedRun
from tuner.spark.run_tags import CHANGES, key_in

# Of work that nobody looked at.
UNTOLD = WorkEnds()

# Milliseconds that a datetime can hold: a damaged log may tell others.
_LAST_MS = 253_402_300_799_000
# Parts of a task instance's key: DAG, run, task, map index, try.
_KEY_PARTS = 5


def logged_run(
    application: Application,
    found: Sequence[Query],
    log: str,
    rules: CohortRules = BY_LOG,
    ends: WorkEnds = UNTOLD,
) -> LoggedRun | None:
    """The run that an application was, `as_ended`. None for one that tells neither its id nor when it started: it has no place in
    time.

    Whether the job failed is told by how its work ended: of anything else that failed in it a log has no word.
    """
    start = moment(application.start_ms)
    if start is None or not application.app_id or application.status is Completeness.FAILED:
        return None
    conf = application.conf
    key, platform = key_in(conf), application.platform
    directed = {id_ for query in application.steering.directives for id_ in query.ids}
    run = LoggedRun(
        log=log,
        app_name=application.app_name,
        key=key or "/".join(filter(None, (application.app_id, platform.cluster_id, application.attempt or "1"))),
        cohort=cohort_of(conf, application.app_name, rules, platform, log),
        try_number=_try_number(key or application.attempt or "1"),
        started_at=start,
        ended_at=moment(application.end_ms),
        state=RunState.SUCCEEDED,
        outcome=outcome_of(application, ()),
        origin=_origin(key),
        steered=bool(key),
        changes=conf.get(CHANGES, ""),
        directed=tuple(sorted(directed)),
        platform=platform,
    )
    state = state_of(application, failed=_has_error(application))
    return with_queries(replace(run, state=state), found, ends.told_by(application))


def with_queries(run: LoggedRun, found: Sequence[Query], ends: WorkEnds = UNTOLD) -> LoggedRun:
    """The run with its queries, each once, in the order of their ids.

    How its work ended (`ends`) says whether that failed it; of a log that breaks off, only a SQL execution that failed does.
    """
    ordered = tuple(sorted(found, key=lambda query: query.id))
    failed = ends.is_broken if run.state is RunState.PARTIAL else ends.has_failed
    state = RunState.FAILED if failed else run.state
    failure = with_query(run.outcome.failure, ordered) if run.outcome.failure else None
    return replace(run, state=state, outcome=replace(run.outcome, queries=counted_once(ordered), failure=failure))


def _has_error(application: Application) -> bool:
    """Whether a SQL execution failed, also one that no query could be made of."""
    return any(failed.execution_id is not None and failed.job_id is None for failed in application.failures)


def moment(ms: int | None) -> datetime | None:
    """None for milliseconds that are none, as a damaged log may tell."""
    return datetime.fromtimestamp(ms / 1e3, UTC) if ms is not None and 0 < ms < _LAST_MS else None


def _try_number(key: str) -> int:
    last = key.rsplit("/", 1)[-1]
    return int(last) if last.isdecimal() and 0 < len(last) < 6 and int(last) > 0 else 1


def _origin(key: str) -> Origin | None:
    """The task instance of a key that a task instance gave."""
    parts = key.split("/")
    if len(parts) != _KEY_PARTS:
        return None
    dag_id, run_id, task_id, map_index, _ = parts
    return Origin(dag_id, run_id, task_id, int(map_index)) if map_index.lstrip("-").isdecimal() else None
