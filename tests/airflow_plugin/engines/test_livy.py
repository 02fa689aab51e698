"""LivyOperator against a server that runs what it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.apache.livy.hooks.livy import LivyHook
from airflow.providers.apache.livy.operators.livy import LivyOperator

from airflow_plugin import turn
from airflow_plugin.compat import AirflowException, AirflowTaskTimeout
from airflow_plugin.task_steering import TaskSteering
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.livy_server import livy_server
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tests.airflow_plugin.generations import NOT_DURABLE, RESUMES, TaskDeferred
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@pytest.fixture(autouse=True)
def livy(monkeypatch: pytest.MonkeyPatch, service: SparkService) -> Iterator[str]:
    with livy_server(service) as url:
        monkeypatch.setenv("AIRFLOW_CONN_LIVY_DEFAULT", url)
        yield url


def operator(**arguments: Any) -> Any:
    return tuned(
        LivyOperator(
            **{"task_id": "nightly", "file": "hdfs:///etl.py", "polling_interval": 1} | NOT_DURABLE | arguments
        )
    )


def run(run_id: str, op: Any = None, try_number: int = 1, **arguments: Any) -> TaskInstance:
    ti = TaskInstance(run_id=run_id, try_number=try_number)
    (op or operator(**arguments)).execute({"ti": ti, "task_instance": ti})
    return ti


def test_the_second_run_is_steered_and_the_third_has_it_proven(
    service: SparkService, stored: Callable[[], list[Run]]
) -> None:
    run("r1", conf={"spark.executor.cores": 2})
    assert THRESHOLD not in service.last
    second = run("r2", conf={"spark.executor.cores": 2})
    assert THRESHOLD in service.last
    assert service.last["spark.executor.cores"] == "2"
    assert second.xcoms["spark_tuner"]["state"] == "succeeded"
    run("r3")
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}


def test_the_authors_own_value_wins(service: SparkService) -> None:
    own = {THRESHOLD: "7"}
    run("r1", conf=own)
    run("r2", conf=own)
    assert service.last[THRESHOLD] == "7"


def test_what_the_author_wrote_stays_as_it_was(service: SparkService) -> None:
    conf, jars = {"spark.executor.cores": 2}, ["hdfs:///own.jar"]
    op, post_batch = operator(conf=conf, jars=jars), LivyHook.post_batch
    run("r1", op)
    assert op.spark_params["conf"] == {"spark.executor.cores": 2} and op.spark_params["jars"] == ["hdfs:///own.jar"]
    assert conf == {"spark.executor.cores": 2} and jars == ["hdfs:///own.jar"]
    assert LivyHook.post_batch is post_batch


class PicksItsServer(LivyOperator):
    """Of a team that knows which server is up when a task runs."""

    def execute(self, context: Any) -> Any:
        self._livy_conn_id = "livy_default"
        return super().execute(context)


def test_a_server_that_the_operator_picks_as_it_runs_gets_the_job(service: SparkService) -> None:
    for run_id in ("r1", "r2"):
        arguments = {"file": "hdfs:///etl.py", "livy_conn_id": "down", "polling_interval": 1, **NOT_DURABLE}
        run(run_id, tuned(PicksItsServer(task_id="nightly", **arguments)))
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True]


def test_a_batch_of_another_hook_is_not_taken_for_the_tasks(
    service: SparkService, stored: Callable[[], list[Run]]
) -> None:
    class Other(LivyOperator):
        def execute(self, context: Any) -> Any:
            assert self.hook
            LivyHook().post_batch(file="hdfs:///other.py", conf={"spark.other": "1"})
            return super().execute(context)

    op = tuned(Other(task_id="nightly", file="hdfs:///etl.py", polling_interval=1, **NOT_DURABLE))
    run("r1", op)
    assert ["spark.tuner.key" in conf for conf in service.submitted] == [False, True]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_a_task_that_is_killed_while_it_is_decided_submits_nothing(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    op, begin = operator(), turn.begin

    def killed_meanwhile(*given: Any, **named: Any) -> Any:
        begun = begin(*given, **named)
        op.on_kill()
        return begun

    monkeypatch.setattr(turn, "begin", killed_meanwhile)
    with pytest.raises(AirflowException, match="was killed before its Spark job was submitted"):
        run("r1", op)
    assert service.submitted == []
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_task_that_times_out_before_it_submits_leaves_no_run(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def timed_out(*_: object) -> None:
        raise AirflowTaskTimeout("Timeout")

    monkeypatch.setattr(turn, "_tell", timed_out)
    with pytest.raises(AirflowTaskTimeout):
        run("r1")
    assert (service.submitted, stored()) == ([], [])


@pytest.mark.parametrize("how", ["ok", "fail"])
def test_a_timeout_once_the_job_is_over_is_not_its_own(
    service: SparkService, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """The task's execution_timeout runs out while its event log is looked for."""

    def timed_out(*_: object) -> None:
        raise AirflowTaskTimeout("Timeout")

    op, access = operator(), TaskSteering._access
    monkeypatch.setattr(TaskSteering, "_access", lambda *of: timed_out() if service.submitted else access(*of))
    service.how = how
    with pytest.raises(AirflowException, match="did not succeed") if how == "fail" else nullcontext():
        run("r1", op)
    assert len(service.submitted) == 1


def test_a_driver_that_does_not_start_with_its_event_log_is_tried_without(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In cluster mode the driver may lack a directory that worker and Livy's server have."""
    ran = service.run
    monkeypatch.setattr(service, "run", lambda conf: "spark.eventLog.dir" not in conf and ran(conf))
    with pytest.raises(Exception, match="did not succeed"):
        run("r1", conf={"spark.executor.cores": 2})
    run("r1", conf={"spark.executor.cores": 2}, try_number=2)
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert [r.state for r in stored()] == [RunState.FAILED, RunState.LOST]


def test_a_job_that_is_refused_for_what_is_added_is_submitted_as_it_was(
    service: SparkService, stored: Callable[[], list[Run]], warnings_of: Callable[[Any], list[str]]
) -> None:
    service.refuses = lambda conf: "spark.eventLog.dir" in conf
    op = operator(conf={"spark.executor.cores": 2})
    said = warnings_of(op)
    run("r1", op)
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert len(service.refused) == 1
    assert any("refused the job" in line for line in said)
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_job_that_is_refused_anyway_fails_as_it_would_have(service: SparkService) -> None:
    service.refuses = lambda conf: True
    with pytest.raises(Exception, match="Status code: 400"):
        run("r1")
    assert [THRESHOLD in conf for conf in service.refused] == [False, False]


def test_a_service_that_does_not_answer_is_asked_once(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_LIVY_DEFAULT", "http://127.0.0.1:1")
    op = operator()
    asked = []
    own = LivyHook.post_batch
    monkeypatch.setattr(LivyHook, "post_batch", lambda self, **params: (asked.append(params), own(self, **params))[1])
    with pytest.raises(Exception, match="onnection"):
        run("r1", op)
    assert len(asked) == 1
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_job_that_fails_fails_and_its_retry_has_no_trial(
    service: SparkService, stored: Callable[[], list[Run]]
) -> None:
    run("r1")
    service.how = "fail"
    with pytest.raises(Exception, match="did not succeed"):
        run("r2")
    assert THRESHOLD in service.last
    service.how = "ok"
    run("r2", try_number=2)
    assert THRESHOLD not in service.last
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_log_that_is_lost_costs_the_job_nothing(service: SparkService, stored: Callable[[], list[Run]]) -> None:
    service.how = None
    run("r1")
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_task_that_does_not_wait_is_harvested_at_the_next_decision(
    service: SparkService, stored: Callable[[], list[Run]]
) -> None:
    first = run("r1", polling_interval=0)
    assert [r.state for r in stored()] == [RunState.RUNNING]
    assert "spark_tuner" not in first.xcoms
    run("r2", polling_interval=0)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]
    assert THRESHOLD in service.last


def test_a_task_that_does_not_wait_and_is_cleared_has_not_failed(
    service: SparkService, stored: Callable[[], list[Run]]
) -> None:
    run("r1", polling_interval=0)
    run("r1", polling_interval=0, try_number=2)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_a_job_that_failed_with_nobody_waiting_has(service: SparkService, stored: Callable[[], list[Run]]) -> None:
    service.how = "fail"
    run("r1", polling_interval=0)
    run("r1", polling_interval=0, try_number=2)
    assert [r.state for r in stored()] == [RunState.FAILED, RunState.RUNNING]


class Deferring:
    """A batch that is not over when it is asked for the first time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from airflow.providers.apache.livy.hooks.livy import BatchState, LivyHook

        monkeypatch.setattr(LivyHook, "get_batch_state", lambda *_, **__: BatchState.RUNNING)


def test_what_the_harvest_needs_is_loaded_where_the_process_waits_for_the_job(
    service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr("tuner.loop.loop.load_beside", lambda: loaded.append("beside"))
    run("r1")
    assert loaded == ["beside"]
    Deferring(monkeypatch)
    with pytest.raises(TaskDeferred):
        run("r2", deferrable=True)
    assert loaded == ["beside"], "another process goes on with it"


def test_a_deferred_task_is_harvested_when_it_is_resumed(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    Deferring(monkeypatch)
    run("r0", polling_interval=0)
    with pytest.raises(TaskDeferred) as deferred:
        run("r1", deferrable=True)
    assert THRESHOLD in service.last
    assert stored()[-1].state is RunState.RUNNING
    ti = TaskInstance(run_id="r1")
    # In another process, with an operator of its own.
    event = {"status": "success", "batch_id": 1, "response": "ok", "log_lines": []}
    operator(deferrable=True).resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert stored()[-1].state is RunState.SUCCEEDED
    assert standings(stored())[-1] == {Standing.TRIAL}
    assert ti.xcoms["spark_tuner"]["gained_seconds"] == pytest.approx(3.0, rel=0.01)


def test_a_resumed_task_whose_job_failed_counts_as_failed(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    Deferring(monkeypatch)
    with pytest.raises(TaskDeferred) as deferred:
        run("r1", deferrable=True)
    ti = TaskInstance(run_id="r1")
    event = {"status": "error", "batch_id": 1, "response": "dead", "log_lines": []}
    with pytest.raises(Exception, match="dead"):
        operator(deferrable=True).resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert [r.state for r in stored()] == [RunState.FAILED]


def test_a_deferral_that_lasts_too_long_is_no_end_of_the_job(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an execution_timeout of a task that waits itself is none."""
    Deferring(monkeypatch)
    service.how = "die"
    with pytest.raises(TaskDeferred):
        run("r1", deferrable=True)
    with pytest.raises(AirflowException, match="Trigger timeout"):
        operator(deferrable=True).resume_execution(
            "__fail__", {"error": "Trigger timeout"}, {"ti": TaskInstance(run_id="r1")}
        )
    assert [r.state for r in stored()] == [RunState.RUNNING]


def test_how_a_resumed_task_ends_tells_nothing_of_an_earlier_tries_job(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that nobody saw end: its task was cleared while it was deferred, and the next try had no time to read its log."""
    Deferring(monkeypatch)
    monkeypatch.setattr("tuner.loop.prepare.settle_all", lambda *_: None)
    service.how = "fail"
    with pytest.raises(TaskDeferred):
        run("r1", deferrable=True)
    service.how = "ok"
    with pytest.raises(TaskDeferred) as deferred:
        run("r1", deferrable=True, try_number=2)
    event = {"status": "success", "batch_id": 2, "response": "ok", "log_lines": []}
    ti = TaskInstance(run_id="r1", try_number=2)
    operator(deferrable=True).resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert [r.state for r in stored()] == [RunState.FAILED, RunState.SUCCEEDED]
    assert ti.xcoms["spark_tuner"]["state"] == "succeeded"


class Kept(dict[str, Any]):
    """What Airflow keeps of a task from try to try."""

    set = dict.__setitem__


def resume(kept: Kept, try_number: int, op: Any = None) -> TaskInstance:
    ti = TaskInstance(run_id="r1", try_number=try_number)
    (op or operator(durable=True)).execute({"ti": ti, "task_instance": ti, "task_state_store": kept})
    return ti


def lose_the_first_try(monkeypatch: pytest.MonkeyPatch) -> Kept:
    """What is kept of a try whose worker is lost while its job goes on."""
    kept, first = Kept(), operator(durable=True)
    monkeypatch.setattr(
        first, "poll_until_complete", lambda *_: (_ for _ in ()).throw(SystemExit("the worker is lost"))
    )
    with pytest.raises(SystemExit):
        resume(kept, 1, first)
    assert kept
    return kept


@pytest.mark.skipif(not RESUMES, reason="Airflow resumes jobs from 3.3 on")
def test_a_retry_that_goes_on_with_an_earlier_tries_job_keeps_its_key(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = lose_the_first_try(monkeypatch)
    again = resume(kept, 2)
    assert len(service.submitted) == 1
    (only,) = stored()
    assert only.key.endswith("/1") and only.state is RunState.SUCCEEDED
    assert again.xcoms["spark_tuner"]["key"] == only.key


@pytest.mark.skipif(not RESUMES, reason="Airflow resumes jobs from 3.3 on")
def test_a_retry_that_fails_before_it_finds_the_earlier_tries_job_tells_nothing_of_it(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = lose_the_first_try(monkeypatch)

    def refuse(*_: object, **__: object) -> None:
        raise AirflowException("500 Server Error")

    with monkeypatch.context() as patch:
        patch.setattr(LivyHook, "get_batch_state", refuse)
        with pytest.raises(AirflowException, match="500"):
            resume(kept, 2)
    assert [r.state for r in stored()] == [RunState.RUNNING]
    third = resume(kept, 3)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]
    assert third.xcoms["spark_tuner"]["state"] == "succeeded"


@pytest.mark.skipif(not RESUMES, reason="Airflow resumes jobs from 3.3 on")
@pytest.mark.parametrize("left", [None, "die"], ids=["no log yet", "a log that goes on"])
def test_a_job_that_outlived_a_failed_try_ends_with_the_try_that_goes_on_with_it(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, left: Any
) -> None:
    """The server did not answer for a while: that is how the first try ended, not its job."""

    def refuse(*_: object, **__: object) -> None:
        raise AirflowException("500 Server Error")

    kept, ran, service.how = Kept(), service.run, left
    with monkeypatch.context() as patch:
        patch.setattr(LivyHook, "get_batch_state", refuse)
        patch.setattr(service, "run", lambda conf: (ran(conf), True)[1])
        with pytest.raises(AirflowException, match="500"):
            resume(kept, 1)
    for log in tmp_path.glob("events/**/*.inprogress"):
        log.unlink()
    service.how = "ok"
    ran(service.submitted.pop())
    again = resume(kept, 2)
    assert len(service.submitted) == 1
    (only,) = stored()
    assert only.key.endswith("/1") and only.state is RunState.SUCCEEDED
    assert again.xcoms["spark_tuner"]["state"] == "succeeded"


def test_one_that_is_killed_is_left_for_the_next_decision(
    service: SparkService, stored: Callable[[], list[Run]]
) -> None:
    op = operator()
    ran, taken = service.run, []
    service.run = lambda conf: (op.on_kill(), taken.append(1), ran(conf))[2]  # type: ignore[method-assign]
    run("r1", op)
    assert taken and [r.state for r in stored()] == [RunState.RUNNING]


def test_off_changes_nothing(
    service: SparkService, stored: Callable[[], list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    run("r1", conf={"spark.executor.cores": 2})
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert stored() == []


@pytest.mark.parametrize("enabled", ["True", "False"])
def test_an_engine_that_cannot_be_loaded_costs_the_job_nothing(
    service: SparkService,
    monkeypatch: pytest.MonkeyPatch,
    warnings_of: Callable[[Any], list[str]],
    enabled: str,
) -> None:
    def broken(name: str) -> None:
        raise ImportError("cannot import name 'x'")

    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", enabled)
    monkeypatch.setattr("airflow_plugin.steered_class.engine", broken)
    op = operator(conf={"spark.executor.cores": 2})
    said = warnings_of(op)
    run("r1", op)
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert len(said) == (enabled == "True")
    event = {"status": "success", "batch_id": 1, "response": "ok", "log_lines": []}
    operator().resume_execution("execute_complete", {"event": event}, {"ti": TaskInstance(run_id="r1")})


def test_a_store_that_cannot_be_opened_costs_the_job_nothing(
    service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_TUNER_DB", "sqlite:////nowhere/history.db")
    run("r1")
    assert len(service.submitted) == 1
