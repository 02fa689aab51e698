"""An Airflow of the demo's own: its home, its database, and one process of it that runs the example DAG."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from select import select
from typing import Self

from tuner.demo.workload import Workload
from tuner.errors import RequirementError, TunerError

DAG_ID = "example_tpcds"
TASK_ID = "nightly"
COHORT = f"{DAG_ID}.{TASK_ID}"
DRIVER_MEMORY = "3g"
MAX_CORES = 4
_SPARK_PROVIDER = "apache-airflow-providers-apache-spark"
# Where they are set, as on an edge node, they lead to another Spark, another Python or a cluster, where the demo's files are not.
_OF_ANOTHER_SPARK = frozenset(
    {
        "HADOOP_CONF_DIR",
        "PYSPARK_DRIVER_PYTHON",
        "PYSPARK_PYTHON",
        "SPARK_CONF_DIR",
        "SPARK_DIST_CLASSPATH",
        "SPARK_HOME",
        "SPARK_SUBMIT_OPTS",
        "YARN_CONF_DIR",
    }
)


class Airflow:
    """A process of Airflow that runs the example DAG when asked; what it prints goes to the file `log`."""

    def __init__(self, home: Path, workload: Workload, cores: int) -> None:
        """Start it: it makes its database first, so that other work can go on meanwhile."""
        _require_airflow()
        home.mkdir(parents=True, exist_ok=True)
        self.log = home / "airflow.log"
        self.store_url = f"sqlite:///{home / 'history.db'}"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "airflow_plugin.dag_runs", DAG_ID],
                env=_environment(home, workload, self.store_url, cores),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                # Of its own group, so that the job it runs ends with it.
                start_new_session=True,
            )

    def answer(self, patience_seconds: float) -> str | None:
        """What it said of the latest request: `ready`, `success` or `failed`; None when it says nothing for so long."""
        assert self._process.stdout is not None
        if not select([self._process.stdout], [], [], patience_seconds)[0]:
            return None
        line = self._process.stdout.readline()
        return line.decode().strip() or f"exit code {self._process.wait()}"

    def request(self, logical_date: str) -> None:
        """Ask for a run."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{logical_date}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise TunerError(f"Airflow ended before it was asked for a run; see {self.log}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and with it a run under way."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)


def _require_airflow() -> None:
    """RequirementError without it. To look for a package inside it would import it: in this process, with this home."""
    try:
        distribution(_SPARK_PROVIDER)
    except PackageNotFoundError:
        has_provider = False
    else:
        has_provider = True
    if find_spec("airflow") is None or not has_provider:
        # pip alone installs pyspark and pyspark-client beside each other, whose files are the same.
        raise RequirementError(
            "Airflow is not installed, or its Spark provider is not; uv pip install 'airflow-spark-tuner[demo]'"
        )


def dags_folder() -> Path:
    """The folder of the example DAGs: in a checkout beside the package, in a wheel inside it."""
    inside, beside = Path(__file__).parent / "dags", Path(__file__).parents[2] / "dags"
    return inside if inside.is_dir() else beside


def _environment(home: Path, workload: Workload, store_url: str, cores: int) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AIRFLOW", "SPARK_TUNER")) and name not in _OF_ANOTHER_SPARK
    }
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
        # Airflow, Spark and whatever else runs here share a few cores: the demo waits for its decisions.
        "AIRFLOW__SPARK_TUNER__MOST_SECONDS_BEFORE": "30",
        "AIRFLOW__SPARK_TUNER__MOST_SECONDS_AFTER": "30",
        "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN": store_url,
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": f"local[{cores}]"}),
        "SPARK_TUNER_DEMO_APPLICATION": str(workload.application),
        "SPARK_TUNER_DEMO_TABLES": str(workload.tables),
        "SPARK_TUNER_DEMO_QUERIES": str(workload.queries),
        "SPARK_TUNER_DEMO_RESULTS": str(workload.results),
        "SPARK_TUNER_DEMO_DRIVER_MEMORY": DRIVER_MEMORY,
    }
