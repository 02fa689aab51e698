"""What the tuner calls the parts of a plan that a log holds, told as the agent tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tuner.model.application import Application, Completeness, Execution, Executors
from tuner.model.join_graph import Predicate
from tuner.plan.agent_block import agent_block
from tuner.plan.color_refinement import color_refinement
from tuner.plan.joins import Join, every_join
from tuner.plan.node import PlanNode, build_tree
from tuner.plan.queries import queries
from tuner.plan.relation import is_scan

Block = tuple[str, ...]


def relations_and_columns(execution: Execution) -> tuple[list[str], str]:
    """What a query reads, and the digest of its columns."""
    query = _query(execution)
    return list(query.relations), query.columns


def joins_of(plan: PlanNode) -> list[Join]:
    """The joins of a plan before AQE, once each."""
    # A filter that is pushed to a scan takes its subqueries along; the plan shows them twice.
    pushed = {id(n) for scan in plan.walk_all() if is_scan(scan) for s in scan.subqueries for n in s.walk_all()}
    return [join for join in every_join(plan) if id(join.node) not in pushed]


def signatures(execution: Execution) -> list[str]:
    """The signatures of all joins, sorted."""
    assert execution.initial_plan is not None
    return sorted(join.signature for join in joins_of(build_tree(execution.initial_plan, {})))


def blocks(execution: Execution) -> list[Block]:
    """The blocks of more than two items, by the names that tell their items apart."""
    return sorted({agent_block(graph).key for graph in _query(execution).graphs})


def blocks_told(told: Iterable[dict[str, Any]]) -> list[Block]:
    """The same of blocks as the agent tells them."""
    return sorted({_key(block["items"], block["edges"]) for block in told})


def _key(items: Sequence[Sequence[str]], edges: Sequence[tuple[int, int, str, str]]) -> Block:
    ties = [Predicate(1 << left, 1 << right, left_key, right_key) for left, right, left_key, right_key in edges]
    return tuple(sorted(color_refinement(["+".join(item) for item in items], ties)))


def _query(execution: Execution) -> Any:
    (query,) = queries(Application("", "", None, "", 0, 1, Completeness.COMPLETE, Executors(), {}, (execution,)))
    return query
