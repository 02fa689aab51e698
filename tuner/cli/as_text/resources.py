"""What cohorts ask for and never use, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.replay.cohort_replay import CohortReplay
from tuner.steering.submit_conf import LOG_PEAKS
from tuner.units import format_bytes, format_share

MOST_COHORTS = 20


def most_unused_first(cohorts: Sequence[CohortReplay]) -> list[CohortReplay]:
    """By memory that was never used, then by memory that was held."""
    return sorted(cohorts, key=lambda c: (-c.resources.unused_byte_ms, -c.resources.held_byte_ms, c.cohort))


def _cohort_lines(cohort: CohortReplay) -> Iterator[str]:
    found = cohort.resources
    runs = f"{cohort.runs} run{'' if cohort.runs == 1 else 's'}"
    if not found.held_runs:
        yield f"  {cohort.cohort}: {runs}; no log tells how long executors were there"
    else:
        unused = (
            f"{found.unused_gib_hours:.2f} of them never in use"
            if found.sampled_byte_ms
            else "nobody knows how many in use"
        )
        idle = f", {format_share(found.idle_core_hours / found.held_core_hours)} idle" if found.held_core_ms else ""
        cores = f"{found.held_core_hours:.2f} core-hours{idle}"
        yield f"  {cohort.cohort}: {runs} held {found.held_gib_hours:.2f} GiB-hours, {unused}, and {cores}"
    executors = _heap(found.executor_heap_bytes, found.sampled_runs, found.most_executor_heap_bytes)
    driver = _heap(found.driver_heap_bytes, found.driver_sampled_runs, found.most_driver_heap_bytes)
    rest = f"GC {format_share(found.gc_share)} of tasks' time; spilled {format_bytes(found.spilled_bytes)}"
    needed = f" ({found.needed_executors} would do)" if 0 < found.needed_executors < found.executors else ""
    yield f"    executors {found.executors}{needed} x {executors}; driver {driver}; {rest}"


def _heap(asked_bytes: int, sampled: int, most_bytes: int) -> str:
    """What was asked for, as far as the log tells: a heap cannot have been fuller than it was large."""
    asked = (
        format_bytes(asked_bytes) if asked_bytes and asked_bytes >= most_bytes else "a size that the log does not tell"
    )
    return f"{asked}, {format_bytes(most_bytes)} at the fullest" if sampled else f"{asked}, not looked at"


def resources_lines(cohorts: Sequence[CohortReplay]) -> Iterator[str]:
    """Two lines for each cohort, most unused memory first; sums; and what logs do not tell."""
    yield "what is asked for and never used:"
    for cohort in most_unused_first(cohorts)[:MOST_COHORTS]:
        yield from _cohort_lines(cohort)
    told = [c.resources for c in cohorts if c.resources.held_runs]
    held, unused = sum(r.held_gib_hours for r in told), sum(r.unused_gib_hours for r in told)
    seen = sum(r.sampled_gib_hours for r in told)
    looked = (
        f"; of {seen:.2f} in which Spark looked, {unused:.2f} ({format_share(unused / seen)}) were never in use"
        if seen
        else ""
    )
    yield f"executors held {held:.2f} GiB-hours{looked}"
    core_hours, idle = sum(r.held_core_hours for r in told), sum(r.idle_core_hours for r in told)
    if core_hours:
        yield f"they held {core_hours:.2f} core-hours; {format_share(idle / core_hours)} of these ran no task"
    if len(cohorts) > MOST_COHORTS:
        yield f"and {len(cohorts) - MOST_COHORTS} more cohorts: --json has them all"
    yield "at the fullest: garbage included; Spark looks every 10 s"
    silent = sum(not c.resources.sampled_runs for c in cohorts)
    if silent:
        said = "cohort's logs say" if silent == 1 else "cohorts' logs say"
        yield f"{silent} {said} nothing of executors' memory: {LOG_PEAKS}=true has Spark write it"
