"""Plans queries again and again in one session, with and without the agent, and says what each plan took.

    spark-submit agent_planning_app.py OPTIONS.json REPORT.json

Options: `tables` (a folder), `queries` (SQL by name), `rounds`, `rules` (the full names of the agent's), `modes` (name to
conf). The modes take turns: in each round all queries are planned in one mode, then in the next. A record: mode, round,
query, `seconds` (parsed to planned), `phase_ms` (analysis, optimization, planning) and `rule_ns` by the session's own
tracker.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def plan(spark: SparkSession, text: str, rules: list[str]) -> dict[str, Any]:
    started = time.perf_counter()
    execution = spark.sql(text)._jdf.queryExecution()
    execution.executedPlan()
    seconds = time.perf_counter() - started
    tracker = execution.tracker()
    phases = tracker.phases().valuesIterator()
    phase_ms = 0
    while phases.hasNext():
        phase_ms += phases.next().durationMs()
    summaries = [tracker.rules().get(rule) for rule in rules]
    spent = sum(summary.get().totalTimeNs() for summary in summaries if summary.isDefined())
    return {"seconds": seconds, "phase_ms": phase_ms, "rule_ns": spent}


def measured(spark: SparkSession, options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    modes = list(options["modes"].items())
    for number in range(options["rounds"] + 1):
        # Whoever plans first finds colder caches: all take turns at it. Directives are read once in a turn.
        turn = number % len(modes)
        for mode, conf in modes[turn:] + modes[:turn]:
            for key, value in conf.items():
                spark.conf.set(key, value)
            for name, text in options["queries"].items():
                record = plan(spark, text, options["rules"])
                if number:
                    yield {"mode": mode, "round": number, "query": name, **record}
            for key in conf:
                spark.conf.unset(key)


def main(options_file: str, report_file: str) -> None:
    options = json.loads(Path(options_file).read_text(encoding="utf-8"))
    spark = SparkSession.builder.appName("planning").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for table in filter(Path.is_dir, Path(options["tables"]).iterdir()):
        spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
    records = list(measured(spark, options))
    Path(report_file).write_text(json.dumps(records), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
