"""Rounds: whose turn it is, and what a bench that was stopped does again."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard, Step
from tuner.bench.records import Records
from tuner.bench.run_rounds import run_rounds
from tuner.errors import TunerError
from tuner.source_digest import digest_of, source_digest

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


@pytest.fixture
def spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Takes a Spark of a version, of which only names are there, with these defaults."""

    def take(version: str, defaults: str) -> None:
        home = tmp_path / f"spark-{version}"
        for file, text in (
            (f"jars/spark-core_2.13-{version}.jar", ""),
            ("bin/spark-submit", ""),
            ("conf/spark-defaults.conf", defaults),
        ):
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            (home / file).write_text(text)
        monkeypatch.setenv("SPARK_HOME", str(home))
        monkeypatch.delenv("SPARK_CONF_DIR", raising=False)

    return take


_DEFAULTS = "spark.executor.memory 4g\nspark.hadoop.fs.s3a.secret.key hunter2\n"


def test_which_spark_ran_is_told_and_that_of_another_home_is_another(
    tmp_path: Path, spark: Callable[[str, str], None]
) -> None:
    of = setup(tmp_path / "bench", runs=2, repeats=0)
    spark("3.5.9", "")
    run_rounds(of, [Counting("a", [])], Records(of), lambda _: None)
    assert Records(of).machine.endswith(", Spark 3.5.9")
    assert Records(of).spark_defaults == ""
    spark("4.0.1", "")
    assert Records(of).machine.endswith(", Spark 3.5.9"), "that of the runs"
    with pytest.raises(TunerError, match=r"measured with Spark 3\.5\.9, not 4\.0\.1: "):
        run_rounds(of, [Counting("b", [])], Records(of), lambda _: None)


@pytest.mark.parametrize("edited", ["", _DEFAULTS.replace("4g", "8g"), _DEFAULTS.replace("hunter2", "hunter3")])
def test_runs_with_other_defaults_of_spark_are_only_read(
    tmp_path: Path, spark: Callable[[str, str], None], edited: str
) -> None:
    of = setup(tmp_path / "bench", runs=2, repeats=0)
    spark("4.0.1", _DEFAULTS)
    run_rounds(of, [Counting("a", [])], Records(of), lambda _: None)
    assert Records(of).spark_defaults == "spark.executor.memory=4g, spark.hadoop.fs.s3a.secret.key=?"
    Records(of).require_like_those()
    spark("4.0.1", edited)
    assert Records(of).spark_defaults.startswith("spark.executor.memory=4g"), "those of the runs"
    with pytest.raises(TunerError, match=r"a digest of spark-defaults\.conf sha256:\w{16}, not sha256:\w{16}") as told:
        run_rounds(of, [Counting("b", [])], Records(of), lambda _: None)
    assert "hunter" not in str(told.value) + (of.directory / "setup.json").read_text()


def test_what_an_old_directory_does_not_tell_is_taken_for_the_same_but_for_its_source(tmp_path: Path) -> None:
    of = setup(tmp_path, runs=2, repeats=0)
    Records(of)
    file = tmp_path / "setup.json"
    whole = json.loads(file.read_bytes())
    old = {**whole, "measured_by": {"source": whole["measured_by"]["source"]}}
    file.write_text(json.dumps(old))
    Records(of).require_like_those()
    assert json.loads(file.read_bytes()) == old
    for without in ({key: value for key, value in whole.items() if key != "measured_by"}, {**whole, "measured_by": {}}):
        file.write_text(json.dumps(without))
        assert Records(of).get("a", 1) is None, "it can be read"
        with pytest.raises(TunerError, match=r"measured with source unknown, not [0-9a-f]{12}"):
            Records(of).require_like_those()


def test_runs_of_other_code_of_the_same_version_are_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = setup(tmp_path, runs=2, repeats=0)
    run_rounds(of, [Counting("a", [])], Records(of), lambda _: None)
    assert f"(source {source_digest()})" in Records(of).version
    monkeypatch.setattr("tuner.bench.records.source_digest", lambda: "0" * 12)
    assert f"(source {source_digest()})" in Records(of).version, "that of the runs"
    with pytest.raises(TunerError, match="measured with source [0-9a-f]{12}, not 000000000000"):
        run_rounds(of, [Counting("b", [])], Records(of), lambda _: None)


def test_a_digest_is_of_all_sources_and_their_places(tmp_path: Path) -> None:
    found = set()
    for name, text in (("a.py", "1"), ("a.py", "2"), ("b/A.java", "2"), ("b/A.class", "3")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        found.add(digest_of(tmp_path))
    assert len(found) == 3, "what is compiled of sources is none"


def dying(contender: str, number: int, *, attempts: int = 1) -> BenchRun:
    return replace(run(contender, number, {"q1": 1.0, "q2": 1.0}), exit_code=137, attempts=attempts)


@pytest.mark.parametrize(("learns", "again"), [(True, [2, 3]), (False, [2])])
def test_a_run_whose_application_died_is_repeated_once_and_what_learned_from_it(
    tmp_path: Path, learns: bool, again: list[int]
) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of, one = setup(tmp_path, runs=2, repeats=1), Counting("a", [], learns=learns)
    run_rounds(of, [one], Records(of), lambda _: None)
    Records(of).add(dying("a", 2))
    # Of a bench that had more repeats.
    Records(of).work("a", 4).mkdir()
    said: list[str] = []
    one.calls = calls
    run_rounds(of, [one], Records(of), said.append)
    assert [number for _, number, _ in calls] == again
    assert Records(of).work("a", 4).exists() is not learns
    assert said[0].startswith("a: run 2 ended with code 137 and is repeated")
    repeated = Records(of).get("a", 2)
    assert repeated is not None
    assert (repeated.exit_code, repeated.attempts) == (0, 2)
    Records(of).add(dying("a", 2, attempts=2))
    run_rounds(of, [one], Records(of), lambda _: None)
    assert [number for _, number, _ in calls] == again, "who dies twice does it by itself"


class Unprepared(Preparing):
    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        raise TunerError("no statistics of\narrays")


def test_who_cannot_prepare_is_left_out_and_others_go_on(tmp_path: Path) -> None:
    calls: list[tuple[str, int, list[int]]] = []
    of, said = setup(tmp_path, runs=2, repeats=0), list[str]()
    left_out = run_rounds(of, [Counting("a", calls), Unprepared("b", calls)], Records(of), said.append)
    assert [(name, number) for name, number, _ in calls] == [("a", 1), ("a", 2)]
    assert said[1].startswith("b: left out, it could not prepare: no statistics of")
    assert "\n" not in left_out["b"]
    assert run_rounds(of, [Preparing("b", calls)], Records(of), said.append) == {}, "it is asked again"


def test_settings_that_may_be_secrets_are_kept_as_digests(tmp_path: Path) -> None:
    conf = {
        "spark.hadoop.fs.s3a.secret.key": "hunter2",
        "spark.my.catalog.user": "hunter2",
        "spark.sql.shuffle.partitions": "8",
    }
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
