"""The job of a trap: registers its tables, runs its queries, and says what each gave and took.

application.py WANTED.json REPORT.json
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, count, round, xxhash64
from pyspark.sql.functions import sum as sum_of


def main(wanted_file: str, report_file: str) -> None:
    wanted: dict[str, Any] = json.loads(Path(wanted_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName(wanted["name"]).getOrCreate()
    for table in wanted["tables"]:
        spark.read.parquet(f"{wanted['folder']}/{table}").createOrReplaceTempView(table)
    _warm_up(spark)
    found = []
    for name, text in wanted["queries"]:
        spark.sparkContext.setJobDescription(name)
        started, cpu = time.monotonic(), _jvm_cpu_seconds()
        frame = spark.sql(text)
        hashed = xxhash64(*_exact(frame)).cast("decimal(38,0)")
        rows, digest = frame.agg(count("*"), sum_of(hashed)).collect()[0]
        took, spent = time.monotonic() - started, _jvm_cpu_seconds() - cpu
        found.append({"query": name, "seconds": took, "cpu_seconds": spent, "rows": rows, "digest": str(digest)})
    Path(report_file).write_text(json.dumps(found), encoding="utf-8")
    spark.stop()


def _warm_up(spark: SparkSession) -> None:
    """What all joins share is compiled before the first is timed: a query that got faster would leave that to the next one."""
    spark.sparkContext.setJobDescription("warm-up")
    numbers, others = spark.range(0, 1_000_000, 1, 4), spark.range(0, 400_000, 1, 4)
    for hint in ("merge", "broadcast"):
        joined = numbers.selectExpr("id", "id % 50 AS g").join(others.selectExpr("id % 1000 AS id").hint(hint), "id")
        joined.groupBy("g").agg(count("*"), sum_of("id")).collect()


def _exact(frame: DataFrame) -> list[Column]:
    """Its columns; what floating point makes of another order of additions is cut off."""
    return [round(col(name), 4) if kind in ("double", "float") else col(name) for name, kind in frame.dtypes]


def _jvm_cpu_seconds() -> float:
    """Processor time of driver and executors, planning and collecting included. spark-submit is the parent of Python."""
    fields = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
    # utime and stime, fields 14 and 15 of proc(5); after the command come fields 3 and on.
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*sys.argv[1:])
