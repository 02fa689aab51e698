"""What the bench's application writes down of a run."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.bench.made import setup
from tuner.bench import run_application as module
from tuner.bench.bench_run import QueryTime
from tuner.bench.contenders.cost_based import CostBased
from tuner.bench.contenders.fixed import DEFAULT, THRESHOLD
from tuner.bench.run_application import Ran, Submit, run_application
from tuner.errors import TunerError

QUOTED = "spark.sql.ansi.doubleQuotedIdentifiers"


@pytest.mark.parametrize(
    ("last", "held"),
    [([{"allocated_core_seconds": 84.5}], 84.5), ([{"allocated_core_seconds": None}], None), ([], None)],
)
def test_core_seconds_are_told_last_and_are_no_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: list[dict[str, float]], held: float | None
) -> None:
    def run(command: list[str], *_: object) -> int:
        lines = [{"name": "q1", "seconds": 2.0, "rows": 1, "digest": "d"}, *last]
        Path(command[-1]).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return 0

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    ran = run_application(setup(tmp_path), Submit(), tmp_path / "work")
    assert ran.queries[0].name == "q1"
    assert [q.name for q in ran.queries if not q.error] == ["q1"]
    assert ran.allocated_core_seconds == held


@pytest.mark.parametrize(("own", "told"), [({}, []), ({QUOTED: "true"}, ["true"])])
def test_how_texts_are_read_is_a_workloads_own_and_else_as_spark_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: dict[str, str], told: list[str]
) -> None:
    given: list[str] = []
    monkeypatch.setattr(module, "_run", lambda command, *_: given.extend(command) or 0)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    usual = setup(tmp_path)
    run_application(replace(usual, workload=replace(usual.workload, conf=own)), Submit(), tmp_path / "work")
    assert [one.partition("=")[2] for one in given if one.startswith(QUOTED)] == told


def test_queries_are_told_while_the_application_runs_each_once_it_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[QueryTime] = []
    at_each_look: list[int] = []

    def run(command: list[str], *given: Any) -> int:
        look = given[-1]
        for text in (
            '{"name": "q1", "seconds": 2.0}\n{"na',
            'me": "q2", "seconds": 3.0}\n',
            '{"allocated_core_seconds": 9.0}\n',
        ):
            with Path(command[-1]).open("a") as results:
                results.write(text)
            look()
            at_each_look.append(len(heard))
        return 0

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    run_application(setup(tmp_path), Submit(), tmp_path / "work", heard.append)
    assert at_each_look == [1, 2, 2]
    assert [(query.name, query.seconds) for query in heard] == [("q1", 2.0), ("q2", 3.0)]


@pytest.mark.processes
def test_an_application_is_waited_for_looked_at_and_ended_once_it_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []

    def look() -> bool:
        looks.append(1)
        return False

    monkeypatch.setattr(module, "_LOOK_SECONDS", 0.05)
    program = [sys.executable, "-c", "import time; time.sleep(60)"]
    code = module._run(program, os.environ, tmp_path, tmp_path / "log", module._Patience(0.4, 60.0), look)
    assert code is None
    assert len(looks) > 2
    patience = module._Patience(60.0, 60.0)
    assert module._run([sys.executable, "-c", "exit(3)"], os.environ, tmp_path, tmp_path / "log", patience, look) == 3


@pytest.mark.processes
def test_it_is_ended_once_no_line_comes_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter([True, True, True])
    monkeypatch.setattr(module, "_LOOK_SECONDS", 0.05)
    program = [sys.executable, "-c", "import time; time.sleep(60)"]
    patience = module._Patience(60.0, 0.3)
    started = time.monotonic()
    code = module._run(program, os.environ, tmp_path, tmp_path / "log", patience, lambda: next(lines, False))
    assert code is None
    assert 0.3 < time.monotonic() - started < 30


@pytest.mark.parametrize("ended", [["q1"], []])
def test_what_an_application_that_died_took_is_lost_with_the_query_that_it_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: list[str]
) -> None:
    def run(command: list[str], *_: object) -> int:
        lines = [json.dumps({"name": name, "seconds": 2.0}) + "\n" for name in ended]
        Path(command[-1]).write_text("".join(lines))
        return 137

    times = iter([0.0, 50.0])
    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(times)))
    of = setup(tmp_path, queries=("q1", "q2", "q3"))
    ran = run_application(of, Submit(), tmp_path / "work")
    assert sum(query.seconds for query in ran.queries) == 50.0
    assert [query.name for query in ran.queries if query.error] == [
        name for name in ("q1", "q2", "q3") if name not in ended
    ]
    assert ran.queries[-1].seconds == 0
    assert "ended with code 137" in ran.queries[-1].error


def test_the_defaults_have_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_run", lambda *_: 1)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    with pytest.raises(TunerError, match="ended with code 1 before its first query was done"):
        DEFAULT.run(setup(tmp_path), 1, [], tmp_path / "work", lambda query: None)
    assert all(q.error for q in THRESHOLD.run(setup(tmp_path), 1, [], tmp_path / "work", lambda query: None).queries)


def test_each_table_that_is_analysed_is_told_so_that_many_are_not_one_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[bool] = []

    def run(command: list[str], *given: Any) -> int:
        for name in ("a", "b"):
            with Path(command[-1]).open("a") as results:
                results.write(json.dumps({"name": f"analyze {name}", "seconds": 2.0}) + "\n")
            looked.append(given[-1]())
        return 0

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    prepared = CostBased().prepare(setup(tmp_path), tmp_path / "cbo" / "run-000")
    assert looked == [True, True]
    assert (prepared.tuning_seconds, prepared.queries) == (4.0, ())


@pytest.mark.parametrize(
    ("submit", "timeout", "first", "following"),
    [
        (Submit(), 900.0, 1500.0, 1020.0),
        (Submit(analyze=True), 900.0, 4200.0, 3720.0),
        (Submit(analyze=True), 7200.0, 7800.0, 7320.0),
    ],
)
def test_a_table_has_an_hour_to_be_analysed_or_what_a_query_has(
    tmp_path: Path, submit: Submit, timeout: float, first: float, following: float
) -> None:
    patience = module._patience(replace(setup(tmp_path), timeout_seconds=timeout), submit)
    assert (patience.first, patience.next) == (first, following)


@pytest.mark.parametrize(
    ("code", "done", "why"),
    [
        (None, [], "the bench ended the application after 4200 s of silence"),
        (None, ["a"], "the bench ended the application after 3720 s of silence"),
        (137, [], "the application ended with code 137"),
        (137, ["a"], "the application ended with code 137"),
    ],
)
def test_who_ended_an_analyze_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int | None, done: list[str], why: str
) -> None:
    def run(command: list[str], *_: object) -> int | None:
        lines = [json.dumps({"name": f"analyze {name}", "seconds": 2.0}) + "\n" for name in done]
        Path(command[-1]).write_text("".join(lines))
        return code

    monkeypatch.setattr(module, "_run", run)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    with pytest.raises(TunerError) as raised:
        CostBased().prepare(setup(tmp_path), tmp_path / "cbo" / "run-000")
    message = str(raised.value)
    assert why in message and "spark.log" in message
    assert ("before its first table was done" in message) is (not done)


def test_a_run_that_the_bench_ended_says_so_of_its_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_run", lambda *_: None)
    monkeypatch.setattr(module, "find_spark_submit", lambda: "spark-submit")
    monkeypatch.setattr(module, "environment_for", lambda program: {})
    ran = run_application(setup(tmp_path), Submit(), tmp_path / "work")
    assert ran.exit_code == -signal.SIGKILL
    assert {q.error.partition(";")[0] for q in ran.queries} == {
        "the bench ended the application after 660 s of silence"
    }


def test_how_an_application_ended_stays_with_its_run() -> None:
    assert not Ran((), 1.0, 137).as_run("a", 1).is_final
    assert Ran((), 1.0, 0).as_run("a", 1).is_final
