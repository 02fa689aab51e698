"""Jobs that end themselves outside any query, under drivers that see no exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.eventlog.samples import application_end, application_start, environment, log_start, write
from tests.nightly import Nightly, Spark
from tuner.eventlog.location import local_path
from tuner.loop.loop import Report, complete
from tuner.model.decision import Standing
from tuner.model.failure import FailureKind


@pytest.fixture
def proven(tmp_path: Path) -> Nightly:
    """A job with a change that is proven."""
    nightly = Nightly(tmp_path)
    for night in range(1, 6):
        nightly.night(f"e/{night}/1")
    assert {d.standing for d in nightly.prepare("e/5/2").decision.in_force} == {Standing.PROMOTED}
    return nightly


def misses_its_input(nightly: Nightly, key: str, version: str) -> Report:
    """A run that raises before its first query, which Spark tells nobody of."""
    turn = nightly.prepare(key)
    assert turn.decision.in_force
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    write(directory / "local-1", [log_start(version), application_start(), environment(**turn.conf), application_end()])
    return complete(turn, nightly.url, failed=True)


@pytest.mark.parametrize("version", [pytest.param("3.4.1", marks=pytest.mark.nightly), "3.5.1", "4.0.1"])
def test_an_input_that_is_late_two_nights_takes_out_nothing_proven(proven: Nightly, version: str) -> None:
    for night in (6, 7):
        report = misses_its_input(proven, f"e/{night}/1", version)
        assert report.failure is not None and report.failure.kind is FailureKind.OWN_EXIT
        proven.night(f"e/{night}/2", Spark(seconds=7.0))
    assert {d.standing for d in proven.prepare("e/8/1").decision.in_force} == {Standing.PROMOTED}
