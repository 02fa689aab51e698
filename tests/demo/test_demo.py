"""`spark-tuner demo`: the whole loop through a real Airflow and a real Spark, on small tables."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark_archive import java_options
from tuner.demo.workload import QUERIES

pytestmark = pytest.mark.processes


def demo(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tuner.cli", "demo", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=800, env={**os.environ, **environment})


@pytest.mark.spark
@pytest.mark.airflow
def test_airflow_runs_the_job_twice_and_the_rows_agree(tmp_path: Path) -> None:
    pytest.importorskip("airflow", reason="Airflow is not installed: pip install airflow-spark-tuner[demo]")
    pytest.importorskip("duckdb_extension_tpcds", reason="not installed: pip install airflow-spark-tuner[demo]")
    # The demo takes no SPARK_SUBMIT_OPTS: these are for every Java.
    quick = {"JDK_JAVA_OPTIONS": java_options()}
    done = demo("--scale-factor", "0.01", "--runs", "2", "--directory", tmp_path / "demo", "--json", **quick)
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["runs"]
    assert (first["decision"], first["changes"], first["speed_up"]) == ("first run: observed", [], 1.0)
    assert second["decision"] != "first run: observed"
    for run in (first, second):
        assert [int(name.rsplit("-", 1)[-1]) for name in run["seconds"]] == list(QUERIES)
        assert run["total_seconds"] == pytest.approx(sum(run["seconds"].values()))
    log = (tmp_path / "demo" / "airflow" / "airflow.log").read_text()
    assert "spark-tuner: example_tpcds.nightly: first run: observed" in log


def test_without_java_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    done = demo("--directory", tmp_path / "demo", PATH=str(tmp_path), JAVA_HOME="")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("spark-tuner: Java 17 or newer is needed and none was found; set JAVA_HOME")
    assert not (tmp_path / "demo").exists()


def test_a_directory_that_is_not_the_demos_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = demo("--directory", tmp_path)
    assert done.returncode == 1
    assert "not empty, and not made by an earlier demo" in done.stderr
    assert (tmp_path / "mine").read_text() == "mine"


def test_too_few_runs_is_bad_usage() -> None:
    assert demo("--runs", "1").returncode == 2
