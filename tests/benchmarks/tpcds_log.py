"""Writes the event log of the 99 TPC-DS queries, each run once as written, with Spark's defaults.

    python tests/benchmarks/tpcds_log.py DIRECTORY [--scale-factor 0.1] [--conf KEY=VALUE]... [--logs NAME]

DIRECTORY/tables then holds the tables and DIRECTORY/NAME (logs) the log. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pyspark

from tuner.demo.tables import make_tables, query_texts

_APP = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
tables, queries = sys.argv[1:]
spark = SparkSession.builder.appName("tpcds").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
for table in filter(Path.is_dir, Path(tables).iterdir()):
    spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
for name, text in json.loads(Path(queries).read_text()).items():
    spark.sparkContext.setJobDescription("query " + name)
    spark.sql(text).collect()
spark.stop()
"""


def write_log(
    directory: Path,
    scale_factor: float,
    conf: Mapping[str, str] | None = None,
    wanted: Callable[[str], bool] = lambda name: True,
    name: str = "logs",
) -> Path:
    """The directory of the log: of the queries that are wanted, run with `conf`."""
    logs = directory / name
    logs.mkdir(parents=True, exist_ok=True)
    make_tables(directory / "tables", scale_factor)
    queries = directory / f"{name}.json"
    queries.write_text(json.dumps({query: text for query, text in query_texts().items() if wanted(query)}))
    app = directory / "tpcds.py"
    app.write_text(_APP)
    submitted = {
        "spark.master": "local[2]",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": logs.as_uri(),
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        "spark.sql.ui.explainMode": "cost",
        **(conf or {}),
    }
    flags = [flag for key, value in submitted.items() for flag in ("--conf", f"{key}={value}")]
    program = Path(sys.executable).with_name("spark-submit")
    environment = {**os.environ, "SPARK_HOME": str(Path(pyspark.__file__).parent), "PYSPARK_PYTHON": sys.executable}
    subprocess.run([program, *flags, app, directory / "tables", queries], check=True, cwd=directory, env=environment)
    return logs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=0.1)
    parser.add_argument("--conf", action="append", default=[])
    parser.add_argument("--logs", default="logs")
    options = parser.parse_args()
    settings = dict(setting.split("=", 1) for setting in options.conf)
    print(write_log(options.directory.absolute(), options.scale_factor, settings, name=options.logs))
