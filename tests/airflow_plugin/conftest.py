"""An Airflow without a database; a spark-submit and a loop that only note how they were called."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.for_all_workers import for_all_workers

if TYPE_CHECKING:
    from tests.airflow_plugin.api_server import Airflow

_HOME = tempfile.TemporaryDirectory(prefix="spark-tuner-airflow-home-")
# Airflow reads these when it is imported, which collecting the tests does.
os.environ["AIRFLOW_HOME"] = _HOME.name
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ["AIRFLOW__CORE__DAGS_FOLDER"] = str(Path(_HOME.name, "dags"))

PATIENCE = ("AIRFLOW__SPARK_TUNER__MOST_SECONDS_BEFORE", "AIRFLOW__SPARK_TUNER__MOST_SECONDS_AFTER")


@pytest.fixture(autouse=True)
def airflow_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Spark connection in client mode, and a history store and event logs of this test's own."""
    for name in [name for name in os.environ if name.startswith("AIRFLOW__SPARK_TUNER__")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SPARK_TUNER_DB", f"sqlite:///{tmp_path}/history.db")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", str(tmp_path / "events"))
    for name in PATIENCE:
        monkeypatch.setenv(name, "60")
    set_connection(monkeypatch, "spark_default", conn_type="spark", host="local[2]")


def set_connection(monkeypatch: pytest.MonkeyPatch, conn_id: str, **fields: Any) -> None:
    monkeypatch.setenv(f"AIRFLOW_CONN_{conn_id.upper()}", json.dumps(fields))


@pytest.fixture
def in_airflow_cfg() -> Iterator[Callable[[str, str], None]]:
    """Writes an option of `[spark_tuner]` as airflow.cfg has it, for this test alone."""
    from airflow_plugin.compat import conf

    written: list[str] = []

    def write(option: str, value: str) -> None:
        conf.read_string(f"[spark_tuner]\n{option} = {value}\n")
        written.append(option)

    yield write
    for option in written:
        conf.remove_option("spark_tuner", option, remove_default=False)


@pytest.fixture
def cluster_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    set_connection(monkeypatch, "spark_default", conn_type="spark", host="yarn", extra={"deploy-mode": "cluster"})


@dataclass
class Submit:
    """What spark-submit was started with, and how it is to end."""

    returncode: int = 0
    output: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    statements: list[str] | None = None
    statements_file: str | None = None
    while_running: Callable[[], object] = lambda: None

    @property
    def conf(self) -> dict[str, str]:
        pairs = zip(self.command, self.command[1:], strict=False)
        return dict(value.split("=", 1) for flag, value in pairs if flag == "--conf")

    def flag(self, name: str) -> str:
        return self.command[self.command.index(name) + 1]

    def popen(self, command: list[str], **kwargs: Any) -> SimpleNamespace:
        self.command = command
        files = [part for word in command for part in word.rpartition("=")[2].split(",") if part.endswith(".json")]
        self.statements_file = next((file for file in files if Path(file).is_absolute()), None)
        if self.statements_file:
            self.statements = json.loads(Path(self.statements_file).read_text())["statements"]
        self.while_running()
        return SimpleNamespace(stdout=self.output, wait=lambda: self.returncode, poll=lambda: self.returncode)


@pytest.fixture
def submit(monkeypatch: pytest.MonkeyPatch) -> Submit:
    noted = Submit()
    # The hook's own: what else starts processes is left alone.
    own = SimpleNamespace(**{**vars(subprocess), "Popen": noted.popen})
    monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.subprocess", own)
    return noted


@dataclass
class Loop:
    """Stands in for tuner.loop.loop: what it was told, what it answers, and what it raises."""

    conf: dict[str, str] = field(default_factory=lambda: {"spark.sql.shuffle.partitions": "8"})
    statements: tuple[str, ...] = ()
    merged: dict[str, str] = field(default_factory=dict)
    raised: dict[str, str] = field(default_factory=dict)
    prepared: list[tuple[Any, str]] = field(default_factory=list)
    completed: list[tuple[Any, str, bool]] = field(default_factory=list)
    while_preparing: Callable[[], None] = lambda: None
    prepare_error: BaseException | None = None
    complete_error: BaseException | None = None
    changes: tuple[Any, ...] = ()
    problems: tuple[str, ...] = ()
    judgement: Any = None
    gained: Any = None
    report: dict[str, object] = field(default_factory=lambda: {"decision": "trial", "seconds": 1.5})

    def prepare(self, job: Any, store_url: str) -> Any:
        from tests.policy.histories import said
        from tuner.loop.loop import Turn
        from tuner.model.decision import Decision
        from tuner.steering.directives import Directives

        self.prepared.append((job, store_url))
        self.while_preparing()
        if self.prepare_error is not None:
            raise self.prepare_error
        decision = Decision(job.mode, self.changes, said("8 partitions on trial"))
        directives = Directives(statements=self.statements, merged=self.merged, sizes=self.raised)
        return Turn(job, decision, directives, self.conf, "/events/1", datetime.now(UTC))

    def complete(self, turn: Any, store_url: str, *, failed: bool, ending: Any = None) -> Any:
        self.completed.append((turn, store_url, failed))
        if self.complete_error is not None:
            raise self.complete_error
        return SimpleNamespace(
            as_json=lambda: self.report,
            turn=turn,
            judgement=self.judgement,
            gained=self.gained,
            problems=self.problems,
        )

    @property
    def job(self) -> Any:
        ((job, _),) = self.prepared
        return job

    @property
    def outcomes(self) -> list[bool]:
        return [failed for _, _, failed in self.completed]


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    noted = Loop()
    monkeypatch.setattr("tuner.loop.loop.prepare", noted.prepare)
    monkeypatch.setattr("tuner.loop.loop.complete", noted.complete)
    monkeypatch.setattr("airflow_plugin.turn.report_lines", lambda _: ["spark-tuner: measured"])
    monkeypatch.setattr("airflow_plugin.turn.report_details", lambda _: ["spark-tuner: promoted"])
    return noted


@dataclass
class TaskInstance:
    """As much of a running task instance as an operator sees without a database."""

    dag_id: str = "sales"
    run_id: str = "manual__2026-01-02"
    task_id: str = "nightly"
    map_index: int = -1
    try_number: int = 1
    max_tries: int = 0
    xcoms: dict[str, Any] = field(default_factory=dict)
    stats_tags: dict[str, str] = field(default_factory=dict)

    def xcom_push(self, key: str, value: Any) -> None:
        self.xcoms[key] = value


@pytest.fixture
def ti() -> TaskInstance:
    return TaskInstance()


@pytest.fixture
def told_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[tuple[str, str]]]:
    """Makes an operator keep what the tuner says in its log in a list, as pairs of level and text."""

    def listen(operator: Any) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        log = operator.log
        monkeypatch.setattr(
            type(operator), "log", property(lambda _: _Listening(log, lambda *told: lines.append(told)))
        )
        return lines

    return listen


@pytest.fixture
def warnings_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[str]]:
    """Makes an operator keep the tuner's warnings in a list, as text."""

    def listen(operator: Any) -> list[str]:
        lines: list[str] = []
        log = operator.log

        def keep(level: str, text: str) -> None:
            if level == "warning":
                lines.append(text)

        monkeypatch.setattr(type(operator), "log", property(lambda _: _Listening(log, keep)))
        return lines

    return listen


class _Listening:
    def __init__(self, log: Any, keep: Callable[[str, str], None]) -> None:
        self._log, self._keep = log, keep

    def __getattr__(self, level: str) -> Any:
        def say(message: str, *args: Any, **kwargs: Any) -> None:
            text = message % args if args else message
            if text.lower().startswith(("spark tuner", "spark-tuner")):
                self._keep(level, text)

        return say


@pytest.fixture(scope="session")
def migrated_airflow(tmp_path_factory: pytest.TempPathFactory) -> Airflow:
    """A real Airflow that knows the DAGs of the panel's history; it has no process running."""
    from tests.airflow_plugin.api_server import copy_airflow, make_airflow, migrate
    from tests.airflow_plugin.panel_history import DAGS

    with for_all_workers(tmp_path_factory, "migrated-airflow") as shared:
        made = shared / "home"
        if not made.exists():
            airflow = make_airflow(shared / "being-made")
            for dag_id in DAGS:
                airflow.write_dag(dag_id, **({"Etl": {"can_read"}, "Half": {"can_edit"}} if dag_id == "etl" else {}))
            migrate(airflow)
            airflow.home.rename(made)
    return copy_airflow(made, tmp_path_factory.mktemp("airflow") / "home")
