"""SparkSqlOperator and SparkJDBCOperator, with programs that leave event logs."""

from __future__ import annotations

import copy
import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.apache.spark.operators.spark_jdbc import SparkJDBCOperator
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator

from airflow_plugin import turn
from airflow_plugin.compat import AirflowException
from airflow_plugin.engines.engine import Additions
from airflow_plugin.engines.spark_sql import ENGINE
from airflow_plugin.tuned import tuned
from tests.airflow_plugin import logging_spark
from tests.airflow_plugin.conftest import TaskInstance, set_connection
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.model.run import Run, RunState

# SparkSqlHook leaves its program's output open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[dict[str, str]]]]:
    """The properties that programs named spark-sql and spark-submit were started with so far."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in ("spark-sql", "spark-submit"):
        program = directory / name
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" "---" >> {tmp_path}/commands\nexec {sys.executable} {logging_spark.__file__} "$@"\n'
        )
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}{os.pathsep}{os.environ['PATH']}")
    set_connection(monkeypatch, "spark_sql_default", conn_type="spark_sql", host="local[2]")

    def started() -> list[dict[str, str]]:
        *whole, _ = (tmp_path / "commands").read_text().split("---\n")
        return [
            dict(part.split("=", 1) for part in command.splitlines() if part.startswith("spark.")) for command in whole
        ]

    yield started
    gc.collect()


def sql(conf: Any = None, **arguments: Any) -> Any:
    return tuned(SparkSqlOperator(task_id="nightly", sql="SELECT 1", conf=conf, **arguments), steering="conf")


def jdbc(conf: Any = None, **arguments: Any) -> Any:
    return tuned(
        SparkJDBCOperator(
            task_id="nightly",
            spark_conn_id="spark_default",
            jdbc_conn_id="spark_default",
            cmd_type="jdbc_to_spark",
            jdbc_table="t",
            metastore_table="m",
            jdbc_driver="org.example.Driver",
            spark_conf=conf,
            **arguments,
        ),
        steering="conf",
    )


def run(op: Any, run_id: str) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id)
    op.execute({"ti": ti, "task_instance": ti})
    return ti


@pytest.mark.parametrize("operator", [sql, jdbc])
def test_a_task_that_is_killed_while_it_is_decided_submits_nothing(
    operator: Callable[..., Any], commands: Any, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    op, begin = operator(), turn.begin

    def killed_meanwhile(*given: Any, **named: Any) -> Any:
        begun = begin(*given, **named)
        op._tuner_steering.killed = True
        return begun

    monkeypatch.setattr(turn, "begin", killed_meanwhile)
    with pytest.raises(AirflowException, match="was killed before its Spark job was submitted"):
        run(op, "r1")
    assert not (tmp_path / "commands").exists()
    assert [r.state for r in stored()] == [RunState.LOST]


@pytest.mark.parametrize("operator", [sql, jdbc])
def test_the_second_run_is_steered_and_the_third_has_it_proven(
    operator: Callable[..., Any], commands: Callable[[], list[dict[str, str]]], stored: Stored
) -> None:
    conf = {"spark.executor.cores": 2}
    as_written = copy.deepcopy(conf)
    for run_id in ("r1", "r2", "r3"):
        ti = run(operator(conf), run_id)
    assert [THRESHOLD in found for found in commands()] == [False, True, True]
    assert commands()[-1]["spark.executor.cores"] == "2" and conf == as_written
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}
    assert ti.xcoms["spark_tuner"]["state"] == "succeeded"


@pytest.mark.parametrize(
    ("operator", "conf"), [(sql, {THRESHOLD: "7"}), (sql, f"spark.x=1,{THRESHOLD}=7"), (jdbc, {THRESHOLD: "7"})]
)
def test_the_authors_own_value_wins(
    operator: Callable[..., Any], conf: Any, commands: Callable[[], list[dict[str, str]]]
) -> None:
    for run_id in ("r1", "r2"):
        run(operator(conf), run_id)
    assert commands()[-1][THRESHOLD] == "7"


def test_fields_are_as_their_author_wrote_them_afterwards(commands: Callable[[], list[dict[str, str]]]) -> None:
    for op in (sql("spark.x=1"), jdbc({"spark.x": "1"}, spark_jars="/own.jar")):
        run(op, "r1")
    assert sql("spark.x=1")._conf == "spark.x=1"
    assert (op._spark_conf, op._spark_jars) == ({"spark.x": "1"}, "/own.jar")


def test_text_that_is_no_properties_is_left_to_spark_sql(commands: Callable[[], list[dict[str, str]]]) -> None:
    op = sql("spark.x=a,b")
    with pytest.raises(ValueError, match="a part that is no property"):
        ENGINE.read(op, {"_conf": "spark.x=a,b"})
    with pytest.raises(Exception, match="Cannot execute"):  # logging_spark wants an event log directory
        run(op, "r1")
    assert commands() == [{"spark.x": "a"}]


def test_off_changes_nothing(commands: Callable[[], list[dict[str, str]]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    with pytest.raises(Exception, match="Cannot execute"):
        run(sql({"spark.x": "1"}), "r1")
    assert commands() == [{"spark.x": "1"}]


def test_lists_of_the_author_and_of_the_agent_are_one() -> None:
    added = Additions({"spark.tuner.key": "k"}, {"spark.jars": "/own.jar,/agent.jar"})
    assert ENGINE.changed(None, {"_conf": "spark.jars=/own.jar"}, [added]) == {"_conf": added.properties}
