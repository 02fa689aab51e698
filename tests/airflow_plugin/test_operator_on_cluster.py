"""SparkTunedOperator on a real standalone cluster: a run in client mode, and one that it steers in cluster mode."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_plugin.operator import SparkTunedOperator
from tests.conftest import on_loopback, standalone_cluster, wait_until
from tests.steering.agent.submits import compile_application
from tuner.history.store import Store
from tuner.model.action import ActionKind
from tuner.model.decision import Standing
from tuner.model.directive_result import DirectiveResult
from tuner.model.run import Run, RunState
from tuner.model.strategy import Strategy
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import require_spark_in

from .conftest import TaskInstance, set_connection

pytestmark = [pytest.mark.spark, pytest.mark.airflow, pytest.mark.nightly]

SQL = (
    "SELECT d.grp, count(*), sum(f.amount), max(length(d.note)) FROM facts f JOIN dims d ON f.dim_id = d.id "
    "GROUP BY d.grp ORDER BY d.grp"
)
_REST = re.compile(r"Started REST server.* port (\d+)")
_CONF = {
    "spark.ui.enabled": "false",
    "spark.cores.max": "1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@dataclass
class Cluster:
    """A standalone cluster, its tables, and a history of one cohort."""

    url: str
    rest_port: str
    directory: Path
    application: Path

    @property
    def runs(self) -> list[Run]:
        with Store.open(f"sqlite:///{self.directory}/history.db") as store:
            return store.runs("sales.nightly")

    def connect(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What an Airflow worker has in its environment."""
        host, port = self.url.rsplit(":", 1)
        extra = {"rest-port": self.rest_port}
        set_connection(monkeypatch, "spark_default", conn_type="spark", host=host, port=int(port), extra=extra)
        for name in ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"):
            monkeypatch.setenv(name, on_loopback()[name])
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
        monkeypatch.setenv("SPARK_TUNER_DB", f"sqlite:///{self.directory}/history.db")
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", str(self.directory / "events"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[demo]")
    home, root = Path(pyspark.__file__).parent, tmp_path_factory.mktemp("cluster")
    # Spark estimates the dims at over 10 MB, by a column that is not read, and shuffles 12 MB of them: it sorts both sides.
    md5 = " || ".join(f"md5((8 * i + {n})::VARCHAR)" for n in range(8))
    for name, query in {
        "facts": "SELECT (i * 7919) % 130000 AS dim_id, (i * 17) % 1000 AS amount FROM range(3000000) t(i)",
        "dims": f"SELECT i AS id, i % 10 AS grp, left({md5}, 64) AS note, {md5} AS pad FROM range(130000) t(i)",
    }.items():
        (root / name).mkdir()
        duckdb.sql(f"COPY ({query}) TO '{root / name}/part-0.parquet' (FORMAT parquet)")
    application = compile_application(home, root, Path(__file__).with_name("java") / "JoinJob.java")
    rest = "-Dspark.master.rest.enabled=true -Dspark.master.rest.port=0"
    with standalone_cluster(home, root, rest) as url:
        log = root / "master.log"
        wait_until(lambda: bool(_REST.search(log.read_text())))
        yield Cluster(url, _REST.findall(log.read_text())[0], root, application)


@pytest.fixture
def cluster(running: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    running.connect(monkeypatch)
    started: list[subprocess.Popen[Any]] = []

    def popen(*arguments: Any, **options: Any) -> subprocess.Popen[Any]:
        started.append(subprocess.Popen(*arguments, **options))
        return started[-1]

    own = SimpleNamespace(**{**vars(subprocess), "Popen": popen})
    monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.subprocess", own)
    yield running
    for process in started:  # SparkSubmitHook leaves their pipes to the garbage collector
        process.communicate()


@dataclass
class Instance(TaskInstance):
    """A task instance with the store that Airflow gives it across its tries."""

    store: dict[str, Any] = field(default_factory=dict)

    def run(self, cluster: Cluster, out: Path, **arguments: Any) -> SparkTunedOperator:
        op = SparkTunedOperator(
            task_id=self.task_id,
            application=str(cluster.application),
            java_class="tests.airflow_plugin.JoinJob",
            application_args=[str(cluster.directory), SQL, str(out)],
            driver_memory="1g",
            executor_memory="1g",
            conf=_CONF,
            **arguments,
        )
        op.execute({"ti": self, "task_state_store": _StateStore(self.store)})  # type: ignore[typeddict-item]
        return op


class _StateStore:
    def __init__(self, kept: dict[str, Any]) -> None:
        self.get, self.set = kept.get, kept.__setitem__


def joins(run: Run) -> list[Strategy]:
    assert run.outcome is not None
    return [join.strategy for query in run.outcome.queries for join in query.joins]


def told(run: Run) -> list[DirectiveResult]:
    assert run.outcome is not None
    return [directive for query in run.outcome.queries for directive in query.directives]


def test_a_run_in_client_mode_steers_one_in_cluster_mode(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Instance(run_id="r1").run(cluster, tmp_path / "client")
    (first,) = cluster.runs
    assert (first.state, joins(first)) == (RunState.SUCCEEDED, [Strategy.SORT_MERGE])
    assert first.outcome is not None and first.outcome.app_id.startswith("app-")

    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", str(agent_jar(require_spark_in(_home()))))
    second_try = Instance(run_id="r2")
    op = second_try.run(cluster, tmp_path / "cluster", deploy_mode="cluster")
    assert op._hook is not None and str(op._hook._driver_id).startswith("driver-")
    _, second = cluster.runs
    assert second.state is RunState.SUCCEEDED
    assert ActionKind.HINT_JOIN in {d.change.kind for d in second.decision.changes if d.standing is Standing.TRIAL}
    assert joins(second) == [Strategy.BROADCAST_HASH]
    assert [directive.status.value for directive in told(second)] == ["applied"]
    assert (tmp_path / "cluster").read_text() == (tmp_path / "client").read_text() != ""
    assert second_try.xcoms["spark_tuner"]["steering"] == "agent"

    # A retry of it, as after the worker was lost: the cluster's REST API says that its driver has finished.
    (tmp_path / "cluster").unlink()
    lost = Instance(run_id="r2", try_number=2, store=second_try.store)
    lost.run(cluster, tmp_path / "cluster", deploy_mode="cluster")
    assert not (tmp_path / "cluster").exists()
    assert lost.xcoms["spark_tuner"]["key"] == second.key
    assert [run.key for run in cluster.runs] == [first.key, second.key]


def _home() -> Path:
    import pyspark

    return Path(pyspark.__file__).parent
