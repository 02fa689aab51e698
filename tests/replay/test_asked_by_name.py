"""A cohort called by the very name that is asked for, among others that match it as a pattern."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest

from tests.nightly import START_MS, Spark
from tests.replay.test_live_histories import DAY_MS
from tuner.eventlog.find import LogSource, find_logs
from tuner.replay.local import LocalReplay
from tuner.replay.run_selection import RunSelection
from tuner.replay.walk import Walker
from tuner.spark.run_tags import COHORT
from tuner.steering.submit_conf import EVENT_LOG_DIR

# Of `load1`, its first run is there twice, and its last is a year later than all others.
NIGHTS = {"load?": [0, 1], "load1": [0, 400], "other": [3]}


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, list[LogSource]]:
    for number, (cohort, nights) in enumerate(NIGHTS.items()):
        directory = tmp_path / str(number)
        directory.mkdir()
        conf = {EVENT_LOG_DIR: directory.as_uri(), COHORT: cohort, "spark.master": "local[2]"}
        for night in nights:
            Spark(7, start_ms=START_MS + night * DAY_MS).write(conf, f"local-{number}-{night}")
    (tmp_path / "1" / "copy").mkdir()
    shutil.copy(tmp_path / "1" / "local-1-0", tmp_path / "1" / "copy")
    return {cohort: list(find_logs(tmp_path / str(number))) for number, cohort in enumerate(NIGHTS)}


def replayed(*readings: Sequence[LogSource], chosen: RunSelection) -> LocalReplay:
    replay = LocalReplay(Walker(agent=False), chosen=chosen)
    for sources in readings:
        replay.read(sources)
    list(replay.walk(processes=1))
    return replay


@pytest.mark.parametrize("chosen", [RunSelection("load?"), RunSelection("load?", months=1)])
def test_it_is_replayed_alone_in_whatever_order_logs_are_read(
    logs: dict[str, list[LogSource]], chosen: RunSelection
) -> None:
    alone = replayed(logs["load?"], chosen=chosen)
    assert [(cohort.cohort, cohort.runs) for cohort in alone.summary.cohorts] == [("load?", 2)]
    for order in permutations(logs):
        replay = replayed(*(logs[cohort] for cohort in order), chosen=chosen)
        assert replay.summary.cohorts == alone.summary.cohorts
        assert list(replay.runs()) == list(alone.runs())
        assert (replay.summary.unread, replay.summary.unnamed) == ((), ())


def test_where_no_cohort_is_called_so_all_that_match_are_replayed(logs: dict[str, list[LogSource]]) -> None:
    replay = replayed(logs["load1"], logs["other"], chosen=RunSelection("load?"))
    assert [(cohort.cohort, cohort.runs) for cohort in replay.summary.cohorts] == [("load1", 2)]
    assert [log.why.partition(" as ")[0] for log in replay.summary.unread] == ["of the same run"]


def test_one_that_comes_after_a_walk_is_walked_alone_from_then_on(logs: dict[str, list[LogSource]]) -> None:
    """As in an import that goes on: what it was told before stays told."""
    replay = replayed(logs["load1"][:1], chosen=RunSelection("load?"))
    assert [cohort.cohort for cohort in replay.summary.cohorts] == ["load1"]
    replay.read([*logs["load?"], *logs["load1"]])
    assert [cohort.cohort for cohort in replay.walk(processes=1)] == ["load?"]
    assert {run.cohort for run in replay.runs()} == {"load?"}
