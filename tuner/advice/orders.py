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
from tuner.cost.selection.conf import SelectionConf, read_conf
from tuner.cost.size import Size
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import WhatIf
from tuner.eventlog.cluster import Cluster
from tuner.plan.graph import JoinGraph, Order
from tuner.plan.model import Query

# By how much the join of a set may be larger than estimated: 90 % of TPC-DS's joins that never ran are within 1.7
# (tests/benchmarks/cardinality_q_error.py); what not even its selectivities were measured of, within this much.
_ERROR = {Basis.MEASURED: 1.0, Basis.DERIVED: 1.7, Basis.ASSUMED: 3.0}
# Rows between joins must fall at least to this share: less is within what prices are unsure of.
_MOST_ROWS_SHARE = 0.7
# Of the seconds that prices promise, at least and at most so much comes true: the interval of `builds.predict`. TPC-DS
# 72 at SF1 was promised 21 s, and saved 10.
_LEAST_SHARE, _MOST_SHARE = 0.2, 1.6
# A person's minute is worth more than this.
MIN_GAIN_SECONDS = 1.0
MIN_GAIN_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class OrderChange:
    """One block of one query in another order.

    Rows are those between the joins (of all but the last), `most_rows` the same with every estimate as wrong as it may
    be. `gain` are wall seconds by the prices over all `times` that the query has the block, `least_gain` with those rows.
    """

    query: Query
    graph: JoinGraph
    written: JoinTree
    other: JoinTree
    rows: float
    other_rows: float
    most_rows: float
    gain: float
    least_gain: float
    times: int = 1

    @property
    def seconds(self) -> float:
        """What the query took."""
        return (self.query.duration_ms or 0) / 1e3

    @property
    def is_clear(self) -> bool:
        """Whether the rows fall by more than what is unsure, and the seconds with them."""
        enough = max(MIN_GAIN_SECONDS, MIN_GAIN_SHARE * self.seconds)
        return self.most_rows <= self.rows * _MOST_ROWS_SHARE and self.gain >= enough and self.least_gain > 0

    @property
    def predicted(self) -> Prediction:
        before, gain = self.seconds, capped(self.gain, self.seconds)
        least = _LEAST_SHARE * capped(self.least_gain, before) if self.least_gain > 0 else self.least_gain
        return Prediction(before, before - gain, max(0.0, before - _MOST_SHARE * gain), before - min(gain, least))

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        largest = max(self.written.joins[:-1], key=lambda join: join.size.rows)
        names = relation_names(self.graph)
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
        for query, graph in self.blocks():
            change = self.change(query, graph, self.cheapest)
            if change is not None and change.is_clear:
                yield change

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
            most_rows=sum(_most(sizes, join.mask).rows for join in other.joins[:-1]),
            gain=self._saved(query, graph, other, sizes.size) * times,
            least_gain=self._saved(query, graph, other, lambda mask: _most(sizes, mask)) * times,
            times=times,
        )

    @staticmethod
    def cheapest(graph: JoinGraph, sizes: Cardinality, written: JoinTree) -> JoinTree:
        """The cheapest order by Spark's formula; the one that ran unless another is cheaper."""
        edges = [(predicate.left, predicate.right) for predicate in graph.predicates]
        return best_order(len(graph.relations), edges, sizes.size, written=written).tree

    def _saved(self, query: Query, graph: JoinGraph, other: JoinTree, size_of: Callable[[int], Size]) -> float:
        """What another order saves of the query's wall seconds; below 0 where it adds to them."""
        took = query.executor_run_ms / 1e3
        seconds = (query.duration_ms or 0) / 1e3
        at_once = max(1.0, took / seconds) if seconds else 1.0
        cluster = Cluster(round(at_once), executors=max(1, self.facts.cluster.executors))
        what_if = WhatIf(graph, size_of, self._conf, cluster, self._costs)
        before, after = what_if.order(graph.written), what_if.order(other.order)
        # Prices that add up to more than the tasks took are scaled down to it; what they leave unexplained stays.
        scale = min(1.0, took / before.core_seconds) if before.core_seconds else 1.0
        saved = (before.core_seconds - after.core_seconds) * scale / at_once
        return saved + before.serial_seconds - after.serial_seconds

    @cached_property
    def _conf(self) -> SelectionConf:
        return read_conf(self.facts.conf, self.facts.spark_version)

    @cached_property
    def _costs(self) -> UnitCosts:
        return self.facts.costs


def _most(sizes: Cardinality, relations: int) -> Size:
    """A size as large as it may be."""
    estimate = sizes.estimate(relations)
    error = _ERROR[estimate.basis] if relations.bit_count() > 1 else 1.0
    return Size(estimate.size.rows * error, estimate.size.bytes * error)


def shape(order: Order) -> object:
    """An order without regard to which side stands left."""
    return order if isinstance(order, int) else frozenset(map(shape, order))
