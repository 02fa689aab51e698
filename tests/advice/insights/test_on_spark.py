"""Every insight on a real Spark: the query that provokes it is told of it, its better twin is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.advice.candidates.order_changes import OrderPrices
from tuner.advice.facts import Facts
from tuner.advice.insights.insight_facts import InsightFacts, insight_facts
from tuner.advice.insights.insights import RULES
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_order import best_order
from tuner.cost.join_tree import JoinTree
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.read import read_log
from tuner.model.application import Completeness, Work
from tuner.model.cluster import Cluster
from tuner.model.insight import InsightKind
from tuner.model.join_graph import JoinGraph
from tuner.plan.queries import in_full, query_and_plans

from .provoking_job import ORDER, QUERIES

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
JOB = Path(__file__).with_name("provoking_job.py")


@pytest.fixture(scope="module")
def kinds(spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What each query of the job is told, whatever it cost: they are small."""
    root = tmp_path_factory.mktemp("insights")
    logs = spark_submit(JOB, root / "tables", log_dir=root / "logs", conf={"spark.sql.shuffle.partitions": "2"})
    found: dict[str, set[str]] = {}

    def take(work: Work) -> None:
        if work.execution and (plans := query_and_plans(work.execution, work.stages)):
            facts = insight_facts(work, plans)
            found[facts.query.description] = _kinds(facts)

    (log,) = find_logs(log_path(str(logs)))
    assert read_log(log, take).status is Completeness.COMPLETE
    return found


def _kinds(facts: InsightFacts) -> set[str]:
    kinds = {insight.kind.value for rule in RULES for insight in rule(facts)}
    given = Facts((in_full((facts.query, facts.initial, facts.final), facts.stages),), Cluster(cores=2), facts.conf)
    orders = OrderPrices(given)
    better = [orders.change(*block, _by_formula) for block in orders.blocks()]
    return kinds | {ORDER for change in better if change and change.most_rows < change.rows}


def _kind(name: str) -> str:
    return next(kind for kind in InsightKind if name.startswith(kind))


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_and_its_better_twin(kinds: dict[str, set[str]], name: str) -> None:
    assert _kind(name) in kinds[f"{name} provoked"]
    if QUERIES[name][1]:
        assert _kind(name) not in kinds[f"{name} mended"]


def test_every_insight_is_provoked_and_mended() -> None:
    assert {_kind(name) for name, (_, mended) in QUERIES.items() if mended} == {*InsightKind}


def _by_formula(graph: JoinGraph, sizes: Cardinality, written: JoinTree) -> JoinTree:
    edges = [(predicate.left, predicate.right) for predicate in graph.predicates]
    return best_order(len(graph.relations), edges, sizes.size, written=written).tree
