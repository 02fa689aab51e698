"""An Airflow of the demo's own: its home, its database, and its command line running the example DAG."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tuner.demo.workload import Workload
from tuner.errors import RequirementError, TunerError

DAG_ID = "example_tpcds"
TASK_ID = "nightly"
COHORT = f"{DAG_ID}.{TASK_ID}"
DRIVER_MEMORY = "3g"
MAX_CORES = 4


@dataclass(frozen=True, slots=True)
class Airflow:
    """How to call this Airflow: its environment, and the file its output goes to."""

    environment: Mapping[str, str]
    log: Path
    store_url: str


def set_up(home: Path, workload: Workload, cores: int) -> Airflow:
    """Make an AIRFLOW_HOME with a migrated SQLite database that finds the example DAG. Raises TunerError if Airflow fails."""
    if find_spec("airflow") is None or find_spec("airflow.providers.apache.spark") is None:
        raise RequirementError("Airflow is not installed; pip install 'airflow-spark-tuner[demo]'")
    home.mkdir(parents=True, exist_ok=True)
    store_url = f"sqlite:///{home / 'history.db'}"
    airflow = Airflow(_environment(home, workload, store_url, cores), home / "airflow.log", store_url)
    _call(airflow, ["db", "migrate"], "make Airflow's database")
    return airflow


def start_run(airflow: Airflow, run: int) -> subprocess.Popen[bytes]:
    """Start one run of the example DAG, as `airflow dags test` does; its output goes to the log."""
    environment = {**airflow.environment, "SPARK_TUNER_DEMO_RUN": str(run)}
    with airflow.log.open("ab") as log:
        command = [*_AIRFLOW, "dags", "test", DAG_ID, f"2026-01-{run:02d}T03:00:00+00:00"]
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


_AIRFLOW = (sys.executable, "-m", "airflow")


def _call(airflow: Airflow, arguments: list[str], what: str) -> None:
    with airflow.log.open("ab") as log:
        done = subprocess.run(
            [*_AIRFLOW, *arguments],
            env=dict(airflow.environment),
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    if done.returncode:
        raise TunerError(f"Airflow could not {what} (exit code {done.returncode}); see {airflow.log}")


def dags_folder() -> Path:
    """The folder of the example DAGs: in a checkout beside the package, in a wheel inside it."""
    inside, beside = Path(__file__).parent / "dags", Path(__file__).parents[2] / "dags"
    return inside if inside.is_dir() else beside


def _environment(home: Path, workload: Workload, store_url: str, cores: int) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "SPARK_TUNER"))}
    bin_directory = str(Path(sys.executable).parent)
    return {
        **inherited,
        "PATH": os.pathsep.join([bin_directory, inherited.get("PATH", "")]),
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags_folder()),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__LOGGING__COLORED_CONSOLE_LOG": "False",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW__SPARK_TUNER__MODE": "auto",
        "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN": store_url,
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": f"local[{cores}]"}),
        "SPARK_TUNER_DEMO_APPLICATION": str(workload.application),
        "SPARK_TUNER_DEMO_TABLES": str(workload.tables),
        "SPARK_TUNER_DEMO_QUERIES": str(workload.queries),
        "SPARK_TUNER_DEMO_RESULTS": str(workload.results),
        "SPARK_TUNER_DEMO_DRIVER_MEMORY": DRIVER_MEMORY,
    }
