"""Application to Outcome: what of a harvested run the store keeps."""

from __future__ import annotations

from tuner.eventlog.cluster import cluster_of
from tuner.history.counted_once import counted_once
from tuner.history.failure import failure_in
from tuner.model.application import Application, Completeness
from tuner.model.query import Query
from tuner.model.run import Outcome, RunState

MAX_PROBLEMS = 10
_LONGEST_MS = (1 << 63) - 1  # what a database's column takes


def outcome_of(application: Application, queries: tuple[Query, ...]) -> Outcome:
    """The outcome of a run: its queries as measured, each once, its cluster, and the first problems of its log."""
    start, end = application.start_ms, application.end_ms
    return Outcome(
        app_id=application.app_id,
        spark_version=application.spark_version,
        duration_ms=max(0, min(end - start, _LONGEST_MS)) if start is not None and end is not None else None,
        cluster=cluster_of(application),
        queries=counted_once(queries),
        conf=dict(application.conf),
        problems=tuple(f"{p.file}:{p.line}: {p.code}: {p.message}" for p in application.problems[:MAX_PROBLEMS]),
        # A job that ended before its session was made has loaded no extension, the agent's neither.
        agent_missing=application.steering.is_lost and (application.steering.loaded or bool(queries)),
        failure=failure_in(application.failures, queries, application.executors.count),
        allocated_core_ms=application.allocated_core_ms,
        resources=application.resources,
    )


def state_of(application: Application | None, *, failed: bool) -> RunState:
    """How a run ended, of which it is known if the job failed, and what its log tells (None: no log)."""
    if failed:
        return RunState.FAILED
    if application is None:
        return RunState.LOST
    return RunState.SUCCEEDED if application.status is Completeness.COMPLETE else RunState.PARTIAL
