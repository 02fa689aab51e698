"""`@task.pyspark` and PySparkOperator: a real Spark in a process of the task's own, as Airflow's workers have it."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.providers.apache.spark.decorators.pyspark import pyspark_task
from airflow.sdk import DAG

from airflow_plugin.engines.engine import Additions, LeftAloneError
from airflow_plugin.engines.pyspark import ENGINE
from airflow_plugin.enrol import task_policy
from airflow_plugin.steered_class import is_steered
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import set_connection
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState
from tuner.model.strategy import Strategy
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import spark_at_hand

PARTITIONS = "spark.sql.shuffle.partitions"
_PROGRAM = """
import json, sys
from airflow.providers.apache.spark.decorators.pyspark import pyspark_task
from airflow.sdk import DAG
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.join_job import SQL
run_id, tables, rows, config = sys.argv[1:]
with DAG("sales"):
    @pyspark_task(config_kwargs=json.loads(config))
    def nightly(tables, spark):
        for table in ("facts", "dims"):
            spark.read.parquet(f"{tables}/{table}").createOrReplaceTempView(table)
        return [str(spark.sql(SQL).collect()), spark.conf.get("spark.sql.shuffle.partitions")]
    operator = tuned(nightly(tables)).operator
ti = TaskInstance(run_id=run_id)
with open(rows, "w") as file:
    json.dump(operator.execute({"ti": ti, "task_instance": ti}), file)
assert operator.config_kwargs == json.loads(config)
"""


def run(run_id: str, tables: Path, rows: Path, config: dict[str, str]) -> list[str]:
    local = {"spark.ui.enabled": "false", "spark.driver.memory": "3g", "spark.master": "local[2]"}
    subprocess.run(
        [sys.executable, "-c", _PROGRAM, run_id, str(tables), str(rows), json.dumps({**local, **config})],
        check=True,
        cwd=Path(__file__).parents[3],
        env=environment_for(find_spark_submit()),
    )
    found: list[str] = json.loads(rows.read_text())
    return found


@pytest.mark.spark
@pytest.mark.nightly
def test_the_second_run_has_its_join_broadcast_by_the_agent_and_the_authors_own_value_wins(
    join_tables: Path, tmp_path: Path, stored: Callable[[], list[Run]]
) -> None:
    spark = spark_at_hand(find_spark_submit())
    assert spark is not None
    agent_jar(spark)
    rows = tmp_path / "rows.json"
    first, second = (run(run_id, join_tables, rows, {PARTITIONS: "7"}) for run_id in ("r1", "r2"))
    assert first == second and first[1] == "7"
    one, two = stored()
    assert {one.state, two.state} == {RunState.SUCCEEDED}
    assert one.outcome and two.outcome
    assert [j.strategy for q in one.outcome.queries for j in q.joins] == [Strategy.SORT_MERGE]
    assert [j.strategy for q in two.outcome.queries for j in q.joins] == [Strategy.BROADCAST_HASH]
    assert {d.standing for d in changes_in_effect(two)} == {Standing.TRIAL}


def operator(conn_id: str | None = None, **config: str) -> Any:
    return SimpleNamespace(conn_id=conn_id, config_kwargs=config)


def read(op: Any) -> Any:
    (job,) = ENGINE.read(op, {"config_kwargs": op.config_kwargs})
    return job.conf


def test_what_the_author_set_is_the_connections_and_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    pyspark = pytest.importorskip("pyspark")
    monkeypatch.setattr(pyspark.SparkContext, "_gateway", None)  # Other tests of this process may have started one.
    set_connection(
        monkeypatch,
        "cluster",
        conn_type="spark",
        host="spark://m",
        port=7077,
        extra={"spark.a": True, "spark.b": "connection"},
    )
    assert read(operator("cluster", **{"spark.b": "task"})) == {
        "spark.master": "spark://m:7077",
        "spark.a": "true",
        "spark.b": "task",
    }
    assert read(operator(**{"spark.b": "task"})) == {"spark.master": "local[*]", "spark.b": "task"}


def test_spark_connect_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    set_connection(monkeypatch, "connect", conn_type="spark_connect", host="sc://h", port=15002)
    for op in (operator("connect"), operator(**{"spark.remote": "sc://h"})):
        with pytest.raises(LeftAloneError, match="a Spark Connect server has properties of its own"):
            read(op)


def test_a_spark_that_runs_already_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspark

    monkeypatch.setattr(pyspark.SparkContext, "_gateway", object())
    with pytest.raises(LeftAloneError, match="has started Spark already"):
        read(operator())


def test_properties_are_added_to_a_copy() -> None:
    request = {"config_kwargs": {"spark.jars": "/own.jar"}}
    as_written = copy.deepcopy(request)
    added = Additions({"spark.tuner.key": "k"}, {"spark.jars": "/own.jar,/agent.jar"})
    assert ENGINE.changed(None, request, [added]) == {"config_kwargs": added.properties}
    assert request == as_written


def test_every_way_of_naming_it_has_it_tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENROL", "sales.enrolled")

    def made(name: str) -> Any:
        def function(spark: Any, day: int = 1) -> None: ...

        function.__name__ = name
        return pyspark_task(function)

    with DAG("sales"):
        by_call = tuned(made("by_call")(), cohort="c").operator
        of_function = tuned(made("of_function"), cohort="c")
        called, mapped = of_function().operator, of_function.override(task_id="mapped").expand(day=[1, 2]).operator
        enrolled, other = made("enrolled")().operator, made("other")().operator
        task_policy(enrolled)
        task_policy(other)
    for task in (by_call, called, enrolled):
        assert is_steered(type(task)) and task.custom_operator_name == "@task.pyspark"
    assert is_steered(mapped.operator_class) and not is_steered(type(other))
    assert by_call._tuner_given.cohort == called._tuner_given.cohort == "c"
