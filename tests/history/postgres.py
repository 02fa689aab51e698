"""A PostgreSQL server for one test session, from the programs that are on the machine."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

PASSWORD = "hunter2"


class Server:
    """A running server that listens on a Unix socket only; `database()` makes an empty database and gives its URL."""

    def __init__(self, socket_dir: Path) -> None:
        self._socket_dir = socket_dir
        self._count = 0

    def database(self) -> str:
        self._count += 1
        name = f"test_{self._count}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://tuner:{PASSWORD}@/{name}?host={self._socket_dir}"

    def connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(host=str(self._socket_dir), user="tuner", dbname="postgres", autocommit=True)


def programs() -> Path | None:
    """The directory of initdb and postgres; None where there is no PostgreSQL server."""
    on_path = shutil.which("initdb")
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = [Path(on_path).resolve()] if on_path else packaged
    return next((path.parent for path in found if (path.parent / "postgres").exists()), None)


@contextmanager
def serve(bin_dir: Path) -> Iterator[Server]:
    """A fresh server, ended with the context; its files are in a directory of their own, and go too."""
    # Short: the path of a Unix socket has at most 107 bytes.
    home = Path(tempfile.mkdtemp(prefix="tuner-pg-", dir="/tmp"))
    try:
        identity = _unprivileged(home)
        data = home / "data"
        _initialise(bin_dir, data, identity)
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(
                [bin_dir / "postgres", "-D", data, "-k", home, "-c", "listen_addresses=", "-c", "fsync=off"],
                cwd=home,
                stdout=log,
                stderr=log,
                **identity,
            )
        try:
            server = Server(home)
            _wait_until_ready(server, process, home / "log")
            yield server
        finally:
            _stop(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _unprivileged(home: Path) -> dict[str, Any]:
    # PostgreSQL refuses to run as root.
    if os.geteuid() != 0:
        return {}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(home, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _initialise(bin_dir: Path, data: Path, identity: dict[str, Any]) -> None:
    options = ["--username=tuner", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
    command = [str(bin_dir / "initdb"), "-D", str(data), *options]
    done = subprocess.run(command, check=False, cwd=data.parent, capture_output=True, text=True, **identity)
    assert done.returncode == 0, done.stderr


def _wait_until_ready(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            server.connect().close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)


def _stop(process: subprocess.Popen[bytes]) -> None:
    # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
