"""`spark-tuner harvest --spark MASTER --out DIR`: many logs to Parquet tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tuner.cli.process.spark_session import spark_session
from tuner.cli.reading.log_sources import log_sources, on_stderr
from tuner.errors import RequirementError
from tuner.eventlog.log_version import log_name
from tuner.model.application import Completeness

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tuner.eventlog.find import LogSource
    from tuner.pipeline.harvest import HarvestSummary


def harvest_on_spark(paths: Iterable[str], master: str, out: str, conf: Iterable[str]) -> tuple[HarvestSummary, int]:
    """Bring the tables at `out` up to date with the logs: what was done, and how many paths and logs could not be read.

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
        return done, failures + told_unread(spark, out, sources)


def told_unread(spark: SparkSession, out: str, sources: Iterable[LogSource]) -> int:
    """How many logs there are that were given by their own names and could not be read, whenever that was tried."""
    from tuner.pipeline.harvested import table

    named = {log_name(source) for source in sources if source.named}
    if not named:
        return 0
    failed = table(spark, out, "applications", "log", "status").where(f"status = '{Completeness.FAILED.value}'")
    unread = sorted(named & {row["log"] for row in failed.select("log").toLocalIterator()})
    for log in unread:
        on_stderr(f"{log}: no application could be read")
    return len(unread)
