"""Tasks of a real DAG, run by Airflow itself in one process, against a spark-submit that leaves event logs."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState
from tuner.words.decisions import decision_summary

from . import logging_spark

# By day the demo runs the operator in an Airflow of its own.
pytestmark = [pytest.mark.airflow, pytest.mark.nightly]

DAG = """
from airflow.sdk import DAG, task
from airflow_plugin.operator import SparkTunedOperator

with DAG("sales", schedule=None, default_args={"steering": "conf"}):
    @task.spark_tuned(conf={"spark.ui.enabled": "false"})
    def nightly(source: str, ds: str):
        return f"SELECT * FROM {source} s JOIN items i ON s.item = i.id WHERE s.day = '{ds}'"

    @task
    def source(ds: str) -> str:
        print("what a task prints is not an answer")
        if ds == "2026-01-02":
            raise ValueError("no data that night")
        return "sales"

    nightly(source()) >> SparkTunedOperator.partial(task_id="regions", application="/jobs/etl.py").expand(
        application_args=[["north"], ["south"]]
    )
"""
# On the second the task before them fails.
DATES = ("2026-01-01", "2026-01-02", "2026-01-03")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Airflow's database, the tuner's, the answers and the log, after a run of the DAG for each date."""
    root = tmp_path_factory.mktemp("airflow")
    for name in ("dags", "bin"):
        (root / name).mkdir()
    (root / "dags" / "sales.py").write_text(DAG)
    spark_submit = root / "bin" / "spark-submit"
    spark_submit.write_text(f'#!/bin/sh\nexec {sys.executable} {logging_spark.__file__} "$@"\n')
    spark_submit.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "airflow_plugin.dag_runs", "sales"],
        input="".join(f"{date}\n" for date in DATES),
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "PATH": f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "AIRFLOW_HOME": str(root),
            "AIRFLOW__CORE__DAGS_FOLDER": str(root / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[2]"}),
            "SPARK_TUNER_DB": f"sqlite:///{root}/history.db",
        },
    )
    (root / "answers").write_text(done.stdout)
    (root / "airflow.log").write_text(done.stderr)
    return root


@pytest.fixture(scope="module")
def airflow(home: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(home / "airflow.db")) as connection:
        yield connection


def stored(home: Path, cohort: str) -> list[Run]:
    with Store.open(f"sqlite:///{home}/history.db") as store:
        return store.runs(cohort)


def xcoms(airflow: sqlite3.Connection, task_id: str, key: str) -> list[Any]:
    rows = airflow.execute(
        "SELECT value FROM xcom WHERE task_id = ? AND key = ? ORDER BY run_id, map_index", (task_id, key)
    )
    return [json.loads(value) for (value,) in rows]


def test_each_date_is_a_run_and_a_failed_one_does_not_end_it(home: Path) -> None:
    answers = (home / "answers").read_text().split()
    assert answers == ["ready", "success", "failed", "success"], (home / "airflow.log").read_text()[-5000:]


def test_the_decorated_task_is_steered_from_its_second_run_on(home: Path) -> None:
    first, second = stored(home, "sales.nightly")
    assert (first.state, decision_summary(first.decision)) == (RunState.SUCCEEDED, "first run: observed")
    assert {d.standing for d in second.decision.changes} == {Standing.TRIAL}
    assert second.origin and (second.origin.dag_id, second.origin.task_id) == ("sales", "nightly")


def test_its_xcom_tells_what_it_gained(airflow: sqlite3.Connection) -> None:
    first, second = xcoms(airflow, "nightly", "spark_tuner")
    assert (first["actions"], second["state"]) == ([], "succeeded")
    assert second["gained_seconds"] == pytest.approx(3.0, rel=0.01)


def test_rendered_fields_show_the_sql_and_the_conf_that_ran(airflow: sqlite3.Connection) -> None:
    rows = airflow.execute(
        "SELECT rendered_fields FROM rendered_task_instance_fields WHERE task_id = 'nightly' ORDER BY run_id"
    )
    _, second = [json.loads(fields) for (fields,) in rows]
    hinted = "SELECT /*+ BROADCAST(i) */ * FROM sales s JOIN items i ON s.item = i.id WHERE s.day = '2026-01-03'"
    assert second["sql"] == hinted
    assert "'spark.ui.enabled': 'false'" in str(second["conf"])
    assert "'spark.tuner.cohort': 'sales.nightly'" in str(second["conf"])


def test_mapped_instances_are_runs_of_one_cohort(home: Path) -> None:
    runs = stored(home, "sales.regions")
    assert sorted(r.origin.map_index for r in runs if r.origin) == [0, 0, 1, 1]
    assert len({r.key for r in runs}) == 4
    assert Standing.TRIAL in {d.standing for d in runs[1].decision.changes}
    assert Standing.PROMOTED in {d.standing for d in runs[2].decision.changes}


def test_each_instance_has_its_link_to_the_panel(airflow: sqlite3.Connection) -> None:
    (of_nightly, _) = xcoms(airflow, "nightly", "_link_SparkTunerLink")
    assert of_nightly.startswith("/dags/sales/runs/")
    assert of_nightly.endswith("/tasks/nightly/plugin/spark-tuner-task-instance")
    links = xcoms(airflow, "regions", "_link_SparkTunerLink")
    assert [link.split("/tasks/")[1].split("/plugin")[0] for link in links] == [
        "regions/mapped/0",
        "regions/mapped/1",
    ] * 2


def test_the_log_says_it_in_few_lines(home: Path) -> None:
    log = (home / "airflow.log").read_text()
    assert "spark-tuner: sales.nightly: first run: observed" in log
    assert "spark-tuner: gained 3.0 s: 1 query took 4.0 s instead of 7.0 s; 1 promoted" in log
    assert "alembic" not in log.split("spark-tuner: sales.nightly: first run")[1]
