"""The order of a block of joins that takes the fewest seconds, of those that Spark's formula and the prices of joins find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from tuner.advice.candidates.block_sizes import block_sizes
from tuner.advice.candidates.hinted_broadcasts import HINTED, BroadcastSides, hinted_broadcasts
from tuner.advice.candidates.kept_prunings import Pruning, keeping_edges, keeps
from tuner.advice.candidates.ordered_sides import leaf_bytes_of
from tuner.advice.facts import Facts
from tuner.cost.cardinality import Basis, Cardinality
from tuner.cost.cheapest_tree import TooManyPairsError
from tuner.cost.improved_tree import improved_tree
from tuner.cost.join_edges import Edge, JoinEdges
from tuner.cost.join_order import best_order
from tuner.cost.join_tree import JoinTree, tree_cost, tree_of
from tuner.cost.order_objective import OrderObjective, Pricing, Seconds, WeightedRatio
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import WhatIf
from tuner.cost.what_if.execution_conf import ExecutionConf
from tuner.cost.what_if.interval import SIZE_ERRORS
from tuner.cost.what_if.physical_order import Given, GivenJoin
from tuner.model.join_graph import JoinGraph, Order, members
from tuner.model.query import Query
from tuner.model.strategy import SHUFFLED, Strategy
from tuner.plan.agent_block import AgentBlock, agent_block
from tuner.spark.join_selection.selection_conf import SelectionConf
from tuner.spark.knobs import JOIN_REORDER_WEIGHT

# Rows between joins are surer than seconds: an order that prices find must beat the formula's by this share.
_WORTH_MORE_ROWS = 0.15
# A price takes a tenth of a millisecond: larger blocks are not searched by prices, an order of theirs is improved.
MOST_SEARCHED = 9
_GIVEN = frozenset(
    {Strategy.BROADCAST_HASH, Strategy.BROADCAST_NESTED_LOOP, Strategy.SHUFFLED_HASH, Strategy.SORT_MERGE}
)


@dataclass(frozen=True)
class PricedBlock:
    """A block of joins with what is known of its sizes, priced as the run's Spark would run it.

    `weight` is that of rows against bytes in Spark's formula, by which candidates are searched. With the `query` that has the
    block, its orders may be given broadcasts by hints, and those are searched that prune the partitions that it has pruned;
    without it Spark alone chooses their strategies.
    """

    graph: JoinGraph
    facts: Facts
    conf: SelectionConf
    execution: ExecutionConf
    costs: UnitCosts
    weight: float = JOIN_REORDER_WEIGHT.default
    query: Query | None = None

    @cached_property
    def sizes(self) -> Cardinality:
        return block_sizes(self.facts, self.graph)

    @cached_property
    def written(self) -> JoinTree:
        """The order that ran."""
        return tree_of(self.graph.written, self.sizes.size)

    @cached_property
    def what_if(self) -> WhatIf:
        return WhatIf(
            self.graph,
            self.sizes.size,
            self.conf,
            self.facts.cluster,
            self.costs,
            execution=self.execution,
            basis_of=self.basis,
            price_error=self.facts.price_error,
        )

    @cached_property
    def agent_block(self) -> AgentBlock:
        """The block as the agent identifies it."""
        return agent_block(self.graph)

    @cached_property
    def by_formula(self) -> JoinTree:
        """The cheapest order by Spark's formula; the one that ran unless another is cheaper."""
        return self._searched(WeightedRatio(self.weight))

    @cached_property
    def by_seconds(self) -> JoinTree:
        """The order whose joins take the fewest seconds, each priced alone.

        Unlike the formula, this counts what is shuffled before it is filtered. For a large block it is the formula's order,
        improved part by part.
        """
        number = len(self.graph.relations)
        if number <= MOST_SEARCHED:
            return self.searched_by_seconds()
        pricing = Pricing((1 << number) - 1, self.sizes.size, self._seconds)
        try:
            return improved_tree(self.by_formula, JoinEdges(number, self._edges), pricing)
        except TooManyPairsError:
            return self.by_formula

    def searched_by_seconds(self) -> JoinTree:
        """The same, searched however large the block is: some ten seconds for one of sixteen relations."""
        return self._searched(self._seconds)

    def keeps_pruning(self, tree: JoinTree) -> bool:
        """Whether of each table no more partitions are read than in the order that ran."""
        return keeps(tree, self._prunings)

    def _searched(self, objective: OrderObjective) -> JoinTree:
        number = len(self.graph.relations)
        tree = best_order(number, self._edges, self.sizes.size, objective, written=self.written).tree
        return tree if self.keeps_pruning(tree) else self.written

    @cached_property
    def _seconds(self) -> Seconds:
        priced: dict[tuple[int, int], float] = {}

        def price(left: int, right: int) -> float:
            pair = (min(left, right), max(left, right))
            if pair not in priced:
                priced[pair] = self._join_seconds(*pair)
            return priced[pair]

        return Seconds(price)

    @property
    def candidates(self) -> tuple[JoinTree, ...]:
        """Orders worth a price."""
        return (self.by_formula, self.by_seconds)

    def tree(self, order: Order) -> JoinTree:
        return tree_of(order, self.sizes.size)

    def given(self, tree: JoinTree) -> Given:
        """The joins of a tree that ran, either way round, with their strategies; the others are for Spark's rules to choose."""
        ran = {join.mask: join.children[0].mask for join in tree_of(self.graph.written, lambda _: Size(0, 0)).joins}
        found = {}
        for join in tree.joins:
            measured, ran_left = self.graph.measured.get(join.mask), ran.get(join.mask)
            left, right = (side.mask for side in join.children)
            if measured and measured.strategy in _GIVEN and ran_left in (left, right):
                built = measured.build_side
                found[join.mask] = GivenJoin(measured.strategy, built.other if built and ran_left == right else built)
        return Given(found)

    def hinted(self, tree: JoinTree) -> Given:
        """What is given of a tree's joins, with the broadcasts that hints may add and that pay."""
        given = self.given(tree)
        if self._sides is None:
            return given
        if tree.order not in self._hints:
            run = partial(self.what_if.order, tree.order)
            self._hints[tree.order] = hinted_broadcasts(self._sides, run, given)
        return Given({**given.joins, **self._hints[tree.order]})

    def seconds(self, tree: JoinTree) -> float:
        """What an order takes, all of its joins together."""
        return self.what_if.order(tree.order, self.hinted(tree)).seconds(self.facts.cluster)

    @cached_property
    def _hints(self) -> dict[Order, Mapping[int, GivenJoin]]:
        return {}

    @cached_property
    def _sides(self) -> BroadcastSides | None:
        return None if self.query is None else BroadcastSides(self.facts, self.query, self.graph, self.sizes)

    def _join_seconds(self, left: int, right: int) -> float:
        """What one join takes by itself, with a hint if that is faster."""
        seconds = self.what_if.join_seconds(left, right)
        if self._sides is None or not self._sides.hinted(left, right):
            return seconds
        return min(seconds, self.what_if.join_seconds(left, right, Given({left | right: HINTED})))

    def basis(self, relations: int) -> Basis:
        """What a size stands on; relations are read as they were measured, in whatever order."""
        return self.sizes.estimate(relations).basis if relations.bit_count() > 1 else Basis.MEASURED

    def most_rows(self, tree: JoinTree) -> float:
        """Rows between the joins of a tree, if every estimate is as wrong as it may be."""
        return sum(self.sizes.size(j.mask).rows * SIZE_ERRORS[self.basis(j.mask)] for j in tree.joins[:-1])

    def saves_rows(self, share: float) -> bool:
        """Whether the formula has an order with so small a share of the rows: a quick look before any price, which then counts
        how wrong sizes may be."""
        return tree_cost(self.by_formula).card <= share * tree_cost(self.written).card

    def shuffles_for_later_joins(self, share: float) -> bool:
        """Whether a join has shuffled rows of which a later one leaves so small a share: that might come first, for as many rows
        between joins. Asked of blocks that prices search."""
        if len(self.graph.relations) > MOST_SEARCHED:
            return False
        joins, measured = self.written.joins, self.graph.measured
        shuffled = (join for join in joins if join.mask in measured and measured[join.mask].strategy in SHUFFLED)
        return any(
            join.mask & ~later.mask == 0 and later.size.rows <= share * join.size.rows
            for join in shuffled
            for later in joins
        )

    def is_small_to_planner(self, relations: int) -> bool:
        """Whether it is one relation that the planner, as far as the run tells, takes for small enough to broadcast: of what
        joins put out it knows no size."""
        if relations.bit_count() > 1:
            return False
        (relation,) = (self.graph.relations[number] for number in members(relations))
        leaf_bytes = leaf_bytes_of(self.query, self.graph, relations) if self.query else relation.leaf_bytes
        return leaf_bytes is not None and leaf_bytes <= self.facts.selection.threshold(measured=False)

    @cached_property
    def _edges(self) -> list[Edge]:
        """Conditions of two relations are edges, too, where Spark broadcasts one: a calendar may be joined by a range alone."""
        conditions = (one.relations for one in self.graph.conditions if one.relations.bit_count() == 2)
        ends = ((relations & -relations, relations & (relations - 1)) for relations in conditions)
        ranges = (pair for pair in ends if any(map(self.is_small_to_planner, pair)))
        keys = ((p.left, p.right) for p in self.graph.predicates)
        return keeping_edges((*keys, *ranges), self._prunings)

    @cached_property
    def _prunings(self) -> tuple[Pruning, ...]:
        return () if self._sides is None else self._sides.prunings


def cheapest_orders(blocks: Sequence[PricedBlock]) -> list[JoinTree]:
    """The order of fewest seconds for blocks that the agent cannot tell apart: one order, in the numbers of each block."""
    if len(blocks) == 1:
        (block,) = blocks
        by_formula, by_seconds = block.by_formula, block.by_seconds
        more = block.seconds(by_seconds) > (1 - _WORTH_MORE_ROWS) * block.seconds(by_formula)
        return [by_formula if more else by_seconds]
    found = [[block.tree(order) for block, order in orders] for orders in _common(blocks)]
    kept = [trees for trees in found if all(b.keeps_pruning(tree) for b, tree in zip(blocks, trees, strict=True))]
    return min(
        kept,
        key=lambda trees: sum(b.seconds(tree) for b, tree in zip(blocks, trees, strict=True)),
        default=[block.written for block in blocks],
    )


def lookalike_groups(blocks: Sequence[PricedBlock]) -> list[list[PricedBlock]]:
    """The blocks of one query, grouped where the agent cannot tell them apart; alone where it can order none of them."""
    groups: dict[object, list[PricedBlock]] = {}
    for block in blocks:
        key: object = block.agent_block.key if block.agent_block.lookalikes() is None else id(block)
        groups.setdefault(key, []).append(block)
    return list(groups.values())


def _common(blocks: Sequence[PricedBlock]) -> Iterator[list[tuple[PricedBlock, Order]]]:
    for source in blocks:
        for tree in source.candidates:
            yield [(block, source.agent_block.order_in(block.agent_block, tree.order)) for block in blocks]
