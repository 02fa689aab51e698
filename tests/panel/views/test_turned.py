"""What was prevented since a job's surroundings changed, as its page says it."""

from __future__ import annotations

from tests.policy.test_turning_points import BEFORE, SINCE, night
from tuner.panel.views.turned import turned
from tuner.policy.turning_points import turning_points


def test_the_newest_time_that_made_queries_slower_is_told() -> None:
    harmless = night(6, 20, spark="4.1")
    found = turned(turning_points([*BEFORE, *SINCE, harmless]))
    assert found is not None
    assert (found.run_key, found.slower_seconds, found.prevented_seconds) == ("etl/3/1", 9.5, 9.5)
    assert (found.difference, found.runs_since) == ("Spark 4.0 instead of 3.5", 3)
    assert found.since == "since 2026-01-04 00:00 UTC runs have Spark 4.0 instead of 3.5 (3 runs)"
    assert found.prevented.startswith("without the tuner 1 of 2 queries would have got slower, by 9.5 s a run")


def test_where_nothing_got_slower_nothing_is_said() -> None:
    assert turned(turning_points(BEFORE)) is None
    assert turned(turning_points([])) is None
    assert turned(turning_points([*BEFORE, night(3, 10, spark="4.0")])) is None
