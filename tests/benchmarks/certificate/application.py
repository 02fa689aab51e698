"""The job of a trap: registers its tables, runs its queries, and says what each gave."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.functions import count, xxhash64
from pyspark.sql.functions import sum as sum_of


def main(wanted_file: str, report_file: str) -> None:
    wanted: dict[str, Any] = json.loads(Path(wanted_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName(wanted["name"]).getOrCreate()
    for table in wanted["tables"]:
        spark.read.parquet(f"{wanted['folder']}/{table}").createOrReplaceTempView(table)
    found = []
    for name, text in wanted["queries"]:
        spark.sparkContext.setJobDescription(name)
        started = time.monotonic()
        frame = spark.sql(text)
        hashed = xxhash64(*frame.columns).cast("decimal(38,0)")
        rows, digest = frame.agg(count("*"), sum_of(hashed)).collect()[0]
        found.append({"name": name, "seconds": time.monotonic() - started, "rows": rows, "digest": str(digest)})
    Path(report_file).write_text(json.dumps(found), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
