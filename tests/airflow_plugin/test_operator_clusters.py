"""What spark-submit is given for YARN, Kubernetes and standalone clusters, up to where SparkSubmitHook starts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

from airflow_plugin.operator import SparkTunedOperator
from tuner.history.store import Store
from tuner.model.run import RunState

from .conftest import set_connection
from .generations import RESUMES

# Older Airflows have a provider with other seams.
pytestmark = pytest.mark.skipif(not RESUMES, reason="needs the Spark provider of Airflow 3.3")

HOOK = "airflow.providers.apache.spark.hooks.spark_submit"
OPERATOR = "airflow.providers.apache.spark.operators.spark_submit"
MERGED = {
    "spark.jars": "/own.jar,hdfs:///agent.jar",
    "spark.files": "/own.ini,/directives",
    "spark.sql.extensions": "org.example.Own,tuner.steering.agent.Extensions",
}
KEY = "sales/manual__2026-01-02/nightly/-1/1"


def run(ti: Any, store: Any = None, **arguments: Any) -> SparkTunedOperator:
    given = {"task_id": "nightly", "application": "/jobs/etl.py", "deploy_mode": "cluster"} | arguments
    op = SparkTunedOperator(**given)
    op.execute({"ti": ti, "task_state_store": store})  # type: ignore[typeddict-item]
    return op


@pytest.fixture
def yarn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resource manager that is done with every application at once."""
    extra = {"queue": "nightly", "yarn_resourcemanager_webapp_address": "http://rm:8088"}
    set_connection(monkeypatch, "spark_default", conn_type="spark", host="yarn", extra=extra)
    monkeypatch.setattr(SparkSubmitHook, "_start_yarn_application_status_tracking", lambda hook, app_id: None)


@pytest.fixture
def kubernetes(monkeypatch: pytest.MonkeyPatch, submit: Any) -> None:
    extra = {"namespace": "lake", "deploy-mode": "cluster"}
    set_connection(monkeypatch, "spark_default", conn_type="spark", host="k8s://https://api", port=6443, extra=extra)
    monkeypatch.setattr(f"{HOOK}.kube_client", SimpleNamespace(), raising=False)
    monkeypatch.setattr(f"{OPERATOR}.kube_client", SimpleNamespace(ApiException=RuntimeError))
    submit.output = ["pod name: nightly-7f3a-driver", "Exit code: 0"]


@pytest.mark.usefixtures("yarn")
class TestYarn:
    def test_conf_jars_and_files_of_both_reach_it(self, submit: Any, loop: Any, ti: Any) -> None:
        loop.merged, submit.output = dict(MERGED), ["Submitted application application_17_0001"]
        conf = {"spark.sql.extensions": "org.example.Own", "spark.yarn.maxAppAttempts": 1}
        run(ti, jars="/own.jar", files="/own.ini", conf=conf, yarn_track_via_rm_api=True)
        assert (submit.flag("--master"), submit.flag("--deploy-mode")) == ("yarn", "cluster")
        assert submit.flag("--jars") == MERGED["spark.jars"]
        assert submit.flag("--files") == MERGED["spark.files"]
        assert submit.conf == {
            "spark.sql.extensions": MERGED["spark.sql.extensions"],
            "spark.yarn.maxAppAttempts": "1",
            "spark.sql.shuffle.partitions": "8",
            "spark.yarn.submit.waitAppCompletion": "false",
        }

    @pytest.mark.parametrize(
        ("waits", "asks", "lands_late"), [("true", False, False), ("false", False, True), ("false", True, False)]
    )
    def test_a_log_may_be_whole_later_where_nobody_waits_for_the_job(
        self, submit: Any, loop: Any, ti: Any, waits: str, asks: bool, lands_late: bool
    ) -> None:
        submit.output = ["Submitted application application_17_0001"]
        conf = {"spark.yarn.submit.waitAppCompletion": waits}
        run(ti, durable=False, conf=conf, yarn_track_via_rm_api=asks)
        assert loop.job.log_lands_late is lands_late
        assert loop.job.may_go_on is lands_late

    def test_arguments_and_extras_of_the_connection_go_through(self, submit: Any, loop: Any, ti: Any) -> None:
        run(
            ti,
            durable=False,
            keytab="/etc/etl.keytab",
            principal="etl@EXAMPLE.ORG",
            proxy_user="sales",
            archives="/env.tar.gz#env",
            num_executors=4,
            env_vars={"HADOOP_CONF_DIR": "/etc/hadoop"},
        )
        assert submit.flag("--queue") == "nightly"
        assert (submit.flag("--keytab"), submit.flag("--principal")) == ("/etc/etl.keytab", "etl@EXAMPLE.ORG")
        assert (submit.flag("--proxy-user"), submit.flag("--archives")) == ("sales", "/env.tar.gz#env")
        assert submit.conf["spark.yarn.appMasterEnv.HADOOP_CONF_DIR"] == "/etc/hadoop"
        assert loop.job.user_conf["spark.executor.instances"] == "4"

    def test_the_run_is_marked_and_logs_where_driver_and_worker_share(
        self, submit: Any, ti: Any, tmp_path: Path
    ) -> None:
        run(ti, durable=False, event_log_base=str(tmp_path / "shared"))
        conf = submit.conf
        assert (conf["spark.tuner.key"], conf["spark.tuner.cohort"]) == (KEY, "sales.nightly")
        assert conf["spark.eventLog.enabled"] == "true"
        assert conf["spark.eventLog.dir"].startswith(f"file://{tmp_path}/shared/sales.nightly/sales/")

    def test_a_log_directory_of_the_users_own_stays_his(self, submit: Any, ti: Any, tmp_path: Path) -> None:
        file = tmp_path / "job.properties"
        file.write_text(f"spark.eventLog.enabled true\nspark.eventLog.dir file://{tmp_path}\n")
        run(ti, durable=False, properties_file=str(file))
        assert submit.flag("--properties-file") == str(file)
        assert not submit.conf.keys() & {"spark.eventLog.enabled", "spark.eventLog.dir"}
        assert submit.conf["spark.tuner.key"] == KEY


@pytest.mark.usefixtures("kubernetes")
class TestKubernetes:
    def test_conf_jars_and_files_of_both_reach_it(self, submit: Any, loop: Any, ti: Any) -> None:
        loop.merged = dict(MERGED)
        conf = {"spark.sql.extensions": "org.example.Own", "spark.kubernetes.container.image": "spark:4"}
        run(ti, jars="/own.jar", files="/own.ini", conf=conf, env_vars={"STAGE": "prod"}, deploy_mode=None)
        assert submit.flag("--master") == "k8s://https://api:6443"
        assert submit.flag("--deploy-mode") == "cluster"
        assert (submit.flag("--jars"), submit.flag("--files")) == (MERGED["spark.jars"], MERGED["spark.files"])
        assert submit.conf == {
            "spark.sql.extensions": MERGED["spark.sql.extensions"],
            "spark.kubernetes.container.image": "spark:4",
            "spark.sql.shuffle.partitions": "8",
            "spark.kubernetes.driverEnv.STAGE": "prod",
            "spark.kubernetes.namespace": "lake",
        }
        assert loop.job.submission.cluster == "Kubernetes"
        assert loop.job.submission.in_cluster_mode

    def test_a_namespace_of_the_tasks_own_wins(self, submit: Any, loop: Any, ti: Any) -> None:
        run(ti, conf={"spark.kubernetes.namespace": "mine"})
        assert submit.conf["spark.kubernetes.namespace"] == "mine"

    def test_a_driver_that_fails_fails_the_task_and_is_told_of(self, submit: Any, loop: Any, ti: Any) -> None:
        submit.output = ["Exit code: 52"]
        with pytest.raises(Exception, match="Kubernetes spark exit code is: 52"):
            run(ti)
        assert loop.outcomes == [True]

    def test_a_retry_finds_its_pod_done_and_completes_the_try_that_made_it(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(SparkSubmitHook, "_poll_k8s_driver_via_api", lambda hook: "Succeeded")
        kept: dict[str, Any] = {}
        store = SimpleNamespace(get=kept.get, set=kept.__setitem__)
        run(ti, store, track_driver_via_k8s_api=True)
        assert kept["spark_job_id"] == "lake:nightly-7f3a-driver"
        ti.try_number, submit.command = 2, []
        run(ti, store, track_driver_via_k8s_api=True)
        assert submit.command == []
        assert [turn.job.key for turn, _, _ in loop.completed] == [KEY, KEY]


class TestStandalone:
    @pytest.fixture(autouse=True)
    def master(self, monkeypatch: pytest.MonkeyPatch, submit: Any) -> None:
        set_connection(monkeypatch, "spark_default", conn_type="spark", host="spark://m1,m2", port=7077)
        monkeypatch.setattr(SparkSubmitHook, "_start_driver_status_tracking", self.finish)
        submit.output = ["Driver successfully submitted as driver-20260102000000-0000"]

    @staticmethod
    def finish(hook: SparkSubmitHook) -> None:
        hook._driver_status = "FINISHED"

    def test_several_masters_are_one_cluster(self, submit: Any, loop: Any, ti: Any) -> None:
        op = run(ti, durable=False, total_executor_cores=4)
        assert submit.flag("--master") == "spark://m1,m2:7077" == loop.job.submission.conf["spark.master"]
        assert loop.job.submission.cluster == "a standalone cluster"
        assert loop.job.user_conf["spark.cores.max"] == submit.flag("--total-executor-cores") == "4"
        assert (op._hook._driver_id, loop.outcomes) == ("driver-20260102000000-0000", [False])

    @pytest.mark.parametrize(
        ("arguments", "extra", "may_go_on"),
        [
            ({"deploy_mode": "cluster"}, {}, False),
            ({"deploy_mode": None}, {"deploy-mode": "cluster"}, False),
            ({"deploy_mode": None, "conf": {"spark.submit.deployMode": "cluster"}}, {}, True),
            ({"deploy_mode": None}, {}, False),
        ],
        ids=["argument", "connection", "property", "client"],
    )
    def test_a_driver_is_followed_where_the_hook_knows_that_it_is_away(
        self,
        loop: Any,
        ti: Any,
        monkeypatch: pytest.MonkeyPatch,
        arguments: dict[str, Any],
        extra: dict[str, str],
        may_go_on: bool,
    ) -> None:
        set_connection(monkeypatch, "spark_default", conn_type="spark", host="spark://m1", port=7077, extra=extra)
        run(ti, durable=False, **arguments)
        assert (loop.job.may_go_on, loop.job.log_lands_late) == (may_go_on, may_go_on)

    def test_what_failed_there_is_negative_evidence(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(SparkSubmitHook, "_start_driver_status_tracking", self.fail)
        with pytest.raises(RuntimeError, match="exited with status FAILED"):
            run(ti, durable=False)
        assert loop.outcomes == [True]

    @staticmethod
    def fail(hook: SparkSubmitHook) -> None:
        hook._driver_status = "FAILED"


CLUSTERS = [
    {"conn_type": "spark", "host": "yarn", "extra": {"deploy-mode": "cluster"}},
    {"conn_type": "spark", "host": "spark://m", "port": 7077, "extra": {"deploy-mode": "cluster"}},
    {"conn_type": "k8s", "host": "https://api", "port": 6443, "extra": {"deploy-mode": "cluster", "namespace": "lake"}},
]


@pytest.mark.parametrize("connection", CLUSTERS, ids=["yarn", "standalone", "kubernetes"])
def test_in_cluster_mode_a_place_for_the_log_is_asked_for_and_the_job_runs_without(
    submit: Any,
    ti: Any,
    monkeypatch: pytest.MonkeyPatch,
    told_by: Callable[[Any], list[tuple[str, str]]],
    connection: dict[str, Any],
) -> None:
    set_connection(monkeypatch, "spark_default", **connection)
    monkeypatch.setattr(f"{HOOK}.kube_client", SimpleNamespace(), raising=False)
    monkeypatch.setattr(SparkSubmitHook, "_start_driver_status_tracking", TestStandalone.finish)
    monkeypatch.delenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE")
    submit.output = ["driver-1", "Exit code: 0"]
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.jar", java_class="Etl", durable=False)
    told = told_by(op)
    op.execute({"ti": ti})  # type: ignore[typeddict-item]
    assert not [name for name in submit.conf if name.startswith(("spark.tuner", "spark.eventLog"))]
    (line,) = (text for level, text in told if level == "info")
    assert "deploy mode is cluster, and the driver may run on another machine" in line
    assert "set event_log_base to a directory or URL" in line


class TestOpenLineage:
    def test_what_its_provider_injects_stands_beside_the_tuners(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[dict[str, Any]] = []

        def inject(what: str) -> Callable[[dict[str, Any], Any], dict[str, Any]]:
            def injected(properties: dict[str, Any], context: Any) -> dict[str, Any]:
                seen.append(properties)
                return {**properties, f"spark.openlineage.{what}": context["ti"].task_id}

            return injected

        monkeypatch.setattr(f"{OPERATOR}.inject_parent_job_information_into_spark_properties", inject("parentJobName"))
        monkeypatch.setattr(f"{OPERATOR}.inject_transport_information_into_spark_properties", inject("transport.type"))
        loop.merged = {"spark.jars": "/openlineage.jar,/agent.jar"}
        listener = "io.openlineage.spark.agent.OpenLineageSparkListener"
        run(
            ti,
            deploy_mode="client",
            jars="/openlineage.jar",
            conf={"spark.extraListeners": listener},
            openlineage_inject_parent_job_info=True,
            openlineage_inject_transport_info=True,
        )
        assert submit.conf == {
            "spark.extraListeners": listener,
            "spark.sql.shuffle.partitions": "8",
            "spark.openlineage.parentJobName": "nightly",
            "spark.openlineage.transport.type": "nightly",
        }
        assert submit.flag("--jars") == "/openlineage.jar,/agent.jar"
        assert seen[0]["spark.sql.shuffle.partitions"] == "8"

    def test_its_keys_are_not_shown_in_rendered_fields(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            f"{OPERATOR}.inject_transport_information_into_spark_properties",
            lambda properties, context: {**properties, "spark.openlineage.transport.auth.apiKey": "Bearer hunter2"},
        )
        op = run(ti, deploy_mode="client", openlineage_inject_transport_info=True)
        assert submit.conf["spark.openlineage.transport.auth.apiKey"] == "Bearer hunter2"
        assert op.conf == {"spark.sql.shuffle.partitions": "8"}

    def test_the_tuner_is_told_nothing_of_it(self, submit: Any, loop: Any, ti: Any) -> None:
        run(ti, deploy_mode="client", openlineage_inject_transport_info=True)
        assert not [name for name in loop.job.user_conf if "openlineage" in name]


def test_a_job_whose_log_cannot_be_reached_is_lost_not_failed(submit: Any, ti: Any, tmp_path: Path) -> None:
    run(ti, deploy_mode="client")
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        (stored,) = store.runs("sales.nightly")
    assert stored.state is RunState.LOST
    assert "could not harvest the event log" in str(ti.xcoms["spark_tuner"]["problems"])
