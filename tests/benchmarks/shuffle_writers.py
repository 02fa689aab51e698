"""What it costs to write a shuffle to a file for each partition, and to sort its rows into one: per file, and per row.

    python -m tests.benchmarks.shuffle_writers DIRECTORY [--partitions 200] [--repeats 5]

The same shuffles on `local[2]`, from few rows a task to many, narrow and wide, in two applications: with
spark.shuffle.sort.bypassMergeThreshold at 1 and at the number of partitions. Prints the tasks' run times and where they lie.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.read import read_application
from tuner.machine import machine
from tuner.spark.spark_submit import environment_for, find_spark_submit
from tuner.spark.submit_arguments import conf_arguments

TASKS = 8
ROWS = (500, 5_000, 50_000, 500_000, 2_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--partitions", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    print(machine())
    merged, sorted_ = (_run(given, threshold) for threshold in (given.partitions, 1))
    print(
        f"{'rows a task':>12} {'columns':>8} {'files ms':>9} {'sorted ms':>10} {'less, us a file':>16} {'ns a row':>9}"
    )
    for (rows, columns), ms in merged.items():
        less = ms - sorted_[rows, columns]
        files = TASKS * min(given.partitions, rows)
        print(
            f"{rows:12,} {columns:>8} {ms:9.0f} {sorted_[rows, columns]:10.0f} {less * 1e3 / files:16.0f} "
            f"{less * 1e6 / rows / TASKS:9.0f}"
        )


def _run(given: argparse.Namespace, threshold: int) -> dict[tuple[int, str], float]:
    """Median run time of all tasks that wrote, in milliseconds of a core, by rows a task and columns."""
    events = given.directory.absolute() / f"threshold-{threshold}"
    events.mkdir(parents=True)
    conf = {
        "spark.master": "local[2]",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.shuffle.sort.bypassMergeThreshold": str(threshold),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
    }
    program = find_spark_submit()
    command = [program, *conf_arguments(conf), __file__, "--in-spark", str(given.partitions), str(given.repeats)]
    subprocess.run(command, env={**environment_for(program), "SPARK_LOCAL_IP": "127.0.0.1"}, check=True)
    (source,) = find_logs(log_path(str(events)))
    application = read_application(source)
    described = {execution.execution_id: execution.description for execution in application.executions}
    found = defaultdict(list)
    for stage in application.stages:
        words = described.get(stage.execution_id, "").split() if stage.execution_id is not None else []
        if stage.shuffle_write_records and len(words) == 2 and words[0].isdecimal():
            found[int(words[0]), words[1]].append(stage.executor_run_time_ms)
    return {key: median(ms) for key, ms in found.items()}


def _shuffle(partitions: int, repeats: int) -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def write(rows: int, columns: list[str]) -> None:
        numbers = spark.range(0, TASKS * rows, 1, TASKS).selectExpr(*columns)
        numbers.repartition(partitions, "id").write.format("noop").mode("overwrite").save()

    narrow, wide = ["id"], ["id", "concat('some text of a row ', id) AS text"]
    for _ in range(12):
        write(20_000, wide)
    for rows in ROWS:
        for name, columns in (("narrow", narrow), ("wide", wide)):
            for _ in range(repeats):
                spark.sparkContext.setJobDescription(f"{rows} {name}")
                write(rows, columns)
    spark.stop()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-spark"]:
        _shuffle(int(sys.argv[2]), int(sys.argv[3]))
    else:
        os.environ.pop("SPARK_HOME", None)
        main()
