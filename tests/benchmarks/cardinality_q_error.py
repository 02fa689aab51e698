"""How well rows of joins that have not run yet are foretold, beside Spark's own estimates.

    python tests/benchmarks/cardinality_q_error.py DIRECTORY [--scale-factor 0.1]

Every TPC-DS query runs twice: as written, and in the order Spark's cost-based optimizer chooses with statistics of all
columns. From what the first run measured we estimate every join of the second that the first did not run. The q-error
of an estimate is max(estimate/rows, rows/estimate), of at least one row each (Moerkotte et al., VLDB 2009). Spark's
estimates are those of the same joins in the logical plan that it chose, with those statistics (EXPLAIN COST).

DIRECTORY/tables holds the tables (made when they are not there), DIRECTORY/reordered the log. Needs the `demo` extra.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import pyspark

from tuner.cost.cardinality import Basis, Cardinality
from tuner.demo.tables import make_tables, query_texts
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Execution
from tuner.model.join_graph import members
from tuner.plan.estimates import columns_up_to_join, leaves_below, parse_logical
from tuner.plan.join_blocks import JoinBlock, join_blocks
from tuner.plan.node import build_tree
from tuner.plan.relation import is_scan, scan_columns

_APP = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
tables, queries = sys.argv[1:]
spark = SparkSession.builder.appName("reordered").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
names = [t.name for t in Path(tables).iterdir() if t.is_dir()]
for name in names:
    spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{tables}/{name}'")
def run(prefix):
    for name, text in json.loads(Path(queries).read_text()).items():
        spark.sparkContext.setJobDescription(prefix + name)
        spark.sql(text).collect()
run("written ")
for name in names:
    spark.sql(f"ANALYZE TABLE {name} COMPUTE STATISTICS FOR ALL COLUMNS")
for flag in ("enabled", "joinReorder.enabled", "planStats.enabled"):
    spark.conf.set("spark.sql.cbo." + flag, "true")
run("reordered ")
spark.stop()
"""
_ROW_COUNT = re.compile(r"rowCount=(\d+(?:\.\d+)?(?:E\+?\d+)?)")


@dataclass(frozen=True, slots=True)
class Foretold:
    """A join, its rows, and what was foretold of it."""

    query: str
    relations: int
    rows: int
    estimate: float
    basis: Basis
    spark: float | None


def write_log(directory: Path, scale_factor: float) -> Path:
    """The directory of the log; written unless it is there."""
    logs = directory / "reordered"
    if logs.is_dir():
        return logs
    tables = directory / "tables"
    if not tables.is_dir():
        make_tables(tables, scale_factor)
    queries = directory / "queries.json"
    queries.write_text(json.dumps(query_texts()))
    app = directory / "reordered.py"
    app.write_text(_APP)
    unfinished = directory / "reordered.part"
    unfinished.mkdir(exist_ok=True)
    conf = {
        "spark.master": "local[2]",
        "spark.driver.memory": "3g",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": unfinished.as_uri(),
        "spark.sql.warehouse.dir": (directory / "warehouse").as_uri(),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
        "spark.sql.ui.explainMode": "cost",
        "spark.sql.maxMetadataStringLength": "1000",
        "spark.sql.debug.maxToStringFields": "1000",
        "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    }
    flags = [flag for key, value in conf.items() for flag in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "SPARK_HOME": str(Path(pyspark.__file__).parent), "PYSPARK_PYTHON": sys.executable}
    program = Path(sys.executable).with_name("spark-submit")
    subprocess.run([program, *flags, app, tables, queries], check=True, cwd=directory, env=environment)
    return unfinished.rename(logs)


def blocks(execution: Execution) -> tuple[JoinBlock, ...]:
    plan = execution.final_plan or execution.initial_plan
    return join_blocks(build_tree(plan, execution.accumulators), finished=True) if plan else ()


def spark_rows(execution: Execution) -> dict[frozenset[int], float]:
    """The rows Spark estimated of joins, by the first column of each relation below."""
    nodes = parse_logical(execution.logical_plan or "")
    leaves = {id(node): number for number, node in enumerate(n for n in nodes if not n.children)}
    columns = {number: columns_up_to_join(n) for n in nodes if (number := leaves.get(id(n))) is not None}
    found = {}
    for node, below in (
        (node, leaves_below(nodes, leaves)[id(node)]) for node in nodes if node.text.startswith("Join Inner")
    ):
        if match := _ROW_COUNT.search(node.text):
            found[frozenset(column for leaf in below for column in columns[leaf])] = float(match[1])
    return found


def columns_of(block: JoinBlock, relations: int) -> frozenset[int]:
    """The columns the scans of a set of relations put out."""
    scans = (node for i in members(relations) for node in block.items[i].walk() if is_scan(node))
    return frozenset(id_ for scan in scans for _, id_ in scan_columns(scan))


def spark_estimate(block: JoinBlock, relations: int, estimates: dict[frozenset[int], float]) -> float | None:
    mine = columns_of(block, relations)
    # A logical relation also names columns that no scan reads in the end.
    others = columns_of(block, block.graph.everything) - mine
    fitting = [rows for columns, rows in estimates.items() if mine <= columns and not others & columns]
    return fitting[0] if len(fitting) == 1 else None


def foretell(log: Path) -> Iterator[Foretold]:
    """Every join of the second runs that the first runs of the same blocks did not have."""
    (source,) = find_logs(log)
    written: dict[str, JoinBlock] = {}
    for execution in read_application(source).executions:
        run, _, query = execution.description.partition(" ")
        if run == "written":
            written.update({block.graph.signature: block for block in blocks(execution)})
        elif run == "reordered":
            estimates = spark_rows(execution)
            for block in blocks(execution):
                if before := written.get(block.graph.signature):
                    yield from compare(query, before, block, estimates)


def compare(
    query: str, before: JoinBlock, block: JoinBlock, estimates: dict[frozenset[int], float]
) -> Iterator[Foretold]:
    labels = [relation.label for relation in before.graph.relations]
    if len(set(labels)) < len(labels):
        return
    number = [labels.index(relation.label) for relation in block.graph.relations]
    cardinality = Cardinality(before.graph)
    for relations, measured in block.graph.measured.items():
        same = sum(1 << number[i] for i in members(relations))
        if relations.bit_count() > 1 and same not in before.graph.measured:
            estimate = cardinality.estimate(same)
            spark = spark_estimate(block, relations, estimates)
            yield Foretold(query, relations.bit_count(), measured.rows, estimate.size.rows, estimate.basis, spark)


def q_error(estimate: float, rows: float) -> float:
    estimate, rows = max(1.0, estimate), max(1.0, rows)
    return max(estimate / rows, rows / estimate)


def show(what: str, errors: list[float]) -> None:
    if len(errors) < 2:
        print(f"{what:<44} {len(errors):>5} joins")
        return
    tenths = quantiles(errors, n=10, method="inclusive")
    within = sum(e <= 2 for e in errors) / len(errors)
    print(
        f"{what:<44} {len(errors):>5} joins  median {median(errors):>7.2f}  p90 {tenths[8]:>9.1f}  "
        f"max {max(errors):>11.0f}  within 2: {within:.0%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--scale-factor", type=float, default=0.1)
    parser.add_argument("--worst", type=int, default=0, help="list so many of the worst estimates")
    options = parser.parse_args()
    found = list(foretell(write_log(options.directory.absolute(), options.scale_factor)))
    for basis in Basis:
        show(f"ours, {basis}", [q_error(f.estimate, f.rows) for f in found if f.basis is basis])
    both = [f for f in found if f.spark is not None]
    show("ours", [q_error(f.estimate, f.rows) for f in found])
    show("ours, where Spark's is known", [q_error(f.estimate, f.rows) for f in both])
    show("Spark's, with statistics of all columns", [q_error(f.spark or 0, f.rows) for f in both])
    for f in sorted(found, key=lambda f: -q_error(f.estimate, f.rows))[: options.worst]:
        print(f)


if __name__ == "__main__":
    main()
