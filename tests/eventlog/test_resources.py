"""What executors held and tasks took, from the ends of tasks and what was sampled of memory."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from tests.conftest import AT_LENGTH
from tuner.eventlog.application_fold import ApplicationFold
from tuner.eventlog.events import ExecutorMetrics, TaskEnd, TaskInfo, decode_event
from tuner.eventlog.fragment import Fragment
from tuner.eventlog.open_resources import OpenResources
from tuner.model.resource_use import UNKNOWN_USE, MemoryPeaks, ResourceUse
from tuner.units import GIB, MIB

from .samples import (
    application_end,
    application_start,
    environment,
    event,
    execution_end,
    execution_start,
    fold,
    job_end,
    job_start,
    log_start,
    stage_completed,
    stage_submitted,
)
from .test_allocation import added, removed

START = [log_start(), application_start()]  # at 1000; the end is at 9000
YARN = environment(**{"spark.master": "yarn", "spark.executor.memory": "4g"})


def task(
    executor: str = "1",
    *,
    run_ms: int = 0,
    gc_ms: int = 0,
    spilled: int = 0,
    reason: str = "Success",
    launched: int = 0,
    finished: int = 0,
    **peaks: int,
) -> bytes:
    metrics = {"Executor Run Time": run_ms, "JVM GC Time": gc_ms, "Disk Bytes Spilled": spilled}
    return event(
        "SparkListenerTaskEnd",
        Stage_ID=0,
        Task_End_Reason={"Reason": reason},
        Task_Info={"Executor ID": executor, "Index": 0, "Launch Time": launched, "Finish Time": finished},
        Task_Metrics=metrics,
        Task_Executor_Metrics=peaks,
    )


def stage_peaks(executor: str, **peaks: Any) -> bytes:
    return event("SparkListenerStageExecutorMetrics", Executor_ID=executor, Stage_ID=0, Executor_Metrics=peaks)


def heap_alone(heap_bytes: int) -> MemoryPeaks:
    """As sampled where Spark held nothing."""
    return MemoryPeaks(heap_bytes, on_heap_execution_bytes=0, on_heap_storage_bytes=0)


def used(*lines: bytes) -> ResourceUse:
    return fold([*START, YARN, *lines, application_end()]).resources


def test_executors_and_their_containers_are_told_apart_from_cores() -> None:
    use = used(added("1", 2000), added("2", 3000, cores=2), removed("1", 5000))
    assert (use.executor_ms, use.container_bytes) == (3000 + 6000, 4 * GIB + int(0.1 * 4 * GIB))
    assert use.allocated_byte_ms == use.executor_ms * use.container_bytes  # type: ignore[operator]


def test_stages_that_ask_for_executors_of_their_own_are_told() -> None:
    """ResourceProfile: the application's own has the id 0."""

    def stage(profile: Any, **more: str) -> bytes:
        return event("SparkListenerStageCompleted", Stage_Info={"Stage ID": 0, "Resource Profile Id": profile, **more})

    assert not used(stage(0)).has_profiles
    assert used(stage(0), stage(1), stage(0)).has_profiles
    assert used(stage(1)).needs_its_executors


def completed(stage_id: int, profile: int, *, failed: bool = True, attempt: int = 0) -> bytes:
    info = {"Stage ID": stage_id, "Stage Attempt ID": attempt, "Resource Profile Id": profile}
    reason = {"Failure Reason": "Job aborted due to stage failure"} if failed else {}
    return event("SparkListenerStageCompleted", Stage_Info=info | reason)


RETRIED = [completed(2, 1), completed(2, 1, failed=False, attempt=1)]


@pytest.mark.parametrize(
    ("stages", "is_in_profile"),
    [
        ([completed(1, 0, failed=False), completed(2, 1)], True),
        ([completed(2, 1, failed=False), completed(1, 0)], False),
        ([*RETRIED, completed(1, 0)], False),
        ([*RETRIED, completed(2, 1, attempt=2)], True),
        # One that runs beside it ends with the same words.
        ([completed(2, 1), completed(1, 0)], False),
        ([completed(9, 1), completed(1, 0)], False),
        ([completed(9, 0), completed(2, 1)], True),
    ],
)
@pytest.mark.parametrize("execution_id", [None, 0])
def test_a_stage_with_executors_of_its_own_fails_a_job(
    stages: list[bytes], is_in_profile: bool, execution_id: int | None
) -> None:
    start, end = job_start(execution_id, (1, 2)), job_end(error="Job aborted due to stage failure")
    lines = [start, *stages, end]
    ended = [] if execution_id is None else [execution_start(), *lines, execution_end(error="Job aborted")]
    assert used(*(ended or lines)).failed_in_profile is is_in_profile


def test_a_job_whose_error_was_caught_did_not_fail_the_application() -> None:
    first = [job_start(None, (1,)), completed(1, 1), job_end(error="Job aborted due to stage failure")]
    last = [job_start(None, (2,), 1), completed(2, 0), job_end(1, "Job aborted due to stage failure")]
    assert not used(*first, *last).failed_in_profile
    assert used(*last, *first).failed_in_profile


def folded(lines: list[bytes], *, piece: bool = False) -> ApplicationFold:
    fold = ApplicationFold("log", lambda _: None, piece=piece)
    for line in lines:
        decoded = decode_event(line)
        assert decoded is not None
        fold.add(decoded)
    return fold


@pytest.mark.parametrize("first", range(1, 4))
def test_so_it_does_where_its_stages_are_told_in_several_files_of_a_log(first: int) -> None:
    lines = [job_start(None, (2,)), completed(2, 1), completed(2, 1, attempt=1), job_end(error="Job aborted")]
    start, later = folded(START + lines[:first]), folded(lines[first:], piece=True)
    start.absorb(msgspec.msgpack.decode(msgspec.msgpack.encode(later.fragment), type=Fragment))
    assert start.application(()).resources.failed_in_profile


def test_so_it_does_not_where_a_later_file_tells_that_its_retry_did_not_fail() -> None:
    lines = [job_start(None, (1, 2)), *RETRIED, completed(1, 0), job_end(error="Job aborted")]
    start, later = folded(START + lines[:2]), folded(lines[2:], piece=True)
    start.absorb(msgspec.msgpack.decode(msgspec.msgpack.encode(later.fragment), type=Fragment))
    assert not start.application(()).resources.failed_in_profile


def test_all_attempts_at_tasks_count_failed_ones_too() -> None:
    failed = task(run_ms=300, gc_ms=200, spilled=5, reason="ExceptionFailure")
    use = used(stage_submitted(), task(run_ms=700, gc_ms=50, spilled=10), failed)
    assert (use.task_ms, use.gc_ms, use.spilled_bytes) == (1000, 250, 15)
    assert use.gc_share == 0.25


def test_peaks_are_the_largest_of_any_executor_and_the_drivers_apart() -> None:
    use = used(
        stage_submitted(),
        task("1", JVMHeapMemory=3 * MIB, OnHeapExecutionMemory=2, OffHeapExecutionMemory=5),
        task("2", JVMHeapMemory=2 * MIB, OnHeapExecutionMemory=9, OnHeapStorageMemory=4),
        stage_peaks("2", JVMHeapMemory=1, JVMOffHeapMemory=6, DirectPoolMemory=1, ProcessTreePythonRSSMemory=8),
        stage_peaks("driver", JVMHeapMemory=7 * MIB),
    )
    assert use.executors == MemoryPeaks(3 * MIB, 9, 4, 7, 8, 8, 9, 4)
    assert use.driver == heap_alone(7 * MIB)


def test_peaks_on_the_heap_are_told_apart_from_those_in_all() -> None:
    off = task("1", JVMHeapMemory=MIB, OnHeapExecutionMemory=2, OffHeapExecutionMemory=90, OffHeapStorageMemory=7)
    use = used(stage_submitted(), off, task("1", JVMHeapMemory=MIB, OnHeapExecutionMemory=40, OnHeapStorageMemory=3))
    assert use.executors == MemoryPeaks(MIB, 92, 7, on_heap_execution_bytes=40, on_heap_storage_bytes=3)
    assert (use.executors.execution_on_heap, use.executors.storage_on_heap) == (40, 3)
    stored = MemoryPeaks(MIB, 92, 7)
    assert (stored.execution_on_heap, stored.storage_on_heap) == (92, 7)


@pytest.mark.parametrize(
    "line",
    [
        task(),
        task(JVMHeapMemory=0, OnHeapExecutionMemory=1),
        task(JVMHeapMemory=-1),
        stage_peaks("1"),
        stage_peaks("driver"),
    ],
    ids=["no peaks", "zeros, as between two heartbeats", "damage", "an empty event", "an empty event of the driver"],
)
def test_what_was_not_sampled_is_unknown_and_not_nothing(line: bytes) -> None:
    use = used(stage_submitted(), line)
    assert (use.executors, use.driver) == (None, None)


def test_damaged_numbers_take_nothing_away_and_end_where_a_store_does() -> None:
    most = (1 << 63) - 1
    use = used(
        stage_submitted(),
        task(run_ms=-5, gc_ms=-5, spilled=-1, JVMHeapMemory=most, OnHeapStorageMemory=most, OffHeapStorageMemory=most),
        task(run_ms=most, gc_ms=most, spilled=most),
        task(run_ms=most),
    )
    assert (use.task_ms, use.gc_ms, use.spilled_bytes) == (most, most, most)
    assert use.executors == MemoryPeaks(most, 0, most, on_heap_execution_bytes=0, on_heap_storage_bytes=most)


def test_a_log_that_breaks_off_tells_what_was_sampled_and_not_how_long_executors_were_there() -> None:
    use = fold([*START, YARN, added("1", 2000), stage_submitted(), task(JVMHeapMemory=MIB)]).resources
    assert (use.executor_ms, use.executors) == (None, heap_alone(MIB))


def test_a_log_without_events_of_any_of_it() -> None:
    assert fold([]).resources == ResourceUse(container_bytes=UNKNOWN_USE.container_bytes + GIB + 384 * MIB)


def held(executor: str, seconds: float, heap: int, storage: int = 0, took: float = 1) -> bytes:
    """The end of a task that showed MiB of heap, and of storage in it."""
    end = int(seconds * 1000)
    sampled = {"JVMHeapMemory": heap * MIB, "OnHeapStorageMemory": storage * MIB}
    return task(executor, launched=end - int(took * 1000), finished=end, **sampled)


def test_what_is_neither_garbage_nor_storage_is_the_least_of_ten_seconds() -> None:
    garbage = [
        held("1", s, heap) for s, heap in ((1, 900), (3, 300), (9, 700), (12, 2000), (15, 450), (21, 800), (29, 200))
    ]
    assert used(stage_submitted(), *garbage).firm_bytes == 450 * MIB
    other = [held("2", s, heap) for s, heap in ((2, 500), (4, 600))]
    assert used(stage_submitted(), *garbage, *other).firm_bytes == 500 * MIB
    assert used(stage_submitted(), held("1", 1, 3000, 2800)).firm_bytes == 200 * MIB
    # Peaks of a long task may be of several times.
    assert used(stage_submitted(), held("1", 60, 3000, 2800, took=59)).firm_bytes == 3000 * MIB
    beside = [held("1", 60, 3000, took=59), held("1", 61, 900)]
    assert used(stage_submitted(), *beside).firm_bytes == 3000 * MIB
    assert used(stage_submitted(), held("driver", 1, 3000), held("1", 1, 0)).firm_bytes == 0


def test_of_a_stage_that_lacks_ends_of_tasks_it_is_not_known() -> None:
    ran = execution_start(), job_start(), stage_submitted(), held("1", 1, 900)
    ended = stage_completed(), job_end(), execution_end()
    assert used(*ran, held("1", 2, 900), *ended).firm_bytes == 900 * MIB
    assert used(*ran, *ended).firm_bytes == 0


def test_of_a_long_tasks_heap_what_storage_held_all_the_time_is_not_firm() -> None:
    long = held("1", 60, 3000, 2800, took=55)
    around = held("1", 4, 2600, 2500), held("1", 61, 2700, 2600)
    assert used(stage_submitted(), around[0], long, around[1]).firm_bytes == 500 * MIB
    # Storage may have been given up, or have been filled, before its heap was at its fullest.
    assert used(stage_submitted(), around[0], long, held("1", 61, 900, 800)).firm_bytes == 2200 * MIB
    assert used(stage_submitted(), held("1", 4, 900, 700), long, around[1]).firm_bytes == 2300 * MIB
    assert used(stage_submitted(), around[0], held("1", 60, 3000, 2000, took=55), around[1]).firm_bytes == 1000 * MIB
    # Nothing tells what it held where no short task is before it, or after, or those are another executor's.
    assert used(stage_submitted(), long, around[1]).firm_bytes == 3000 * MIB
    assert used(stage_submitted(), around[0], long).firm_bytes == 3000 * MIB
    others = held("2", 4, 2600, 2500), held("2", 61, 2700, 2600)
    assert used(stage_submitted(), others[0], long, others[1]).firm_bytes == 3000 * MIB


def test_long_tasks_in_a_row_are_of_one_stretch() -> None:
    row = [held("1", 20, 2900, 2500, took=15), held("1", 40, 3000, 1900, took=15), held("1", 60, 2800, 2600, took=15)]
    assert used(stage_submitted(), held("1", 4, 2600, 2500), *row, held("1", 61, 2700, 2600)).firm_bytes == 1100 * MIB


def test_storage_that_is_filled_while_a_long_task_runs_beside_short_ones_was_not_held_all_the_time() -> None:
    """Its executor has several cores: tasks of another query fetch a broadcast after its heap was at its fullest."""
    long, beside = held("1", 60, 3000, 2500, took=55), [held("1", s, 2700, 2500) for s in (52, 59)]
    after = held("1", 61, 2700, 2500)
    assert used(stage_submitted(), held("1", 4, 300), *beside, long, after).firm_bytes == 3000 * MIB
    assert used(stage_submitted(), held("1", 4, 2600, 2500), *beside, long, after).firm_bytes == 500 * MIB
    least = held("1", 4, 2600, 2500), held("1", 30, 1200, 1000), *beside, long, after
    assert used(stage_submitted(), *least).firm_bytes == 2000 * MIB
    # The first short one ended after it had begun: nothing tells what storage held then.
    assert used(stage_submitted(), *beside, long, after).firm_bytes == 3000 * MIB


@pytest.mark.parametrize("seed", range(200 if AT_LENGTH else 20))
def test_parts_of_a_log_tell_what_the_whole_does(seed: int) -> None:
    draw = Random(seed)
    ends = sorted(draw.uniform(0, 60) for _ in range(40))
    many = draw.choice((0.1, 0.5, 0.9, 1.0))
    tasks = [(draw.choice("123"), end, draw.randrange(100, 900) * MIB, draw.random() < many) for end in ends]

    def taken(some: Sequence[tuple[str, float, int, bool]]) -> OpenResources:
        found = OpenResources()
        for executor, end, heap, is_long in some:
            ms = int(end * 1000)
            took = 10_001 + heap // MIB * 7919 % 20_000 if is_long else 500
            info = TaskInfo(executor_id=executor, launched_ms=ms - took, finished_ms=ms)
            peaks = ExecutorMetrics(heap=heap, on_heap_storage=heap * (heap // MIB % 7) // 7)
            found.take_task(TaskEnd(info=info, peaks=peaks))
        return found

    first, second = sorted(draw.randrange(len(tasks)) for _ in range(2))
    middle, whole = taken(tasks[first:second]), taken(tasks)
    parts = taken(tasks[:first])
    if draw.random() < 0.5:
        middle.absorb(taken(tasks[second:]))
        parts.absorb(middle)
    else:
        parts.absorb(middle)
        parts.absorb(taken(tasks[second:]))
    assert parts.firm_bytes == whole.firm_bytes
