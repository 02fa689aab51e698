"""The joins that the job itself hints, as the optimised logical plan tells: the physical one keeps no hint."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSite
from tuner.model.strategy import JoinType
from tuner.plan.expression import attributes
from tuner.plan.joins import Join
from tuner.plan.operator_lines import operator_lines

_JOIN = re.compile(r"\bJoin (\w+), ")
_HINT = "Hint=(strategy="
_OF_BLOCKS = frozenset({JoinType.INNER, JoinType.CROSS})


def hinted_joins(joins: Iterable[Join], logical_plan: str | None, ours: Iterable[str]) -> frozenset[tuple[str, int]]:
    """Signatures and occurrences of the joins with a hint that is not one of `ours` (signatures); none without a logical plan.

    A join is known by the columns of its keys and of its condition.
    """
    conditions = {frozenset(condition) for condition in _hinted_conditions(logical_plan or "")}
    if not conditions:
        return frozenset()
    own = set(ours)
    return frozenset(
        (join.signature, join.occurrence)
        for join in joins
        if join.signature not in own and frozenset(id_ for _, id_ in attributes(join.node.text)) in conditions
    )


def has_hinted(graph: JoinGraph, joins: Iterable[JoinSite]) -> bool:
    """Whether a join of a block is hinted by the job: for the agent, as for Spark's own reordering, the block ends there."""
    relations = Counter(name for relation in graph.relations for name in relation.relations)
    return any(
        join.hinted and join.type in _OF_BLOCKS and not Counter(join.left.relations + join.right.relations) - relations
        for join in joins
    )


def _hinted_conditions(logical_plan: str) -> Iterable[set[int]]:
    for line in operator_lines(logical_plan):
        before, hinted, _ = line.partition(_HINT)
        join = _JOIN.search(before) if hinted else None
        condition = {id_ for _, id_ in attributes(before[join.end() :])} if join else set()
        if condition:
            yield condition
