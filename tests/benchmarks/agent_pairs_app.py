"""Runs queries as written and steered in turns, in one session, and says what each took.

    spark-submit agent_pairs_app.py OPTIONS.json REPORT.json

Options: `tables` (a folder), `queries` (SQL by name), `rounds`, `modes` (name to conf by query's name, "" for all). A round
runs every mode of a query, each time another first. The first round, which finds everything cold, is reported as 0. The
description of an execution is "mode/query/round".
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def seconds_of(spark: SparkSession, text: str, conf: dict[str, str], description: str) -> float:
    spark.sparkContext.setJobDescription(description)
    for key, value in conf.items():
        spark.conf.set(key, value)
    started = time.perf_counter()
    spark.sql(text).collect()
    seconds = time.perf_counter() - started
    for key in conf:
        spark.conf.unset(key)
    return seconds


def measured(spark: SparkSession, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    modes = list(options["modes"].items())
    for number in range(options["rounds"] + 1):
        for name, text in options["queries"].items():
            turn = number % len(modes)
            for mode, confs in modes[turn:] + modes[:turn]:
                conf = {**confs.get("", {}), **confs.get(name, {})}
                seconds = seconds_of(spark, text, conf, f"{mode}/{name}/{number}")
                yield {"mode": mode, "query": name, "round": number, "seconds": seconds}


def main(options_file: str, report_file: str) -> None:
    options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("pairs").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for table in filter(Path.is_dir, Path(options["tables"]).iterdir()):
        spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
    records = list(measured(spark, options))
    Path(report_file).write_text(json.dumps(records), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
