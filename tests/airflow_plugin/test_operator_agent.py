"""SparkTunedOperator and the agent: what it tells of its submit, and that nothing of the user's is lost in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_plugin.operator import SparkTunedOperator
from tuner.model.objective import Objective
from tuner.model.size_change import MemoryLimits, Resources
from tuner.steering.directives import Steering
from tuner.units import GIB

from .conftest import set_connection
from .generations import NOT_DURABLE, SCHEME_BY_CONN_TYPE

BY_CONN_TYPE = pytest.mark.skipif(not SCHEME_BY_CONN_TYPE, reason="the Spark provider does so from 5.5 on")
EXTENSIONS = "spark.sql.extensions"


def run(ti: Any, **arguments: Any) -> SparkTunedOperator:
    op = SparkTunedOperator(**{"task_id": "nightly", "application": "/jobs/etl.py"} | arguments)
    op.execute({"ti": ti})  # type: ignore[typeddict-item]
    return op


def test_what_is_merged_replaces_the_users_own(submit: Any, loop: Any, ti: Any) -> None:
    loop.merged = {"spark.jars": "/own.jar,/agent.jar", EXTENSIONS: "a.A,b.B"}
    op = run(ti, jars="/own.jar", conf={EXTENSIONS: "a.A"}, files="/own.ini")
    assert submit.flag("--jars") == "/own.jar,/agent.jar"
    assert submit.flag("--files") == "/own.ini"
    assert submit.conf[EXTENSIONS] == "a.A,b.B"
    assert op.jars == "/own.jar,/agent.jar"  # rendered, for people to see


HEAP, DRIVER, RESULTS = "spark.executor.memory", "spark.driver.memory", "spark.driver.maxResultSize"


def test_raised_sizes_stand_in_place_of_the_users_by_flag_and_by_conf(submit: Any, loop: Any, ti: Any) -> None:
    loop.raised = {HEAP: "4096m", DRIVER: "2048m", RESULTS: "2048m"}
    op = run(ti, executor_memory="2g", conf={DRIVER: "1g", RESULTS: "1g"})
    assert submit.flag("--executor-memory") == "4096m"
    assert "--driver-memory" not in submit.command
    assert {name: submit.conf[name] for name in loop.raised} == loop.raised
    # Rendered, for people to see.
    assert op.conf is not None
    assert op.conf[HEAP] == "4096m"


def test_sizes_are_raised_as_the_task_says_else_the_settings_within_the_platforms_limits(
    submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(ti)
    run(ti, spark_resources="observe")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__RESOURCES", "observe")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MAX_EXECUTOR_MEMORY", "24g")
    run(ti)
    run(ti, spark_resources="raise")
    jobs = [job for job, _ in loop.prepared]
    observe, raise_ = Resources.OBSERVE, Resources.RAISE
    assert [job.resources for job in jobs] == [raise_, observe, observe, raise_]
    assert [job.memory_limits for job in jobs[1:3]] == [MemoryLimits(), MemoryLimits(24 * GIB)]
    with pytest.raises(ValueError, match="spark_resources='more' is unknown; give one of observe, raise, tune"):
        SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", spark_resources="more")


def test_files_of_the_agent_and_of_a_sql_job_are_shipped_together(
    submit: Any, loop: Any, ti: Any, cluster_mode: None
) -> None:
    loop.merged = {"spark.files": "/own.ini,/directives"}
    run(ti, application="", sql="SELECT 1", **NOT_DURABLE, conf={"spark.files": "/own.ini"})
    own, directives, statements = submit.flag("--files").split(",")
    assert (own, directives) == ("/own.ini", "/directives")
    assert statements == submit.statements_file


def test_a_sql_job_keeps_the_files_of_its_conf(submit: Any, loop: Any, ti: Any, cluster_mode: None) -> None:
    run(ti, application="", sql="SELECT 1", **NOT_DURABLE, conf={"spark.files": "/own.ini"})
    assert submit.flag("--files") == f"/own.ini,{submit.statements_file}"


def test_without_an_agent_nothing_is_added(submit: Any, loop: Any, ti: Any) -> None:
    run(ti)
    assert not {"--jars", "--files"} & set(submit.command)


def test_steering_is_the_tasks_else_the_settings(
    submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__STEERING", "off")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", "hdfs:///agent.jar")
    run(ti)
    run(ti, steering="conf")
    assert [job.steering for job, _ in loop.prepared] == [Steering.OFF, Steering.CONF]
    assert {job.submission.agent_jar for job, _ in loop.prepared} == {"hdfs:///agent.jar"}


def test_objective_is_the_tasks_else_the_settings(
    submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(ti)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__OBJECTIVE", "balanced")
    run(ti)
    run(ti, objective="cost")
    assert [job.objective for job, _ in loop.prepared] == [Objective.TIME, Objective.BALANCED, Objective.COST]


def test_an_unknown_objective_is_refused_when_the_dag_is_parsed() -> None:
    with pytest.raises(ValueError, match="objective='fun' is unknown; give one of time, cost, balanced"):
        SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", objective="fun")


def test_an_unknown_steering_is_refused_when_the_dag_is_parsed() -> None:
    with pytest.raises(ValueError, match="steering='wheel' is unknown; give one of agent, conf, off"):
        SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", steering="wheel")


@pytest.mark.parametrize(
    ("connection", "master"),
    [
        ({"conn_type": "spark", "host": "local[2]"}, "local[2]"),
        ({"conn_type": "spark", "host": "yarn"}, "yarn"),
        ({"conn_type": "spark", "host": "spark://m", "port": 7077}, "spark://m:7077"),
        pytest.param({"conn_type": "spark", "host": "m", "port": 7077}, "spark://m:7077", marks=BY_CONN_TYPE),
        pytest.param({"conn_type": "yarn"}, "yarn://", marks=BY_CONN_TYPE),
    ],
)
def test_the_master_is_the_one_that_is_submitted_to(
    submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch, connection: dict[str, Any], master: str
) -> None:
    set_connection(monkeypatch, "cluster", **connection)
    run(ti, conn_id="cluster")
    assert loop.job.submission.conf["spark.master"] == master == submit.flag("--master")


def test_without_a_connection_it_is_yarn(submit: Any, loop: Any, ti: Any) -> None:
    run(ti, conn_id="none")
    assert loop.job.submission.conf["spark.master"] == "yarn" == submit.flag("--master")


def test_the_spark_is_that_of_the_binary_and_of_the_tasks_environment(
    submit: Any, loop: Any, ti: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    for name, version in (("one", "3.5.1"), ("two", "4.0.1")):
        for file in ("bin/spark3-submit", f"jars/spark-core_2.13-{version}.jar", "conf/spark-defaults.conf"):
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"spark.jars /{name}.jar")
            path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "one" / "bin"))
    run(ti, spark_binary="spark3-submit")
    run(ti, spark_binary="spark3-submit", env_vars={"SPARK_HOME": str(tmp_path / "two")})
    run(ti, spark_binary="spark3-submit", jars="/own.jar", properties_file=str(tmp_path / "none"))
    found = [job.submission for job, _ in loop.prepared]
    assert [submission.spark.version for submission in found] == ["3.5.1", "4.0.1", "3.5.1"]
    assert [submission.conf["spark.jars"] for submission in found] == ["/one.jar", "/two.jar", "/own.jar"]
    # There the task's environment is its driver's, not that of spark-submit.
    set_connection(monkeypatch, "spark_default", conn_type="spark", host="k8s://https://k", extra={"namespace": "n"})
    # This spark-submit tells of no driver there; providers before Airflow 3.3 stumble over that without Kubernetes's client.
    with pytest.raises(Exception, match="Cannot execute|kube_client"):
        run(ti, spark_binary="spark3-submit", env_vars={"SPARK_HOME": str(tmp_path / "two")})
    assert loop.prepared[-1][0].submission.conf["spark.jars"] == "/one.jar"
