"""What a real plan has below each join of a block, to compare with what is derived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tuner.model.strategy import BuildSide, JoinType
from tuner.plan.join_blocks import JoinBlock
from tuner.plan.joins import JOINS, ParsedJoin, parse_join
from tuner.plan.node import PlanNode
from tuner.plan.sides import SHUFFLES

_BETWEEN = SHUFFLES | {"Sort", "Project", "BroadcastExchange", "ReusedExchange"}


@dataclass(frozen=True)
class SideOperators:
    """What stands between a join and what feeds it. `exchange` names the exchange by its metrics: reused ones share it."""

    sorted: bool
    shuffled: bool
    broadcast: bool
    exchange: frozenset[int]


@dataclass(frozen=True)
class BlockJoin:
    """A join of a block: the sets of relations it joins, how it ran, and what is below it."""

    node: PlanNode
    left: int
    right: int
    parsed: ParsedJoin
    sides: dict[BuildSide, SideOperators]


def block_joins(root: PlanNode, block: JoinBlock) -> Iterator[BlockJoin]:
    """The joins of a block, each once."""
    number = {id(item): i for i, item in enumerate(block.items)}
    seen = set()
    for node in root.walk_all():
        if not _is_inner(node) or id(node) in seen:
            continue
        left, right = (_relations(child, number) for child in node.children)
        if left and right:
            seen.add(id(node))
            sides = {s: _between(c) for s, c in zip((BuildSide.LEFT, BuildSide.RIGHT), node.children, strict=True)}
            yield BlockJoin(node, left, right, parse_join(node), sides)


def _is_inner(node: PlanNode) -> bool:
    if node.name not in JOINS or len(node.children) != 2:
        return False
    return parse_join(node).type in (JoinType.INNER, JoinType.CROSS)


def _relations(node: PlanNode, number: dict[int, int]) -> int:
    """The relations of the block that a side joins; none where it has others too."""
    while id(node) not in number and node.name in _BETWEEN and len(node.children) == 1:
        node = node.children[0]
    if id(node) in number:
        return 1 << number[id(node)]
    if not _is_inner(node):
        return 0
    left, right = (_relations(child, number) for child in node.children)
    return left | right if left and right else 0


def _between(node: PlanNode) -> SideOperators:
    names, exchange = set(), frozenset[int]()
    while node.name in _BETWEEN and len(node.children) == 1:
        names.add(node.name)
        if node.name in SHUFFLES | {"BroadcastExchange"} and not exchange:
            exchange = frozenset(node.metric_ids.values())
        node = node.children[0]
        if names & SHUFFLES:
            break
    return SideOperators("Sort" in names, bool(names & SHUFFLES), "BroadcastExchange" in names, exchange)
