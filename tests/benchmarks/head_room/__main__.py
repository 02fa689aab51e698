"""How much faster plans by hand are than those that Spark makes of the queries as written.

    python -m tests.benchmarks.head_room DIRECTORY [--suite TPC-H] [--scale-factor 1] [--lever SEMI_JOINS…] [--only 18 21…]

A query and its plans by hand run in turns, in one session, once to warm up and then `--rounds` times (2); the shortest of each is
taken, and their rows are compared. DIRECTORY/<suite>-<scale factor> holds the tables, DIRECTORY/head_room.jsonl a line for each
run. Needs the `demo` extra and Java.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyspark

from tests.benchmarks.head_room.by_hand import BY_HAND, Lever
from tuner.demo.tables import TPCDS, TPCH, make_tables, query_texts

SUITES = {"TPC-DS": TPCDS, "TPC-H": TPCH}
OPTIONS = ("--conf", "spark.ui.enabled=false", "--conf", "spark.sql.ansi.doubleQuotedIdentifiers=true")

# Doubles of the same rows differ in their last digits, by the order in which they are added up.
_APP = """
import decimal, json, sys, time
from pathlib import Path
from pyspark.sql import SparkSession
tables, plans, report, rounds = sys.argv[1:]
spark = SparkSession.builder.appName("head room").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
for table in filter(Path.is_dir, Path(tables).iterdir()):
    spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
def plain(value):
    return float("%.9g" % value) if isinstance(value, (float, decimal.Decimal)) else value
for query, of_query in json.loads(Path(plans).read_text()).items():
    for number in range(int(rounds) + 1):
        turn = number % len(of_query)
        for name, (text, conf) in of_query[turn:] + of_query[:turn]:
            for key, value in conf.items():
                spark.conf.set(key, value)
            spark.sparkContext.setJobDescription(f"{query}/{name}/{number}")
            line = {"query": query, "plan": name, "round": number}
            started = time.monotonic()
            try:
                rows = spark.sql(text).collect()
                line["seconds"] = time.monotonic() - started
                line["rows"] = hash(tuple(sorted(repr(tuple(map(plain, row))) for row in rows)))
            except Exception as error:
                line["failed"] = str(error).splitlines()[0][:300]
            for key in conf:
                spark.conf.unset(key)
            with open(report, "a") as file:
                file.write(json.dumps(line) + chr(10))
spark.stop()
"""


def run(options: argparse.Namespace) -> Sequence[Mapping[str, object]]:
    """What each run of a plan took."""
    directory: Path = options.directory.absolute()
    tables = directory / f"{options.suite}-{options.scale_factor:g}"
    make_tables(tables, options.scale_factor, SUITES[options.suite])
    texts = query_texts(SUITES[options.suite])
    plans: dict[str, list[tuple[str, tuple[str, Mapping[str, str]]]]] = {}
    for one in BY_HAND:
        if one.suite != options.suite or one.lever.name not in options.lever:
            continue
        if options.only and one.query not in options.only:
            continue
        written = texts[one.query]
        of_query = plans.setdefault(str(one.query), [("as written", (written, {}))])
        of_query.append((one.lever.name, (one.text(written), one.conf)))
    app, asked, report = (directory / name for name in ("app.py", "plans.json", "head_room.jsonl"))
    app.write_text(_APP)
    asked.write_text(json.dumps(plans))
    report.unlink(missing_ok=True)
    command = [Path(sys.executable).with_name("spark-submit"), "--master", "local[2]"]
    command += ["--driver-memory", options.driver_memory, *OPTIONS, app, tables, asked, report, options.rounds]
    environment = {
        **os.environ,
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONHASHSEED": "0",
    }
    with (directory / "app.log").open("wb") as log:
        subprocess.run([*map(str, command)], check=True, cwd=directory, env=environment, stdout=log, stderr=log)
    return [json.loads(line) for line in report.read_text().splitlines()]


def show(lines: Sequence[Mapping[str, object]]) -> None:
    """A line a plan: its shortest time beside that of the query as written."""
    failed = {(line["query"], line["plan"]): line["failed"] for line in lines if "failed" in line}
    least: dict[tuple[object, object], float] = {}
    rows: dict[tuple[object, object], set[object]] = {}
    for line in lines:
        if "failed" in line:
            continue
        key = (line["query"], line["plan"])
        rows.setdefault(key, set()).add(line["rows"])
        if line["round"]:
            least[key] = min(least.get(key, float("inf")), float(str(line["seconds"])))
    print("| query | lever | as written | by hand | as fast | rows |\n|---|---|---|---|---|---|")
    for (query, plan), seconds in least.items():
        if plan == "as written" or (query, "as written") not in least:
            continue
        before = least[query, "as written"]
        same = "equal" if rows[query, plan] == rows[query, "as written"] else "OTHER"
        print(f"| {query} | {plan} | {before:.2f} s | {seconds:.2f} s | {before / seconds:.2f}x | {same} |")
    for (query, plan), why in failed.items():
        print(f"failed: {query} {plan}: {why}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--suite", choices=list(SUITES), default="TPC-DS")
    parser.add_argument("--scale-factor", type=float, default=1)
    parser.add_argument("--lever", nargs="+", choices=[lever.name for lever in Lever], default=list(Lever.__members__))
    parser.add_argument("--only", nargs="+", type=int, help="Queries by number.")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--driver-memory", default="8g")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    show(run(options))


if __name__ == "__main__":
    main()
