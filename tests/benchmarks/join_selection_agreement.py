"""How often the simulated join selection agrees with a real Spark's, by category; disagreements are printed in full.

    python -m tests.benchmarks.join_selection_agreement [--spark-home DIR] [--java JAVA] [--statements 900] [--confs 10]
        [--seed 0] [--tpcds DIRECTORY [--execute]]

Compared are joins of generated statements as planned, joins on keys that SQL does not allow, and joins executed under
AQE. Where DIRECTORY has `tables` and `queries.json`, as `tpcds_log.py` leaves them, so is every join of the TPC-DS
queries, planned under five settings, and with `--execute` as AQE ends with it. `--spark-home` is any Spark from 3.0 on
(its `jars` are used), `--java` what it runs on. Exit code 1 on any disagreement.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pyspark

from tests.spark.join_selection.agreement import Compared, compare_odd_keys, compare_planning
from tests.spark.join_selection.executed import compare_executed
from tests.spark.join_selection.executed_cases import executed_cases
from tests.spark.join_selection.spark_planner import SparkPlanner, spark_planner
from tests.spark.join_selection.tpcds import compare_executed_queries, compare_queries

_CompareQueries = Callable[[SparkPlanner, Path, Mapping[str, str]], Iterable[Compared]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spark-home", type=Path, default=Path(pyspark.__file__).parent)
    parser.add_argument("--java", default="java")
    parser.add_argument("--statements", type=int, default=900)
    parser.add_argument("--confs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tpcds", type=Path)
    parser.add_argument("--execute", action="store_true")
    options = parser.parse_args()
    with spark_planner(options.spark_home, options.java) as planner:
        print(f"Spark {planner.version}")
        wrong = _report("planned", compare_planning(planner, options.statements, options.confs, options.seed))
        wrong += _report("planned on odd keys", compare_odd_keys(planner, options.seed))
        wrong += _report("executed", (compare_executed(planner, case) for case in executed_cases()))
        if options.tpcds:
            wrong += _report("TPC-DS as planned", _queries(planner, options.tpcds, compare_queries))
        if options.tpcds and options.execute:
            wrong += _report("TPC-DS as executed", _queries(planner, options.tpcds, compare_executed_queries))
    return 1 if wrong else 0


def _queries(planner: SparkPlanner, directory: Path, compare: _CompareQueries) -> Iterable[Compared]:
    tables, queries = directory / "tables", directory / "queries.json"
    if not (tables.is_dir() and queries.is_file()):
        print(f"no {tables} or no {queries}: make them with tests/benchmarks/tpcds_log.py {directory}")
        return ()
    return compare(planner, tables, json.loads(queries.read_text()))


def _report(title: str, compared: Iterable[Compared]) -> int:
    """Prints agreement by category; the number of disagreements."""
    began, counts, wrong = time.monotonic(), defaultdict(lambda: [0, 0]), []
    for one in compared:
        counts[one.category][0] += one.agrees
        counts[one.category][1] += 1
        if not one.agrees:
            wrong.append(one)
    agreed, total = (sum(pair[number] for pair in counts.values()) for number in (0, 1))
    print(f"{title}: {agreed} of {total} agree, {time.monotonic() - began:.0f} s")
    for category, (right, of) in sorted(counts.items()):
        print(f"  {category}: {right} of {of}")
    for one in wrong:
        print(one)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
