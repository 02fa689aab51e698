"""Rounds: whose turn it is, and what a bench that was stopped does again."""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard, Step
from tuner.bench.records import Records
from tuner.bench.run_rounds import run_rounds
from tuner.errors import TunerError

from .made import run, setup


@dataclass
class Counting:
    """Takes as many seconds as the number of its run; stops the bench once at `stops_at`."""

    name: str
    calls: list[tuple[str, int, list[int]]]
    title: str = ""
    learns: bool = True
    stops_at: list[int] = field(default_factory=list)

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        if number in self.stops_at:
            self.stops_at.remove(number)
            raise KeyboardInterrupt
        self.calls.append((self.name, number, [r.number for r in earlier]))
        found = run(self.name, number, dict.fromkeys(setup.workload.queries, number))
        for query in found.queries:
            heard(query)
        return found


class Preparing(Counting):
    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        self.calls.append((self.name, 0, []))
        return BenchRun(self.name, 0, (), tuning_seconds=9)


def test_each_goes_first_in_its_turn_and_sees_its_own_runs(tmp_path: Path) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of = setup(tmp_path, runs=2, repeats=1)
    run_rounds(of, [Counting("a", calls), Preparing("b", calls)], Records(of), lambda _: None)
    assert calls == [
        ("b", 0, []),
        ("a", 1, []),
        ("b", 1, []),
        ("b", 2, [1]),
        ("a", 2, [1]),
        ("a", 3, [1, 2]),
        ("b", 3, [1, 2]),
    ]


def test_what_does_not_learn_runs_less_often(tmp_path: Path) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of = replace(setup(tmp_path, runs=5, repeats=1), fixed_every=4)
    run_rounds(of, [Counting("a", calls, learns=False), Counting("b", calls)], Records(of), lambda _: None)
    assert [number for name, number, _ in calls if name == "a"] == [1, 5, 6]
    assert [number for name, number, _ in calls if name == "b"] == [1, 2, 3, 4, 5, 6]


def test_a_bench_that_was_stopped_goes_on_after_its_last_finished_run(tmp_path: Path) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of = setup(tmp_path, runs=2, repeats=0)
    contenders = [Preparing("a", calls), Counting("b", calls, stops_at=[2])]
    with pytest.raises(KeyboardInterrupt):
        run_rounds(of, contenders, Records(of), lambda _: None)
    said: list[str] = []
    run_rounds(of, contenders, Records(of), said.append)
    assert said == ["b: run 2", "a: run 2"]
    assert [(name, number) for name, number, _ in calls] == [("a", 0), ("a", 1), ("b", 1), ("b", 2), ("a", 2)]
    assert [r.number for r in Records(of).of("a", 2)] == [0, 1, 2]
    assert Records(of).of("a", 2)[0].started_at


def test_a_directory_belongs_to_one_bench(tmp_path: Path) -> None:
    Records(setup(tmp_path))
    Records(setup(tmp_path, repeats=9))
    for other in (setup(tmp_path, queries=("q3",)), replace(setup(tmp_path), master="local[9]")):
        with pytest.raises(TunerError, match="other (queries|master) ran there; give another --directory"):
            Records(other)


def test_a_record_of_another_version_is_told(tmp_path: Path) -> None:
    records = Records(setup(tmp_path))
    work = records.work("a", 1)
    work.mkdir(parents=True)
    (work / "run.json").write_text('{"contender": 3}')
    with pytest.raises(TunerError, match="not a run of this version's bench"):
        records.get("a", 1)


def test_each_query_is_told_as_it_ends_also_of_a_bench_that_goes_on(tmp_path: Path) -> None:
    of = setup(tmp_path, runs=2, repeats=0)
    contenders = [Counting("a", []), Counting("b", [], stops_at=[2])]
    first, second = list[Step](), list[Step]()
    with pytest.raises(KeyboardInterrupt):
        run_rounds(of, contenders, Records(of), lambda _: None, first.append)
    run_rounds(of, contenders, Records(of), lambda _: None, second.append)
    told = [(step.contender, step.number, step.query.name, step.done, step.total) for step in (*first, *second)]
    assert told == [
        ("a", 1, "q1", 1, 8),
        ("a", 1, "q2", 2, 8),
        ("b", 1, "q1", 3, 8),
        ("b", 1, "q2", 4, 8),
        ("b", 2, "q1", 5, 8),
        ("b", 2, "q2", 6, 8),
        ("a", 2, "q1", 7, 8),
        ("a", 2, "q2", 8, 8),
    ]
    assert second[-1].left_seconds == 0


def test_another_is_first_each_time_also_of_those_that_run_less_often(tmp_path: Path) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of = replace(setup(tmp_path, runs=3, repeats=1), fixed_every=3)
    contenders = [Counting("a", calls, learns=False), Counting("b", calls), Counting("c", calls, learns=False)]
    run_rounds(of, contenders, Records(of), lambda _: None)
    order = {number: "".join(name for name, at, _ in calls if at == number) for number in (1, 2, 3, 4)}
    assert order == {1: "abc", 2: "b", 3: "b", 4: "bca"}


def test_runs_of_another_version_or_machine_are_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of = setup(tmp_path, runs=2, repeats=0)
    run_rounds(of, [Counting("a", calls)], Records(of), lambda _: None)
    monkeypatch.setattr("tuner.bench.records.machine", lambda: "another machine")
    run_rounds(of, [Counting("a", calls)], Records(of), lambda _: None)
    assert Records(of).machine != "another machine", "runs are told where they were measured"
    with pytest.raises(
        TunerError, match=r"measured with the machine .*, not another machine: .*give another --directory"
    ):
        run_rounds(of, [Counting("a", calls), Counting("b", calls)], Records(of), lambda _: None)
    assert {name for name, _, _ in calls} == {"a"}


def test_what_an_old_directory_does_not_tell_is_taken_for_the_same(tmp_path: Path) -> None:
    of = setup(tmp_path, runs=2, repeats=0)
    Records(of)
    file = tmp_path / "setup.json"
    old = {key: value for key, value in json.loads(file.read_bytes()).items() if key != "measured_by"}
    file.write_text(json.dumps(old))
    Records(of).require_like_those()
    assert json.loads(file.read_bytes()) == old


def test_settings_that_may_be_secrets_are_kept_as_digests(tmp_path: Path) -> None:
    conf = {"spark.hadoop.fs.s3a.secret.key": "hunter2", "spark.sql.shuffle.partitions": "8"}
    of = replace(setup(tmp_path), conf=conf)
    Records(of)
    file = tmp_path / "setup.json"
    assert ("hunter2" in file.read_text(), '"8"' in file.read_text()) == (False, True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    Records(of)
    with pytest.raises(TunerError, match="other conf ran there"):
        Records(replace(of, conf={**conf, "spark.hadoop.fs.s3a.secret.key": "hunter3"}))
    # As versions before this one wrote it.
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "conf": conf}))
    Records(of)
    assert "hunter2" not in file.read_text()
