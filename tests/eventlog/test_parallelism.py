"""How many tasks ran at once, from their starts and ends."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden.streams import LOG
from tuner.eventlog.find import find_logs
from tuner.eventlog.open_parallelism import OpenParallelism
from tuner.eventlog.read import read_application

from .samples import event, stage_submitted
from .test_allocation import added
from .test_resources import task, used


def started(at_ms: int) -> bytes:
    return event("SparkListenerTaskStart", Stage_ID=0, Task_Info={"Launch Time": at_ms})


def folded(changes: list[tuple[int, int]]) -> OpenParallelism:
    found = OpenParallelism()
    for by, at_ms in changes:
        found.change(by, at_ms)
    return found


def test_each_moment_counts_the_tasks_that_run_in_it() -> None:
    found = folded([(1, 1000), (1, 1200), (-1, 1500), (-1, 2000), (1, 4000), (-1, 4100)])
    assert found.tasks_at_once() == ((1, 200 + 500 + 100), (2, 300))


def test_events_that_changed_places_take_nothing_away() -> None:
    assert folded([(1, 1000), (1, 990), (-1, 1100), (-1, 1100)]).tasks_at_once() == ((2, 100),)
    assert folded([(1, 0), (-1, 0)]).tasks_at_once() == ()


def test_a_log_that_lacks_a_start_or_an_end_tells_nothing() -> None:
    assert folded([(1, 1000), (1, 1200), (-1, 1500)]).tasks_at_once() == ()
    assert folded([(-1, 1000), (1, 1200)]).tasks_at_once() == ()


def test_large_numbers_are_rounded_up_by_an_eighth_at_most() -> None:
    for tasks in (15, 16, 17, 100, 1000, 54321):
        ((rounded, ms),) = OpenParallelism(held_ms={tasks: 7}).tasks_at_once()
        assert tasks <= rounded <= tasks * 9 / 8 and ms == 7
    assert OpenParallelism(held_ms=dict.fromkeys(range(1, 16), 1)).tasks_at_once() == tuple(
        (n, 1) for n in range(1, 16)
    )
    assert len(OpenParallelism(held_ms=dict.fromkeys(range(1, 10_000), 1)).tasks_at_once()) < 100


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), min_size=1, max_size=20), st.randoms())
def test_a_log_in_parts_tells_what_it_tells_as_a_whole(tasks: list[tuple[int, int]], random: Random) -> None:
    changes = sorted(
        [(1, begin) for begin, _ in tasks] + [(-1, begin + took) for begin, took in tasks],
        key=lambda change: (change[1], -change[0]),
    )
    whole = folded(changes)
    cuts = sorted(random.randrange(len(changes) + 1) for _ in range(3))
    parts = [changes[a:b] for a, b in zip([0, *cuts], [*cuts, len(changes)], strict=True)]
    joined = OpenParallelism()
    for part in parts:
        joined.absorb(folded(part))
    assert joined.tasks_at_once() == whole.tasks_at_once()
    assert sum(n * ms for n, ms in whole.tasks_at_once() if n < 16) <= sum(took for _, took in tasks)


def test_an_application_tells_it_where_it_tells_of_its_executors() -> None:
    lines = [added("1", 2000), stage_submitted(0), started(3000), started(3000)]
    ends = [task(run_ms=900, launched=3000, finished=4000), task(run_ms=100, launched=3000, finished=3500)]
    assert used(*lines, ends[1], ends[0]).tasks_at_once == ((1, 500), (2, 500))
    assert used(*lines[1:], *ends).tasks_at_once == ()


def test_rows_that_a_job_keeps_in_memory_are_told() -> None:
    def stage(in_memory: bool) -> bytes:
        kept = {"RDD ID": 1, "Storage Level": {"Use Disk": True, "Use Memory": in_memory}}
        return event("SparkListenerStageCompleted", Stage_Info={"Stage ID": 0, "RDD Info": [kept]})

    assert used(stage_submitted(0), stage(True)).caches
    assert not used(stage_submitted(0), stage(False)).caches


@pytest.mark.parametrize(
    ("name", "keeps"), [("StateStoreRDD", True), ("StateStoreAwareZipPartitionsRDD", True), ("ShuffledRowRDD", False)]
)
def test_state_that_a_stream_keeps_is_told(name: str, keeps: bool) -> None:
    stage = event("SparkListenerStageCompleted", Stage_Info={"Stage ID": 0, "RDD Info": [{"Name": name}]})
    use = used(stage_submitted(0), stage)
    assert (use.keeps_state, use.needs_its_executors) == (keeps, keeps)


def test_a_real_stream_keeps_state() -> None:
    (log,) = find_logs(LOG)
    assert read_application(log).resources.keeps_state
