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

TUNED = """
import json, sys, time
from airflow.providers.apache.livy.operators.livy import LivyOperator
from airflow.sdk import DAG
def wrapped(number):
    with DAG("sales", schedule=None):
        task = LivyOperator(task_id=f"nightly{number}", file="/etl.py")
    before, start = set(sys.modules), time.process_time()
    from airflow_plugin.tuned import tuned
    tuned(task)
    return 1000 * (time.process_time() - start), set(sys.modules) - before
first_ms, modules = wrapped(0)
took = [first_ms]
for number in range(1, 6):
    for name in [name for name in modules if name.startswith("airflow_plugin")]:
        del sys.modules[name]
    took.append(wrapped(number)[0])
print(json.dumps({"ms": min(took), "modules": sorted(modules)}))
"""


def probed(code: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def imported() -> dict[str, Any]:
    return probed(PROBE)


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


@pytest.mark.airflow
def test_a_task_of_another_engine_costs_a_dag_file_under_10_ms() -> None:
    """No provider is imported for it, nor the core: most of that is one class, made anew."""
    found = probed(TUNED)
    assert [name for name in found["modules"] if not name.startswith(("airflow_plugin.", "airflow.sdk."))] == []
    assert found["ms"] < 10
