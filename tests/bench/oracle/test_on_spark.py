"""The oracle on a real Spark: what it counts is what runs, what it chooses is carried out, and rows stay the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.workloads.made import SCALE_FACTOR, SEED
from tuner.bench.bench_run import Setup
from tuner.bench.contenders.fixed import DEFAULT
from tuner.bench.contenders.oracle import Oracle
from tuner.bench.workloads.benchmarks import benchmark_workload
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import ActionKind
from tuner.model.directive_result import DirectiveStatus
from tuner.plan.queries import queries
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

QUERIES = ("q08a", "q17a")
# Tables are small here: without Spark's own broadcasts there is something to choose.
CONF = {BROADCAST_THRESHOLD.property: "100k", ADAPTIVE_BROADCAST_THRESHOLD.property: "100k"}


def test_orders_of_an_oracle(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install airflow-spark-tuner[spark]")
    pytest.importorskip("duckdb", reason="duckdb is not installed: pip install airflow-spark-tuner[bench]")
    workload = benchmark_workload("joins", SCALE_FACTOR, SEED, QUERIES, tmp_path / "tables")
    setup = Setup(workload, tmp_path, "local[1]", "2g", 2, 0, 600.0, CONF)
    default = DEFAULT.run(setup, 1, (), tmp_path / "default" / "run-001", lambda query: None)
    oracle = Oracle()
    prepared = oracle.prepare(setup, tmp_path / "oracle" / "run-000")
    assert prepared.tuning_seconds > 0
    assert "queries with blocks that could not be counted: 0" in prepared.said[0]
    for name in QUERIES:
        (line,) = (line for line in prepared.said if line.startswith(f"{name}: "))
        assert "all joins that ran among them with as many rows" in line
    assert any("joined as" in line for line in prepared.said)
    heard: list[str] = []
    ran = oracle.run(setup, 1, (), tmp_path / "oracle" / "run-001", lambda query: heard.append(query.name))
    assert heard == list(QUERIES)
    assert {q.name: (q.digest, q.error) for q in ran.queries} == {q.name: (q.digest, "") for q in default.queries}
    assert ran.said[: len(prepared.said)] == prepared.said
    (log,) = find_logs(tmp_path / "oracle" / "run-001" / "events")
    results = [one for query in queries(read_application(log)) for one in query.directives]
    orders = [one for one in results if one.action_id.startswith(ActionKind.ORDER_JOINS)]
    assert orders
    assert {one.status for one in orders} == {DirectiveStatus.APPLIED}
    # A hint on the result of joins is held where the agent cannot count that result first.
    assert {one.status for one in results} <= {DirectiveStatus.APPLIED, DirectiveStatus.HELD}, results
