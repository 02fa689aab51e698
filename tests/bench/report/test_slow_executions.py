"""How often a query is clearly slower than by default."""

from __future__ import annotations

from dataclasses import replace

from tests.bench.made import run, runs, setup
from tuner.bench.bench_result import BenchResult
from tuner.bench.bench_run import BenchRun, QueryTime
from tuner.bench.report.slow_executions import SlowExecutions, slow_executions
from tuner.bench.results import results


def result(default: list[BenchRun], tuned: list[BenchRun]) -> BenchResult:
    return results(setup(), {"default": "Spark", "tuner": "the tuner"}, {"default": default, "tuner": tuned})


def test_each_execution_is_held_against_the_defaults_nearest_one() -> None:
    default = [run("default", 1, {"q1": 10, "q2": 5}), run("default", 5, {"q1": 20, "q2": 5})]
    tuned = runs(
        "tuner",
        {"q1": 13, "q2": 5.9},
        {"q1": 13, "q2": 6.1},
        {"q1": 13, "q2": 4},
        {"q1": 13, "q2": 4},
        {"q1": 13, "q2": 4},
    )
    found = result(default, tuned)
    # q1 in rounds 1 to 3, q2 in round 2.
    assert slow_executions(found, found.contenders[1]) == SlowExecutions(4, 10)


def test_the_defaults_are_held_against_their_own_next_one() -> None:
    default = [run("default", 1, {"q1": 10, "q2": 5}), run("default", 2, {"q1": 20, "q2": 5})]
    found = result(default, runs("tuner", {"q1": 1, "q2": 1}))
    assert slow_executions(found, found.contenders[0]) == SlowExecutions(1, 4)
    alone = result(default[:1], [])
    assert slow_executions(alone, alone.contenders[0]).share == 0


def test_rounds_that_lie_apart_do_not_tell_what_chance_does() -> None:
    apart = [run("default", 1, {"q1": 10, "q2": 5}), run("default", 4, {"q1": 20, "q2": 5})]
    found = result(apart, runs("tuner", {"q1": 1, "q2": 1}))
    assert slow_executions(found, found.contenders[0]) == SlowExecutions(0, 0)


def test_what_failed_is_not_compared() -> None:
    (whole,) = runs("default", {"q1": 10, "q2": 5})
    failed = replace(whole, contender="tuner", queries=(QueryTime("q1", 99.0, error="no"), QueryTime("q2", 7.0)))
    found = result([whole], [failed])
    assert slow_executions(found, found.contenders[1]) == SlowExecutions(1, 1)
