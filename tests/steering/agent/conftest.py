"""Sparks to compile the agent against, a Java that compiles nothing, and an application that runs many programs steered."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.for_all_workers import for_all_workers
from tuner.steering.agent.jar import agent_jar
from tuner.steering.agent.spark_home import require_spark_in

from .agent_log import Steered, steered_executions
from .no_directives import NO_DIRECTIVES

# Homes of other Sparks than pip's, separated as in PATH.
OTHER_SPARKS = "SPARK_TUNER_TEST_SPARK_HOMES"
_APP = Path(__file__).with_name("steered_app.py")
_TPCDS = (14, 24, 72)
_CONF = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ui.explainMode": "simple",
    "spark.eventLog.compress": "false",
    # Plans are the same without, and compiling takes longer than these queries.
    "spark.sql.codegen.wholeStage": "false",
}


def pip_spark() -> Path:
    """The home of pip's Spark."""
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def other_sparks() -> list[Path]:
    """The homes of other Sparks on this machine."""
    return [Path(home) for home in os.environ.get(OTHER_SPARKS, "").split(os.pathsep) if home]


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    """A Spark of which only names are there."""
    jars = tmp_path / "spark" / "jars"
    jars.mkdir(parents=True)
    (jars / "spark-core_2.13-4.3.0.jar").touch()
    return jars.parent


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """An environment whose java is this shell script, with a data directory of its own."""

    def make(java: str) -> dict[str, str]:
        path = tmp_path / "java" / "bin" / "java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{java}\n")
        path.chmod(0o755)
        return {
            "JAVA_HOME": str(tmp_path / "java"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "PATH": os.environ["PATH"],
        }

    return make


@dataclass(frozen=True, slots=True)
class SteeredRun:
    """What the application reports of each program in each phase, and its log."""

    report: list[dict[str, Any]]
    executions: list[Steered]
    logs: Path

    def of(self, entry: dict[str, Any]) -> list[Steered]:
        """The executions of a program in a phase."""
        return [steered for steered in self.executions if steered.label == f"{entry['phase']}: {entry['name']}"]


@pytest.fixture(scope="session")
def jar_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """The agent's jar for a Spark home: compiled once, whichever worker is the first to need it."""

    def jar(home: Path) -> Path:
        with for_all_workers(tmp_path_factory, "agent-jar") as shared:
            return agent_jar(require_spark_in(home), {**os.environ, "XDG_DATA_HOME": str(shared)})

    return jar


@pytest.fixture(scope="session")
def agent_conf(jar_for: Callable[[Path], Path]) -> dict[str, str]:
    """What brings the agent into an application on pip's Spark."""
    return conf_with(jar_for(pip_spark()))


def conf_of(home: Path, directory: Path) -> dict[str, str]:
    """What brings the agent into an application on a Spark; its jar is kept in the directory."""
    return conf_with(agent_jar(require_spark_in(home), {**os.environ, "XDG_DATA_HOME": str(directory)}))


def conf_with(jar: Path) -> dict[str, str]:
    # As on a service: the jar names its extensions itself. tests/test_loop_on_spark.py has them named.
    return {"spark.jars": str(jar)}


@pytest.fixture(scope="session")
def small_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install airflow-spark-tuner[pipeline]")
    from .small_tables import write_small_tables

    return write_small_tables(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="session")
def steered_run(
    agent_conf: dict[str, str],
    small_tables: Path,
    tpcds_tables: Path,
    tpcds_queries: dict[int, str],
    spark_submit: Callable[..., Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> SteeredRun:
    """Every program as written and steered at random."""
    root = tmp_path_factory.mktemp("steered")
    options = {
        "tables": str(small_tables),
        "views": str(tpcds_tables),
        "work": str(root / "work"),
        "random": 8,
        "queries": {f"query {number}": tpcds_queries[number] for number in _TPCDS},
        "broken": NO_DIRECTIVES,
        "phases": [{"name": "steered", "seed": 1, "cartesian": 0.05}],
    }
    (root / "work").mkdir()
    (root / "options.json").write_text(json.dumps(options), encoding="utf-8")
    files = (root / "options.json", root / "report.json")
    logs = spark_submit(_APP, *files, log_dir=root / "logs", conf={**_CONF, **agent_conf})
    report = json.loads((root / "report.json").read_text(encoding="utf-8"))
    return SteeredRun(report, steered_executions(logs), logs)
