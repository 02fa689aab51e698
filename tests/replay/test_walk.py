"""The walk over a cohort's runs."""

from __future__ import annotations

from dataclasses import replace

from tests.policy.histories import MIDNIGHT, outcome
from tuner.model.run import RunState
from tuner.problems import Problems
from tuner.replay.cohort_replay import LoggedRun, ReplayedRun, Upcoming
from tuner.replay.walk import Walker


def walked(run: LoggedRun) -> tuple[ReplayedRun, Upcoming]:
    walk = Walker().walk([run], Problems())
    found = next(walk)
    try:
        next(walk)
    except StopIteration as end:
        return found, end.value
    raise AssertionError("a run more than there are")


def test_queries_that_ran_at_once_share_the_cores_of_their_cluster() -> None:
    measured = outcome({"q1": 100.0, "q2": 100.0})
    at_once = replace(measured, queries=tuple(replace(query, start_ms=0) for query in measured.queries))
    for told, cores in ((measured, 8.0), (at_once, 4.0)):
        run = LoggedRun("log", "etl", "etl/0/1", "etl", 1, MIDNIGHT, None, RunState.SUCCEEDED, told)
        found, to_come = walked(run)
        assert (found.query_cores, to_come.query_cores) == (cores, cores)
