"""More logs after a walk: what comes of them is what one walk over all logs makes, and earlier runs are not decided on again."""

from __future__ import annotations

import itertools
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.nightly import START_MS, Spark
from tests.replay.test_by_hand import night
from tests.replay.test_live_histories import DAY_MS, Nights
from tuner.eventlog.find import find_logs
from tuner.model.decision import Decision
from tuner.replay.cohort_replay import LoggedRun, ReplayedRun, Upcoming
from tuner.replay.local import LocalReplay
from tuner.replay.run_selection import RunSelection
from tuner.replay.walk import Walker
from tuner.steering.submit_conf import EVENT_LOG_DIR

# What the runs of four nights took; before the third somebody set a broadcast.
SECONDS = (7, 7, 4, 5)


@dataclass(frozen=True, slots=True)
class Counting(Walker):
    """Tells the runs that it decides on, and "" for a look ahead."""

    agent: bool = False
    decided: list[str] = field(default_factory=list)

    def _decide(self, known: object, logged: LoggedRun | None, problems: object) -> Decision:
        self.decided.append(logged.key if logged else "")
        return Walker._decide(self, known, logged, problems)  # type: ignore[arg-type]


@pytest.fixture
def nights(tmp_path: Path) -> list[Path]:
    """The logs' directories, a log in each, in the order of the nights."""
    directories = [tmp_path / f"night-{number}" for number in range(len(SECONDS))]
    for number, directory in enumerate(directories):
        directory.mkdir()
        night(directory, number, SECONDS[number], broadcast=number >= 2)
    return directories


def read(replay: LocalReplay, *directories: Path) -> None:
    for directory in directories:
        replay.read(find_logs(directory))
    list(replay.walk(processes=1))


def told(replay: LocalReplay) -> tuple[object, ...]:
    return replay.summary.cohorts, list(replay.runs()), list(replay.logged("etl"))


def test_in_whatever_order_logs_come_the_same_comes_of_them(nights: list[Path]) -> None:
    at_once = LocalReplay(Walker(agent=False))
    read(at_once, *nights)
    for order in itertools.permutations(nights):
        one_by_one = LocalReplay(Walker(agent=False))
        for directory in order:
            read(one_by_one, directory)
        assert told(one_by_one) == told(at_once)


def test_only_runs_from_the_first_new_one_on_are_decided_on(nights: list[Path]) -> None:
    counting = Counting()
    replay = LocalReplay(counting)
    read(replay, nights[0], nights[2])
    assert counting.decided == ["local-0/1", "local-2/1", ""]
    counting.decided.clear()
    read(replay, nights[3])
    assert counting.decided == ["local-3/1", ""]
    counting.decided.clear()
    read(replay, nights[1])
    assert counting.decided == ["local-1/1", "local-2/1", "local-3/1", ""]
    counting.decided.clear()
    read(replay)
    assert counting.decided == []


def test_a_log_that_was_written_on_is_decided_on_anew(tmp_path: Path, nights: list[Path]) -> None:
    broken_off = tmp_path / "broken off"
    broken_off.mkdir()
    conf = {EVENT_LOG_DIR: broken_off.as_uri(), "spark.master": "local[2]", "spark.driver.memory": "4g"}
    Spark(SECONDS[1], start_ms=START_MS + DAY_MS, cut=200).write(conf, "local-1")
    replay = LocalReplay(Walker(agent=False))
    read(replay, nights[0], broken_off, nights[2])
    read(replay, nights[1])
    at_once = LocalReplay(Walker(agent=False))
    read(at_once, *nights[:3])
    assert told(replay) == told(at_once)


def test_a_past_that_begins_later_is_decided_on_anew(nights: list[Path]) -> None:
    """With `months` the first nights fall away as new ones come."""
    chosen = RunSelection(months=2.5 / 30.4)
    replay = LocalReplay(Walker(agent=False), chosen=chosen)
    for directory in nights:
        read(replay, directory)
    at_once = LocalReplay(Walker(agent=False), chosen=chosen)
    read(at_once, *nights)
    assert len(list(at_once.runs())) == 3
    assert told(replay) == told(at_once)


def test_what_is_told_is_of_the_cohorts_of_the_last_walk(tmp_path: Path, nights: list[Path]) -> None:
    replay = LocalReplay(Walker(agent=False))
    read(replay, nights[0])
    (tmp_path / "other").mkdir()
    Nights(tmp_path / "other").run(7, 4)
    read(replay, tmp_path / "other")
    assert [cohort.cohort for cohort in replay.summary.cohorts] == ["etl.load"]
    assert [run.cohort for run in replay.runs()] == ["etl.load"]


@dataclass(frozen=True, slots=True)
class Failing(Walker):
    """Fails at each cohort of this name that it has not failed at before, after its first run."""

    agent: bool = False
    cohort: str = "etl"
    failed: list[str] = field(default_factory=list)

    def walk(self, *of_cohort: Any) -> Generator[ReplayedRun, None, Upcoming]:
        steps = Walker.walk(self, *of_cohort)
        first = next(steps)
        yield first
        if first.cohort == self.cohort and not self.failed:
            self.failed.append(first.cohort)
            raise ArithmeticError("no such number")
        return (yield from steps)


def test_a_cohort_that_cannot_be_walked_stops_no_other_and_is_walked_once_more_comes(
    tmp_path: Path, nights: list[Path]
) -> None:
    (tmp_path / "other").mkdir()
    Nights(tmp_path / "other").run(7, 4)
    replay = LocalReplay(Failing())
    read(replay, *nights[:2], tmp_path / "other")
    assert [found.cohort for found in replay.summary.cohorts] == ["etl.load"]
    assert replay.summary.problems == ("could not replay cohort etl: no such number",)
    assert list(replay.runs("etl")) == []
    read(replay, nights[2])
    at_once = LocalReplay(Walker(agent=False))
    read(at_once, *nights[:3])
    assert told(replay) == told(at_once)
