"""What a run measured of each query."""

from __future__ import annotations

from tuner.model.query import QueryStatus
from tuner.model.run import Run, RunState
from tuner.policy.measure import measured_queries, total_input_bytes, usable

from .histories import outcome, run


def test_equal_fingerprints_of_a_run_are_told_apart_by_order() -> None:
    first = run(0, {"q1": 10})
    assert first.outcome
    twice = first.outcome.queries * 2
    assert [m.occurrence for m in measured_queries(_with(first, twice))] == [0, 1]


def _with(one: Run, queries: tuple[object, ...]) -> Run:
    from dataclasses import replace

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
    assert total_input_bytes(outcome({"q1": 1, "q2": 1}, input_bytes=7).queries) == 14
