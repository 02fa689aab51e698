"""KubernetesPodOperator against a Kubernetes API, with a loop that plays the kubelet."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("kmock", reason="kmock is not installed: it is of the dev group")
pytest.importorskip("airflow.providers.cncf.kubernetes", reason="it is of the dev group")

from airflow.providers.cncf.kubernetes.operators.job import KubernetesJobOperator
from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.providers.cncf.kubernetes.utils.pod_manager import PodManager
from airflow.sdk import DAG, task
from airflow.sdk.exceptions import TaskDeferred
from kubernetes.client import models as k8s
from kubernetes.client.exceptions import ApiException

from airflow_plugin.enrol import task_policy
from airflow_plugin.steered_class import is_steered, steered
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines import spark_command
from tests.airflow_plugin.engines.kubelet import Kubelet
from tests.airflow_plugin.engines.kubernetes_cluster import cluster, forget_pods
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.model.run import Run, RunState

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
OPTS = "SPARK_SUBMIT_OPTS"
Stored = Callable[[], list[Run]]
Started = Callable[[], list[dict[str, str]]]


@pytest.fixture
def kubelet(tmp_path: Path) -> Kubelet:
    return Kubelet({"PATH": f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}"}, ["spark-submit"])


@pytest.fixture(autouse=True)
def kubeconfig(kubelet: Kubelet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("AIRFLOW_CONN_KUBERNETES_DEFAULT", "kubernetes://")
    with cluster(tmp_path, kubelet.play) as file:
        yield file


@pytest.fixture(autouse=True)
def started(tmp_path: Path) -> Started:
    notes = spark_command.install(tmp_path / "bin")
    return lambda: spark_command.started(notes)


@pytest.fixture
def make(kubeconfig: Path, tmp_path: Path) -> Callable[..., Any]:
    """A task whose pod has the volume that event logs go to."""

    def pod(operator: type[Any] = KubernetesPodOperator, **arguments: Any) -> Any:
        volume = k8s.V1Volume(name="logs", empty_dir=k8s.V1EmptyDirVolumeSource())
        own = {"name": "nightly", "config_file": str(kubeconfig)} if operator is KubernetesPodOperator else {}
        return tuned(
            operator(
                **{
                    **own,
                    "task_id": "nightly",
                    "image": "spark",
                    "namespace": "default",
                    "cmds": ["spark-submit"],
                    "arguments": ["--conf", "spark.x=1", "ok"],
                    "get_logs": False,
                    "do_xcom_push": False,
                    "on_finish_action": "keep_pod",
                    "base_container_status_polling_interval": 0.1,
                    "startup_check_interval_seconds": 0.05,
                    "volumes": [volume],
                    "volume_mounts": [k8s.V1VolumeMount(name="logs", mount_path=str(tmp_path))],
                }
                | arguments
            )
        )

    return pod


def context(run_id: str, try_number: int = 1) -> Any:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    return {"ti": ti, "task_instance": ti, "run_id": run_id, "dag": SimpleNamespace(parent_dag=None)}


def run(op: Any, run_id: str = "r1", try_number: int = 1) -> None:
    try:
        op.execute(context(run_id, try_number))
    finally:
        forget_pods(Path(op.config_file))


def test_the_second_run_is_steered_and_the_third_has_it_proven(
    make: Callable[..., Any], started: Started, stored: Stored
) -> None:
    for run_id in ("r1", "r2", "r3"):
        op = make()
        run(op, run_id)
    assert [THRESHOLD in conf for conf in started()] == [False, True, True]
    assert started()[-1]["spark.x"] == "1" and op.env_vars == []
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}


@pytest.mark.parametrize(
    ("arguments", "is_enrolled"),
    [
        ({"cmds": ["spark-submit"]}, True),
        ({"cmds": ["echo"]}, False),
        ({"pod_template_file": "/pods/spark.yaml"}, True),
        ({"full_pod_spec": k8s.V1Pod()}, True),
        ({"image": "of-another-job"}, False),
    ],
)
def test_a_pattern_names_pods_whose_command_their_template_has(
    arguments: dict[str, Any], is_enrolled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENROL", "sales")
    with DAG("sales"):
        op = KubernetesPodOperator(task_id="nightly", **arguments)

        @task.kubernetes_cmd(image="spark")
        def load() -> list[str]:
            return ["spark-submit", "job.py"]

        of_function = load().operator

        class OwnCommand(KubernetesPodOperator):
            """It makes its command when it runs."""

        own = OwnCommand(task_id="own")
    for one in (op, of_function, own):
        task_policy(one)
    assert is_steered(type(op)) is is_enrolled
    assert is_steered(type(of_function)) and is_steered(type(own))


@pytest.mark.parametrize(
    "arguments",
    [
        {"cmds": ["/bin/sh", "-c"], "arguments": ["cd / && spark-submit --conf spark.x=1 ok"]},
        {"cmds": [], "arguments": ["--conf", "spark.x=1", "ok"]},
        {"env_vars": {"OTHER": "7", OPTS: "-Dspark.own=$(OTHER) -Dspark.y='a  b'"}},
        {"env_vars": [k8s.V1EnvVar(name="OTHER", value="7"), k8s.V1EnvVar(name=OPTS, value="-Dspark.own=$(OTHER)")]},
    ],
    ids=["a shell", "what the image starts", "a dict", "a list"],
)
def test_what_the_pod_runs_has_the_properties_and_its_own(
    arguments: dict[str, Any], make: Callable[..., Any], started: Started, stored: Stored
) -> None:
    as_written = copy.deepcopy(arguments)
    run(make(**arguments))
    assert started()[0]["spark.x"] == "1" and started()[0]["spark.tuner.key"]
    if "env_vars" in arguments:
        assert started()[0]["spark.own"] == "7"
    assert arguments == as_written
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_a_pod_that_ends_before_its_application_is_harvested_at_the_next_decision(
    make: Callable[..., Any], started: Started, stored: Stored
) -> None:
    arguments = ["--master", "spark://h:7077", "--deploy-mode", "cluster", "later"]
    run(make(arguments=arguments))
    assert [r.state for r in stored()] == [RunState.RUNNING]
    spark_command.leave_log(started()[0])
    run(make(arguments=arguments), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_dollar_signs_arrive(make: Callable[..., Any], started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "$(HOME) $$ ${HOME} $"
    monkeypatch.setattr("airflow_plugin.engines.kubernetes_pod.added_options", lambda _: f"'-Dspark.tuner.text={text}'")
    run(make(env_vars={"HOME": "/root"}))
    assert started()[0]["spark.tuner.text"] == text


@pytest.mark.parametrize(
    "arguments",
    [
        {"arguments": ["--conf", f"{THRESHOLD}=7", "ok"]},
        {"env_vars": {OPTS: f"-D{THRESHOLD}=7"}},
    ],
)
def test_the_authors_own_value_wins(
    arguments: dict[str, Any], make: Callable[..., Any], started: Started, stored: Stored
) -> None:
    for run_id in ("r1", "r2"):
        run(make(**arguments), run_id)
    assert started()[-1][THRESHOLD] == "7" and not stored()[-1].decision.in_force


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"env_from": [k8s.V1EnvFromSource(config_map_ref=k8s.V1ConfigMapEnvSource(name="c"))]}, "come from elsewhere"),
        (
            {
                "env_vars": [
                    k8s.V1EnvVar(
                        name=OPTS,
                        value_from=k8s.V1EnvVarSource(config_map_key_ref=k8s.V1ConfigMapKeySelector(name="c", key="k")),
                    )
                ]
            },
            "come from elsewhere",
        ),
        ({"volume_mounts": []}, "no volume is mounted"),
        ({"cmds": ["sh", "-c", "spark-submit ok && spark-submit ok"], "arguments": []}, "2 Spark programs"),
    ],
    ids=["env_from", "value_from", "no volume", "two jobs"],
)
def test_what_would_lose_something_or_not_start_is_left_alone(
    arguments: dict[str, Any], why: str, make: Callable[..., Any], started: Started, stored: Stored, told_by: Any
) -> None:
    op = make(**arguments)
    told = told_by(op)
    run(op)
    assert started()[0].keys() <= {"spark.x"}
    assert any(why in text for level, text in told if level == "info")
    assert {r.state for r in stored()} <= {RunState.LOST}


def test_an_empty_text_says_that_nothing_comes_from_elsewhere(make: Callable[..., Any], started: Started) -> None:
    source = k8s.V1EnvFromSource(config_map_ref=k8s.V1ConfigMapEnvSource(name="c"))
    run(make(env_from=[source], env_vars={OPTS: ""}))
    assert "spark.tuner.key" in started()[0]


def test_a_pod_that_runs_no_spark_is_created_as_it_is(
    make: Callable[..., Any], kubelet: Kubelet, kubeconfig: Path, stored: Stored
) -> None:
    op = KubernetesPodOperator(
        task_id="nightly",
        name="nightly",
        image="x",
        namespace="default",
        cmds=["echo"],
        arguments=["spark-submit"],
        config_file=str(kubeconfig),
        get_logs=False,
        on_finish_action="keep_pod",
    )
    assert steered(op)
    run(op)
    assert not kubelet.pods[0]["spec"]["containers"][0].get("env") and stored() == []


def test_a_try_that_finds_its_pod_there_goes_on_with_its_key(
    make: Callable[..., Any], kubelet: Kubelet, started: Started, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make()
    kubelet.paused.set()
    monkeypatch.setattr(first, "await_pod_start", lambda *_, **__: (_ for _ in ()).throw(SystemExit("lost")))
    monkeypatch.setattr(first, "post_complete_action", lambda **_: None)
    with pytest.raises(SystemExit):
        first.execute(context("r1"))
    assert [r.state for r in stored()] == [RunState.RUNNING]
    kubelet.paused.clear()
    second = make()
    run(second, "r1", try_number=2)
    assert len(kubelet.pods) == 1
    assert [(r.state, r.try_number) for r in stored()] == [(RunState.SUCCEEDED, 1)]


def test_a_task_that_is_deferred_is_harvested_where_it_is_resumed(
    make: Callable[..., Any], kubelet: Kubelet, started: Started, stored: Stored
) -> None:
    op = make(deferrable=True)
    with pytest.raises(TaskDeferred):
        op.execute(context("r1"))
    assert [r.state for r in stored()] == [RunState.RUNNING]
    deadline = time.monotonic() + 30
    while not started() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.5)
    resumed = make(deferrable=True)
    name = kubelet.pods[0]["metadata"]["name"]
    event = {"event": {"status": "success", "name": name, "namespace": "default", "message": ""}}
    resumed.resume_execution("trigger_reentry", event, context("r1"))
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_a_deferred_task_whose_spark_submit_ends_before_its_application_leaves_that_to_the_next_run(
    make: Callable[..., Any], kubelet: Kubelet, started: Started, stored: Stored, tmp_path: Path
) -> None:
    """Resumed, it does not know any more what it submitted."""
    op = make(deferrable=True)
    with pytest.raises(TaskDeferred):
        op.execute(context("r1"))
    deadline = time.monotonic() + 30
    while not started() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.5)
    (log,) = [path for path in Path(stored()[0].event_log_dir.removeprefix("file://")).iterdir() if path.is_file()]
    landed = log.rename(tmp_path / "yet-to-land")
    event = {"status": "success", "name": kubelet.pods[0]["metadata"]["name"], "namespace": "default", "message": ""}
    resumed = make(deferrable=True)
    resumed.resume_execution("trigger_reentry", {"event": event}, context("r1"))
    forget_pods(Path(resumed.config_file))
    assert [r.state for r in stored()] == [RunState.RUNNING]
    landed.rename(log)
    run(make(), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.SUCCEEDED]


def test_a_job_that_fails_in_a_trial_is_tried_without_it(
    make: Callable[..., Any], started: Started, stored: Stored
) -> None:
    run(make(), "r1")
    with pytest.raises(Exception, match="returned a failure"):
        run(make(arguments=["--conf", "spark.x=1", "fail"]), "r2")
    run(make(), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in started()] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_pod_that_is_refused_for_what_is_added_is_created_as_it_was(
    make: Callable[..., Any],
    kubelet: Kubelet,
    started: Started,
    stored: Stored,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create = PodManager.create_pod

    def admit(self: Any, pod: Any) -> Any:
        if pod.spec.containers[0].env:
            raise ApiException(status=403, reason="admission webhook denied the request")
        return create(self, pod=pod)

    monkeypatch.setattr(PodManager, "create_pod", admit)
    run(make())
    assert started() == [{"spark.x": "1"}] and [r.state for r in stored()] == [RunState.LOST]


def test_a_cluster_of_eks_is_looked_up_as_the_task_runs(
    make: Callable[..., Any], kubeconfig: Path, started: Started, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before that there is no way to it, and what is made of the operator stays so."""
    eks = pytest.importorskip("airflow.providers.amazon.aws.operators.eks", reason="it is of the dev group")

    @contextmanager
    def looked_up(*_: Any, **__: Any) -> Iterator[tuple[str, str]]:
        yield str(kubeconfig), ""

    monkeypatch.setattr(eks.EksHook, "generate_config_file_with_credentials", looked_up)
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    for run_id in ("r1", "r2"):
        run(make(eks.EksPodOperator, cluster_name="c", pod_name="nightly", aws_conn_id=None), run_id)
    assert [THRESHOLD in conf for conf in started()] == [False, True]
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}


def test_a_cluster_that_does_not_answer_is_asked_once(
    make: Callable[..., Any], stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    op, asked = make(), []

    def unavailable(self: Any, pod: Any) -> Any:
        asked.append(pod)
        raise ApiException(status=503, reason="try later")

    monkeypatch.setattr(PodManager, "create_pod", unavailable)
    with pytest.raises(ApiException):
        run(op)
    assert len(asked) == 1 and [r.state for r in stored()] == [RunState.LOST]


def test_what_makes_a_job_of_kubernetes_is_not_known() -> None:
    op = KubernetesJobOperator(task_id="nightly", name="nightly", image="spark", cmds=["spark-submit", "job.py"])
    assert not steered(op)
    with pytest.raises(TypeError, match="knows no such operator"):
        tuned(op)
