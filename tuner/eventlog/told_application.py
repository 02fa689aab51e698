"""The application that a log's events tell of, without its work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tuner.eventlog.allocation import Allocation, Held
from tuner.eventlog.driver_heap import driver_heap_bytes
from tuner.eventlog.failure_events import failed_in_profile, told_failures
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.open_resources import peaks_of
from tuner.eventlog.properties import redact
from tuner.model.application import Application, Completeness, Executors, Problem, ProblemCode
from tuner.model.failure import LoggedFailure
from tuner.model.resource_use import ResourceUse
from tuner.printable import printable
from tuner.spark.container import executor_container_bytes
from tuner.spark.knobs import EXECUTOR_MEMORY, TASK_CPUS
from tuner.spark.master import is_local, master_of
from tuner.spark.properties import APP_ID, APP_NAME, EVENT_LOG_QUEUE, EVENT_QUEUES
from tuner.spark.settings import Settings

# Longer ids are nobody's.
MAX_ID = 200
_MOST = (1 << 63) - 1


def told_application(
    source: str, fragment: Fragment, allocation: Allocation, problems: Iterable[Problem]
) -> Application:
    """The application as all events of a log tell it, from `source`.

    Partial unless it ended and nothing was lost on the way (`problems`).
    """
    found = (*problems, *fragment.problems, *_notes(source, fragment))
    lost = any(problem.code.loses_events for problem in found)
    if fragment.dropped_ends and not lost:
        found = (*found, Problem(source, 0, ProblemCode.DROPPED_EVENTS, _dropped(fragment)))
    start, held = fragment.start, None
    lost_executors, failed = told_failures(fragment)
    if not fragment.events:
        status = Completeness.FAILED
    else:
        whole = fragment.end_ms is not None and start is not None and not lost
        status = Completeness.COMPLETE if whole else Completeness.PARTIAL
        held = _held(fragment, allocation) if whole else None
    return Application(
        app_id=printable((start.app_id if start else None) or fragment.conf.get(APP_ID, ""), MAX_ID),
        app_name=redact((start.app_name if start else "") or fragment.conf.get(APP_NAME, "")),
        attempt=printable(start.attempt, MAX_ID) if start and start.attempt is not None else None,
        spark_version=printable(fragment.version, MAX_ID),
        start_ms=start.timestamp if start else None,
        end_ms=fragment.end_ms,
        status=status,
        executors=_executors(fragment, allocation),
        conf=fragment.conf,
        problems=found,
        steering=fragment.steering,
        failures=(*lost_executors, *failed),
        allocated_core_ms=held and held.core_ms,
        resources=_resources(fragment, lost_executors, failed, held and held.executor_ms),
        driver_memory_bytes=_driver_heap(fragment),
        platform=fragment.platform,
    )


def _held(fragment: Fragment, allocation: Allocation) -> Held | None:
    start, end_ms = fragment.start, fragment.end_ms
    return None if start is None or end_ms is None else allocation.held(start.timestamp, end_ms)


def _executors(fragment: Fragment, allocation: Allocation) -> Executors:
    local = is_local(master_of(fragment.conf))
    heap_bytes = _driver_heap(fragment) if local else Settings(fragment.conf)[EXECUTOR_MEMORY]
    return Executors(cores=allocation.cores, memory_bytes=heap_bytes, count=allocation.count)


def _driver_heap(fragment: Fragment) -> int:
    return driver_heap_bytes(fragment.conf, fragment.driver_storage_bytes)


def _resources(
    fragment: Fragment, lost: Sequence[LoggedFailure], failed: Sequence[LoggedFailure], executor_ms: int | None
) -> ResourceUse:
    found = fragment.resources
    return ResourceUse(
        executor_ms,
        executor_container_bytes(fragment.conf),
        found.task_ms,
        min(found.task_ms * max(1, Settings(fragment.conf)[TASK_CPUS]), _MOST),
        found.gc_ms,
        found.spilled_bytes,
        peaks_of(found.executors),
        peaks_of(found.driver),
        # What is firm is the most of any task: those of which no end is told may have needed more.
        0 if fragment.dropped_ends else found.firm_bytes,
        () if executor_ms is None else fragment.parallelism.tasks_at_once(),
        found.caches,
        found.has_barriers,
        tuple(sorted({one.kind for one in lost})),
        found.has_profiles,
        failed_in_profile((*lost, *failed)),
        found.keeps_state,
    )


def _notes(source: str, fragment: Fragment) -> Iterator[Problem]:
    for code, message in fragment.notes:
        yield Problem(source, 0, code, message)
    if more := fragment.unlisted_notes:
        yield Problem(source, 0, ProblemCode.MORE_PROBLEMS, f"{more} more problems in this log")


def _dropped(fragment: Fragment) -> str:
    """What Spark dropped, and what keeps it from that: of a log that lost nothing itself."""
    many, stages = fragment.dropped_ends, fragment.dropping_stages
    return (
        f"Spark fell behind with its event log and dropped ends of tasks: {many}, in stages: {stages}; raise {EVENT_LOG_QUEUE} "
        f"(10000 events; before Spark 3.0 {EVENT_QUEUES}) as far as the driver's heap holds more, or give the driver more cores"
    )
