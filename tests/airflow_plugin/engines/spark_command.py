"""A spark-submit without a Spark, as commands start it: it takes its properties from SPARK_SUBMIT_OPTS, too, notes what it had,
and leaves an event log; with `later` as its last argument it leaves that to `leave_log`."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path


def install(directory: Path) -> Path:
    """Make spark-submit and spark-sql in a directory, for this Python. Returns the file of their notes."""
    directory.mkdir(exist_ok=True)
    notes = directory / "notes.jsonl"
    for name in ("spark-submit", "spark-sql"):
        program = directory / name
        home = Path(__file__).parents[3]
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={home} exec {sys.executable} -m tests.airflow_plugin.engines.spark_command {notes} "$@"\n'
        )
        program.chmod(0o755)
    return notes


def started(notes: Path) -> list[dict[str, str]]:
    """The properties of the jobs so far, with SPARK_DIST_CLASSPATH under its own name."""
    return [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []


def leave_log(conf: Mapping[str, str], how: str = "ok") -> int:
    """The event log of a job with these properties; its exit code."""
    from tests.airflow_plugin import logging_spark

    return logging_spark.main([part for key, value in conf.items() for part in ("--conf", f"{key}={value}")] + [how])


def main(notes: str, *arguments: str) -> int:
    options = shlex.split(os.environ.get("SPARK_SUBMIT_OPTS", ""))
    conf = dict(option[2:].split("=", 1) for option in options if option.startswith("-Dspark."))
    conf |= dict(value.split("=", 1) for flag, value in pairwise(arguments) if flag == "--conf")
    class_path = os.environ.get("SPARK_DIST_CLASSPATH")
    noted = {**conf, **({"SPARK_DIST_CLASSPATH": class_path} if class_path else {})}
    with Path(notes).open("a") as file:
        file.write(json.dumps(noted) + "\n")
    how = arguments[-1] if arguments else "ok"
    if "spark.eventLog.dir" not in conf or how == "later":
        return int(how == "fail")
    return leave_log(conf, how)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
