"""Tasks whose process ends before their job does: what they harvest of earlier runs they wait for, and for nothing else."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from airflow.providers.apache.livy.operators.livy import LivyOperator

from airflow_plugin.compat import AirflowTaskTimeout
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import PATIENCE, TaskInstance
from tests.airflow_plugin.engines.livy_server import livy_server
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.generations import NOT_DURABLE, TaskDeferred
from tuner.loop import harvest
from tuner.loop.catching_up import CatchingUp
from tuner.model.run import Run, RunState

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]


class SlowLogs:
    """Event logs each of which takes longer to read than a decision waits, and `seconds` more once the job is submitted: what is
    not read by then when the task's process ends never is."""

    def __init__(self, service: SparkService, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.5
        self.readers = 0
        self._submitted, self._ended = Event(), Event()
        self._read, self._run = harvest.read_log, service.run
        monkeypatch.setattr(harvest, "read_log", self._slowly)
        monkeypatch.setattr(service, "run", self._noted)

    def _slowly(self, *given: Any) -> Any:
        self.readers += 1
        assert self._submitted.wait(30)
        if self._ended.wait(self.seconds):
            raise OSError("nobody reads this any more")
        return self._read(*given)

    def _noted(self, conf: Any) -> bool:
        has_succeeded = self._run(conf)
        self._submitted.set()
        return has_succeeded

    @contextmanager
    def of_process(self) -> Iterator[None]:
        """The process of one task, which ends as this does."""
        self._submitted.clear()
        self._ended.clear()
        try:
            yield
        finally:
            self._ended.set()


@pytest.fixture(autouse=True)
def livy(monkeypatch: pytest.MonkeyPatch, service: SparkService) -> Iterator[None]:
    with livy_server(service) as url:
        monkeypatch.setenv("AIRFLOW_CONN_LIVY_DEFAULT", url)
        yield


@pytest.fixture
def logs(service: SparkService, monkeypatch: pytest.MonkeyPatch) -> SlowLogs:
    monkeypatch.setenv(PATIENCE[0], "5")
    return SlowLogs(service, monkeypatch)


def operator(**arguments: Any) -> Any:
    given = {"task_id": "nightly", "file": "hdfs:///etl.py", "polling_interval": 0, **NOT_DURABLE}
    return tuned(LivyOperator(**given | arguments))


def run(logs: SlowLogs, run_id: str, op: Any = None) -> None:
    ti: Any = TaskInstance(run_id=run_id)
    with logs.of_process():
        (op or operator()).execute({"ti": ti, "task_instance": ti})


def marks(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "events").rglob(".spark-tuner-reads*"))


def marks_left(tmp_path: Path) -> list[Path]:
    """On a busy machine they are taken away a little after the task has ended: it waits half a second for that."""
    until = monotonic() + 10
    while marks(tmp_path) and monotonic() < until:
        sleep(0.05)
    return marks(tmp_path)


@contextmanager
def signalled(handler: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """What has the handler interrupt the task's own thread, as Airflow's do."""
    before = signal.signal(signal.SIGUSR1, lambda *_: handler())
    try:
        yield lambda: os.kill(os.getpid(), signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_logs_that_no_decision_has_the_time_to_read_are_read_before_their_task_ends(
    logs: SlowLogs, service: SparkService, stored: Stored, tmp_path: Path, told_by: Any
) -> None:
    op = operator()
    for run_id in ("r1", "r2", "r3"):
        op = operator()
        said = told_by(op)
        run(logs, run_id, op)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.RUNNING]
    assert [THRESHOLD in conf for conf in service.submitted] == [False, False, True]
    assert logs.readers == 2
    assert marks_left(tmp_path) == []
    texts = [text for _, text in said]
    assert any("the decision is made without it; it goes on until this process ends" in text for text in texts)
    assert any(text.endswith("the cohort's next decision knows of it") for text in texts)


def test_before_a_deferral_they_are_read_too(logs: SlowLogs, stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.providers.apache.livy.hooks.livy import BatchState, LivyHook

    run(logs, "r1")
    monkeypatch.setattr(LivyHook, "get_batch_state", lambda *_, **__: BatchState.RUNNING)
    with pytest.raises(TaskDeferred):
        run(logs, "r2", operator(deferrable=True))
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_they_are_waited_for_as_long_as_a_harvest_is(
    logs: SlowLogs, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told_by: Any
) -> None:
    run(logs, "r1")
    logs.seconds = 30
    monkeypatch.setenv(PATIENCE[1], "0.5")
    for run_id in ("r2", "r3"):
        op = operator()
        said = told_by(op)
        run(logs, run_id, op)
        assert marks_left(tmp_path) == [], "the task was not ended by what it read"
    assert [r.state for r in stored()] == [RunState.RUNNING] * 3
    (why,) = (text for _, text in said if "within 0.5 s" in text)
    assert why == (
        "spark-tuner: sales.nightly: could not harvest run sales/r2/nightly/-1/1 within 0.5 s of the submission: this task ends, "
        "and the cohort's next decision begins anew; most_seconds_after is how long a task waits for that"
    )


@pytest.mark.parametrize("how", ["killed", "timed out"])
def test_a_task_that_is_to_end_waits_for_them_no_longer(
    how: str, logs: SlowLogs, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(logs, "r1")
    logs.seconds = 30
    op, waits, finish = operator(), Event(), CatchingUp.finish

    def finishing(*given: Any) -> list[str]:
        waits.set()
        return finish(*given)

    monkeypatch.setattr(CatchingUp, "finish", finishing)
    monkeypatch.setattr(LivyOperator, "on_kill", lambda _: None)

    def ended() -> None:
        if how == "timed out":
            raise AirflowTaskTimeout("Timeout")
        op.on_kill()

    with signalled(ended) as end:

        def end_it() -> None:
            assert waits.wait(30)
            assert len(marks(tmp_path)) == 1
            sleep(0.2)
            end()

        thread = Thread(target=end_it)
        thread.start()
        run(logs, "r2", op)
        thread.join()
    assert marks_left(tmp_path) == []
    assert [r.state for r in stored()] == [RunState.RUNNING] * 2
