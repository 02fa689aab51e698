"""What counts as set by a task's author."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from airflow_plugin.operator import SparkTunedOperator
from airflow_plugin.submission import connection_of
from airflow_plugin.user_conf import user_conf_of
from tuner.spark.master import in_cluster_mode


def conf_of(**arguments: Any) -> dict[str, str]:
    op = SparkTunedOperator(task_id="nightly", application="/jobs/etl.py", **arguments)
    return user_conf_of(op, connection_of(op._conn_id))


def test_nothing() -> None:
    assert conf_of() == {}


def test_values_as_spark_reads_them() -> None:
    assert conf_of(conf={"a": 1, "b": True, "c": 0.5, "d": "x"}) == {"a": "1", "b": "true", "c": "0.5", "d": "x"}


def test_flags_are_properties() -> None:
    assert conf_of(
        driver_memory="3g",
        executor_memory="4g",
        executor_cores=2,
        num_executors=5,
        total_executor_cores=10,
        principal="etl@X",
    ) == {
        "spark.kerberos.principal": "etl@X",
        "spark.driver.memory": "3g",
        "spark.executor.memory": "4g",
        "spark.executor.cores": "2",
        "spark.executor.instances": "5",
        "spark.cores.max": "10",
    }


def test_flag_beats_conf_beats_file(tmp_path: Path) -> None:
    file = tmp_path / "job.properties"
    file.write_text("spark.driver.memory 1g\nspark.executor.memory 1g\nspark.sql.ansi.enabled true\n")
    conf = {"spark.driver.memory": "2g", "spark.executor.memory": "2g"}
    assert conf_of(properties_file=str(file), conf=conf, driver_memory="3g") == {
        "spark.driver.memory": "3g",
        "spark.executor.memory": "2g",
        "spark.sql.ansi.enabled": "true",
    }


def test_a_connections_principal_gives_way_to_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "AIRFLOW_CONN_SPARK_DEFAULT", '{"conn_type": "spark", "host": "local", "extra": {"principal": "of@X"}}'
    )
    assert conf_of()["spark.kerberos.principal"] == "of@X"
    assert conf_of(principal="own@X")["spark.kerberos.principal"] == "own@X"


def test_file_that_is_not_there_is_for_spark_submit_to_report() -> None:
    assert conf_of(properties_file="/nowhere/job.properties") == {}


def test_a_file_that_is_a_pipe_is_spark_submits_to_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert conf_of(properties_file=str(tmp_path / "pipe")) == {}


@pytest.mark.usefixtures("cluster_mode")
def test_deploy_mode_of_the_connection() -> None:
    assert in_cluster_mode(conf_of())
    assert not in_cluster_mode(conf_of(deploy_mode="client"))
    assert in_cluster_mode(conf_of(conf={"spark.submit.deployMode": "client"}))
