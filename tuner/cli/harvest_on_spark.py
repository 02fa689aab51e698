"""`spark-tuner harvest --spark MASTER --out DIR`: many logs to Parquet tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import typer

from tuner.errors import EventLogNotFoundError, RequirementError
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import log_path
from tuner.units import format_bytes


def harvest_on_spark(paths: Iterable[str], master: str, out: str, conf: Iterable[str], *, as_json: bool) -> None:
    """Bring the tables at `out` up to date with the logs, and tell what was done.

    Raises RequirementError without PySpark or PyArrow, HarvestError where the tables cannot be written.
    """
    settings = [_pair(item) for item in conf]
    sources, failures = _sources(paths, out)
    try:
        from tuner.pipeline.harvest import harvest
    except ImportError as error:
        raise RequirementError(
            f"harvest --spark needs PySpark and PyArrow ({error}); pip install 'airflow-spark-tuner[pipeline]'"
        ) from None
    with _session(master, settings) as spark:
        done = harvest(spark, sources, out)
    if as_json:
        typer.echo(msgspec.json.encode(asdict(done)).decode())
    else:
        statuses = ", ".join(f"{count} {status}" for status, count in sorted(done.statuses.items())) or "none"
        typer.echo(f"{done.read} logs read ({format_bytes(done.size_bytes)}): {statuses}; {done.unchanged} unchanged")
        for table, rows in done.rows.items():
            typer.echo(f"  {table}: {rows} rows")
    if failures:
        raise typer.Exit(1)


def _pair(item: str) -> tuple[str, str]:
    key, equals, value = item.partition("=")
    if not equals:
        raise typer.BadParameter(f"--conf {item}: write KEY=VALUE")
    return key, value


def _sources(paths: Iterable[str], out: str) -> tuple[list[LogSource], int]:
    """The logs at the paths, and how many paths there are without any. What lies in `out` is no log."""
    written = f"{Path(out).absolute()}/"
    found: list[LogSource] = []
    failures = 0
    for path in paths:
        try:
            place = log_path(path)
            # Workers have working directories of their own.
            logs = find_logs(place.absolute() if isinstance(place, Path) else place)
            found += [log for log in logs if not str(log.path).startswith(written)]
        except (EventLogNotFoundError, OSError) as error:
            failures += 1
            print(f"spark-tuner: {error}", file=sys.stderr)
    return found, failures


@contextmanager
def _session(master: str, conf: Sequence[tuple[str, str]]) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    # Workers need the tuner, so by default they get the Python that has it here. PySpark reads this variable only.
    python = dict(conf).get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON", sys.executable)
    os.environ["PYSPARK_PYTHON"] = python
    builder = SparkSession.builder.master(master).appName("spark-tuner harvest")
    quiet = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        "spark.log.level": "ERROR",
    }
    for key, value in (quiet | dict(conf)).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
