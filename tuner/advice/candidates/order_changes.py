"""Another order for a block of joins: the rows and seconds that it saves, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest

from tuner.advice.candidates.cheapest_orders import PricedBlock, cheapest_orders, lookalike_groups
from tuner.advice.candidates.coalesced_blocks import streams_other_rows
from tuner.advice.candidates.hinted_broadcasts import HINTED
from tuner.advice.candidates.kept_prunings import keeps, prunings
from tuner.advice.candidates.order_names import joined_names, relation_names
from tuner.advice.candidates.order_shape import order_shape
from tuner.advice.candidates.query_gain import capped
from tuner.advice.candidates.timed_orders import search_weight
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_tree import JoinTree, tree_cost
from tuner.cost.learned.unit_cost_fit import work_terms
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if.execution_conf import ExecutionConf, read_execution_conf
from tuner.cost.what_if.interval import Interval
from tuner.cost.what_if.physical_order import Given, GivenJoin, PhysicalOrder
from tuner.model.change import Evidence, Prediction
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query
from tuner.plan.query_work import Resource
from tuner.spark.join_selection.selection_conf import SelectionConf, read_conf
from tuner.spark.knobs import JOIN_REORDER_WEIGHT
from tuner.spark.order_cost import weighted_sum

# Rows between joins must fall at least to this share: less is within what prices are unsure of.
_MOST_ROWS_SHARE = 0.7
# Of a query's seconds, at worst: an order that filters before it shuffles may have more rows between its joins.
_CLEAR_GAIN_SHARE = 0.2
# Of a query's executions so many are priced where no fewer rows between its joins call for it.
_MOST_PRICED = 3
# What another order of joins makes more or less of.
OF_JOINS = (
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
# A person's minute is worth more than this.
MIN_GAIN_SECONDS = 1.0
MIN_GAIN_SHARE = 0.01
# What the agent does takes nobody's.
_MIN_AGENT_GAIN_SECONDS = 0.2
# Of a short query less will do than of a long one, if runs of one query do not differ by as much anyway.
_SHORT_GAIN_SHARE = 0.10


@dataclass(frozen=True, slots=True)
class OrderChange:
    """One block of one query in another order.

    Rows are those between the joins (of all but the last), `most_rows` the same with every estimate as wrong as it may
    be. `gain` are wall seconds over all `times` that the query has the block, by the errors of sizes and prices;
    `least_seconds` is what it must come to. `priced` and `other_priced` are the seconds of the block's joins in either order,
    once, by unit prices alone. `weight` is that of rows against bytes in the formula that found candidates. `hinted` are the
    joins of the other order, as sets of relations, that are priced as broadcast by a hint. Where the other order does not keep
    the pruning of a table's partitions, more of it is read than is priced.
    """

    query: Query
    graph: JoinGraph
    written: JoinTree
    other: JoinTree
    rows: float
    other_rows: float
    most_rows: float
    gain: Interval
    priced: float = 0.0
    other_priced: float = 0.0
    weight: float = JOIN_REORDER_WEIGHT.default
    times: int = 1
    least_seconds: float = MIN_GAIN_SECONDS
    hinted: frozenset[int] = frozenset()
    keeps_pruning: bool = True

    @property
    def seconds(self) -> float:
        """What the query took."""
        return self.query.seconds

    @property
    def is_clear(self) -> bool:
        """Whether it is promising, its expected seconds are worth it, and even the low end of them gains."""
        enough = max(self.least_seconds, MIN_GAIN_SHARE * self.seconds)
        return self.keeps_pruning and self.is_promising and self.gain.expected >= enough and self.gain.low > 0

    @property
    def is_promising(self) -> bool:
        """Whether it makes clearly fewer rows between joins, or fewer as expected and gains even at worst, or saves a large share
        of the query's seconds at worst."""
        fewer = self.other_rows <= self.rows * _MOST_ROWS_SHARE and self.gain.low > 0
        return fewer or self.has_clearly_fewer_rows or self.gain.low >= _CLEAR_GAIN_SHARE * self.seconds

    @property
    def has_clearly_fewer_rows(self) -> bool:
        return self.most_rows <= self.rows * _MOST_ROWS_SHARE

    @property
    def largest(self) -> JoinTree:
        """The join that handed most rows to another join, in the order that ran."""
        return max(self.written.joins[:-1], key=lambda join: join.size.rows)

    def _by_formula(self, tree: JoinTree) -> float:
        return round(weighted_sum(tree_cost(tree), self.weight))

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
            Evidence("weight of rows against bytes in Spark's formula", self.weight, ""),
            Evidence("cost by that formula, as they ran", self._by_formula(self.written), "cost"),
            Evidence("cost by that formula, in the other order", self._by_formula(self.other), "cost"),
            Evidence("seconds of these joins by prices, as they ran", self.priced, "seconds"),
            Evidence("seconds of these joins by prices, in the other order", self.other_priced, "seconds"),
        )


# Which tree a block should have: of its measured sizes, and the tree that ran. None leaves it as it is.
Choice = Callable[[JoinGraph, Cardinality, JoinTree], JoinTree | None]


@dataclass(frozen=True)
class OrderPrices:
    """Prices orders of the blocks of one run's queries, with what all runs at hand have measured."""

    facts: Facts

    def clear_changes(self) -> Iterator[OrderChange]:
        """For each block the order of fewest seconds, where that is clearly better than the one that ran."""
        return (change for change in self.changes() if change.is_clear)

    def changes(self) -> tuple[OrderChange, ...]:
        """For each block the order of fewest seconds, where that promises something."""
        return self._promising

    @cached_property
    def _promising(self) -> tuple[OrderChange, ...]:
        return tuple(self._searched())

    def _searched(self) -> Iterator[OrderChange]:
        blocks: dict[int, tuple[Query, list[PricedBlock]]] = {}
        steered = ((query, graph) for query, graph in self.blocks() if query.fingerprint not in self.facts.passing)
        for query, graph in steered:
            blocks.setdefault(query.id, (query, []))[1].append(self.block(graph, query))
        for query, of_query in blocks.values():
            for group in lookalike_groups(of_query):
                if any(self._may_be_worth_it(query, block) for block in group):
                    for block, tree in zip(group, cheapest_orders(group), strict=True):
                        change = self.change_to(query, block, tree)
                        if change is not None and change.is_promising:
                            yield change

    def _may_be_worth_it(self, query: Query, block: PricedBlock) -> bool:
        """Whether its orders are worth a price: one has clearly fewer rows, or may shuffle so much less."""
        if block.saves_rows(_MOST_ROWS_SHARE):
            return True
        if query.id not in self._longest or 1 - fixed_share(query, self._costs) < _CLEAR_GAIN_SHARE:
            return False
        return block.shuffles_for_later_joins(_MOST_ROWS_SHARE)

    def blocks(self) -> Iterator[tuple[Query, JoinGraph]]:
        """The blocks whose joins were measured to the last, of queries that came to their end."""
        for query in self.facts.succeeded:
            for graph in self.facts.graphs_of(query) if query.graphs else ():
                if graph.everything in graph.measured:
                    yield query, graph

    def change(self, query: Query, graph: JoinGraph, choose: Choice) -> OrderChange | None:
        """The change to the order that is chosen for a block; None where that is the order that ran, or there is none."""
        block = self.block(graph)
        chosen = choose(graph, block.sizes, block.written)
        change = None if chosen is None else self.change_to(query, block, chosen)
        return change and replace(change, keeps_pruning=keeps(change.other, prunings(query, graph)))

    def block(self, graph: JoinGraph, query: Query | None = None) -> PricedBlock:
        """A block, to price its orders as this run's Spark would run them; with its query, as hints would have it run them."""
        key = (id(graph), id(query))  # of what the block keeps
        if key not in self._blocks:
            weight = self.facts.once(search_weight)
            block = PricedBlock(graph, self.facts, self._conf, self._execution, self._costs, weight, query)
            self._blocks[key] = block
        return self._blocks[key]

    def change_to(self, query: Query, block: PricedBlock, chosen: JoinTree) -> OrderChange | None:
        """The change to an order of a block; None where that is the order that ran, or would have what it reads read in few
        tasks."""
        if order_shape(chosen.order) == order_shape(block.written.order):
            return None
        other = block.tree(chosen.order)
        times = Counter(g.signature for g in query.graphs)[block.graph.signature]
        given = block.hinted(other)
        orders = (self._as_written(block), block.what_if.order(other.order, given))
        if streams_other_rows(self.facts, query, block.graph, *orders):
            return None
        return OrderChange(
            query=query,
            graph=block.graph,
            written=block.written,
            other=other,
            rows=tree_cost(block.written).card,
            other_rows=tree_cost(other).card,
            most_rows=block.most_rows(other),
            gain=self._saved(query, block, *orders, times),
            priced=block.seconds(block.written),
            other_priced=block.seconds(other),
            weight=block.weight,
            times=times,
            least_seconds=self._least_seconds(query),
            hinted=frozenset(given.joins.keys() - block.given(other).joins.keys()),
        )

    def without_hints(self, change: OrderChange, refused: Mapping[int, GivenJoin]) -> OrderChange:
        """The change where joins of its order that it prices as broadcasts, by the sets of their relations, run as is told."""
        if not refused:
            return change
        hinted, block = change.hinted - refused.keys(), self.block(change.graph)
        given = Given({**block.given(change.other).joins, **dict.fromkeys(hinted, HINTED), **refused})
        after = block.what_if.order(change.other.order, given)
        gain = self._saved(change.query, block, self._as_written(block), after, change.times)
        return replace(change, gain=gain, other_priced=after.seconds(self.facts.cluster), hinted=hinted)

    @staticmethod
    def _as_written(block: PricedBlock) -> PhysicalOrder:
        """The order that ran, its joins as they ran."""
        return block.what_if.order(block.written.order, block.given(block.written))

    def _least_seconds(self, query: Query) -> float:
        """What one execution is to gain: of a short query less will do, and of a loop that all of it gains enough together."""
        least = _MIN_AGENT_GAIN_SECONDS if self.facts.reach is Reach.AGENT else MIN_GAIN_SECONDS
        of_short = _SHORT_GAIN_SHARE * query.seconds
        return min(MIN_GAIN_SECONDS, max(least / times_in_run(self.facts, query), of_short))

    def _saved(
        self, query: Query, block: PricedBlock, before: PhysicalOrder, after: PhysicalOrder, times: int
    ) -> Interval:
        """What another order saves of the query's wall seconds; below 0 where it adds to them."""
        facts, what_if = self.facts, block.what_if
        priced, seconds = before.seconds(facts.cluster) * times, query.seconds
        saved = what_if.saving(before, after)
        fixed = fixed_share(query, self._costs)

        def of_query(saving: float, error: float) -> float:
            """Prices that add up to more than the query has for these joins are scaled down to it; a loss is not.

            What no order changes may be priced too low by `error`, beside the joins: both together took what was measured.
            """
            for_joins = seconds * (1 - fixed) / (1 - fixed + fixed * error)
            share = min(1.0, for_joins / priced) if priced and saving > 0 else 1.0
            return saving * times * share

        error = facts.price_error
        return Interval(of_query(saved.low, error), of_query(saved.expected, 1.0), of_query(saved.high, 1 / error))

    @cached_property
    def _longest(self) -> frozenset[int]:
        """Of each query its executions that took longest: in a loop of 60 a search of seven relations in each takes 1.5 s."""
        found: dict[str, list[Query]] = {}
        for query in self.facts.succeeded:
            found.setdefault(query.fingerprint, []).append(query)
        longest = (nlargest(_MOST_PRICED, of, key=lambda query: query.seconds) for of in found.values())
        return frozenset(query.id for of in longest for query in of)

    @cached_property
    def _blocks(self) -> dict[tuple[int, int], PricedBlock]:
        return {}

    @cached_property
    def _execution(self) -> ExecutionConf:
        return read_execution_conf(self.facts.conf, self.facts.spark_version)

    @cached_property
    def _conf(self) -> SelectionConf:
        return read_conf(self.facts.conf, self.facts.spark_version)

    @cached_property
    def _costs(self) -> UnitCosts:
        return self.facts.costs


def predict_orders(changes: Sequence[OrderChange]) -> Prediction:
    """Seconds of the queries that several changes touch. Losses are not capped."""
    each = {change.query.id: change.seconds for change in changes}
    before = sum(each.values())
    parts = [change.predicted for change in changes]
    after = before - sum(p.gain for p in parts)
    low = before - sum(p.before - p.low for p in parts)
    high = before - sum(p.before - p.high for p in parts)
    return Prediction(before, max(0.0, after), max(0.0, low), high)


def fixed_share(query: Query, costs: UnitCosts) -> float:
    """The share of a query's time that no order of its joins changes: reading, filtering, aggregating, starting tasks."""
    terms: Counter[str] = Counter()
    for stage in query.work.stages if query.work else ():
        terms.update(work_terms(stage.amounts, costs))
    total = terms.total()
    return 1 - sum(terms[resource] for resource in OF_JOINS) / total if total else _FIXED_SHARE
