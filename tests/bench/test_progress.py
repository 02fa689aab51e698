"""What the rest of a bench should take, by what its queries and runs have taken so far."""

from __future__ import annotations

from dataclasses import replace

from tests.bench.made import run
from tuner.bench.bench_run import QueryTime
from tuner.bench.progress import Progress

NAMES = ("q1", "q2", "q3")


def test_what_never_ran_is_taken_for_as_long_as_the_others() -> None:
    progress = Progress(NAMES, 2)
    first = progress.ended("a", 1, QueryTime("q1", 4.0))
    assert (first.done, first.total, first.left_seconds) == (1, 6, 4.0 + 4.0 + 12.0)
    assert progress.ended("a", 1, QueryTime("q2", 2.0)).left_seconds == 3.0 + 9.0


def test_queries_are_expected_as_they_were_and_runs_take_more_than_their_queries() -> None:
    whole = replace(run("a", 1, {"q1": 4.0, "q2": 2.0, "q3": 1.0}, tuning=0.5), application_seconds=12.0)
    progress = Progress(NAMES, 3, [whole])
    step = progress.ended("b", 1, QueryTime("q1", 6.0))
    # Of this run q2 and q3; of the last one q1 as the median of two, and 5.5 s beside its queries.
    assert (step.done, step.total, step.left_seconds) == (4, 9, 3.0 + 8.0 + 5.5)


def test_a_run_whose_application_died_counts_as_run() -> None:
    progress = Progress(NAMES, 2)
    progress.ended("a", 1, QueryTime("q1", 4.0))
    progress.finished(run("a", 1, {"q1": 4.0, "q2": 0.0, "q3": 0.0}, failed=("q2", "q3")))
    assert progress.ended("b", 1, QueryTime("q1", 4.0)).done == 4
