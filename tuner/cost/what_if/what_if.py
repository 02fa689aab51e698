"""Orders of one block as Spark would run them, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tuner.cost.cardinality import Basis
from tuner.cost.size import Size
from tuner.cost.unit_costs import PRICE_ERROR, UnitCosts
from tuner.cost.what_if.derivation import Derivation
from tuner.cost.what_if.execution_conf import SPARKS_DEFAULTS, ExecutionConf
from tuner.cost.what_if.interval import Interval, Priced, difference_interval, errors, seconds_interval
from tuner.cost.what_if.join_work import join_work
from tuner.cost.what_if.physical_order import Given, PhysicalJoin, PhysicalOrder, PlannedJoin
from tuner.cost.what_if.stage_cut import StageCut
from tuner.model.cluster import Cluster
from tuner.model.join_graph import JoinGraph, Order
from tuner.spark.join_selection.selection_conf import SelectionConf

_NOTHING_GIVEN = Given()


def _measured(_: int) -> Basis:
    return Basis.MEASURED


class WhatIf:
    """Prices orders of one block under one conf.

    `size_of` gives the size of the join of a set of relations, `basis_of` what that stands on (measured, unless told
    otherwise), `price_error` the factor that unit costs are within, either way, in 90 % of cases. The planner is taken
    to know the sizes, as it does with a hint on each join.
    """

    def __init__(
        self,
        graph: JoinGraph,
        size_of: Callable[[int], Size],
        conf: SelectionConf,
        cluster: Cluster,
        costs: UnitCosts,
        *,
        execution: ExecutionConf = SPARKS_DEFAULTS,
        basis_of: Callable[[int], Basis] = _measured,
        price_error: float = PRICE_ERROR,
    ) -> None:
        self._graph = graph
        self._conf = conf
        self._cluster = cluster
        self._execution = execution
        self._basis_of = basis_of
        self._price_error = price_error
        self._expected = Priced(size_of, costs)
        self._derivation = Derivation(graph, size_of, conf, execution)

    def order(self, order: Order, given: Given = _NOTHING_GIVEN) -> PhysicalOrder:
        """The order as Spark would run it, with the strategies and build sides that are given."""
        return self._price(self._derivation.joins(order, given), self._expected)

    def seconds(self, order: Order) -> float:
        return self.order(order).seconds(self._cluster)

    def join_seconds(self, left: int, right: int, given: Given = _NOTHING_GIVEN) -> float:
        """Seconds of joining two sets of relations when neither comes partitioned or sorted for it, the same either way round."""
        join = self._derivation.lone_join(min(left, right), max(left, right), given)
        work = join_work(join, self._expected.size_of, self._expected.costs, self._cluster.executors)
        return work.core_seconds / max(1, self._cluster.cores) + work.serial / 1e9

    def interval(self, order: PhysicalOrder) -> Interval:
        """The seconds of an order, by the errors of its sizes and prices; its strategies stay as they are."""
        changed = ((self._changed(order, up), self._changed(order, down)) for up, down in self._errors(order))
        return seconds_interval(order.seconds(self._cluster), changed)

    def saving(self, before: PhysicalOrder, after: PhysicalOrder) -> Interval:
        """The seconds that one order takes less than another; what both share cancels."""

        def saved(priced: Priced) -> float:
            return self._changed(before, priced) - self._changed(after, priced)

        changed = ((saved(up), saved(down)) for up, down in self._errors(before, after))
        return difference_interval(before.seconds(self._cluster) - after.seconds(self._cluster), changed)

    def _errors(self, *orders: PhysicalOrder) -> Iterator[tuple[Priced, Priced]]:
        joins = [join for order in orders for join in order.joins]
        sets = {relations for join in joins for relations in (join.left, join.right, join.relations)}
        return errors(sets, self._basis_of, self._expected, self._price_error)

    def _changed(self, order: PhysicalOrder, priced: Priced) -> float:
        return self._price([join.plan for join in order.joins], priced).seconds(self._cluster)

    def _price(self, joins: Sequence[PlannedJoin], priced: Priced) -> PhysicalOrder:
        size_of, costs = priced.size_of, priced.costs
        work = [join_work(join, size_of, costs, self._cluster.executors) for join in joins]
        cut = StageCut(self._graph, size_of, self._conf, self._execution, costs, max(1, self._cluster.cores))
        return PhysicalOrder(
            tuple(
                PhysicalJoin(join, size_of(join.relations), its.core_seconds, its.serial / 1e9)
                for join, its in zip(joins, work, strict=True)
            ),
            cut.stages(joins, work),
        )
