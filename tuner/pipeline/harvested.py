"""The tables of a harvest, as Spark reads them."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tuner.pipeline.hadoop import HadoopDirectory
from tuner.pipeline.schema import KEY, TABLES, ddl


def table(spark: SparkSession, out: str, name: str, *columns: str) -> DataFrame:
    """Some columns of a table; null, or no rows, where an earlier version has written none."""
    fields = [pa.field(c.name, c.type) for c in (*KEY, *TABLES[name]) if c.name in columns]
    if not HadoopDirectory(spark, out).names(name):
        return spark.createDataFrame([], ddl(fields)).select(*columns)
    return spark.read.schema(ddl(fields)).parquet(f"{out}/{name}").select(*columns)
