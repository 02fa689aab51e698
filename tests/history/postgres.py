"""A PostgreSQL server for one test session, from the programs that are on the machine."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

PASSWORD = "hunter2"


class Server:
    """A server that listens on a Unix socket only; `database()` makes an empty database and gives its URL."""

    def __init__(self, socket_dir: Path, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        self._socket_dir = socket_dir
        self._start = start
        self._count = 0
        self.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        """Start it, again after `kill`; returns when it takes connections."""
        deadline = time.monotonic() + 30
        self._process = self._start()
        while not self.is_ready:
            assert time.monotonic() < deadline, (self._socket_dir / "log").read_text()
            if self._process.poll() is not None:
                # The last of a killed server's processes may still be there.
                self._process = self._start()
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as it ends when memory runs out; what was committed is on disk."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()

    def database(self, template: str = "", encoding: str = "") -> str:
        """The URL of a new database: an empty one, or a copy of that at a URL which nothing is connected to."""
        self._count += 1
        name = f"test_{self._count}"
        with self.connect() as connection:
            of = urlsplit(template).path.strip("/") or "template1"
            own = f" ENCODING '{encoding}'" if encoding else ""
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {'template0' if encoding else of}{own}")
        return f"postgresql://tuner:{PASSWORD}@/{name}?host={self._socket_dir}"

    def connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(host=str(self._socket_dir), user="tuner", dbname="postgres", autocommit=True)

    @property
    def is_ready(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True


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

        def start() -> subprocess.Popen[bytes]:
            with (home / "log").open("ab") as log:
                return subprocess.Popen(
                    [bin_dir / "postgres", "-D", data, "-k", home, "-c", "listen_addresses=", "-c", "fsync=off"],
                    cwd=home,
                    stdout=log,
                    stderr=log,
                    **identity,
                )

        server = Server(home, start)
        try:
            yield server
        finally:
            server.stop()
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
