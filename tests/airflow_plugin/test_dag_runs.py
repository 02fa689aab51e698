"""Runs of a DAG in one Airflow process: asked for on standard input, answered on standard output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DAG = """
from airflow.sdk import DAG, task

with DAG("nightly", schedule=None):
    @task
    def write(ds: str) -> None:
        print("what a task prints is not an answer")
        if ds == "2026-01-02":
            raise ValueError("no data that night")
        open({directory!r} + "/" + ds, "w").close()

    write()
"""


@pytest.mark.airflow
def test_each_date_is_a_run_and_a_failed_one_does_not_end_it(tmp_path: Path) -> None:
    pytest.importorskip("airflow", reason="Airflow is not installed: pip install airflow-spark-tuner[airflow]")
    dags, out = tmp_path / "dags", tmp_path / "out"
    for directory in (dags, out):
        directory.mkdir()
    (dags / "nightly.py").write_text(DAG.format(directory=str(out)))
    done = subprocess.run(
        [sys.executable, "-m", "airflow_plugin.dag_runs", "nightly"],
        input="2026-01-01\n2026-01-02\n2026-01-03\n",
        capture_output=True,
        text=True,
        timeout=300,
        env={
            **os.environ,
            "AIRFLOW_HOME": str(tmp_path / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        },
    )
    assert done.stdout.split() == ["ready", "success", "failed", "success"], done.stderr[-3000:]
    assert sorted(file.name for file in out.iterdir()) == ["2026-01-01", "2026-01-03"]
