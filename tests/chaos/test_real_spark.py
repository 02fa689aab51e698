"""What a real Spark leaves of queries that fail, and of itself when it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.history.failure import failure_in
from tuner.history.store import Store
from tuner.model.failure import FailureKind
from tuner.model.run import RunState
from tuner.plan.queries import queries
from tuner.words.failures import failure_words
from tuner.words.query_names import QueryNames

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

JOB = Path(__file__).with_name("failing_job.py")


def test_failures_are_recognised(spark_submit: Callable[..., Path], tmp_path: Path) -> None:
    log = spark_submit(JOB, tmp_path, log_dir=tmp_path / "events", conf={"spark.driver.maxResultSize": "1m"})
    (source,) = [s for s in find_logs(log) if "warehouse" not in str(s.path)]
    application = read_application(source)
    kinds = [f.kind for f in application.failures if f.where.startswith("SQL execution")]
    assert kinds == [
        FailureKind.DATA_OR_CODE,
        FailureKind.BROADCAST_TIMEOUT,
        FailureKind.RESULT_TOO_LARGE,
        FailureKind.DATA_OR_CODE,
        FailureKind.INPUT_MISSING,
        FailureKind.INPUT_MISSING,
        FailureKind.INPUT_MISSING,
        FailureKind.CODE,
        FailureKind.ACCESS_DENIED,
    ]
    words = {f.words for f in application.failures}
    assert "broadcast timed out after 1 s" in words
    timed_out = [f for f in application.failures if f.kind is FailureKind.BROADCAST_TIMEOUT]
    found = failure_in(timed_out, queries(application))
    assert found is not None
    names = QueryNames(queries(application))
    assert failure_words(found, names).startswith("broadcast timed out after 1 s in ")


def test_spark_that_is_killed_in_a_query(spark_submit: Callable[..., Path], tmp_path: Path) -> None:
    """In client mode spark-submit and the driver's JVM are one process."""
    first = submit(tmp_path, "killed")
    assert first.returncode == 137, first.stderr
    assert "failed: killed by SIGKILL, as where memory runs out" in first.stderr
    assert submit(tmp_path).returncode == 0
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        killed, last = store.runs("nightly")
    assert (killed.state, last.state) == (RunState.FAILED, RunState.SUCCEEDED)
    assert killed.outcome is not None
    assert killed.failure is not None
    assert killed.failure.kind is FailureKind.SIGKILLED


def submit(root: Path, *how: str) -> subprocess.CompletedProcess[str]:
    given = ["--cohort", "nightly", "--steering", "conf", "--event-log-base", str(root / "events")]
    options = ["--master", "local[2]", "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.maxResultSize=1m"]
    command = [sys.executable, "-m", "tuner.cli", "submit", *given, "--db", f"sqlite:///{root}/history.db", "--"]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(
        [*command, *options, str(JOB), str(root), *how],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
