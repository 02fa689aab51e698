"""Insight: an aggregation that sorts because one of its buffers cannot be changed in place.

HashAggregateExec.supportsAggregate takes only buffers of types that an UnsafeRow can overwrite: numbers, dates, decimals.
The minimum, maximum, first or last of a string, an array or a struct is not one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import columns_text, operator_text
from tuner.cost.unit_costs import UnitCosts
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate import aggregate_parts, without_phase
from tuner.plan.node import PlanNode
from tuner.spark.knobs import OBJECT_HASH_AGGREGATE

_FUNCTION = re.compile(r"\b(min|max|first|last|any_value|max_by|min_by|mode|bool_and|bool_or)\(")


def sort_aggregates(facts: InsightFacts) -> Iterator[Insight]:
    """Sort aggregates that were sorted for, both halves of each as one; what came sorted anyway costs nothing."""
    halves: dict[tuple[str, str], list[PlanNode]] = {}
    for node in facts.plan.named("SortAggregate"):
        parts = aggregate_parts(node)
        if parts and parts[0] and node.children and node.children[0].name == "Sort":
            halves.setdefault((parts[0], without_phase(parts[1])), []).append(node)
    for (keys, functions), nodes in halves.items():
        yield _insight(facts, nodes, keys, functions)


def _insight(facts: InsightFacts, nodes: list[PlanNode], keys: str, functions: str) -> Insight:
    plan = facts.plan
    sorts = [node.children[0] for node in nodes]
    sort_ms = sum(sort.metrics.get("sort time", 0) for sort in sorts)
    rows = sum(plan.rows(sort) or 0 for sort in sorts)
    seconds = sum(plan.seconds_of_share(sort, _task_ms(plan.rows(sort) or 0, sort)) for sort in sorts)
    return facts.insight(
        InsightKind.SORT_AGGREGATE,
        operator_text(plan, nodes[0]),
        seconds,
        Evidence("rows sorted", rows, "rows"),
        Evidence("sorting, in all tasks", sort_ms / 1e3, "seconds"),
        Evidence("spilled", sum(sort.metrics.get("spill size", 0) for sort in sorts), "bytes"),
        Evidence("groups out", plan.rows(nodes[0]) or 0, "rows"),
        Evidence("its stages", plan.seconds_of(nodes), "seconds"),
        property="" if facts.settings[OBJECT_HASH_AGGREGATE] else OBJECT_HASH_AGGREGATE.property,
        functions="/".join(dict.fromkeys(_FUNCTION.findall(functions))),
        columns=columns_text(plan, functions),
        keys=columns_text(plan, keys),
    )


def _task_ms(rows: int, sort: PlanNode) -> float:
    """What a sort took of its tasks' time: as measured, and copying the rows into the sorter, which "sort time" leaves out."""
    return sort.metrics.get("sort time", 0) + rows * UnitCosts().sort_insert / 1e6
