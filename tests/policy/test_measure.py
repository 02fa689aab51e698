"""What a run measured of each query."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.history.documents import Detail, readable_outcome, times_document
from tuner.model.failure import FailureKind
from tuner.model.query import QueryStatus, total_data_bytes
from tuner.model.query_work import BroadcastWork, QueryWork, StageWork
from tuner.model.run import Run, RunState
from tuner.policy.measure import measured_queries, waiting_core_ms
from tuner.policy.usable import usable

from .histories import outcome, run

BROADCAST = BroadcastWork(1000, 100 << 20, 200, build_ms=300, broadcast_ms=400)


def test_equal_fingerprints_of_a_run_are_told_apart_by_order() -> None:
    first = run(0, {"q1": 10})
    assert first.outcome
    twice = first.outcome.queries * 2
    assert [m.occurrence for m in measured_queries(_with(first, twice))] == [0, 1]


def _with(one: Run, queries: tuple[object, ...]) -> Run:
    assert one.outcome
    return replace(one, outcome=replace(one.outcome, queries=queries))  # type: ignore[arg-type]


def test_only_queries_that_came_to_their_end_are_measured() -> None:
    assert not measured_queries(run(0, {"q1": 10}, failed=["q1"]))
    assert not measured_queries(run(0))
    assert QueryStatus.FAILED in {q.status for q in outcome({"q1": 1}, failed=["q1"]).queries}


def test_which_runs_may_be_compared() -> None:
    assert usable(run(0, {"q1": 1}))
    assert not usable(run(0))
    assert not any(usable(run(0, {"q1": 1}, state=s)) for s in RunState if s is not RunState.SUCCEEDED)


def test_input_is_summed() -> None:
    assert total_data_bytes(outcome({"q1": 1, "q2": 1}, input_bytes=7).queries) == 14


def test_a_run_that_is_read_in_brief_tells_as_much_of_processors_work_and_stages_as_the_whole() -> None:
    work = QueryWork(
        (StageWork(1, 8, 9000, {"scan_bytes": 1e9}), StageWork(2, 8, 4000, {"shuffle_bytes": 3e8})), (BROADCAST,)
    )
    whole = run(0, {"q1": 20.0})
    assert whole.outcome
    (query,) = whole.outcome.queries
    query = replace(query, executor_run_ms=13_000, executor_cpu_ms=9_000, work=work)
    whole = replace(whole, outcome=replace(whole.outcome, queries=(query,)))
    assert whole.outcome
    brief = replace(whole, outcome=readable_outcome("k", times_document("k", whole.outcome), Detail.TIMES))
    (measured,), (in_brief,) = measured_queries(whole), measured_queries(brief)
    assert measured.cpu_seconds >= 9.7 and measured.work_seconds > 0 and measured.cpu_share < 1
    assert sorted(measured.stages.values()) == [4.0, 9.0]
    assert in_brief == measured


def test_cores_wait_for_a_broadcast_as_far_as_their_query_keeps_them_busy() -> None:
    """Of a cluster of 400 it may use 20."""
    (query,) = outcome({"q1": 20.7}).queries
    query = replace(query, executor_run_ms=400_000, work=QueryWork((), (BROADCAST,)))
    assert waiting_core_ms(query, 400) == 700 * 20
    assert waiting_core_ms(query, 8) == 700 * 8
    assert waiting_core_ms(replace(query, executor_run_ms=2_000), 400) == 700
    by_driver = replace(query, duration_ms=800, executor_run_ms=4_000)
    assert waiting_core_ms(by_driver, 400) == 700 * 10, "at most half of its time"


@pytest.mark.parametrize(
    ("lost", "share"),
    [
        ((FailureKind.EXECUTOR_PREEMPTED,), 0.25),
        ((), 0.0),
        ((FailureKind.EXECUTOR_PREEMPTED, FailureKind.EXECUTOR_OUT_OF_MEMORY), 0.0),
    ],
    ids=["taken", "its tasks failed", "one died, maybe by a change"],
)
def test_what_ran_again_counts_unless_executors_were_taken(lost: tuple[FailureKind, ...], share: float) -> None:
    whole = run(0, {"q1": 20.0})
    assert whole.outcome
    (query,) = whole.outcome.queries
    query = replace(query, executor_run_ms=16_000, executor_cpu_ms=12_000, repeated_run_ms=4_000)
    found = replace(whole.outcome, queries=(query,), resources=replace(whole.outcome.resources, lost_executors=lost))
    for told in (found, readable_outcome("k", times_document("k", found), Detail.TIMES)):
        (measured,) = measured_queries(replace(whole, outcome=told))
        assert measured.repeated_share == share
        assert measured.cpu_seconds == pytest.approx(12 * (1 - share))
