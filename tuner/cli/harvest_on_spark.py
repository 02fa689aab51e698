"""`spark-tuner harvest --spark MASTER --out DIR`: many logs to Parquet tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import msgspec
import typer

from tuner.cli.console import console
from tuner.cli.log_sources import log_sources
from tuner.cli.print_lines import print_lines
from tuner.cli.spark_session import spark_session
from tuner.errors import RequirementError
from tuner.units import format_bytes


def harvest_on_spark(paths: Iterable[str], master: str, out: str, conf: Iterable[str], *, as_json: bool) -> None:
    """Bring the tables at `out` up to date with the logs, and tell what was done.

    Raises RequirementError without PySpark or PyArrow, HarvestError where the tables cannot be written.
    """
    sources, failures = log_sources(paths, out)
    try:
        from tuner.pipeline.hadoop import HadoopDirectory
        from tuner.pipeline.harvest import harvest
        from tuner.pipeline.sole_writer import sole_writer
    except ImportError as error:
        raise RequirementError(
            f"harvest --spark needs PySpark and PyArrow ({error}); pip install 'airflow-spark-tuner[pipeline]'"
        ) from None
    with (
        spark_session(master, conf, "spark-tuner harvest") as spark,
        sole_writer(HadoopDirectory(spark, out)) as writer,
    ):
        done = harvest(spark, sources, writer)
    if as_json:
        typer.echo(msgspec.json.encode(asdict(done)).decode())
    else:
        statuses = ", ".join(f"{count} {status}" for status, count in sorted(done.statuses.items())) or "none"
        read = f"{done.read} logs read ({format_bytes(done.size_bytes)}): {statuses}; {done.unchanged} unchanged"
        print_lines(console(), [read, *(f"  {table}: {rows} rows" for table, rows in done.rows.items())])
    if failures:
        raise typer.Exit(1)
