"""Settings of a Spark session that hold for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

_ROWS_PER_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


@contextmanager
def rows_per_batch(spark: SparkSession, rows: int) -> Iterator[None]:
    """Meanwhile, Python workers are given so many rows at once: where a row is large, 10,000 of them are too many."""
    before = spark.conf.get(_ROWS_PER_BATCH)
    spark.conf.set(_ROWS_PER_BATCH, str(rows))
    try:
        yield
    finally:
        spark.conf.set(_ROWS_PER_BATCH, before)
