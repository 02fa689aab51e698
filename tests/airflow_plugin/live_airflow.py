"""A whole Airflow on loopback: API server, scheduler and DAG processor, and its users."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.airflow_plugin.api_server import SIMPLE, ApiServer, api_server, free_port, make_airflow, running

# Name, password and role in one.
ROLES = ("admin", "viewer")
_END = ("success", "failed")


@dataclass(frozen=True, slots=True)
class LiveAirflow:
    """An Airflow that runs the DAGs of its folder."""

    server: ApiServer
    home: Path

    @property
    def store_url(self) -> str:
        return f"sqlite:///{self.home}/history.db"

    def run_dag(self, dag_id: str, seconds: float = 300) -> str:
        """Triggers a DAG and waits for its end: the id of a run that succeeded."""
        with self.server.client(self.server.token("admin", "admin")) as client:
            dag = f"/api/v2/dags/{dag_id}"
            self._wait(lambda: client.get(dag).status_code == 200, seconds, f"no DAG {dag_id}")
            client.patch(dag, json={"is_paused": False}).raise_for_status()
            made = client.post(f"{dag}/dagRuns", json={"logical_date": datetime.now(UTC).isoformat()})
            made.raise_for_status()
            run_id = str(made.json()["dag_run_id"])

            def state() -> str:
                return str(client.get(f"{dag}/dagRuns/{run_id}").json()["state"])

            self._wait(lambda: state() in _END, seconds, f"run {run_id} does not end")
            assert state() == "success", self.logs()
            return run_id

    def logs(self) -> str:
        """The ends of all logs, tasks' too."""
        files = [*self.home.glob("*.log"), *(self.home / "logs").rglob("attempt=*.log")]
        return "\n".join(f"== {file}\n{file.read_text(errors='replace')[-3000:]}" for file in files)

    def _wait(self, done: Callable[[], bool], seconds: float, otherwise: str) -> None:
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f"{otherwise}\n{self.logs()}"
            time.sleep(0.5)


@contextmanager
def live_airflow(home: Path, dags: dict[str, str], **settings: str) -> Iterator[LiveAirflow]:
    """With these DAG files, by name; settings are environment variables."""
    port = free_port()
    airflow = make_airflow(
        home,
        AIRFLOW__CORE__AUTH_MANAGER=SIMPLE,
        AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS=",".join(f"{role}:{role}" for role in ROLES),
        AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE=str(home / "passwords.json"),
        AIRFLOW__CORE__EXECUTOR="LocalExecutor",
        AIRFLOW__CORE__PARALLELISM="1",
        AIRFLOW__CORE__EXECUTION_API_SERVER_URL=f"http://127.0.0.1:{port}/execution/",
        AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL="5",
        AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME="0.5",
        # spark-submit is found beside Python, as in an environment that is activated.
        PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        SPARK_TUNER_DB=f"sqlite:///{home}/history.db",
        **settings,
    )
    (home / "passwords.json").write_text(json.dumps({role: role for role in ROLES}))
    for name, text in dags.items():
        (home / "dags" / name).write_text(text)
    airflow.run("db migrate", "dags reserialize")
    with (
        running(airflow, ["scheduler"], home / "scheduler.log"),
        running(airflow, ["dag-processor"], home / "dag-processor.log"),
        api_server(airflow, home / "api-server.log", port=port, apps="all") as server,
    ):
        yield LiveAirflow(server, home)
