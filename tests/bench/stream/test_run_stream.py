"""A stream's nights: tables first, then each job with each contender; what is on record is not run again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
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
from tuner.bench.stream.stream_setup import StreamSetup
from tuner.errors import TunerError

NAMES = ("default", "cbo")


@dataclass
class World:
    """What happened, in order; a run in `stops_in` is interrupted, once. `statistics` are the nights whose statistics runs were
    given, by night; those of `fails_in` cannot be gathered."""

    happened: list[str] = field(default_factory=list)
    stops_in: str = ""
    statistics: dict[int, int] = field(default_factory=dict)
    fails_in: int = 0

    def change(self, directory: Path, scale_factor: float, seed: int, night: int) -> None:
        self.happened.append(f"tables of night {night}")

    def texts(
        self, night: Night, number: int, tables: Path, seed: int, directory: Path
    ) -> Mapping[str, Mapping[str, str]]:
        self.happened.append(f"texts of night {number}")
        return {job: {one.name: f"SELECT {number}" for one in of} for job, of in night.items()}

    def contenders(self, names: Collection[str], directory: Path, job: str, gathered: int) -> list[Counting]:
        return [
            (Preparing if name == "cbo" else Counting)(name, job, self, gathered, learns=name == "tuner")
            for name in names
        ]


@dataclass
class Counting:
    """Each query takes a second."""

    name: str
    job: str
    world: World
    gathered: int = 1
    title: str = ""
    learns: bool = False

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        what = f"{self.name} {self.job} {number}"
        if what == self.world.stops_in:
            self.world.stops_in = ""
            raise KeyboardInterrupt
        self.world.happened.append(what)
        self.world.statistics[number] = self.gathered
        assert set(setup.workload.queries.values()) == {f"SELECT {number}"}
        assert [one.number for one in earlier] == list(range(1, number))
        found = run(self.name, number, dict.fromkeys(setup.workload.queries, 1.0), tuning=0.5)
        for query in found.queries:
            heard(query)
        return replace(found, application_seconds=9.0)


class Preparing(Counting):
    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        if self.gathered == self.world.fails_in:
            raise TunerError("no statistics of\narrays")
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


def died(of: StreamSetup, job: str, contender: str, night: int, *, attempts: int = 1) -> None:
    """What is on record is as if its application had ended so."""
    run = of.records(job).get(contender, night)
    assert run is not None
    of.records(job).add(replace(run, exit_code=137, attempts=attempts))


def again(of: StreamSetup, world: World, names: Collection[str]) -> list[str]:
    """What a bench that is run again says; the world knows what happened in it alone."""
    said = list[str]()
    world.happened.clear()
    run_stream(of, names, said.append)
    return said


@pytest.mark.parametrize(
    ("night", "of_cbo"), [(1, []), (3, ["repeats-0 1", "repeats-50 1", "repeats-0 2", "repeats-50 2"])]
)
def test_who_cannot_gather_statistics_is_left_out_from_then_on_and_others_go_on(
    world: World, tmp_path: Path, night: int, of_cbo: list[str]
) -> None:
    of, said, told = stream(tmp_path / "stream", nights=3), list[str](), list[Step]()
    world.fails_in = night
    left_out = run_stream(of, NAMES, said.append, told.append)
    assert left_out == {"cbo": "no statistics of arrays"}
    assert "cbo: left out, it could not prepare: no statistics of arrays" in said
    assert [what.removeprefix("cbo ") for what in world.happened if what.startswith("cbo")] == of_cbo
    assert [what for what in world.happened if what.startswith("default")] == [
        f"default repeats-{share} {number}" for number in (1, 2, 3) for share in (0, 50)
    ]
    assert (told[-1].done, told[-1].left_seconds) == (told[-1].total, 0)
    assert [one.night for one in executed(of, ["default"])] == [1, 1, 2, 2, 3, 3]
    world.fails_in = 0
    world.happened.clear()
    assert run_stream(of, NAMES, lambda _: None) == {}, "it is asked again"
    assert not [what for what in world.happened if what.startswith("default")]
    assert len(executed(of, NAMES)) == 6


def test_a_run_whose_application_died_is_repeated_once_on_the_tables_and_statistics_of_its_night(
    world: World, tmp_path: Path
) -> None:
    of = stream(tmp_path / "stream", nights=3)
    run_stream(of, NAMES, lambda _: None)
    died(of, "repeats-50", "cbo", 2)
    world.statistics.clear()
    said = again(of, world, NAMES)
    assert said[0] == "cbo, repeats-50: run 2 ended with code 137 and is repeated"
    assert world.happened == ["tables of night 2", "texts of night 2", "cbo repeats-50 2"]
    assert world.statistics == {2: 1}, "those of night 3 are of tables that were not there yet"
    repeated = of.records("repeats-50").get("cbo", 2)
    assert repeated is not None
    assert (repeated.exit_code, repeated.attempts) == (0, 2)
    died(of, "repeats-50", "cbo", 2, attempts=2)
    assert again(of, world, NAMES) == []
    assert world.happened == [], "who dies twice does it by itself"


@pytest.mark.parametrize(
    ("job", "repeated"),
    [
        ("repeats-50", ["tuner repeats-50 1", "tuner repeats-0 2", "tuner repeats-50 2"]),
        ("repeats-0", ["tuner repeats-0 1", "tuner repeats-50 1", "tuner repeats-0 2", "tuner repeats-50 2"]),
    ],
)
def test_what_learned_from_a_run_that_is_repeated_is_repeated_in_all_jobs(
    world: World, tmp_path: Path, job: str, repeated: list[str]
) -> None:
    of, names = stream(tmp_path / "stream"), ("default", "tuner")
    run_stream(stream(tmp_path / "stream", nights=3), names, lambda _: None)
    died(of, job, "tuner", 1)
    said = again(of, world, names)
    assert said[0] == f"tuner, {job}: run 1 ended with code 137 and is repeated, with those after it"
    assert [what for what in world.happened if " of " not in what] == repeated
    assert of.records("repeats-0").get("tuner", 3) is None, "of a stream that had more nights"
    assert of.records("repeats-0").get("default", 3) is not None


def test_what_died_and_what_began_at_another_time_is_told_of_the_night(world: World, tmp_path: Path) -> None:
    of = stream(tmp_path / "stream")
    run_stream(of, NAMES, lambda _: None)
    died(of, "repeats-50", "cbo", 1, attempts=2)
    late = of.records("repeats-0").get("cbo", 2)
    assert late is not None
    began = datetime.fromisoformat(late.started_at) + timedelta(hours=5)
    of.records("repeats-0").add(replace(late, started_at=began.isoformat()))
    found = executed(of, NAMES)
    assert [dict(one.exit_codes) for one in found] == [{}, {"cbo": 137}, {}, {}]
    assert [round(one.hours_apart) for one in found] == [0, 0, 5, 0]


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
