"""Databricks' operators against a workspace that runs what it is sent, and delivers logs when the run is over."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import current_thread, main_thread
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("airflow.providers.databricks", reason="it is of the dev group")

from airflow.providers.databricks.operators.databricks import (
    DatabricksNotebookOperator,
    DatabricksRunNowOperator,
    DatabricksSubmitRunOperator,
    DatabricksTaskOperator,
)
from airflow.providers.databricks.operators.databricks_workflow import DatabricksWorkflowTaskGroup
from airflow.sdk import DAG, BaseHook

from airflow_plugin.engines.databricks import ENGINE
from airflow_plugin.engines.engine import Additions
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import PATIENCE, TaskInstance
from tests.airflow_plugin.engines.aws_account import BUCKET, CREDENTIALS, AwsAccount
from tests.airflow_plugin.engines.databricks_workspace import TOKEN, Workspace, served
from tests.airflow_plugin.engines.hanging import Hanging
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.eventlog import as_ended
from tuner.history.store import Store
from tuner.loop import loop
from tuner.model.run import Run, RunState

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]
Operator = Callable[..., Any]


@pytest.fixture(autouse=True)
def workspace(service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    found = Workspace(service, tmp_path / "dbfs", policies={"p": {"num_workers": {"type": "range", "maxValue": 9}}})
    found.files.mkdir()
    # A log that lacks an end counts after an hour without work.
    monkeypatch.setattr(as_ended, "QUIET", -timedelta(days=1))
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", "dbfs:/tuner")
    with served(found, tmp_path) as certificate:
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
        host, port = found.instance.split(":")
        connection = {"conn_type": "databricks", "host": host, "port": int(port), "password": TOKEN}
        monkeypatch.setenv("AIRFLOW_CONN_DATABRICKS_DEFAULT", json.dumps(connection))
        yield found


def cluster(conf: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    own = {
        "spark_version": "15.4.x-scala2.12",
        "num_workers": 2,
        "policy_id": "p",
        "spark_env_vars": {"A": "1"},
        **fields,
    }
    return own if conf is None else {**own, "spark_conf": conf}


def submit_run(new_cluster: dict[str, Any] | None = None, **arguments: Any) -> Any:
    given: dict[str, Any] = {"task_id": "nightly", "polling_period_seconds": 0, "databricks_retry_delay": 0}
    if "tasks" not in arguments and "json" not in arguments:
        given |= {"notebook_task": {"notebook_path": "/etl"}, "new_cluster": new_cluster or cluster()}
    if hasattr(DatabricksSubmitRunOperator, "durable"):
        given["durable"] = False
    return tuned(DatabricksSubmitRunOperator(**(given | arguments)))


def task(new_cluster: dict[str, Any] | None = None, **arguments: Any) -> Any:
    given: dict[str, Any] = {"task_id": "nightly", "polling_period_seconds": 0, "new_cluster": new_cluster or cluster()}
    given |= {"task_config": {"notebook_task": {"notebook_path": "/etl"}, "timeout_seconds": 60}}
    return tuned(DatabricksTaskOperator(**(given | arguments)))


def notebook(new_cluster: dict[str, Any] | None = None, **arguments: Any) -> Any:
    given: dict[str, Any] = {"task_id": "nightly", "polling_period_seconds": 0, "new_cluster": new_cluster or cluster()}
    return tuned(DatabricksNotebookOperator(**(given | {"notebook_path": "/etl", "source": "WORKSPACE"} | arguments)))


def run(op: Any, run_id: str, try_number: int = 1, **context: Any) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    op.execute({"ti": ti, "task_instance": ti, **context})
    return ti


def runs_of(tmp_path: Path, cohort: str) -> list[Run]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        return store.runs(cohort)


def test_the_first_run_by_another_runtime_is_observed(
    workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    runtimes = ["15.4.x-scala2.12"] * 3 + ["16.1.x-scala2.12"] * 2
    for number, runtime in enumerate(runtimes):
        run(submit_run(cluster(spark_version=runtime)), f"r{number}")
        workspace.deliver()
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True, False, True]
    assert [r.decision.runtime for r in stored()] == runtimes


def test_a_cluster_tells_its_runtime_and_its_machines_or_its_policy_does() -> None:
    policy = {"definition": json.dumps({"node_type_id": {"type": "fixed", "value": "i3.xlarge"}})}
    request = {"json": {"new_cluster": cluster(runtime_engine="PHOTON")}, "cluster policies": {"p": policy}}
    (job,) = ENGINE.read(None, request)
    assert job.runtime == "15.4.x-scala2.12, PHOTON, i3.xlarge"
    assert ENGINE.submission(None, job, "").runtime == job.runtime


@pytest.mark.parametrize(("operator", "tells_end"), [(submit_run, False), (task, False), (notebook, True)])
def test_the_second_run_is_steered_and_the_third_has_it_proven(
    operator: Operator, tells_end: bool, workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    workspace.tells_end = tells_end
    given = cluster({"spark.executor.cores": 2})
    as_written = copy.deepcopy(given)
    for run_id in ("r1", "r2", "r3", "r4"):
        op = operator(given)
        run(op, run_id)
        assert stored()[-1].state is RunState.RUNNING, "its log is not there yet"
        workspace.deliver()
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True, True]
    assert str(service.last["spark.executor.cores"]) == "2"
    assert not any(name.startswith("spark.eventLog") for name in service.last)
    assert given == as_written and op.new_cluster == as_written
    *settled, _ = stored()
    assert standings(settled) == TRIED_THEN_PROVEN
    assert {r.state for r in settled} == {RunState.SUCCEEDED}
    sent = workspace.requests[-1]
    sent = sent.get("new_cluster") or sent["tasks"][0]["new_cluster"]
    assert {name: str(sent[name]) for name in as_written if name != "spark_conf"} == {
        name: str(value) for name, value in as_written.items() if name != "spark_conf"
    }


@pytest.mark.parametrize("operator", [submit_run, task, notebook])
def test_the_authors_own_value_wins(operator: Operator, workspace: Workspace, service: SparkService) -> None:
    for run_id in ("r1", "r2"):
        run(operator(cluster({THRESHOLD: "7"})), run_id)
        workspace.deliver()
    assert service.last[THRESHOLD] == "7"


def test_a_log_is_read_where_its_author_has_it_delivered(
    workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    """Beside the logs of other clusters."""
    own = {"dbfs": {"destination": "dbfs:/cluster-logs"}}
    for run_id in ("r1", "r2", "r3"):
        run(submit_run(cluster(cluster_log_conf=own)), run_id)
        workspace.deliver()
    assert all(request["new_cluster"]["cluster_log_conf"] == own for request in workspace.requests)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.RUNNING]
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]


def test_volumes_are_not_read(workspace: Workspace, service: SparkService, told_by: Any) -> None:
    own = {"volumes": {"destination": "/Volumes/main/default/logs"}}
    op = submit_run(cluster(cluster_log_conf=own))
    said = told_by(op)
    run(op, "r1")
    (sent,) = workspace.requests
    assert sent["new_cluster"] == {**cluster(cluster_log_conf=own), "num_workers": "2"}
    assert any("/Volumes/main/default/logs" in text for _, text in said)


def test_a_base_that_databricks_cannot_deliver_to_changes_nothing(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", str(tmp_path / "events"))
    run(submit_run(), "r1")
    assert "cluster_log_conf" not in workspace.requests[0]["new_cluster"]
    assert "spark_conf" not in workspace.requests[0]["new_cluster"]


def test_clusters_of_tasks_have_cohorts_of_their_own(
    workspace: Workspace, service: SparkService, tmp_path: Path
) -> None:
    """One that several share is one application; those of one description are two all the same."""
    one = cluster({"spark.x": "1"})
    tasks = [
        {"task_key": "load", "notebook_task": {"notebook_path": "/l"}, "new_cluster": one},
        {"task_key": "copy", "notebook_task": {"notebook_path": "/c"}, "new_cluster": one},
        {"task_key": "a", "notebook_task": {"notebook_path": "/a"}, "job_cluster_key": "shared"},
        {"task_key": "b", "notebook_task": {"notebook_path": "/b"}, "job_cluster_key": "shared"},
        {"task_key": "adhoc", "notebook_task": {"notebook_path": "/x"}, "existing_cluster_id": "1124-x"},
        {"task_key": "light", "notebook_task": {"notebook_path": "/y"}, "environment_key": "e"},
        {"task_key": "jar", "spark_submit_task": {"parameters": ["--class", "A"]}, "new_cluster": cluster()},
    ]
    clusters = [{"job_cluster_key": name, "new_cluster": cluster({"spark.x": name})} for name in ("shared", "unused")]
    given = {"tasks": tasks, "job_clusters": clusters}
    as_written = copy.deepcopy(given)
    for run_id in ("r1", "r2"):
        run(submit_run(json=given), run_id)
        workspace.deliver()
    assert given == as_written
    assert {conf.get("spark.tuner.cohort") for conf in service.submitted} == {
        None,
        "sales.nightly.load",
        "sales.nightly.copy",
        "sales.nightly.shared",
    }
    keys = [conf["spark.tuner.key"] for conf in service.submitted if "spark.tuner.key" in conf]
    assert len(keys) == len(set(keys)) == 6
    for name in ("load", "copy", "shared"):
        assert [r.state for r in runs_of(tmp_path, f"sales.nightly.{name}")] == [RunState.SUCCEEDED, RunState.RUNNING]
    sent = json.loads(json.dumps(workspace.requests[-1]))
    assert sent["tasks"][4:6] == tasks[4:6]
    assert "spark_conf" not in sent["tasks"][6]["new_cluster"]
    assert sent["job_clusters"][1]["new_cluster"]["spark_conf"] == {"spark.x": "unused"}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"existing_cluster_id": "1124-x", "notebook_task": {}}, "an existing cluster has the properties that it was"),
        ({"tasks": [{"task_key": "light", "environment_key": "e"}]}, "light: no cluster is made for it"),
        ({"tasks": [{"task_key": k, "existing_cluster_id": "c"} for k in "ab"]}, "a, b: an existing cluster has"),
        ({"spark_submit_task": {}, "new_cluster": {}}, "a spark_submit_task takes no spark_conf"),
        ({"tasks": [{"task_key": "e", "for_each_task": {"task": {"existing_cluster_id": "c"}}}]}, "e: an existing"),
        ({"tasks": [{"task_key": "e", "for_each_task": {"task": {"job_cluster_key": "c"}}}]}, ""),
        ({"new_cluster": {"num_workers": 1}}, ""),
    ],
)
def test_it_is_said_what_is_given_nothing(request_: dict[str, Any], said: str) -> None:
    found = ENGINE.left_alone(None, {"json": request_})
    assert found.startswith(said) and bool(found) is bool(said)
    if said:
        assert ENGINE.read(None, {"json": request_}) == []


def test_an_existing_cluster_is_left_as_it_is(workspace: Workspace, stored: Stored, told_by: Any) -> None:
    op = submit_run(json={"existing_cluster_id": "1124-x", "notebook_task": {"notebook_path": "/etl"}})
    said = told_by(op)
    run(op, "r1")
    assert workspace.requests == [
        {"existing_cluster_id": "1124-x", "notebook_task": {"notebook_path": "/etl"}, "run_name": "nightly"}
    ]
    assert [text for _, text in said] == [
        "spark-tuner: Databricks runs as its author wrote it: an existing cluster has the properties that it was started with"
    ]
    assert stored() == []


def test_a_job_that_databricks_defines_is_left_as_it_is(workspace: Workspace, told_by: Any) -> None:
    workspace.create({"name": "etl", "tasks": [{"task_key": "load", "new_cluster": cluster()}]})
    op = tuned(DatabricksRunNowOperator(task_id="nightly", job_id=1, polling_period_seconds=0))
    said = told_by(op)
    run(op, "r1", task_state_store=None)
    assert workspace.requests[1:] == [{"job_id": "1"}]
    assert ["the job is defined in Databricks" in text for _, text in said] == [True]


def test_a_request_that_is_refused_for_what_is_added_is_sent_as_it_was(
    workspace: Workspace, service: SparkService, stored: Stored, warnings_of: Any
) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    op = submit_run(cluster({"spark.executor.cores": "2"}))
    said = warnings_of(op)
    run(op, "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]
    assert "cluster_log_conf" in workspace.requests[0]["new_cluster"]
    assert workspace.requests[1]["new_cluster"].keys() == cluster({}).keys()
    assert any("refused the job" in line for line in said)
    assert [r.state for r in stored()] == [RunState.LOST]


def test_one_that_is_refused_anyway_fails_as_it_would_have(workspace: Workspace, service: SparkService) -> None:
    service.refuses = lambda conf: True
    with pytest.raises(Exception, match="INVALID_PARAMETER_VALUE"):
        run(submit_run(), "r1")
    assert len(workspace.requests) == 2


@pytest.mark.parametrize(
    ("answer", "times"),
    [
        ((429, "REQUEST_LIMIT_EXCEEDED"), 2),
        ((503, "TEMPORARILY_UNAVAILABLE"), 2),
        ((400, "COULD_NOT_ACQUIRE_LOCK"), 2),
        ((403, "PERMISSION_DENIED"), 1),
    ],
)
def test_what_is_no_refusal_is_the_operators_own_to_handle(
    answer: tuple[int, str], times: int, workspace: Workspace, stored: Stored
) -> None:
    workspace.unavailable = answer
    with pytest.raises(Exception, match="API requests to Databricks failed|PERMISSION_DENIED"):
        run(submit_run(databricks_retry_limit=2), "r1")
    assert len(workspace.requests) == times and all("spark_conf" in r["new_cluster"] for r in workspace.requests)
    assert [r.state for r in stored()] == [RunState.LOST]


def test_an_answer_that_cannot_be_read_starts_no_second_run(
    workspace: Workspace, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = json.dumps
    monkeypatch.setattr(
        "tests.airflow_plugin.engines.databricks_workspace.json",
        SimpleNamespace(loads=json.loads, dumps=lambda body: "<html>" if "run_id" in body else answer(body)),
    )
    with pytest.raises(ValueError, match="Expecting value"):
        run(submit_run(), "r1")
    assert len(service.submitted) == 1


@pytest.mark.parametrize("operator", [submit_run, notebook])
def test_a_job_that_fails_fails_and_its_retry_has_no_trial(
    operator: Operator, workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    run(operator(), "r1")
    workspace.deliver()
    service.how = "fail"
    with pytest.raises(Exception, match=r"FAILED"):
        run(operator(), "r2")
    assert THRESHOLD in service.last
    service.how = "ok"
    run(operator(), "r2", try_number=2)
    assert THRESHOLD not in service.last
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.RUNNING]


SQL = {"task_key": "publish", "sql_task": {"warehouse_id": "w"}}


@pytest.mark.parametrize("named", [True, False], ids=["tasks", "json"])
@pytest.mark.parametrize(
    ("others", "state"), [([SQL], RunState.SUCCEEDED), ([], RunState.FAILED)], ids=["beside a warehouse", "alone"]
)
def test_a_job_is_not_blamed_for_a_task_that_starts_no_spark(
    others: list[Any], state: RunState, named: bool, workspace: Workspace, stored: Stored
) -> None:
    tasks = [{"task_key": "load", "notebook_task": {"notebook_path": "/l"}, "new_cluster": cluster()}, *others]
    given: dict[str, Any] = {"tasks": tasks} if named else {"json": {"tasks": tasks}}
    workspace.others_fail = True
    with pytest.raises(Exception, match=r"FAILED"):
        run(submit_run(**given), "r1")
    workspace.deliver()
    workspace.others_fail = False
    run(submit_run(**given), "r2")
    assert [r.state for r in stored()] == [state, RunState.RUNNING]


def test_a_log_that_is_never_delivered_costs_the_job_nothing(workspace: Workspace, stored: Stored) -> None:
    for run_id in ("r1", "r2"):
        run(submit_run(), run_id)
    assert [r.state for r in stored()] == [RunState.RUNNING, RunState.RUNNING]


def test_a_log_of_which_a_part_is_there_is_not_taken_for_all(workspace: Workspace, stored: Stored) -> None:
    workspace.edit = lambda events: events[:-1]
    run(submit_run(), "r1")
    workspace.deliver()
    run(submit_run(), "r2")
    assert [r.state for r in stored()] == [RunState.RUNNING, RunState.RUNNING]


def test_what_photon_does_is_observed(workspace: Workspace, service: SparkService, stored: Stored) -> None:
    """Its operators are none that the tuner knows."""

    def photon(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        text = json.dumps(events)
        for name in ("SortMergeJoin", "Exchange", "Sort", "Scan parquet"):
            photon = {"SortMergeJoin": "PhotonShuffledHashJoin", "Exchange": "PhotonShuffleExchangeSink"}
            text = text.replace(f'"nodeName": "{name}', f'"nodeName": "{photon.get(name, "Photon" + name)}')
        found: list[dict[str, Any]] = json.loads(text)
        return found

    workspace.edit = photon
    for run_id in ("r1", "r2", "r3"):
        run(submit_run(), run_id)
        workspace.deliver()
    *settled, _ = stored()
    assert {r.state for r in settled} == {RunState.SUCCEEDED}
    assert [r.decision.in_force for r in stored()] == [(), (), ()]
    assert all(r.outcome and r.outcome.queries and not r.outcome.queries[0].joins for r in settled)


@pytest.mark.parametrize("operator", [submit_run, task, notebook])
def test_a_task_that_does_not_wait_is_harvested_at_the_next_decision(
    operator: Operator, workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    for run_id in ("r1", "r2"):
        ti = run(operator(wait_for_termination=False), run_id)
        workspace.deliver()
    assert "spark_tuner" not in ti.xcoms
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]
    assert THRESHOLD in service.last


@pytest.mark.parametrize("operator", [submit_run, task, notebook])
@pytest.mark.parametrize("result", ["SUCCESS", "FAILED"])
def test_a_deferred_task_is_harvested_when_it_is_resumed(
    operator: Operator, result: str, workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    from airflow.sdk.exceptions import TaskDeferred

    workspace.running, workspace.tells_end = True, True
    with pytest.raises(TaskDeferred) as deferred:
        run(operator(deferrable=True), "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]
    workspace.deliver()
    ti: Any = TaskInstance(run_id="r1")
    state = {"life_cycle_state": "TERMINATED", "result_state": result, "state_message": ""}
    event = {"run_id": 1, "run_page_url": "u", "run_state": json.dumps(state), "errors": []}
    again = operator(deferrable=True)  # In another process, with an operator of its own.
    if result == "FAILED":
        with pytest.raises(Exception, match="FAILED|failed"):
            again.resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    else:
        again.resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert [r.state for r in stored()] == [RunState.SUCCEEDED if result == "SUCCESS" else RunState.FAILED]
    assert len(service.submitted) == 1


def test_a_deferred_task_of_several_clusters_has_an_xcom_for_each(workspace: Workspace) -> None:
    from airflow.sdk.exceptions import TaskDeferred

    workspace.running, workspace.tells_end = True, True
    tasks = [
        {"task_key": name, "notebook_task": {"notebook_path": f"/{name}"}, "new_cluster": cluster()}
        for name in ("load", "report")
    ]
    with pytest.raises(TaskDeferred) as deferred:
        run(submit_run(tasks=tasks, deferrable=True), "r1")
    workspace.deliver()
    ti: Any = TaskInstance(run_id="r1")
    state = {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS", "state_message": ""}
    event = {"run_id": 1, "run_page_url": "u", "run_state": json.dumps(state), "errors": []}
    again = submit_run(tasks=tasks, deferrable=True)
    again.resume_execution(deferred.value.method_name, {"event": event}, {"ti": ti})
    assert {name for name in ti.xcoms if name.startswith("spark_tuner")} == {"spark_tuner.load", "spark_tuner.report"}


def test_a_retry_that_goes_on_with_an_earlier_tries_run_keeps_its_key(
    workspace: Workspace, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, Any] = {}

    class Kept:
        get, set = staticmethod(kept.get), staticmethod(kept.__setitem__)

    workspace.tells_end = True
    first = submit_run(durable=True)
    monkeypatch.setattr(first, "poll_until_complete", lambda *_: (_ for _ in ()).throw(SystemExit("lost")))
    with pytest.raises(SystemExit):
        run(first, "r1", task_state_store=Kept)
    if not kept:
        pytest.skip("this Airflow keeps no ids of jobs")
    workspace.deliver()
    again = run(submit_run(durable=True), "r1", try_number=2, task_state_store=Kept)
    assert len(service.submitted) == 1
    (only,) = stored()
    assert only.key.endswith("/1") and only.state is RunState.SUCCEEDED
    assert again.xcoms["spark_tuner"]["key"] == only.key


def test_a_retry_that_is_answered_with_an_earlier_tries_run_keeps_its_key(
    workspace: Workspace, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the token that both send."""
    workspace.tells_end = True
    first = submit_run(idempotency_token="sales-1", deferrable=True)
    monkeypatch.setattr(first, "defer", lambda **_: (_ for _ in ()).throw(SystemExit("lost")))
    workspace.running = True
    with pytest.raises(SystemExit):
        run(first, "r1")
    workspace.running = False
    workspace.deliver()
    again = run(submit_run(idempotency_token="sales-1"), "r1", try_number=2)
    assert len(service.submitted) == 1
    (only,) = stored()
    assert only.key.endswith("/1") and only.state is RunState.SUCCEEDED
    assert again.xcoms["spark_tuner"]["key"] == only.key


def test_a_retry_with_a_token_whose_earlier_try_is_harvested_is_decided(
    workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    service.how = "fail"
    with pytest.raises(Exception, match="FAILED"):
        run(submit_run(idempotency_token="sales-1-1"), "r1")
    service.how = "ok"
    run(submit_run(idempotency_token="sales-1-2"), "r1", try_number=2)
    assert [r.key[-2:] for r in stored()] == ["/1", "/2"]
    assert service.last["spark.tuner.key"].endswith("/2")


def test_one_that_is_killed_is_left_for_the_next_decision(
    workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    op = submit_run()
    ran = workspace.get
    workspace.get = lambda body: (op.on_kill(), ran(body))[1]  # type: ignore[method-assign]
    run(op, "r1")
    assert workspace.cancelled and [r.state for r in stored()] == [RunState.RUNNING]


FIXED = {"type": "fixed", "value": "7"}
DEFAULT = {"type": "unlimited", "defaultValue": "dbfs:/by-policy"}


@pytest.mark.parametrize("applied", [True, "true"])
def test_what_a_policy_sets_is_the_authors_own(
    applied: Any, workspace: Workspace, service: SparkService, stored: Stored
) -> None:
    workspace.policies["p"] = {f"spark_conf.{THRESHOLD}": FIXED, "cluster_log_conf.path": DEFAULT}
    for run_id in ("r1", "r2"):
        run(submit_run(cluster(apply_policy_default_values=applied)), run_id)
        workspace.deliver()
    assert [request["new_cluster"].keys() & {"cluster_log_conf"} for request in workspace.requests] == [set(), set()]
    assert service.refused == [] and service.last[THRESHOLD] == "7"
    assert all(THRESHOLD not in request["new_cluster"]["spark_conf"] for request in workspace.requests)
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_defaults_of_a_policy_that_are_not_applied_are_none(workspace: Workspace) -> None:
    workspace.policies["p"] = {"cluster_log_conf.path": DEFAULT}
    run(submit_run(), "r1")
    assert workspace.requests[0]["new_cluster"]["cluster_log_conf"]["dbfs"]["destination"].startswith("dbfs:/tuner/")


def test_a_policy_that_forbids_has_the_request_sent_as_it_was(workspace: Workspace, service: SparkService) -> None:
    workspace.policies["p"] = {"cluster_log_conf.path": {"type": "forbidden"}}
    run(submit_run(), "r1")
    assert len(workspace.requests) == 2 and service.submitted == [{}]


def test_a_policy_that_cannot_be_read_costs_the_job_nothing(workspace: Workspace, service: SparkService) -> None:
    run(submit_run(cluster({"spark.x": "1"}, policy_id="none_such")), "r1")
    assert len(workspace.requests) == 1 and service.submitted == [{"spark.x": "1"}]


def test_a_policy_that_does_not_come_keeps_the_task_no_longer_than_it_may(
    workspace: Workspace, service: SparkService, stored: Stored, hanging: Hanging, warnings_of: Any
) -> None:
    policy = workspace.policy
    workspace.policy = lambda body: (hanging.hang(), policy(body))[1]  # type: ignore[method-assign]
    op = submit_run(cluster({"spark.x": "1"}))
    said = warnings_of(op)
    run(op, "r1")
    assert (hanging.asked, hanging.kept, service.submitted) == (1, [], [{"spark.x": "1"}]) and stored() == []
    assert ["Databricks did not answer in the 1 s that a task waits" in line for line in said] == [True]


def test_a_policy_is_read_once_for_all_clusters_that_have_it(
    workspace: Workspace, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, get_connection = list[Any](), BaseHook.get_connection

    def connection(conn_id: str) -> Any:
        threads.append(current_thread())
        return get_connection(conn_id)

    monkeypatch.setattr("airflow.sdk.bases.hook.BaseHook.get_connection", staticmethod(connection))
    policy, asked = workspace.policy, list[Any]()
    workspace.policy = lambda body: (asked.append(body), policy(body))[1]  # type: ignore[method-assign]
    run(submit_run(json={"tasks": [{"task_key": key, "new_cluster": cluster()} for key in "ab"]}), "r1")
    assert len(asked) == 1 and all("spark.tuner.key" in conf for conf in service.submitted)
    assert set(threads) == {main_thread()}


def test_a_token_that_does_not_come_keeps_the_task_no_longer_than_it_may(
    workspace: Workspace, service: SparkService, hanging: Hanging, monkeypatch: pytest.MonkeyPatch, told_by: Any
) -> None:
    monkeypatch.setattr(
        "airflow.providers.databricks.hooks.databricks.DatabricksHook._get_token",
        lambda _, raise_error=False: (hanging.hang() if raise_error else None, TOKEN)[1],
    )
    op = submit_run(cluster({"spark.x": "1"}, policy_id=""))
    said = told_by(op)
    run(op, "r1")
    assert hanging.asked and not hanging.kept and service.last["spark.x"] == "1"
    assert any("within 1 s" in text and "most_seconds_before" in text for _, text in said)


def test_a_retry_waits_for_its_store_and_for_databricks_within_one_limit(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PATIENCE[0], "2")
    submitted, prepare, left = loop.submitted, loop.prepare, list[float]()
    monkeypatch.setattr(loop, "submitted", lambda *given: (sleep(0.5), submitted(*given))[1])
    monkeypatch.setattr(
        loop, "prepare", lambda job, url: (left.append(job.most_seconds.before_run()), prepare(job, url))[1]
    )
    policy = workspace.policy
    workspace.policy = lambda body: (sleep(0.2), policy(body))[1]  # type: ignore[method-assign]
    run(submit_run(idempotency_token="sales-1"), "r1")
    assert 0 < left[0] <= 2 - 0.5 - 0.2


def test_off_changes_nothing(workspace: Workspace, stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    op = submit_run(cluster({"spark.executor.cores": "2"}))
    run(op, "r1")
    assert workspace.requests[0]["new_cluster"]["spark_conf"] == {"spark.executor.cores": "2"}
    assert "cluster_log_conf" not in workspace.requests[0]["new_cluster"]
    assert stored() == [] and "submit_run" not in vars(op._hook)


def test_a_connection_without_a_token_costs_the_job_nothing(
    workspace: Workspace, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "airflow.providers.databricks.hooks.databricks.DatabricksHook._get_token",
        lambda _, raise_error=False: (_ for _ in ()).throw(ValueError("no token")) if raise_error else TOKEN,
    )
    run(submit_run(cluster({"spark.executor.cores": "2"})), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]


@pytest.mark.parametrize(
    ("agent_jar", "by_agent"),
    [("dbfs:/jars/agent.jar", False), ("/jars/agent.jar", False), ("local:///databricks/jars/agent.jar", True)],
)
def test_the_agents_jar_is_there_before_spark_or_not_at_all(
    agent_jar: str,
    by_agent: bool,
    workspace: Workspace,
    service: SparkService,
    told_by: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", agent_jar)
    libraries = [{"jar": "dbfs:/own.jar"}]
    for run_id in ("r1", "r2"):
        op = submit_run(libraries=libraries)
        said = told_by(op)
        run(op, run_id)
        workspace.deliver()
    assert all(request["libraries"] == libraries for request in workspace.requests)
    assert not {"spark.jars", "spark.files"} & service.last.keys()
    assert any("loads jars after Spark has started" in text for _, text in said) is not by_agent
    assert (THRESHOLD in service.last) is not by_agent  # The log has none of the sizes that the agent's hints need.


def test_what_several_tasks_are_given_stays_one_object_of_the_authors() -> None:
    one = {"spark_conf": {"spark.x": "1"}}
    request = {"json": {"tasks": [{"task_key": "a", "new_cluster": one}, {"task_key": "b", "new_cluster": one}]}}
    as_written = copy.deepcopy(request)
    jobs = ENGINE.read(None, request)
    added = [Additions({"spark.tuner.key": job.name, "spark.eventLog.dir": f"dbfs:/{job.name}"}) for job in jobs]
    found = ENGINE.changed(None, request, added)["json"]["tasks"]
    assert request == as_written
    for name, changed in zip("ab", found, strict=True):
        assert changed["new_cluster"]["spark_conf"] == {"spark.x": "1", "spark.tuner.key": name}
        assert changed["new_cluster"]["cluster_log_conf"] == {"dbfs": {"destination": f"dbfs:/{name}"}}


@pytest.mark.parametrize(
    ("conf", "log", "read"),
    [
        ({"spark.eventLog.dir": "dbfs:/unused"}, None, {}),
        ({"spark.eventLog.enabled": "true", "spark.eventLog.dir": "dbfs:/own"}, None, "dbfs:/own"),
        ({"spark.eventLog.enabled": True, "spark.eventLog.dir": "dbfs:/own"}, "dbfs:/delivered", "dbfs:/delivered"),
        ({"spark.eventLog.enabled": "false"}, None, "off"),
    ],
)
def test_where_an_author_has_his_event_log(conf: dict[str, Any], log: str | None, read: Any) -> None:
    own = {"spark_conf": conf, **({"cluster_log_conf": {"dbfs": {"destination": log}}} if log else {})}
    (job,) = ENGINE.read(None, {"json": {"new_cluster": own}})
    told = {name: value for name, value in job.conf.items() if name.startswith("spark.eventLog")}
    expected = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": read} if isinstance(read, str) else {}
    assert told == ({"spark.eventLog.enabled": "false"} if read == "off" else expected)


def test_logs_in_s3_are_read_by_the_workers_own_access(
    workspace: Workspace, service: SparkService, stored: Stored, aws: AwsAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = {**{name.upper(): value for name, value in CREDENTIALS.items()}, "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**access, "AWS_ENDPOINT_URL": aws.url}.items():
        monkeypatch.setenv(name, value)
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
    s3fs.S3FileSystem.clear_instance_cache()  # Of another server's.
    bucket = aws.client("s3")
    workspace.upload = lambda url, content: bucket.put_object(Bucket=BUCKET, Key=url.split("/", 3)[3], Body=content)
    own = {"s3": {"destination": f"s3://{BUCKET}/own", "region": "eu-west-1", "canned_acl": "private"}}
    for run_id, given in (("r1", cluster()), ("r2", cluster(cluster_log_conf=own)), ("r3", cluster())):
        run(submit_run(given), run_id)
        workspace.deliver()
    first, second, _ = [request["new_cluster"]["cluster_log_conf"] for request in workspace.requests]
    assert first["s3"].keys() == {"destination", "region"} and first["s3"]["region"] == "us-east-1"
    assert first["s3"]["destination"].startswith(f"s3://{BUCKET}/tuner/sales.nightly/")
    assert second == own
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.RUNNING]


def test_a_bucket_that_does_not_tell_its_region_keeps_the_task_no_longer_than_it_may(
    workspace: Workspace,
    service: SparkService,
    stored: Stored,
    hanging: Hanging,
    monkeypatch: pytest.MonkeyPatch,
    warnings_of: Any,
) -> None:
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")

    def head(_: Any, method: str, **__: Any) -> Any:
        assert method == "head_bucket"
        hanging.hang()

    monkeypatch.setattr(s3fs.S3FileSystem, "call_s3", head)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", f"s3://{BUCKET}/tuner")
    op = submit_run(cluster({"spark.x": "1"}))
    said = warnings_of(op)
    run(op, "r1")
    assert (hanging.asked, hanging.kept, service.submitted) == (1, [], [{"spark.x": "1"}]) and stored() == []
    assert ["Databricks did not answer in the 1 s that a task waits" in line for line in said] == [True]


def flow(conf: dict[str, Any]) -> DAG:
    """A DAG whose tasks are one job of Databricks; two of them share a cluster."""
    with (
        DAG("sales") as dag,
        DatabricksWorkflowTaskGroup(
            group_id="flow",
            databricks_conn_id="databricks_default",
            job_clusters=[{"job_cluster_key": "main", "new_cluster": cluster(conf)}],
        ),
    ):
        load = DatabricksNotebookOperator(
            task_id="load", notebook_path="/l", source="WORKSPACE", job_cluster_key="main", polling_period_seconds=0
        )
        config = {"notebook_task": {"notebook_path": "/r"}, "new_cluster": cluster(conf)}
        load >> DatabricksTaskOperator(task_id="report", task_config=config)
    for operator in dag.tasks:
        tuned(operator)
    return dag


def launch(dag: DAG, run_id: str) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, task_id="flow.launch")
    ti.xcoms["return_value"] = dag.get_task("flow.launch").execute({"ti": ti, "task_instance": ti})
    return ti


def test_the_job_of_a_workflow_is_steered_where_it_is_launched(
    workspace: Workspace, service: SparkService, tmp_path: Path
) -> None:
    workspace.running = True  # The launching task wants to see it start.
    conf = {"spark.x": "1"}
    for run_id in ("r1", "r2", "r3"):
        launch(dag := flow(conf), run_id)
        workspace.deliver()
    assert conf == {"spark.x": "1"}
    assert dag.get_task("flow.launch").job_clusters[0]["new_cluster"]["spark_conf"] == conf
    assert [THRESHOLD in sent for sent in service.submitted] == [False, False, True, True, True, True]
    for name in ("main", dag.get_task("flow.report").databricks_task_key):
        found = runs_of(tmp_path, f"sales.flow.launch.{name}")
        assert [r.state for r in found] == [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.RUNNING]


def test_a_workflow_that_is_refused_for_what_is_added_is_launched_as_it_was(
    workspace: Workspace, service: SparkService
) -> None:
    workspace.running = True
    service.refuses = lambda conf: "spark.tuner.key" in conf
    for run_id in ("r1", "r2"):  # Created, and reset.
        launch(flow({"spark.x": "1"}), run_id)
    assert service.submitted == [{"spark.x": "1"}] * 4


def test_a_task_of_a_workflow_waits_with_the_connection_of_its_group(
    workspace: Workspace, service: SparkService, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.running = True
    dag = flow({})
    launched = launch(dag, "r1").xcoms["return_value"]
    workspace.running = False
    task = dag.get_task("flow.load")
    task.databricks_conn_id, task.workflow_run_metadata = "none_such", launched
    ran = len(service.submitted)
    run(task, "r1")
    assert task._hook.databricks_conn_id == "databricks_default" and len(service.submitted) == ran


@pytest.mark.parametrize("operator", [submit_run, task, notebook])
def test_links_of_the_operators_own_stay_beside_the_panels(operator: Operator) -> None:
    links = [type(link).__name__ for link in tuned(operator(), mode="observe").operator_extra_links]
    assert links == ["DatabricksJobRunLink", "SparkTunerLink"]
