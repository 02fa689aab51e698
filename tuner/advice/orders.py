"""A block of joins in another order: the rows and seconds that it saves, and how sure that is. For all order levers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tuner.advice.builds import capped
from tuner.advice.facts import Facts
from tuner.advice.model import Evidence, Prediction
from tuner.advice.order_names import joined_names, relation_names
from tuner.cost.cardinality import Basis, Cardinality
from tuner.cost.join_order import best_order
from tuner.cost.join_tree import JoinTree, tree_cost, tree_of
from tuner.cost.learned.fit import stage_terms
from tuner.cost.selection.conf import SelectionConf, read_conf
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import WhatIf
from tuner.cost.what_if.conf import ExecutionConf, read_execution_conf
from tuner.cost.what_if.interval import SIZE_ERRORS, Interval
from tuner.cost.what_if.model import Given, GivenJoin
from tuner.plan.graph import JoinGraph, Order
from tuner.plan.model import Query, Strategy
from tuner.plan.work import Resource

# Rows between joins must fall at least to this share: less is within what prices are unsure of.
_MOST_ROWS_SHARE = 0.7
# What another order of joins makes more or less of.
_OF_JOINS = (
    *(Resource.SORT, Resource.MERGE, Resource.HASH_BUILD, Resource.PROBE, Resource.PAIR, Resource.EMIT),
    *(
        Resource.SHUFFLE_WRITE,
        Resource.SHUFFLE_WRITE_ROW,
        Resource.SHUFFLE_READ,
        Resource.SHUFFLE_SEGMENT,
        Resource.SPILL,
    ),
)
# Where a query's stages are not known: as `capped` has it.
_FIXED_SHARE = 0.2
_GIVEN = frozenset({Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH, Strategy.SORT_MERGE})
# A person's minute is worth more than this.
MIN_GAIN_SECONDS = 1.0
MIN_GAIN_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class OrderChange:
    """One block of one query in another order.

    Rows are those between the joins (of all but the last), `most_rows` the same with every estimate as wrong as it may
    be. `gain` are wall seconds over all `times` that the query has the block, by the errors of sizes and prices.
    """

    query: Query
    graph: JoinGraph
    written: JoinTree
    other: JoinTree
    rows: float
    other_rows: float
    most_rows: float
    gain: Interval
    times: int = 1

    @property
    def seconds(self) -> float:
        """What the query took."""
        return (self.query.duration_ms or 0) / 1e3

    @property
    def is_clear(self) -> bool:
        """Whether the rows fall by more than what is unsure, and the seconds with them."""
        enough = max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * self.seconds)
        return self.has_clearly_fewer_rows and self.gain.expected >= enough and self.gain.low > 0

    @property
    def has_clearly_fewer_rows(self) -> bool:
        return self.most_rows <= self.rows * _MOST_ROWS_SHARE

    @property
    def largest(self) -> JoinTree:
        """The join that put out most rows for others to take, as they ran."""
        return max(self.written.joins[:-1], key=lambda join: join.size.rows)

    @property
    def predicted(self) -> Prediction:
        before, gain = self.seconds, self.gain
        low, after = (max(0.0, before - capped(seconds, before)) for seconds in (gain.high, gain.expected))
        return Prediction(before, after, low, before - capped(gain.low, before))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        largest, names = self.largest, relation_names(self.graph)
        return (
            Evidence("rows between the joins as they ran", self.rows, "rows"),
            Evidence("rows between them in the other order", self.other_rows, "rows"),
            Evidence("rows between them, if estimates are as wrong as they may be", self.most_rows, "rows"),
            Evidence("most rows between two of them", largest.size.rows, "rows", joined_names(names, largest)),
        )


# Which tree a block should have: of its measured sizes, and the tree that ran. None leaves it as it is.
Choice = Callable[[JoinGraph, Cardinality, JoinTree], JoinTree | None]


@dataclass(frozen=True)
class OrderPrices:
    """Prices orders of the blocks of one run's queries, with what all runs at hand have measured."""

    facts: Facts

    def better(self) -> Iterator[OrderChange]:
        """For each block the cheapest order by Spark's formula, where that is clearly better than the one that ran."""
        return (change for change in self.changes() if change.is_clear)

    def changes(self) -> Iterator[OrderChange]:
        """For each block the cheapest order by Spark's formula, where it has clearly fewer rows than the one that ran."""
        found = (self.change(query, graph, self._cheaper) for query, graph in self.blocks())
        return (change for change in found if change is not None)

    def blocks(self) -> Iterator[tuple[Query, JoinGraph]]:
        """The blocks whose joins were measured to the last, of queries that came to their end."""
        for query in self.facts.succeeded:
            for graph in self.facts.graphs_of(query) if query.graphs else ():
                if graph.everything in graph.measured:
                    yield query, graph

    def change(self, query: Query, graph: JoinGraph, choose: Choice) -> OrderChange | None:
        """The change to the order that is chosen for a block; None where that is the order that ran, or there is none."""
        sizes = Cardinality(graph)
        written = tree_of(graph.written, sizes.size)
        chosen = choose(graph, sizes, written)
        if chosen is None or shape(chosen.order) == shape(written.order):
            return None
        other = tree_of(chosen.order, sizes.size)
        times = Counter(g.signature for g in query.graphs)[graph.signature]
        return OrderChange(
            query=query,
            graph=graph,
            written=written,
            other=other,
            rows=tree_cost(written).card,
            other_rows=tree_cost(other).card,
            most_rows=_most_rows(sizes, other),
            gain=self._saved(query, graph, other, sizes, times),
            times=times,
        )

    @staticmethod
    def cheapest(graph: JoinGraph, sizes: Cardinality, written: JoinTree) -> JoinTree:
        """The cheapest order by Spark's formula; the one that ran unless another is cheaper."""
        edges = [(predicate.left, predicate.right) for predicate in graph.predicates]
        return best_order(len(graph.relations), edges, sizes.size, written=written).tree

    @staticmethod
    def _cheaper(graph: JoinGraph, sizes: Cardinality, written: JoinTree) -> JoinTree | None:
        """The cheapest order where it is worth pricing, which takes longer than the search for it."""
        best = OrderPrices.cheapest(graph, sizes, written)
        return best if _most_rows(sizes, best) <= tree_cost(written).card * _MOST_ROWS_SHARE else None

    def _saved(self, query: Query, graph: JoinGraph, other: JoinTree, sizes: Cardinality, times: int) -> Interval:
        """What another order saves of the query's wall seconds; below 0 where it adds to them."""
        facts = self.facts
        what_if = WhatIf(
            graph,
            sizes.size,
            self._conf,
            facts.cluster,
            self._costs,
            execution=self._execution,
            basis_of=lambda relations: _basis(sizes, relations),
            price_error=facts.price_error,
        )
        before = what_if.order(graph.written, Given(_as_ran(graph, tree_of(graph.written, sizes.size))))
        after = what_if.order(other.order, Given(_as_ran(graph, other)))
        priced, seconds = before.seconds(facts.cluster) * times, (query.duration_ms or 0) / 1e3
        saved = what_if.saving(before, after)
        fixed = seconds * fixed_share(query, self._costs)

        def of_query(saving: float, error: float) -> float:
            """Prices that add up to more than the query has for these joins are scaled down to it; a loss is not."""
            share = min(1.0, max(0.0, seconds - fixed * error) / priced) if priced and saving > 0 else 1.0
            return saving * times * share

        error = facts.price_error
        return Interval(of_query(saved.low, error), of_query(saved.expected, 1.0), of_query(saved.high, 1 / error))

    @cached_property
    def _execution(self) -> ExecutionConf:
        return read_execution_conf(self.facts.conf, self.facts.spark_version)

    @cached_property
    def _conf(self) -> SelectionConf:
        return read_conf(self.facts.conf, self.facts.spark_version)

    @cached_property
    def _costs(self) -> UnitCosts:
        return self.facts.costs


def _as_ran(graph: JoinGraph, tree: JoinTree) -> dict[int, GivenJoin]:
    """The joins of a tree that ran like this, with their strategies; how Spark runs the others is its rules' to say."""
    ran = {join.mask: join.children[0].mask for join in tree_of(graph.written, lambda _: Size(0, 0)).joins}
    found = {}
    for join in tree.joins:
        measured = graph.measured.get(join.mask)
        if measured and measured.strategy in _GIVEN and ran.get(join.mask) == join.children[0].mask:
            found[join.mask] = GivenJoin(measured.strategy, measured.build_side)
    return found


def fixed_share(query: Query, costs: UnitCosts) -> float:
    """The share of a query's time that no order of its joins changes: reading, filtering, aggregating, starting tasks."""
    terms: Counter[str] = Counter()
    for stage in query.work.stages if query.work else ():
        terms.update(stage_terms(stage, costs))
    total = terms.total()
    return 1 - sum(terms[resource] for resource in _OF_JOINS) / total if total else _FIXED_SHARE


def _basis(sizes: Cardinality, relations: int) -> Basis:
    """What a size stands on; relations are read as they were measured, in whatever order."""
    return sizes.estimate(relations).basis if relations.bit_count() > 1 else Basis.MEASURED


def _most_rows(sizes: Cardinality, tree: JoinTree) -> float:
    """Rows between the joins of a tree, if every estimate is as wrong as it may be."""
    return sum(sizes.size(j.mask).rows * SIZE_ERRORS[_basis(sizes, j.mask)] for j in tree.joins[:-1])


def shape(order: Order) -> object:
    """An order without regard to which side stands left."""
    return order if isinstance(order, int) else frozenset(map(shape, order))
