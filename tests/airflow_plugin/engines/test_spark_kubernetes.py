"""SparkKubernetesOperator against a Kubernetes API, with a loop that plays the Spark operator."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("kmock", reason="kmock is not installed: it is of the dev group")
pytest.importorskip("airflow.providers.cncf.kubernetes", reason="it is of the dev group")

from airflow.providers.cncf.kubernetes.operators.spark_kubernetes import SparkKubernetesOperator
from kubernetes.client import CustomObjectsApi
from kubernetes.client.exceptions import ApiException

from airflow_plugin.engines.engine import Additions
from airflow_plugin.engines.spark_kubernetes import ENGINE
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.kubernetes_cluster import forget_pods, kubernetes_cluster
from tests.airflow_plugin.engines.spark_service import SparkService
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.model.run import Run, RunState
from tuner.words.decisions import decision_summary

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]


@pytest.fixture(autouse=True)
def kubeconfig(service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("AIRFLOW_CONN_KUBERNETES_DEFAULT", "kubernetes://")
    # Between one look at an application and the next.
    quick = SimpleNamespace(**{**vars(time), "sleep": lambda _: time.sleep(0.2)})
    monkeypatch.setattr("airflow.providers.cncf.kubernetes.operators.custom_object_launcher.time", quick)
    with kubernetes_cluster(service, tmp_path) as file:
        yield file


def application(**conf: str) -> dict[str, Any]:
    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": {},
        "spec": {
            "type": "Python",
            "sparkVersion": "4.0.0",
            "mainApplicationFile": "s3a://b/etl.py",
            "sparkConf": conf,
            "deps": {"jars": ["s3a://b/own.jar"]},
            # The service that stands in for the cluster has this machine's files.
            "driver": {"cores": 1, "volumeMounts": [{"name": "shared", "mountPath": "/"}]},
            "executor": {"instances": 1, "memory": "4g"},
        },
    }


def operator(kubeconfig: Path, spec: dict[str, Any] | None = None, **arguments: Any) -> Any:
    return tuned(
        SparkKubernetesOperator(
            **{
                "task_id": "nightly",
                "name": "nightly",
                "config_file": str(kubeconfig),
                "get_logs": False,
                "delete_on_termination": False,
                "do_xcom_push": False,
                "startup_check_interval_seconds": 0.05,
                "template_spec": spec or application(),
            }
            | arguments
        )
    )


def run(op: Any, run_id: str, try_number: int = 1) -> None:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    try:
        op.execute({"ti": ti, "task_instance": ti, "run_id": run_id, "dag": SimpleNamespace(parent_dag=None)})
    except Exception:
        forget_pods(Path(op.config_file))
        raise
    forget_pods(Path(op.config_file))


def test_the_second_run_is_steered_and_the_third_has_it_proven(
    kubeconfig: Path, service: SparkService, stored: Stored
) -> None:
    spec = application(**{"spark.executor.cores": "2"})
    as_written = copy.deepcopy(spec)
    for run_id in ("r1", "r2", "r3"):
        run(operator(kubeconfig, spec), run_id)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, True]
    assert service.last["spark.jars"] == "s3a://b/own.jar"
    assert spec == as_written
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}


def test_the_authors_own_value_wins(kubeconfig: Path, service: SparkService) -> None:
    for run_id in ("r1", "r2"):
        run(operator(kubeconfig, application(**{THRESHOLD: "7"})), run_id)
    assert service.last[THRESHOLD] == "7"


def test_a_try_that_finds_its_job_there_goes_on_with_its_key(
    kubeconfig: Path, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = operator(kubeconfig)
    monkeypatch.setattr(first, "await_pod_completion", lambda *_, **__: (_ for _ in ()).throw(SystemExit("lost")))
    with pytest.raises(SystemExit):
        run(first, "r1")
    assert [r.state for r in stored()] == [RunState.RUNNING]
    run(operator(kubeconfig), "r1")
    assert len(service.submitted) == 1
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_an_application_that_is_refused_for_what_is_added_is_created_as_it_was(
    kubeconfig: Path, service: SparkService, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = CustomObjectsApi.create_namespaced_custom_object

    def admit(self: Any, **request: Any) -> Any:
        if "spark.tuner.key" in request["body"]["spec"]["sparkConf"]:
            raise ApiException(status=403, reason="admission webhook denied the request")
        return create(self, **request)

    monkeypatch.setattr(CustomObjectsApi, "create_namespaced_custom_object", admit)
    run(operator(kubeconfig), "r1")
    assert service.submitted == [{"spark.jars": "s3a://b/own.jar"}]
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_cluster_that_does_not_answer_is_asked_once(
    kubeconfig: Path, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    op, asked = operator(kubeconfig), []

    def unavailable(self: Any, **request: Any) -> Any:
        asked.append(request)
        raise ApiException(status=503, reason="try later")

    monkeypatch.setattr(CustomObjectsApi, "create_namespaced_custom_object", unavailable)
    with pytest.raises(ApiException):
        run(op, "r1")
    assert len(asked) == 1 and [r.state for r in stored()] == [RunState.LOST]


def test_a_log_that_is_lost_costs_the_job_nothing(kubeconfig: Path, service: SparkService, stored: Stored) -> None:
    service.how = None
    run(operator(kubeconfig), "r1")
    assert (len(service.submitted), [r.state for r in stored()]) == (1, [RunState.LOST])


@pytest.mark.parametrize("mount", [None, {"mountPath": "/elsewhere"}, {"mountPath": "/", "readOnly": True}])
def test_a_driver_without_the_volume_of_the_event_log_runs_as_it_would(
    kubeconfig: Path, service: SparkService, stored: Stored, mount: dict[str, Any] | None
) -> None:
    spec = application()
    spec["spec"]["driver"] = {"cores": 1, "volumeMounts": [{"name": "shared", **mount}] if mount else None}
    run(operator(kubeconfig, spec), "r1")
    assert service.submitted == [{"spark.jars": "s3a://b/own.jar"}]
    assert "(no volume is mounted there for the driver to write to)" in decision_summary(stored()[0].decision)


def test_a_scheme_that_open_source_spark_does_not_know_is_not_given_to_it(
    kubeconfig: Path, service: SparkService, stored: Stored
) -> None:
    run(tuned(operator(kubeconfig), event_log_base="s3://logs/tuner"), "r1")
    assert service.submitted == [{"spark.jars": "s3a://b/own.jar"}]
    assert "(the Spark operator has no file system for s3)" in decision_summary(stored()[0].decision)


def test_the_volumes_of_a_pod_template_and_the_hadoop_conf_are_known() -> None:
    spec = application()
    mounts = [{"name": "shared", "mountPath": "/events"}]
    spec["spec"]["driver"] = {"template": {"spec": {"containers": [{"name": "driver", "volumeMounts": mounts}]}}}
    spec["spec"]["hadoopConf"] = {"fs.s3.impl": "com.amazon.ws.emr.hadoop.fs.EmrFileSystem"}
    (job,) = ENGINE.read(None, {"body": spec})
    assert "/events" in job.defaults.values()
    assert job.defaults["spark.hadoop.fs.s3.impl"] == "com.amazon.ws.emr.hadoop.fs.EmrFileSystem"


def test_a_job_that_fails_in_a_trial_is_tried_without_it(
    kubeconfig: Path, service: SparkService, stored: Stored
) -> None:
    run(operator(kubeconfig), "r1")
    service.how = "fail"
    with pytest.raises(Exception, match="Spark Job Failed"):
        run(operator(kubeconfig), "r2")
    service.how = "ok"
    run(operator(kubeconfig), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in service.submitted] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_fields_of_the_application_are_the_authors_own_properties() -> None:
    (job,) = ENGINE.read(None, {"body": application(**{"spark.sql.adaptive.enabled": "true"})})
    assert job.conf == {
        "spark.sql.adaptive.enabled": "true",
        "spark.driver.cores": "1",
        "spark.executor.memory": "4g",
        "spark.executor.instances": "1",
        "spark.jars": "s3a://b/own.jar",
    }
    assert job.runtime == "Spark 4.0.0"


def test_jars_are_added_to_the_applications_own() -> None:
    request = {"body": application()}
    as_written = copy.deepcopy(request)
    added = Additions({"spark.tuner.key": "k"}, {"spark.jars": "s3a://b/own.jar,local:///agent.jar"})
    spec = ENGINE.changed(None, request, [added])["body"]["spec"]
    assert spec["deps"]["jars"] == ["s3a://b/own.jar", "local:///agent.jar"]
    assert spec["sparkConf"] == {"spark.tuner.key": "k"}
    assert request == as_written


def test_sizes_stand_in_place_of_the_authors_fields(kubeconfig: Path) -> None:
    body = application()
    as_written = copy.deepcopy(body)
    sizes = {
        "spark.executor.memory": "8192m",
        "spark.executor.cores": "2",
        "spark.executor.instances": "3",
        "spark.driver.maxResultSize": "2048m",
    }
    changed = ENGINE.changed(None, {"body": body}, [Additions({}, sizes)])
    spec = changed["body"]["spec"]
    assert spec["executor"] == {"instances": 3, "memory": "8192m", "cores": 2}
    assert (spec["driver"], spec["sparkConf"]) == (body["spec"]["driver"], {"spark.driver.maxResultSize": "2048m"})
    assert body == as_written
    (job,) = ENGINE.read(None, changed)
    assert {name: job.conf[name] for name in sizes} == sizes


def test_dynamic_allocation_is_bounded_where_the_operator_reads_it() -> None:
    most = {"spark.dynamicAllocation.maxExecutors": "4"}
    body = application(**{"spark.dynamicAllocation.enabled": "true"})
    spec = ENGINE.changed(None, {"body": body}, [Additions({}, most)])["body"]["spec"]
    assert ("dynamicAllocation" in spec, spec["sparkConf"]) == (
        False,
        {"spark.dynamicAllocation.enabled": "true", **most},
    )
    body["spec"]["dynamicAllocation"] = {"enabled": True, "maxExecutors": 9}
    spec = ENGINE.changed(None, {"body": body}, [Additions({}, most)])["body"]["spec"]
    assert spec["dynamicAllocation"] == {"enabled": True, "maxExecutors": 4}


def test_a_pod_with_a_limit_of_its_own_keeps_its_sizes() -> None:
    body = application()
    assert ENGINE.read(None, {"body": body})[0].sets_sizes
    body["spec"]["executor"]["memoryLimit"] = "5g"
    assert not ENGINE.read(None, {"body": body})[0].sets_sizes


def test_a_factor_of_overheads_is_known_to_be_there() -> None:
    body = application()
    body["spec"]["memoryOverheadFactor"] = "0.8"
    (job,) = ENGINE.read(None, {"body": body})
    assert job.conf["spark.kubernetes.memoryOverheadFactor"] == "0.8"
    assert "spark.kubernetes.memoryOverheadFactor" not in ENGINE.read(None, {"body": application()})[0].conf


def test_the_retry_of_one_that_died_for_memory_has_more(
    kubeconfig: Path, service: SparkService, stored: Stored
) -> None:
    service.how = "results"
    spec = application(**{"spark.driver.memory": "4g"})
    with pytest.raises(Exception, match="Spark Job Failed"):
        run(operator(kubeconfig, spec), "r1")
    run(operator(kubeconfig, spec), "r1", try_number=2)
    assert service.last["spark.driver.maxResultSize"] == "2048m"
    assert [r.state for r in stored()] == [RunState.FAILED, RunState.SUCCEEDED]
