"""A stream's nights: tables first, then each job with each contender; what is on record is not run again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.bench.made import run
from tests.bench.stream.made import stream
from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard, Step
from tuner.bench.stream import run_stream as module
from tuner.bench.stream.drawn_stream import Night
from tuner.bench.stream.executed import executed
from tuner.bench.stream.run_stream import run_stream
from tuner.errors import TunerError

NAMES = ("default", "cbo")


@dataclass
class World:
    """What happened, in order; a run in `stops_in` is interrupted, once."""

    happened: list[str] = field(default_factory=list)
    stops_in: str = ""

    def change(self, directory: Path, scale_factor: float, seed: int, night: int) -> None:
        self.happened.append(f"tables of night {night}")

    def texts(
        self, night: Night, number: int, tables: Path, seed: int, directory: Path
    ) -> Mapping[str, Mapping[str, str]]:
        self.happened.append(f"texts of night {number}")
        return {job: {one.name: f"SELECT {number}" for one in of} for job, of in night.items()}

    def contenders(self, names: Collection[str], directory: Path, job: str) -> list[Counting]:
        return [(Preparing if name == "cbo" else Counting)(name, job, self) for name in names]


@dataclass
class Counting:
    """Each query takes a second."""

    name: str
    job: str
    world: World
    title: str = ""
    learns: bool = True

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        what = f"{self.name} {self.job} {number}"
        if what == self.world.stops_in:
            self.world.stops_in = ""
            raise KeyboardInterrupt
        self.world.happened.append(what)
        assert set(setup.workload.queries.values()) == {f"SELECT {number}"}
        assert [one.number for one in earlier] == list(range(1, number))
        found = run(self.name, number, dict.fromkeys(setup.workload.queries, 1.0), tuning=0.5)
        for query in found.queries:
            heard(query)
        return replace(found, application_seconds=9.0)


class Preparing(Counting):
    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        self.world.happened.append("statistics")
        return BenchRun(self.name, 0, (), tuning_seconds=8.0, application_seconds=20.0)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    found = World()
    monkeypatch.setattr(module, "stream_contenders", found.contenders)
    monkeypatch.setattr(module, "night_texts", found.texts)
    monkeypatch.setattr(module, "change_tables", found.change)
    monkeypatch.chdir(tmp_path)
    Path("tables", "title").mkdir(parents=True)
    return found


FIRST = [
    "texts of night 1",
    "statistics",
    "default repeats-0 1",
    "cbo repeats-0 1",
    "cbo repeats-50 1",
    "default repeats-50 1",
]
SECOND = [
    "tables of night 2",
    "texts of night 2",
    "cbo repeats-0 2",
    "default repeats-0 2",
    "default repeats-50 2",
    "cbo repeats-50 2",
]


def test_night_by_night_job_by_job_another_contender_first_each_time(world: World, tmp_path: Path) -> None:
    of = stream(tmp_path / "stream", nights=3)
    run_stream(of, NAMES, lambda _: None)
    assert world.happened[:12] == [*FIRST, *SECOND]
    assert world.happened[12:15] == ["tables of night 3", "texts of night 3", "statistics"]


def test_a_stream_that_was_stopped_goes_on_where_it_was(world: World, tmp_path: Path) -> None:
    of = stream(tmp_path / "stream")
    world.stops_in = "default repeats-50 2"
    with pytest.raises(KeyboardInterrupt):
        run_stream(of, NAMES, lambda _: None)
    world.happened.clear()
    run_stream(of, NAMES, lambda _: None)
    assert world.happened == ["texts of night 2", "default repeats-50 2", "cbo repeats-50 2"]
    world.happened.clear()
    run_stream(of, NAMES, lambda _: None)
    assert world.happened == []


def test_more_nights_go_on_and_a_contender_more_starts_with_the_first_night(world: World, tmp_path: Path) -> None:
    run_stream(stream(tmp_path / "stream"), ("default",), lambda _: None)
    world.happened.clear()
    run_stream(stream(tmp_path / "stream"), NAMES, lambda _: None)
    assert [what for what in world.happened if "default" in what] == []
    assert world.happened[:3] == ["texts of night 1", "statistics", "cbo repeats-0 1"]
    world.happened.clear()
    run_stream(stream(tmp_path / "stream", nights=3), NAMES, lambda _: None)
    assert world.happened[0] == "tables of night 3"


def test_what_is_told_while_it_runs(world: World, tmp_path: Path) -> None:
    said, told = list[str](), list[Step]()
    run_stream(stream(tmp_path / "stream"), NAMES, said.append, told.append)
    assert said[:3] == ["night 1 of 2: tables and queries", "cbo: ANALYZE of all tables", "default, repeats-0: run 1"]
    assert [step.done for step in told] == list(range(1, 33))
    assert {step.total for step in told} == {32}
    # The first run by its queries, later ones by whole runs: an application of 9 s and 0.5 s of tuning.
    assert told[0].left_seconds == pytest.approx(31.0)
    assert told[4].left_seconds == pytest.approx(6.75 * 9.5)
    assert told[-1].left_seconds == 0


def test_tuning_is_that_of_the_run_and_a_share_of_gathering_statistics(world: World, tmp_path: Path) -> None:
    of = stream(tmp_path / "stream")
    run_stream(of, NAMES, lambda _: None)
    found = executed(of, NAMES)
    assert [(one.night, one.job.name) for one in found] == [
        (1, "repeats-0"),
        (1, "repeats-50"),
        (2, "repeats-0"),
        (2, "repeats-50"),
    ]
    assert [dict(one.tuning) for one in found] == [{"default": 0.5, "cbo": 4.5}] * 2 + [
        {"default": 0.5, "cbo": 0.5}
    ] * 2
    assert dict(found[0].applications) == {"default": 9.5, "cbo": 19.5}
    assert [one.seconds("cbo") for one in found] == [8.5, 8.5, 4.5, 4.5]


def test_another_stream_needs_another_directory(world: World, tmp_path: Path) -> None:
    run_stream(stream(tmp_path / "stream"), NAMES, lambda _: None)
    with pytest.raises(TunerError, match="other seed ran there; give another --directory"):
        run_stream(stream(tmp_path / "stream", seed=2), NAMES, lambda _: None)
