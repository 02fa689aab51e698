"""Core time that executors held, from the events of their coming and going."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from tuner.eventlog.allocation import Allocation
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Completeness
from tuner.model.resource_use import MemoryPeaks, ResourceUse

from .samples import application_end, application_start, event, fold, log_start, write

DYNAMIC = Path(__file__).parents[3] / "shared" / "eventlogs" / "eventlog_4nodes_8cores_dynamic_alloc.zstd"

START = [log_start(), application_start()]  # at 1000; the end is at 9000


def added(name: str, at_ms: int, cores: int = 4) -> bytes:
    return event("SparkListenerExecutorAdded", Timestamp=at_ms, Executor_ID=name, Executor_Info={"Total Cores": cores})


def removed(name: str, at_ms: int) -> bytes:
    return event("SparkListenerExecutorRemoved", Timestamp=at_ms, Executor_ID=name, Removed_Reason="idle")


def allocated(*lines: bytes) -> int | None:
    return fold([*START, *lines, application_end()]).allocated_core_ms


def test_each_executor_counts_from_added_to_removed_and_the_rest_to_the_end() -> None:
    assert allocated(added("1", 2000), added("2", 3000, cores=2), removed("1", 5000)) == 4 * 3000 + 2 * 6000


def test_the_driver_is_the_executor_of_local_mode() -> None:
    assert allocated(added("driver", 1500, cores=12)) == 12 * 7500


def test_executors_that_go_after_the_end_were_held_until_then() -> None:
    went = fold([*START, added("1", 2000), application_end(), removed("1", 9200)])
    assert went.allocated_core_ms == 4 * 7200


def test_an_executor_lost_and_replaced_counts_as_both() -> None:
    assert allocated(added("1", 2000), removed("1", 4000), added("2", 4000)) == 4 * 7000


def test_threads_that_post_in_another_order_than_they_stamp_take_nothing_away() -> None:
    assert allocated(added("1", 2005), added("2", 2000)) == 4 * 6995 + 4 * 7000


@pytest.mark.parametrize(
    "lines",
    [
        (),
        (added("1", 0),),
        (added("1", 2000), removed("1", 0)),
        (added("1", 2000, cores=0),),
        (added("1", 2000, cores=-4),),
        (added("1", 2000), removed("2", 3000)),
        (added("1", 2000), added("1", 3000)),
        (added("1", 8000), removed("1", 3000)),
        (added("1", 8000), added("2", 3000)),
        (added("1", 9500),),
        (added("1", 2000, cores=1 << 60),),
    ],
    ids=[
        "none was added",
        "added at no time",
        "removed at no time",
        "no cores",
        "negative cores",
        "removed and never added",
        "added twice",
        "removed before it was added",
        "clock set back between two",
        "added after the end",
        "more than a store holds",
    ],
)
def test_what_cannot_be_told_is_unknown_and_not_nothing(lines: tuple[bytes, ...]) -> None:
    found = fold([*START, *lines, application_end()])
    assert (found.status, found.allocated_core_ms) == (Completeness.COMPLETE, None)


def test_a_clock_set_back_since_the_start_is_unknown() -> None:
    late = Allocation()
    late.change("1", 4, 2000)
    assert late.held(900_000, 950_000) is None


def test_a_log_that_breaks_off_tells_no_allocation() -> None:
    assert fold([*START, added("1", 2000)]).allocated_core_ms is None


def test_a_compacted_log_lacks_the_executors_that_were_gone_and_tasks_of_jobs_that_had_ended(tmp_path: Path) -> None:
    task = {"Task ID": 1, "Launch Time": 4000, "Finish Time": 4500, "Executor ID": "2"}
    ended = event(
        "SparkListenerTaskEnd",
        Stage_ID=0,
        Task_Info=task,
        Task_Metrics={"Executor Run Time": 500},
        Task_Executor_Metrics={"JVMHeapMemory": 7000},
    )
    started = event("SparkListenerTaskStart", Stage_ID=0, Task_Info={"Task ID": 1, "Launch Time": 4000})
    lines = [*START, added("2", 3000), started, ended, application_end()]
    sampled = MemoryPeaks(heap_bytes=7000, on_heap_execution_bytes=0, on_heap_storage_bytes=0)
    whole = ResourceUse(6000, 0, 500, 500, executors=sampled, firm_bytes=7000, tasks_at_once=((1, 500),))
    compacted = ResourceUse(None, 0, 500, 500)
    for name, expected, use in (
        ("events_1_local-1", 4 * 6000, whole),
        ("events_1_local-1.compact", None, compacted),
    ):
        rolling = tmp_path / name / "eventlog_v2_local-1"
        rolling.mkdir(parents=True)
        (rolling / "appstatus_local-1").touch()
        write(rolling / name, b"".join(lines))
        (source,) = find_logs(rolling)
        found = read_application(source)
        assert found.allocated_core_ms == expected
        assert replace(found.resources, container_bytes=0) == use


@pytest.mark.skipif(not DYNAMIC.is_file(), reason=f"{DYNAMIC} is not there")
def test_dynamic_allocation_of_a_real_cluster_as_its_events_add_up() -> None:
    raw = zstandard.ZstdDecompressor().stream_reader(DYNAMIC.read_bytes(), read_across_frames=True).read()
    events = [json.loads(line) for line in raw.splitlines() if line.endswith(b"}")]
    of = {kind: [e for e in events if e["Event"] == f"SparkListener{kind}"] for kind in
          ("ExecutorAdded", "ExecutorRemoved", "ApplicationEnd")}  # fmt: skip
    gone = {e["Executor ID"]: e["Timestamp"] for e in of["ExecutorRemoved"]}
    end_ms = of["ApplicationEnd"][0]["Timestamp"]
    expected = sum(
        e["Executor Info"]["Total Cores"] * (gone.get(e["Executor ID"], end_ms) - e["Timestamp"])
        for e in of["ExecutorAdded"]
    )
    found = read_application(find_logs(DYNAMIC)[0])
    assert found.allocated_core_ms == expected
    assert found.start_ms is not None and found.end_ms is not None
    # Seven executors at most, of four cores: far fewer on the average.
    assert 0 < expected < 0.5 * 7 * 4 * (found.end_ms - found.start_ms)
