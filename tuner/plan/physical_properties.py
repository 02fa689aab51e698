"""How the rows of an operator come: hashed on which columns, and sorted by which.

Source: outputPartitioning and outputOrdering of the operators named here; of any other we know nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tuner.model.strategy import SHUFFLED, BuildSide, JoinType, Strategy
from tuner.plan.expression import argument_list, bracketed, split_top_level
from tuner.plan.joins import JOINS, parse_join
from tuner.plan.node import PlanNode
from tuner.plan.sides import SHUFFLES

# Operators whose rows stay where their input's are, and in its order.
_KEEPING = frozenset(
    {"Project", "Filter", "Window", "SortAggregate", "WindowGroupLimit", "LocalLimit", "ReusedExchange"}
)
# These keep the partitions only.
_MIXING = frozenset({"HashAggregate", "ObjectHashAggregate"})
_ORDER = re.compile(r" (?:ASC|DESC) NULLS (?:FIRST|LAST)$")
_HASHED = "hashpartitioning("


@dataclass(frozen=True, slots=True)
class PhysicalProperties:
    """Expressions as the plan prints them: any one of `partitioned` holds; places of `sorted` hold equal ones.

    Rows that are all in one partition are partitioned on nothing.
    """

    partitioned: tuple[tuple[str, ...], ...] = ()
    sorted: tuple[tuple[str, ...], ...] = ()


def physical_properties(node: PlanNode) -> PhysicalProperties:
    """What the operators of a plan say of their rows."""
    chain = []
    while len(node.children) == 1 and node.name in _KEEPING | _MIXING | {"Sort"}:
        chain.append(node)
        node = node.children[0]
    found = _source(node)
    for above in reversed(chain):
        if above.name == "Sort":
            found = (
                PhysicalProperties(found.partitioned, _sorted(above.text)) if ", true, " not in above.text else found
            )
        elif above.name in _MIXING:
            found = PhysicalProperties(found.partitioned)
    return found


def _source(node: PlanNode) -> PhysicalProperties:
    if node.name in SHUFFLES:
        return PhysicalProperties(_partitioned(node.text))
    if node.name in JOINS and len(node.children) == 2:
        return _joined(node)
    return PhysicalProperties()


def _partitioned(text: str) -> tuple[tuple[str, ...], ...]:
    if " SinglePartition" in text:
        return ((),)
    start = text.find(_HASHED)
    inside = argument_list(text, start + len(_HASHED) - 1) if start >= 0 else None
    return (tuple(split_top_level(inside)[:-1]),) if inside else ()  # the last is the number of partitions


def _sorted(text: str) -> tuple[tuple[str, ...], ...]:
    found = bracketed(text)
    return tuple((_ORDER.sub("", part),) for part in split_top_level(found[0])) if found else ()


def _joined(node: PlanNode) -> PhysicalProperties:
    join = parse_join(node)
    left, right = (physical_properties(child) for child in node.children)
    if join.strategy not in SHUFFLED:
        streamed = left if join.build_side is BuildSide.RIGHT else right
        return streamed if join.build_side and join.strategy is Strategy.BROADCAST_HASH else PhysicalProperties()
    if join.type is JoinType.FULL_OUTER:
        return PhysicalProperties()
    if join.type in (JoinType.INNER, JoinType.CROSS):
        pairs = tuple(zip(join.left_keys, join.right_keys, strict=False))
        return PhysicalProperties(
            left.partitioned + right.partitioned, pairs if join.strategy is Strategy.SORT_MERGE else ()
        )
    kept, keys = (right, join.right_keys) if join.flipped else (left, join.left_keys)
    return PhysicalProperties(
        kept.partitioned, tuple((key,) for key in keys) if join.strategy is Strategy.SORT_MERGE else ()
    )
