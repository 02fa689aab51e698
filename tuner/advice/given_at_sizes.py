"""How the joins of an order run at other sizes than they were measured at: as they ran, or as hints have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from tuner.advice.candidates.cheapest_orders import PricedBlock
from tuner.cost.join_tree import SizeOf
from tuner.cost.what_if.interval import SIZE_ERRORS
from tuner.cost.what_if.physical_order import Given, GivenJoin
from tuner.model.action import Action
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.ordered_joins import OrderedJoin, ordered_joins
from tuner.spark.memory import relation_bytes


class _GivenJoin(NamedTuple):
    """A join of an order, by the set of its relations, and the side whose size says how long it runs so."""

    relations: int
    how: GivenJoin
    smaller: int
    is_hinted: bool


def given_at_sizes(
    block: PricedBlock, ran: JoinGraph, order: Order, broadcasts: Iterable[Action] = ()
) -> Callable[[SizeOf], Given]:
    """What is given of an order's joins at sizes; the rest is for Spark's rules to choose. `ran` is the block as a run had it,
    `broadcasts` are hints.

    A broadcast by a hint lasts while memory holds it at worst, as the agent has it. Any other join goes on as it ran until its
    smaller side comes to the other side of Spark's threshold.
    """
    return partial(_at_sizes, block, _given_joins(block, ran, order, broadcasts))


def _given_joins(block: PricedBlock, ran: JoinGraph, order: Order, broadcasts: Iterable[Action]) -> list[_GivenJoin]:
    hinted = {hint.target: hint.relations for hint in broadcasts}
    as_it_ran = replace(block, graph=ran).given(block.tree(order)).joins
    found = []
    for join in ordered_joins(block.graph, order):
        side, relations = hinted.get(join.signature), join.left | join.right
        how = as_it_ran.get(relations) if side is None else _broadcast(block.graph, join, side)
        if how:
            found.append(_GivenJoin(relations, how, _smaller(block, join, how), is_hinted=side is not None))
    return found


def _broadcast(graph: JoinGraph, join: OrderedJoin, side: tuple[str, ...]) -> GivenJoin:
    is_left = graph.tables(join.left) == side
    return GivenJoin(Strategy.BROADCAST_HASH, BuildSide.LEFT if is_left else BuildSide.RIGHT)


def _smaller(block: PricedBlock, join: OrderedJoin, how: GivenJoin) -> int:
    if how.build_side:
        return join.left if how.build_side is BuildSide.LEFT else join.right
    return min(join.left, join.right, key=lambda side: block.sizes.size(side).bytes)


def _at_sizes(block: PricedBlock, joins: Sequence[_GivenJoin], size_of: SizeOf) -> Given:
    return Given({join.relations: join.how for join in joins if _lasts(block, join, size_of)})


def _lasts(block: PricedBlock, join: _GivenJoin, size_of: SizeOf) -> bool:
    threshold, now = block.facts.selection.threshold(measured=False), size_of(join.smaller)
    is_small = block.sizes.size(join.smaller).bytes <= threshold
    if join.how.strategy is not Strategy.BROADCAST_HASH or (is_small and not join.is_hinted):
        return is_small == (now.bytes <= threshold)
    error = SIZE_ERRORS[block.basis(join.smaller)]
    return relation_bytes(int(now.rows * error), int(now.bytes * error)) <= block.facts.cap.one_bytes
