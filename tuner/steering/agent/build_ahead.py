"""The agent's jar, built while a job runs: the compiler takes seconds, for which no job is to wait."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tuner.own_files import make_directory
from tuner.steering.agent.jar import BUILD_SECONDS, jar_of
from tuner.steering.agent.route import Route
from tuner.within_time import aside


def build_ahead(route: Route, environ: Mapping[str, str] = os.environ) -> None:
    """Starts to build the jar that a route needs, where there is none yet, in a process that outlives this one.

    One at a time; OSError where the data directory cannot be written.
    """
    submission = route.submission
    if submission.agent_jar or submission.spark is None:
        return
    jar = jar_of(submission.spark, environ)
    if jar.is_file():
        return
    make_directory(jar.parent, environ)
    if not _is_first(jar):
        return
    command = [sys.executable, "-m", "tuner.cli", "agent-jar"]
    command += ["--output", str(jar), "--spark-home", str(submission.spark.home)]
    with log_of(jar).open("wb") as log:
        process = subprocess.Popen(
            command, env=dict(environ), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    aside(process.wait)


def log_of(jar: Path) -> Path:
    """What the build of a jar said last."""
    return jar.with_suffix(".log")


def _is_first(jar: Path) -> bool:
    """Whether no other process builds this jar now, as far as its log's age tells."""
    log = log_of(jar)
    try:
        log.touch(exist_ok=False)
    except FileExistsError:
        if time.time() - log.stat().st_mtime < BUILD_SECONDS:
            return False
        log.touch()
    return True
