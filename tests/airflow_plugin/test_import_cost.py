"""Parsing a DAG imports the operator: it may not bring the core's weight with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROBE = """
import json, sys, time
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
SparkSubmitOperator(task_id="nightly", application="/jobs/etl.py")
before, start = set(sys.modules), time.process_time()
from airflow_plugin.operator import SparkTunedOperator
SparkTunedOperator(task_id="nightly", sql="SELECT 1", mode="auto")
print(json.dumps({"ms": 1000 * (time.process_time() - start), "modules": sorted(set(sys.modules) - before)}))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, object]:
    done = subprocess.run([sys.executable, "-c", PROBE], env=os.environ, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.airflow
@pytest.mark.parametrize("heavy", ["tuner.loop", "sqlalchemy", "alembic", "sqlglot", "pyspark", "rich", "typer"])
def test_brings_none_of(heavy: str, imported: dict[str, list[str]]) -> None:
    assert [name for name in imported["modules"] if name == heavy or name.startswith(heavy + ".")] == []


@pytest.mark.airflow
def test_takes_under_100_ms(imported: dict[str, float]) -> None:
    assert imported["ms"] < 100
