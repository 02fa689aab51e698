"""AzureSynapseRunSparkBatchOperator against a REST server, whose batches a spark-submit of ours runs.

`.ci/heavy-engines` runs them.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("airflow.providers.microsoft.azure", reason="its packages are hundreds: .ci/heavy-engines has them")
pytest.importorskip("azure.synapse.spark", reason=".ci/heavy-engines has it")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Of escapes in a package that the provider imports, where it is compiled.
    from airflow.providers.microsoft.azure.operators.synapse import AzureSynapseRunSparkBatchOperator
from azure.core.exceptions import HttpResponseError
from azure.synapse.spark.models import SparkBatchJobOptions

from airflow_plugin.engines.synapse import ENGINE
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance, set_connection
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tests.airflow_plugin.engines.synapse_workspace import BASE, Abfss, Workspace, synapse_workspace
from tuner.model.run import Run, RunState

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
MAIN = {"name": "nightly", "file": "abfss://jobs@account.dfs.core.windows.net/etl.py"}
CLIENT = {"login": "client", "password": "hunter2", "extra": {"tenantId": "tenant", "subscriptionId": "s"}}
Stored = Callable[[], list[Run]]


@pytest.fixture(autouse=True)
def workspace(service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    set_connection(monkeypatch, "azure_synapse_default", conn_type="azure_synapse", host="https://w", **CLIENT)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", f"{BASE}/{tmp_path.name}")
    with synapse_workspace(service, monkeypatch) as made:
        yield made


def payload(conf: dict[str, str] | None = None, **fields: Any) -> SparkBatchJobOptions:
    return SparkBatchJobOptions(**MAIN, configuration=conf, **fields)


def operator(given: Any = None, **arguments: Any) -> Any:
    given = payload() if given is None else given
    own = {"task_id": "nightly", "spark_pool": "pool", "check_interval": 0}
    return tuned(AzureSynapseRunSparkBatchOperator(payload=given, **own | arguments))


def run(op: Any, run_id: str, try_number: int = 1) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    op.execute({"ti": ti, "task_instance": ti})
    return ti


def as_dict(conf: dict[str, str]) -> dict[str, Any]:
    return {**MAIN, "conf": conf}


def by_attributes(conf: dict[str, str]) -> dict[str, Any]:
    return {**MAIN, "configuration": conf}


@pytest.mark.parametrize("made", [payload, as_dict, by_attributes])
def test_the_second_run_is_steered_and_the_third_has_it_proven(
    made: Any, service: SparkService, stored: Stored
) -> None:
    given = made({"spark.executor.cores": "2"})
    as_written = copy.deepcopy(given)
    for run_id in ("r1", "r2", "r3"):
        ti = run(operator(given), run_id)
    assert given == as_written
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]
    assert service.last["spark.executor.cores"] == "2"
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}
    assert stored()[0].event_log_dir.startswith(f"{BASE}/")
    assert ti.xcoms["spark_tuner"]["state"] == "succeeded"


def test_event_logs_are_read_with_the_connections_client(service: SparkService) -> None:
    run(operator(), "r1")
    client = {"tenant_id": "tenant", "client_id": "client", "client_secret": "hunter2"}
    assert [given for given in Abfss.opened_with if given] and all(given in ({}, client) for given in Abfss.opened_with)


def test_a_managed_identity_has_no_secret_to_read_with(monkeypatch: pytest.MonkeyPatch) -> None:
    set_connection(monkeypatch, "azure_synapse_default", conn_type="azure_synapse", extra={"subscriptionId": "s"})
    assert ENGINE.access(operator(), f"{BASE}/x") is None
    assert ENGINE.access(None, "hdfs://c/x") is None


def test_adlfs_takes_what_the_connection_has() -> None:
    from adlfs import AzureBlobFileSystem

    url = f"{BASE}/x"
    ask = ENGINE.access(operator(), url)
    assert ask is not None
    made = AzureBlobFileSystem(**AzureBlobFileSystem._get_kwargs_from_urls(url), **ask(), skip_instance_cache=True)
    assert (made.account_name, made.tenant_id, made.client_id) == ("account", "tenant", "client")


def test_the_authors_own_value_wins(service: SparkService) -> None:
    for run_id in ("r1", "r2"):
        run(operator(payload({THRESHOLD: "7"})), run_id)
    assert service.last[THRESHOLD] == "7" and "spark.tuner.key" in service.last


def test_fields_beat_conf_and_are_the_authors() -> None:
    given = payload({"spark.executor.memory": "1g"}, executor_memory="4g", executor_count=3, jars=["a.jar", "b.jar"])
    (job,) = ENGINE.read(None, {"payload": given})
    assert job.conf == {
        "spark.executor.memory": "4g",
        "spark.executor.instances": "3",
        "spark.jars": "a.jar,b.jar",
    }


def test_a_batch_that_is_refused_for_what_is_added_is_submitted_as_it_was(
    service: SparkService, workspace: Workspace, stored: Stored
) -> None:
    service.refuses = lambda conf: "spark.tuner.key" in conf
    run(operator(payload({"spark.executor.cores": "2"})), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}] and len(workspace.received) == 2
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_pool_that_throttles_is_not_asked_twice(workspace: Workspace, stored: Stored) -> None:
    workspace.status = 429
    with pytest.raises(HttpResponseError):
        run(operator(), "r1")
    assert len(workspace.received) == 1 and [r.state for r in stored()] == [RunState.LOST]


def test_a_batch_that_fails_fails_and_its_retry_has_no_trial(service: SparkService, stored: Stored) -> None:
    run(operator(), "r1")
    service.how = "fail"
    with pytest.raises(Exception, match="has failed"):
        run(operator(), "r2")
    service.how = "ok"
    run(operator(), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_log_that_is_lost_costs_the_job_nothing(service: SparkService, stored: Stored) -> None:
    service.how = None
    run(operator(), "r1")
    assert [r.state for r in stored()] == [RunState.LOST]


def test_one_that_does_not_wait_is_harvested_at_the_next_decision(service: SparkService, stored: Stored) -> None:
    run(operator(wait_for_termination=False), "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]
    run(operator(wait_for_termination=False), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING] and THRESHOLD in service.last


def test_one_that_is_killed_is_left_for_the_next_decision(service: SparkService, stored: Stored) -> None:
    op = operator()
    ran = service.run
    service.run = lambda conf: (op.on_kill(), ran(conf))[1]  # type: ignore[method-assign]
    run(op, "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]


def test_off_changes_nothing(service: SparkService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    run(operator(payload({"spark.executor.cores": "2"})), "r1")
    assert service.submitted == [{"spark.executor.cores": "2"}]
