"""Spark's own history server, from the jars of the pyspark package, and what it answers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

CLASS = "org.apache.spark.deploy.history.HistoryServer"
DEADLINE_S = 60.0
Attempt = tuple[str, str | None]  # at an application: its id, and the attempt's
_PORT = re.compile(r"'HistoryServerUI' on port (\d+)")


class HistoryServer:
    """One server; `show` gives it other logs while it runs."""

    def __init__(self, address: str, folder: Path) -> None:
        self._address = address
        self._folder = folder

    def show(self, logs: Mapping[Attempt, Path], beside: Iterable[Path] = ()) -> dict[Attempt, dict[str, Any]]:
        """Serve just these logs; those `beside` them it is expected to refuse. Returns what it lists once it lists all."""
        for link in self._folder.iterdir():
            link.unlink()
        self._wait_for(set())
        for log in (*logs.values(), *beside):
            (self._folder / log.name).symlink_to(log)
        self._wait_for(set(logs))
        return self.listing()

    def ask(self, resource: str) -> Any:
        """A resource below `/api/v1/`."""
        with urlopen(f"{self._address}/api/v1/{resource}", timeout=DEADLINE_S) as answer:
            return json.load(answer)

    def listing(self) -> dict[Attempt, dict[str, Any]]:
        """The attempts it lists."""
        return {
            (application["id"], attempt.get("attemptId")): {"name": application["name"], **attempt}
            for application in self.ask("applications")
            for attempt in application["attempts"]
        }

    def _wait_for(self, expected: set[Attempt]) -> None:
        until = time.monotonic() + DEADLINE_S
        while (listed := set(self.listing())) != expected:
            assert time.monotonic() < until, f"listed: {listed - expected}, missing: {expected - listed}"
            time.sleep(0.1)


@contextlib.contextmanager
def history_server(home: Path) -> Iterator[HistoryServer]:
    """A history server on a loopback port, with its logs and its output below `home`."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    java_home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(java_home, "bin")) if java_home else None)
    if java is None:
        pytest.skip("no Java")
    folder, output = home / "logs", home / "output"
    folder.mkdir()
    settings = {
        "spark.history.fs.logDirectory": folder.as_uri(),
        "spark.history.fs.update.interval": "1s",
        "spark.history.ui.port": "0",
        "spark.history.retainedApplications": "2",  # all that are asked at once: each holds its whole store
        "spark.ui.retainedJobs": "1000000",
        "spark.ui.retainedStages": "1000000",
        "spark.sql.ui.retainedExecutions": "1000000",
    }
    command = [
        java,
        "-Xmx1g",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        *(f"-D{key}={value}" for key, value in settings.items()),
        "-cp",
        str(Path(pyspark.__file__).with_name("jars") / "*"),
        CLASS,
    ]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (
        output.open("wb") as out,
        subprocess.Popen(command, env=environment, cwd=home, stdout=out, stderr=subprocess.STDOUT) as process,
    ):
        try:
            yield HistoryServer(f"http://127.0.0.1:{_port(process, output)}", folder)
        finally:
            process.terminate()


def _port(process: subprocess.Popen[bytes], output: Path) -> int:
    """The port it listens on, once it does."""
    until = time.monotonic() + DEADLINE_S
    while not (found := _PORT.search(text := output.read_text(errors="replace"))):
        assert process.poll() is None and time.monotonic() < until, text[-4000:]
        time.sleep(0.1)
    return int(found[1])
