"""Services that run what they are sent on a real Spark: the agent gets there by each, and is followed.

By day Livy alone, and what fits into a property: the others differ in where the request holds what gets there, which their
own tests look at.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.livy.operators.livy import LivyOperator

from airflow_plugin.engines.engine import Engine
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.aws_account import AwsAccount
from tests.airflow_plugin.engines.livy_server import livy_server
from tests.airflow_plugin.engines.spark_service import SparkService
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.strategy import Strategy
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import spark_at_hand

pytestmark = [pytest.mark.spark, pytest.mark.airflow, pytest.mark.sockets, pytest.mark.nightly]

JOB = Path(__file__).parents[2] / "join_job.py"


@pytest.fixture
def service(tmp_path: Path, join_tables: Path) -> SparkService:
    spark_submit = find_spark_submit()
    options = ["--master", "local[2]", "--driver-memory", "3g", "--conf", "spark.ui.enabled=false"]
    return SparkService(command=[spark_submit, *options, str(JOB), str(join_tables), str(tmp_path / "rows.json")])


@pytest.fixture(autouse=True)
def deployed_agent(monkeypatch: pytest.MonkeyPatch, service: SparkService, tmp_path: Path) -> None:
    spark = spark_at_hand(service.command[0], environment_for(service.command[0]))
    assert spark is not None
    shutil.copy(agent_jar(spark), tmp_path / f"agent-{spark.number[0]}.{spark.number[1]}.jar")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", f"local://{tmp_path}/agent-{{spark_minor}}.jar")


def livy(stack: ExitStack, service: SparkService, request: pytest.FixtureRequest) -> Callable[[], Any]:
    url = stack.enter_context(livy_server(service))
    request.getfixturevalue("monkeypatch").setenv("AIRFLOW_CONN_LIVY_DEFAULT", url)
    return lambda: tuned(LivyOperator(task_id="nightly", file="/etl.py", polling_interval=1, durable=False))


def of_aws(operator_of: Callable[[AwsAccount], Callable[[], Any]]) -> Any:
    def made(stack: ExitStack, service: SparkService, request: pytest.FixtureRequest) -> Callable[[], Any]:
        pytest.importorskip("s3fs", reason="s3fs is not installed: pip install airflow-spark-tuner[s3]")
        return operator_of(request.getfixturevalue("aws"))

    return made


def serverless(aws: AwsAccount) -> Callable[[], Any]:
    from tests.airflow_plugin.engines.test_emr_request import Serverless

    return Serverless(aws).operator


def eks(aws: AwsAccount) -> Callable[[], Any]:
    from tests.airflow_plugin.engines.test_emr_request import Eks

    return Eks(aws).operator


def steps(aws: AwsAccount) -> Callable[[], Any]:
    from tests.airflow_plugin.engines.test_emr_steps import Emr, step

    emr = Emr(aws)
    return lambda: emr.operator(step("load"))


def glue(aws: AwsAccount) -> Callable[[], Any]:
    from tests.airflow_plugin.engines.test_glue import Glue

    return Glue(aws).operator


def kubernetes(stack: ExitStack, service: SparkService, request: pytest.FixtureRequest) -> Callable[[], Any]:
    pytest.importorskip("kmock", reason="kmock is not installed: it is of the dev group")
    from tests.airflow_plugin.engines.kubernetes_cluster import forget_pods, kubernetes_cluster
    from tests.airflow_plugin.engines.test_spark_kubernetes import application, operator

    request.getfixturevalue("monkeypatch").setenv("AIRFLOW_CONN_KUBERNETES_DEFAULT", "kubernetes://")
    kubeconfig = stack.enter_context(kubernetes_cluster(service, request.getfixturevalue("tmp_path")))
    spec = application()
    del spec["spec"]["deps"], spec["spec"]["executor"]

    def made() -> Any:
        forget_pods(kubeconfig)
        return operator(kubeconfig, spec)

    return made


def of_night(made: Any, name: str) -> Any:
    return pytest.param(made, id=name, marks=pytest.mark.nightly)


@pytest.fixture(
    params=[
        pytest.param(livy, id="Livy"),
        of_night(of_aws(serverless), "EMR Serverless"),
        of_night(of_aws(eks), "EMR on EKS"),
        of_night(of_aws(steps), "EMR steps"),
        of_night(of_aws(glue), "Glue"),
        of_night(kubernetes, "Spark operator"),
    ]
)
def operator(request: pytest.FixtureRequest, service: SparkService) -> Iterator[Callable[[], Any]]:
    with ExitStack() as stack:
        yield request.param(stack, service, request)


def run(op: Any, run_id: str) -> None:
    ti: Any = TaskInstance(run_id=run_id)
    dag = SimpleNamespace(dag_id="sales", parent_dag=None)
    op.execute({"ti": ti, "task_instance": ti, "run_id": run_id, "dag": dag})


@pytest.mark.parametrize(
    "in_a_file",
    [pytest.param(False, id="in a property"), pytest.param(True, id="in a file", marks=pytest.mark.nightly)],
)
def test_the_second_run_has_its_join_broadcast_by_the_agent(
    operator: Callable[[], Any],
    in_a_file: bool,
    service: SparkService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if in_a_file:
        own = Engine.submission
        monkeypatch.setattr(Engine, "submission", lambda *given: replace(own(*given), most_characters=50))
    run(operator(), "r1")
    rows = json.loads((tmp_path / "rows.json").read_text())
    run(operator(), "r2")
    assert json.loads((tmp_path / "rows.json").read_text()) == rows
    assert service.last["spark.jars"].startswith(f"local://{tmp_path}/agent-")
    assert in_a_file <= ("spark.tuner.directives.file" in service.last)
    # What does not wait for its job is harvested here.
    run(operator(), "r3")
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        first, second, *_ = store.runs("sales.nightly")
    assert first.outcome and second.outcome
    assert [j.strategy for q in first.outcome.queries for j in q.joins] == [Strategy.SORT_MERGE]
    assert [j.strategy for q in second.outcome.queries for j in q.joins] == [Strategy.BROADCAST_HASH]
    assert {d.standing for d in changes_in_effect(second)} == {Standing.TRIAL}
