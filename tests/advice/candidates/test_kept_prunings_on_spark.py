"""Spark prunes partitions by a table that it joins alone, not by a join that stands there instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.advice.joins import facts
from tuner.advice.candidates.kept_prunings import Pruning, keeps, prunings
from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.steering_reach import Reach
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Execution
from tuner.plan.node import build_tree
from tuner.plan.queries import queries

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_JOB = Path(__file__).with_name("pruned_job.py")


def test_no_order_is_found_in_which_spark_reads_more_partitions(
    spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    # Days are broadcast as they are; of their join with offers the planner takes every pair for a row.
    conf = {"spark.sql.autoBroadcastJoinThreshold": "100KB", "spark.sql.shuffle.partitions": "2"}
    logs = spark_submit(_JOB, tmp_path / "tables", log_dir=tmp_path / "logs", conf=conf)
    (source,) = find_logs(logs)
    application = read_application(source)
    ran = {one.description: one for one in application.executions}
    assert [_partitions_read(ran[name]) for name in ("as written", "another order")] == [4, 20]

    (query,) = (query for query in queries(application) if query.description == "as written")
    (graph,) = query.graphs
    pruned = prunings(query, graph)
    named = {Path(table).name: 1 << number for number, of in enumerate(graph.relations) for table in of.relations}
    assert pruned == (Pruning(named["sales"], named["days"]),)
    prices = OrderPrices(facts(query, reach=Reach.AGENT))
    assert not keeps(prices.block(graph).by_formula, pruned)
    assert all(keeps(tree, pruned) for tree in prices.block(graph, query).candidates)


def _partitions_read(execution: Execution) -> int:
    assert execution.final_plan is not None
    ran = build_tree(execution.final_plan, execution.accumulators)
    return max(node.metrics.get("number of partitions read", 0) for node in ran.walk())
