"""`spark-tuner submit`: the loop around spark-submit, without Airflow."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from tuner.cli.db import Url, store_url
from tuner.errors import SparkSubmitError, TunerError
from tuner.history.model import Mode
from tuner.history.url import data_directory
from tuner.loop import Job, Turn, complete, prepare
from tuner.spark_submit import environment_for, find_spark_submit

_CONF_FLAGS = {
    "--driver-memory": "spark.driver.memory",
    "--executor-memory": "spark.executor.memory",
    "--master": "spark.master",
}


def submit(
    arguments: Annotated[list[str] | None, typer.Argument(help="After --: what you would give spark-submit.")] = None,
    cohort: Annotated[str, typer.Option(help="The recurring job's name: runs of a cohort learn from each other.")] = "",
    mode: Annotated[
        Mode, typer.Option(help="observe records, suggest applies what was approved, auto tries what pays.")
    ] = Mode.AUTO,
    sql: Annotated[Path | None, typer.Option(help="A .sql file to run instead of an application.")] = None,
    event_log_base: Annotated[
        Path | None, typer.Option(help="Where event logs go. [default: beside the SQLite store]")
    ] = None,
    url: Url = None,
) -> None:
    """Run spark-submit, steered by what earlier runs of the cohort measured. Its exit code is spark-submit's."""
    given = list(arguments or [])
    if not cohort:
        raise typer.BadParameter("give the recurring job a name", param_hint="--cohort")
    if not given and sql is None:
        raise typer.BadParameter("give an application after --, as for spark-submit, or --sql FILE")
    program, statements = find_spark_submit(), _statements(sql)
    store = store_url(url)
    now = datetime.now(UTC)
    job = Job(
        cohort=cohort,
        key=f"{cohort}/{now:%Y%m%dT%H%M%S.%f}/1",
        try_number=1,
        mode=mode,
        user_conf=dict(_user_conf(given)),
        event_log_base=str(event_log_base or _default_base()),
        statements=statements,
    )
    turn = prepare(job, store)
    for problem in turn.problems:
        _say(problem)
    _say(turn.decision.summary)
    code = _run(program, turn, given)
    report = complete(turn, store, failed=code != 0)
    for line in report.lines()[1:]:
        print(line, file=sys.stderr)
    raise typer.Exit(code)


def _run(program: str, turn: Turn, given: Sequence[str]) -> int:
    conf = [part for key, value in turn.conf.items() for part in ("--conf", f"{key}={value}")]
    with tempfile.TemporaryDirectory(prefix="spark-tuner-") as directory:
        application = _sql_application(turn, directory)
        try:
            command = [program, *conf, *given, *application]
            return subprocess.run(command, env=environment_for(program), check=False).returncode
        except OSError as error:
            raise SparkSubmitError(f"{program}: {error.strerror}; check SPARK_HOME") from error


def _sql_application(turn: Turn, directory: str) -> list[str]:
    if not turn.job.statements:
        return []
    spec = find_spec("tuner.steering.sql_runner")
    file = Path(directory, "statements.json")
    file.write_text(json.dumps({"statements": turn.directives.statements or turn.job.statements}), encoding="utf-8")
    return [str(spec.origin if spec else ""), str(file)]


def _statements(file: Path | None) -> tuple[str, ...]:
    if file is None:
        return ()
    from tuner.steering.sql import split_statements

    try:
        found = split_statements(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TunerError(f"{file}: {error.strerror}; give a readable .sql file") from error
    if not found:
        raise TunerError(f"{file}: no SQL statement in it")
    return found


def _user_conf(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the user sets on spark-submit's own command line: it wins."""
    for flag, value in pairwise(arguments):
        if flag in ("--conf", "-c") and "=" in value:
            yield tuple(value.split("=", 1))  # type: ignore[misc]
        elif flag in _CONF_FLAGS:
            yield _CONF_FLAGS[flag], value
    for argument in arguments:
        if match := re.match(r"--conf=([^=]+)=(.*)$", argument):
            yield match[1], match[2]


def _default_base() -> Path:
    return data_directory(os.environ) / "events"


def _say(message: str) -> None:
    print(f"spark-tuner: {message}", file=sys.stderr)
