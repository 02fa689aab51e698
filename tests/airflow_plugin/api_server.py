"""A real Airflow on loopback: a home and a database of its own, its commands, and its API server."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import httpx

SIMPLE = "airflow.api_fastapi.auth.managers.simple.simple_auth_manager.SimpleAuthManager"
FAB = "airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager"
# By name: the role. Etl may read one DAG; Half reads all and edits that one; Titles reads DAGs, and none of their runs.
FAB_USERS = {"etl": "Etl", "half": "Half", "titles": "Titles", "viewer": "Viewer", "admin": "Admin"}
FAB_PASSWORD = "secret"

_ROOT = Path(__file__).parents[2]
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

    def with_settings(self, **settings: str) -> Airflow:
        """The same home with other environment variables."""
        return replace(self, environ={**self.environ, **settings})

    def write_dag(self, dag_id: str, **access: set[str]) -> None:
        """The file of a DAG with one task; `access` are FAB's actions by role. `dags reserialize` tells Airflow of it."""
        (self.home / "dags" / f"{dag_id}.py").write_text(_DAG.format(dag_id=dag_id, access=access))


def make_airflow(home: Path, **settings: str) -> Airflow:
    """An Airflow of this package with nothing in it; settings are environment variables."""
    (home / "dags").mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    for name in ("SPARK_HOME", "SPARK_TUNER_DB"):
        kept.pop(name, None)
    return Airflow(
        home,
        {
            **kept,
            "PYTHONPATH": str(_ROOT),
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__API__SECRET_KEY": secrets.token_hex(16),
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "AIRFLOW__CORE__DAGS_FOLDER": str(home / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
            **settings,
        },
    )


def copy_airflow(home: Path, target: Path) -> Airflow:
    """An Airflow with the database, the DAGs and the settings of another, which has no process running."""
    airflow = make_airflow(target)
    shutil.copytree(home, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("logs"))
    return airflow


def migrate(airflow: Airflow) -> None:
    """Makes the database, with the DAGs of the dags folder, for both auth managers: FAB's tables disturb no other."""
    if find_spec("airflow.providers.fab") is None:
        airflow.with_settings(AIRFLOW__CORE__AUTH_MANAGER=SIMPLE).run("db migrate", "dags reserialize")
        return
    # Passwords of tests are not worth seconds of hashing.
    (airflow.home / "webserver_config.py").write_text("FAB_PASSWORD_HASH_METHOD = 'pbkdf2:sha256:1'\n")
    airflow.with_settings(AIRFLOW__CORE__AUTH_MANAGER=FAB).run(
        "db migrate",
        "roles create Etl Half Titles",
        "dags reserialize",
        "roles add-perms Etl Half -a can_read -r 'DAG Runs' 'Task Instances' Website",
        "roles add-perms Half Titles -a can_read -r DAGs",
        *(
            f"users create -u {user} -p {FAB_PASSWORD} -e {user}@example.org -f {user} -l {user} -r {role}"
            for user, role in FAB_USERS.items()
        ),
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
def api_server(airflow: Airflow, log: Path, *, port: int = 0, apps: str = "core") -> Iterator[ApiServer]:
    """`airflow api-server` of a migrated database, in a process group of its own, once it answers."""
    port = port or free_port()
    command = ["api-server", "--host", "127.0.0.1", "--port", str(port), "--apps", apps]
    with running(airflow, command, log) as process:
        _wait_until_it_answers(f"http://127.0.0.1:{port}", process, log)
        yield ApiServer(f"http://127.0.0.1:{port}", log)


@contextmanager
def running(airflow: Airflow, command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """An Airflow command that does not end by itself, in a process group of its own."""
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
        yield process
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
    """At once: a graceful end takes seconds, and there is nothing to save."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
