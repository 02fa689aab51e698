"""LivyOperator against a server that runs what it is sent on a real Spark: the agent gets there, and is followed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.apache.livy.operators.livy import LivyOperator

from airflow_plugin.engines.engine import Engine
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines.livy_server import livy_server
from tests.airflow_plugin.engines.spark_service import SparkService
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.strategy import Strategy
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import spark_at_hand

pytestmark = [pytest.mark.spark, pytest.mark.airflow]

JOB = Path(__file__).parents[2] / "join_job.py"


@pytest.fixture
def service(tmp_path: Path, join_tables: Path) -> SparkService:
    spark_submit = find_spark_submit()
    options = ["--master", "local[2]", "--driver-memory", "3g", "--conf", "spark.ui.enabled=false"]
    return SparkService(command=[spark_submit, *options, str(JOB), str(join_tables), str(tmp_path / "rows.json")])


@pytest.fixture(autouse=True)
def livy(monkeypatch: pytest.MonkeyPatch, service: SparkService, tmp_path: Path) -> Iterator[None]:
    spark = spark_at_hand(service.command[0], environment_for(service.command[0]))
    assert spark is not None
    shutil.copy(agent_jar(spark), tmp_path / f"agent-{spark.number[0]}.{spark.number[1]}.jar")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", f"local://{tmp_path}/agent-{{spark_minor}}.jar")
    with livy_server(service) as url:
        monkeypatch.setenv("AIRFLOW_CONN_LIVY_DEFAULT", url)
        yield


def run(run_id: str) -> None:
    ti: Any = TaskInstance(run_id=run_id)
    tuned(LivyOperator(task_id="nightly", file="/etl.py", polling_interval=1, durable=False)).execute(
        {"ti": ti, "task_instance": ti}  # type: ignore[typeddict-item]
    )


@pytest.mark.parametrize("in_a_file", [False, True], ids=["in a property", "in a file"])
def test_the_second_run_has_its_join_broadcast_by_the_agent(
    in_a_file: bool, service: SparkService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if in_a_file:
        own = Engine.submission
        monkeypatch.setattr(Engine, "submission", lambda *given: replace(own(*given), most_characters=50))
    run("r1")
    rows = json.loads((tmp_path / "rows.json").read_text())
    run("r2")
    assert json.loads((tmp_path / "rows.json").read_text()) == rows
    assert service.last["spark.jars"].startswith(f"local://{tmp_path}/agent-")
    assert ("spark.tuner.directives.file" in service.last) is in_a_file
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        first, second = store.runs("sales.nightly")
    assert first.outcome and second.outcome
    assert [j.strategy for q in first.outcome.queries for j in q.joins] == [Strategy.SORT_MERGE]
    assert [j.strategy for q in second.outcome.queries for j in q.joins] == [Strategy.BROADCAST_HASH]
    assert {d.standing for d in changes_in_effect(second)} == {Standing.TRIAL}
