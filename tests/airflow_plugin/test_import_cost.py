"""What parsing a DAG pays: for the operator, which may not bring the core's weight with it, and for enrolment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

PROBE = """
import json, sys, time
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk import DAG
from airflow.settings import task_policy
with DAG("sales", schedule=None):
    task = SparkSubmitOperator(task_id="nightly", application="/jobs/etl.py")
task_policy(task)
off = [name for name in sys.modules if name.startswith(("airflow_plugin", "tuner"))]
start = time.process_time()
for _ in range(100):
    task_policy(task)
off_ms = 10 * (time.process_time() - start)
before, start = set(sys.modules), time.process_time()
from airflow_plugin.operator import SparkTunedOperator
SparkTunedOperator(task_id="nightly", sql="SELECT 1", mode="auto")
ms = 1000 * (time.process_time() - start)
print(json.dumps({"off": off, "off_ms": off_ms, "ms": ms, "modules": sorted(set(sys.modules) - before)}))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", PROBE], env=os.environ, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.airflow
@pytest.mark.parametrize("heavy", ["tuner.loop.loop", "sqlalchemy", "alembic", "sqlglot", "pyspark", "rich", "typer"])
def test_brings_none_of(heavy: str, imported: dict[str, list[str]]) -> None:
    assert [name for name in imported["modules"] if name == heavy or name.startswith(heavy + ".")] == []


@pytest.mark.airflow
def test_takes_under_100_ms(imported: dict[str, float]) -> None:
    assert imported["ms"] < 100


@pytest.mark.airflow
def test_enrolment_that_is_off_costs_next_to_nothing(imported: dict[str, Any]) -> None:
    assert set(imported["off"]) <= {
        "airflow_plugin",
        "airflow_plugin.compat",
        "airflow_plugin.engines",
        "airflow_plugin.engines.registry",
        "airflow_plugin.enrol",
        "airflow_plugin.fail_open",
        "airflow_plugin.plugin",
        "airflow_plugin.provider_info",
    }
    assert imported["off_ms"] < 1  # a task
