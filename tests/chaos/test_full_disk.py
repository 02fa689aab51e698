"""No room for the store, the event log or the agent's files: the job runs, and what there was room for is kept."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.chaos.dying import Cohort, in_process
from tests.chaos.without_room import run_without_room
from tests.nightly import Spark
from tuner.loop.loop import Turn, complete
from tuner.model.decision import Standing
from tuner.model.run import RunState
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering
from tuner.words.decisions import decision_summary


@dataclass(frozen=True, slots=True)
class Disk:
    """A file system of 1 MiB and 64 files."""

    path: Path

    def fill(self) -> None:
        with suppress(OSError), (self.path / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(bytes(1 << 12)):
                pass

    def fill_with_files(self) -> None:
        with suppress(OSError):
            for number in range(100):
                (self.path / f"file{number}").touch()

    def empty(self) -> None:
        (self.path / "ballast").unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=64", "tmpfs", path], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted: only root can, outside a container")
    yield Disk(path)
    subprocess.run(["umount", path], check=True)


@pytest.fixture
def cohort(tmp_path: Path) -> Cohort:
    found = Cohort(tmp_path / "job")
    found.root.mkdir()
    return found


# --- The store's disk ---


def test_the_store_has_no_room_for_a_run(cohort: Cohort, disk: Disk) -> None:
    """What cannot be recorded is not tried."""
    cohort.store = f"sqlite:///{disk.path}/history.db"
    cohort.run("e/1/1")
    disk.fill()
    report = cohort.run("e/2/1")
    assert report.problems[0].startswith("could not open the history store")
    assert not report.turn.decision.in_force
    assert "could not store the outcome" in report.problems[-1]
    assert report.run is not None
    assert report.run.state is RunState.SUCCEEDED
    disk.empty()
    after = cohort.run("e/3/1")
    assert (after.problems, bool(after.turn.decision.in_force)) == ((), True)


def test_the_store_has_no_room_for_an_outcome(cohort: Cohort, disk: Disk) -> None:
    """The run is harvested once there is."""
    cohort.store = f"sqlite:///{disk.path}/history.db"
    cohort.run("e/1/1")
    turn = cohort.prepare("e/2/1")
    cohort.spark(turn).run(turn)
    disk.fill()
    report = complete(turn, cohort.url, failed=False)
    assert report.run is not None
    assert "could not store the outcome" in report.problems[0]
    disk.empty()
    after = cohort.run("e/3/1")
    assert after.problems == ()
    assert {d.standing for d in after.turn.decision.changes} == {Standing.PROMOTED}
    assert cohort.stored("e/2/1").state is RunState.SUCCEEDED


def test_the_store_may_grow_no_further(cohort: Cohort, tmp_path: Path) -> None:
    """The same where nothing can be mounted."""
    cohort.run("e/1/1")
    assert in_process(run_without_room, cohort, "e/2/1", tmp_path / "notes") == 0
    steered, *problems = json.loads((tmp_path / "notes").read_text())
    assert not steered
    assert any("history store" in problem for problem in problems)
    assert "could not store the outcome" in problems[-1]
    assert cohort.run("e/3/1").problems == ()


# --- The event log's ---


def write_what_fits(turn: Turn, spark: Spark) -> None:
    """As Spark does, whose job goes on when its log cannot be written."""
    with suppress(OSError):
        spark.run(turn)


@pytest.mark.parametrize("room", [0, 1 << 12])
def test_the_event_log_has_no_room(cohort: Cohort, disk: Disk, tmp_path: Path, room: int) -> None:
    """A log that breaks off is no evidence for a change; the job's outcome is its own."""
    cohort.store = f"sqlite:///{tmp_path}/history.db"
    cohort.run("e/1/1")
    elsewhere = replace(cohort, root=disk.path)
    turn = elsewhere.prepare("e/2/1")
    assert turn.decision.in_force
    disk.fill()
    os.truncate(disk.path / "ballast", (disk.path / "ballast").stat().st_size - room)
    write_what_fits(turn, replace(cohort.spark(turn), description="long " * 2000))
    report = complete(turn, cohort.url, failed=False)
    assert report.failure is None
    assert cohort.stored("e/2/1").state in (RunState.PARTIAL, RunState.LOST)
    disk.empty()
    after = elsewhere.run("e/3/1")
    assert after.problems == ()
    assert {d.standing for d in after.turn.decision.changes} <= {Standing.TRIAL, Standing.ROLLED_BACK}


def test_there_is_no_room_for_the_event_logs_directory(cohort: Cohort, disk: Disk) -> None:
    """Nothing is tried that could not be measured."""
    cohort.run("e/1/1")
    disk.fill_with_files()
    turn = replace(cohort, root=disk.path, store=cohort.url).prepare("e/2/1")
    assert "(No space left on device)" in decision_summary(turn.decision)
    assert (turn.decision.in_force, turn.conf) == ((), {})
    assert complete(turn, cohort.url, failed=False).failure is None


# --- The agent's ---


def test_the_agents_files_have_no_room(cohort: Cohort, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(disk.path))
    cohort.steering = Steering.AGENT
    cohort.submission = Submission(
        SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13"), {}, "hdfs:///agent.jar", most_characters=0
    )
    cohort.run("e/1/1")
    disk.fill()
    turn = cohort.prepare("e/2/1")
    (problem,) = turn.problems
    assert problem.startswith("could not steer by the agent: the directives cannot be written to ")
    assert "No space left on device" in problem
    assert (turn.directives.steering, turn.directives.merged) == (Steering.CONF, {})
    cohort.spark(turn).run(turn)
    assert complete(turn, cohort.url, failed=False).run is not None
    disk.empty()
    assert cohort.prepare("e/3/1").problems == ()
