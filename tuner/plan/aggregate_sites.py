"""The aggregates of a plan, with what was measured of each."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.model.query import AggregateSite
from tuner.plan.aggregate import AGGREGATES, aggregate_parts, is_partial, without_phase
from tuner.plan.digest import digest
from tuner.plan.expression import skeleton, split_top_level
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.node import PlanNode
from tuner.plan.sides import SHUFFLES

FALLBACK_TASKS = "number of sort fallback tasks"  # since SPARK-35529 (3.2)
SPILLED = "spill size"
_BETWEEN_HALVES = frozenset({"Sort", "Project", "ReusedExchange"}) | SHUFFLES


def find_aggregates(plan: MeasuredPlan) -> tuple[AggregateSite, ...]:
    """The aggregates that ran, each once and in plan order; those whose text does not tell what they do are left out."""
    return tuple(_sites(plan))


def fallback_tasks(node: PlanNode) -> int | None:
    """Tasks that gave up hashing and sorted; None where this Spark does not count them."""
    return node.metrics.get(FALLBACK_TASKS, 0) if FALLBACK_TASKS in node.metric_ids else None


def input_rows(plan: MeasuredPlan, node: PlanNode) -> int | None:
    """Rows that an operator of one input took in; None where the log does not tell."""
    return plan.rows(node.children[0]) if len(node.children) == 1 else None


def _sites(plan: MeasuredPlan) -> Iterator[AggregateSite]:
    for node in plan.named(*AGGREGATES):
        parts = aggregate_parts(node)
        if parts is None:
            continue
        keys, functions = parts
        above = plan.parent(node)
        shuffled = above is not None and above.name in SHUFFLES
        partial = is_partial(functions, shuffled=shuffled)
        between = above if shuffled else _shuffle_below(node)
        yield AggregateSite(
            signature=_signature(plan, node, keys, functions),
            operator=node.name,
            partial=partial,
            grouped=bool(keys),
            input_rows=input_rows(plan, node),
            output_rows=plan.rows(node),
            shuffle_bytes=between.metrics.get("data size") if between else None,
            tasks=plan.tasks(node),
            fallback_tasks=fallback_tasks(node),
            spilled_bytes=node.metrics.get(SPILLED, 0),
            seconds=plan.seconds(node),
        )


def _signature(plan: MeasuredPlan, node: PlanNode, keys: str, functions: str) -> str:
    """16 hex digits over the relations below, the grouping keys by their sources, and the functions without literals."""
    sources = sorted(plan.lineage.source(key) for key in split_top_level(keys))
    names = skeleton(without_phase(functions))
    return digest("\n".join((*plan.scans_below.relations(node), "by", *sources, "of", names)))


def _shuffle_below(node: PlanNode) -> PlanNode | None:
    """The shuffle that feeds an aggregate, under sorts and projections."""
    below = node.children[0] if len(node.children) == 1 else None
    while below is not None and below.name in _BETWEEN_HALVES:
        if below.name in SHUFFLES:
            return below
        below = below.children[0] if len(below.children) == 1 else None
    return None
