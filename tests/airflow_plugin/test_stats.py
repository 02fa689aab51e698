"""The tuner's metrics, as a StatsD server on loopback gets them from Airflow."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_plugin import stats
from airflow_plugin.operator import SparkTunedOperator
from tests.policy.histories import conf, decided, said
from tuner.model.cohort_figures import Gained
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.evidence.log_ratio import LogRatio
from tuner.policy.judgement import Judgement
from tuner.policy.record import Record


def change(number: int, standing: Standing) -> DecidedChange:
    return decided(conf(f"spark.sql.x{number}"), standing)


@dataclass
class Server:
    """A StatsD server: what it got so far, by name; timers in milliseconds."""

    socket: socket.socket

    def received(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for line in self.lines():
            name, value = line.split("|")[0].split(":")
            found[name.split(",")[0].removeprefix("airflow.")] = float(value)
        return found

    def lines(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self.socket.recv(65536).decode())
            except TimeoutError:
                return [line for line in found if "spark_tuner" in line]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Airflow sends to it, as `[metrics]` has it."""
    pytest.importorskip("statsd", reason="statsd is not installed: pip install apache-airflow[statsd]")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(0.2)
        for name, value in {
            "STATSD_ON": "True",
            "STATSD_HOST": "127.0.0.1",
            "STATSD_PORT": str(listening.getsockname()[1]),
            "STATSD_INFLUXDB_ENABLED": "True",
        }.items():
            monkeypatch.setenv(f"AIRFLOW__METRICS__{name}", value)
        with as_a_task_has_it():
            yield Server(listening)


@contextmanager
def as_a_task_has_it() -> Iterator[None]:
    """Airflow's backend made anew, as when a task's process starts; and as it was, afterwards."""
    backend = pytest.importorskip(
        "airflow.sdk._shared.observability.metrics.stats", reason="Airflow 3.1 keeps its backend elsewhere"
    )
    from airflow.sdk.observability.metrics.stats_utils import get_stats_factory

    if not hasattr(backend, "_factory"):
        pytest.skip("Airflow 3.2 keeps its backend in a class")
    before = {name: getattr(backend, name) for name in ("_factory", "_backend", "_export_legacy_names")}
    backend.initialize(factory=get_stats_factory(), export_legacy_names=True)
    yield
    if client := getattr(backend._backend, "statsd", None):
        client.close()
    for name, value in before.items():
        setattr(backend, name, value)


def run(ti: Any, **arguments: Any) -> None:
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", **arguments)
    op.execute({"ti": ti})  # type: ignore[typeddict-item]


def test_a_run_on_trial(server: Server, submit: Any, loop: Any, ti: Any) -> None:
    trial, held = change(1, Standing.TRIAL), change(2, Standing.HELD)
    loop.changes = (trial, change(3, Standing.TRIAL), change(4, Standing.PROMOTED), held)
    total = Comparison("", measured=12.5, ratio=LogRatio(-0.47, 0.01), expected=20.0)
    records = (
        Record(trial, Standing.PROMOTED, said("won")),
        Record(change(3, Standing.TRIAL), Standing.ROLLED_BACK, said("lost")),
        Record(change(4, Standing.PROMOTED), Standing.PROMOTED, said("stays")),
    )
    loop.judgement = Judgement(records, total, 2)
    loop.gained = Gained(6.9, 0.5, 0.25)
    run(ti)
    found = server.received()
    times = {name: found.pop(f"spark_tuner.{name}.duration") for name in ("decide", "harvest")}
    assert found == {
        "spark_tuner.runs.trial": 1,
        "spark_tuner.actions.trial": 2,
        "spark_tuner.actions.promoted": 1,
        "spark_tuner.actions.rolled_back": 1,
        "spark_tuner.gained_seconds": 7.5,
        "spark_tuner.saved_seconds": 6.9,
        "spark_tuner.saved_core_hours": 0.25,
    }
    assert all(0 <= milliseconds < 60_000 for milliseconds in times.values())


def test_tags_are_those_of_the_task(server: Server, submit: Any, loop: Any, ti: Any) -> None:
    ti.stats_tags = {"team_name": "lake"}
    run(ti)
    names = {line.split(":")[0] for line in server.lines()}
    assert "airflow.spark_tuner.runs.observing,dag_id=sales,task_id=nightly,team_name=lake" in {
        ",".join([name.split(",")[0], *sorted(name.split(",")[1:])]) for name in names
    }


def test_what_failed_in_the_tuner_is_counted(server: Server, submit: Any, loop: Any, ti: Any) -> None:
    loop.problems = ("could not harvest the event log", "could not read the plans")
    run(ti)
    assert server.received()["spark_tuner.problems"] == 2


def test_a_decision_that_could_not_be_made_is_a_problem(server: Server, submit: Any, loop: Any, ti: Any) -> None:
    loop.prepare_error = RuntimeError("no store")
    run(ti)
    assert set(server.received()) == {"spark_tuner.problems", "spark_tuner.decide.duration"}


def test_a_disabled_tuner_sends_nothing(
    server: Server, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    run(ti)
    assert server.lines() == []


def test_a_job_runs_and_is_harvested_whatever_becomes_of_its_metrics(
    submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch, warnings_of: Callable[[Any], list[str]]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no such host")

    monkeypatch.setattr(stats, "_stats", lambda: SimpleNamespace(incr=refuse, timing=refuse, gauge=refuse))
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py")
    warnings = warnings_of(op)
    op.execute({"ti": ti})  # type: ignore[typeddict-item]
    assert submit.conf["spark.sql.shuffle.partitions"] == "8"
    assert (loop.outcomes, warnings) == ([False], [])


@pytest.mark.parametrize(
    ("standings", "state"),
    [
        ([], "observing"),
        ([Standing.PROPOSED, Standing.HELD], "observing"),
        ([Standing.HELD], "held"),
        ([Standing.TRIAL, Standing.PROMOTED], "trial"),
        ([Standing.PINNED, Standing.ROLLED_BACK], "tuned"),
        ([Standing.ROLLED_BACK, Standing.PROPOSED], "rolled_back"),
        ([Standing.EXPIRED], "rolled_back"),
    ],
)
def test_the_state_is_that_of_the_decision(standings: list[Standing], state: str) -> None:
    changes = tuple(change(number, standing) for number, standing in enumerate(standings))
    assert Decision(Mode.AUTO, changes).state == state
