"""A real Airflow on loopback: a home and a database of its own, its commands, and its API server."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

SIMPLE = "airflow.api_fastapi.auth.managers.simple.simple_auth_manager.SimpleAuthManager"
FAB = "airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager"
FAB_ROLES = ("Viewer", "User", "Op", "Admin")

# Importing Airflow takes seconds: one process runs all of the commands.
_COMMANDS = """
import shlex, sys
from airflow.cli.cli_parser import get_parser
for line in sys.argv[1:]:
    arguments = get_parser().parse_args(shlex.split(line))
    arguments.func(arguments)
"""
_DAG = """
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
with DAG("{dag_id}", access_control={access!r}):
    EmptyOperator(task_id="nightly")
"""


@dataclass(frozen=True, slots=True)
class Airflow:
    """A home directory, and the environment that its processes are given."""

    home: Path
    environ: Mapping[str, str]

    def run(self, *commands: str) -> str:
        """What `airflow <command>` of each prints, in one process, as words of a shell."""
        done = subprocess.run(
            [sys.executable, "-c", _COMMANDS, *commands],
            env=self.environ,
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:]
        return done.stdout

    def write_dag(self, dag_id: str, **access: set[str]) -> None:
        """The file of a DAG with one task; `access` are FAB's actions by role. `dags reserialize` tells Airflow of it."""
        (self.home / "dags" / f"{dag_id}.py").write_text(_DAG.format(dag_id=dag_id, access=access))


def make_airflow(home: Path, auth_manager: str, **settings: str) -> Airflow:
    """An Airflow of this package with nothing in it; settings are environment variables."""
    (home / "dags").mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    for name in ("SPARK_HOME", "SPARK_TUNER_DB"):
        kept.pop(name, None)
    return Airflow(
        home,
        {
            **kept,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(Path.cwd()), kept.get("PYTHONPATH")))),
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__API__SECRET_KEY": secrets.token_hex(16),
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "AIRFLOW__CORE__AUTH_MANAGER": auth_manager,
            "AIRFLOW__CORE__DAGS_FOLDER": str(home / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
            **settings,
        },
    )


@dataclass(frozen=True, slots=True)
class ApiServer:
    """A running API server."""

    url: str
    log: Path

    def token(self, user: str, password: str) -> str:
        """The JWT that a user who signs in gets."""
        answer = httpx.post(f"{self.url}/auth/token", json={"username": user, "password": password}, timeout=60)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["access_token"])

    def client(self, token: str = "") -> httpx.Client:
        """Requests with this token in the header; without one, of nobody."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, follow_redirects=False)


@contextmanager
def api_server(airflow: Airflow) -> Iterator[ApiServer]:
    """`airflow api-server` of a migrated database, in a process group of its own, once it answers."""
    port = _free_port()
    log = airflow.home / "api-server.log"
    command = ["api-server", "--host", "127.0.0.1", "--port", str(port), "--apps", "core"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "airflow", *command],
            env=airflow.environ,
            cwd=airflow.home,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}", process, log)
        yield ApiServer(f"http://127.0.0.1:{port}", log)
    finally:
        _end(process)


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes], log: Path, seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, f"the API server ended: {log.read_text()[-4000:]}"
        try:
            if httpx.get(f"{url}/api/v2/version", timeout=10).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError(f"the API server does not answer: {log.read_text()[-4000:]}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sent)
            process.wait(20)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
