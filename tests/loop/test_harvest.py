"""What is kept of a run's log as it streams by is what the whole of it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.read import read_application
from tuner.history.outcome import outcome_of
from tuner.loop.harvest import harvest
from tuner.loop.run_details import run_details
from tuner.plan.queries import queries

GOLDEN = Path(__file__).parents[1] / "golden"
LOGS = [source for place in ("logs/3.0.3", "logs/4.1.4", "deaths") for source in find_logs(GOLDEN / place)]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: "/".join(log.path.parts[-2:]))
def test_a_log_tells_the_same_as_a_stream(log: LogSource) -> None:
    found, whole = harvest(log, for_people=True), read_application(log)
    assert found.outcome() == outcome_of(whole, queries(whole))
    assert found.details(None) == run_details(whole, None)


def test_a_run_of_rdds_that_was_killed_has_failed() -> None:
    (killed,) = find_logs(GOLDEN / "deaths" / "killed.zstd")
    assert harvest(killed).has_failed
