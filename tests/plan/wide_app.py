"""Queries over tables of more columns than Spark prints, each planned with lists of 25 and of 100.

    spark-submit --conf spark.eventLog.enabled=true --conf spark.eventLog.dir=LOGS wide_app.py TABLES
    python wide_app.py LOG fixtures/wide.zstd      # what tells of plans, of the log that this left

Each execution's description is "<25|100> <name>".
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import zstandard
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

COLUMNS = [f"c{number:02}" for number in range(40)]
KEPT = ("LogStart", "ApplicationStart", "SQLExecutionStart", "SQLExecutionEnd", "ApplicationEnd")


def write_tables(spark: SparkSession, tables: str) -> None:
    ids = spark.range(100)
    columns = [(f.col("id") * number).alias(name) for number, name in enumerate(COLUMNS)]
    keys = [(f.col("id") % 7).alias("k"), (f.col("id") % 3).alias("day"), f.array(f.lit(1), f.lit(2)).alias("xs")]
    ids.select(*keys, *columns).write.partitionBy("day").parquet(f"{tables}/wide")
    ids.select("id", f.col("id").cast("string").alias("name")).write.parquet(f"{tables}/narrow")


def queries(spark: SparkSession, tables: str) -> dict[str, DataFrame]:
    wide, narrow = spark.read.parquet(f"{tables}/wide"), spark.read.parquet(f"{tables}/narrow")
    joined = wide.join(narrow, f.col("k") == f.col("id"))
    spark.conf.set("spark.sql.sources.useV1SourceList", "")
    of_second_api = spark.read.parquet(f"{tables}/wide").join(narrow, f.col("k") == f.col("id"))
    spark.conf.unset("spark.sql.sources.useV1SourceList")
    return {
        "few columns": joined.groupBy("name").agg(f.sum("c01")),
        "all columns": joined,
        "all columns of the second API": of_second_api,
        "one column less": joined.drop("c39"),
        "many keys and functions": joined.groupBy(*COLUMNS[:30]).agg(*[f.sum(c).alias(f"s{c}") for c in COLUMNS]),
        "many expressions": joined.select("name", "day", *[(f.col(c) + 1).alias(f"p{c}") for c in COLUMNS]),
        "rows of lists": wide.select(f.explode("xs").alias("x"), *COLUMNS).where("x > 1"),
        "in order": wide.orderBy(*COLUMNS[:30]),
    }


def main(tables: str) -> None:
    spark = SparkSession.builder.appName("wide").getOrCreate()
    if not Path(tables, "wide").exists():
        write_tables(spark, tables)
    for fields in ("25", "100"):
        spark.conf.set("spark.sql.debug.maxToStringFields", fields)
        for name, query in queries(spark, tables).items():
            spark.sparkContext.setJobDescription(f"{fields} {name}")
            query.collect()
    spark.stop()


def write_plans(log: str, kept: str) -> None:
    """Of the log what the fold reads of plans before adaptive execution."""
    lines = []
    for line in Path(log).read_text().splitlines():
        event = json.loads(line)
        if event["Event"].endswith(KEPT):
            event |= {"physicalPlanDescription": "", "details": "", "modifiedConfigs": {}}
            lines.append(json.dumps(event))
    Path(kept).write_bytes(zstandard.ZstdCompressor(19).compress("\n".join(lines).encode()))


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 2 else write_plans(*sys.argv[1:])
