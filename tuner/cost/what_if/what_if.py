"""Orders of one block as Spark would run them, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy

from tuner.cost.cardinality import Basis
from tuner.cost.size import Size
from tuner.cost.unit_costs import PRICE_ERROR, UnitCosts
from tuner.cost.what_if.derivation import Derivation
from tuner.cost.what_if.execution_conf import SPARKS_DEFAULTS, ExecutionConf
from tuner.cost.what_if.interval import Interval, Priced, difference_interval, errors
from tuner.cost.what_if.join_work import JoinWork, join_work
from tuner.cost.what_if.makespan import makespan
from tuner.cost.what_if.physical_order import Given, PhysicalJoin, PhysicalOrder, Stage
from tuner.cost.what_if.planned_order import PlannedOrder, planned_order
from tuner.cost.what_if.sizes import Sizes
from tuner.cost.what_if.stage_cut import SizedStage, StageCut, StageSeconds
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
        self._cluster = cluster
        self._basis_of = basis_of
        self._price_error = price_error
        self._cores = max(1, cluster.cores)
        self._expected = Priced(Sizes(size_of), costs)
        self._derivation = Derivation(graph, conf, execution)
        self._cut = StageCut(graph, conf, execution, self._cores)

    def of_sizes(self, size_of: Callable[[int], Size]) -> WhatIf:
        """The same, with the joins of the block of other sizes."""
        other = copy(self)
        other._expected = Priced(Sizes(size_of), self._expected.costs)
        return other

    def order(self, order: Order, given: Given = _NOTHING_GIVEN) -> PhysicalOrder:
        """The order as Spark would run it, with the strategies and build sides that are given."""
        sizes, costs = self._expected.sizes, self._expected.costs
        planned = self._derivation.planned(order, given, sizes)
        work, sized = self._work(planned, self._expected), self._cut.sized(planned, sizes)
        seconds = self._cut.seconds(planned, sized, work, costs)
        return PhysicalOrder(
            tuple(
                PhysicalJoin(join, sizes[join.relations], its.core_seconds, its.serial / 1e9)
                for join, its in zip(planned.joins, work, strict=True)
            ),
            tuple(
                Stage(stage.relations, stage.inputs, its.rows, its.bytes, its.tasks, *takes)
                for stage, its, takes in zip(planned.stages, sized, seconds, strict=True)
            ),
        )

    def seconds(self, order: Order, given: Given = _NOTHING_GIVEN) -> float:
        planned = self._derivation.planned(order, given, self._expected.sizes)
        sized = self._cut.sized(planned, self._expected.sizes)
        return self._makespan(planned, sized, self._stage_seconds(planned, sized, self._expected))

    def join_seconds(self, left: int, right: int, given: Given = _NOTHING_GIVEN) -> float:
        """Seconds of joining two sets of relations when neither comes partitioned or sorted for it, the same either way round."""
        sizes, costs = self._expected.sizes, self._expected.costs
        join = self._derivation.lone_join(min(left, right), max(left, right), given, sizes)
        work = join_work(join, sizes, costs, self._cluster.executors)
        return work.core_seconds / self._cores + work.serial / 1e9

    def saving(self, before: PhysicalOrder, after: PhysicalOrder) -> Interval:
        """The seconds that one order takes less than another, by the errors of their sizes and prices; what both share cancels.
        Their strategies stay as they are."""
        of_before, of_after = self._repriced(before), self._repriced(after)

        def saved(priced: Priced) -> float:
            return of_before(priced) - of_after(priced)

        changed = ((saved(up), saved(down)) for up, down in self._errors(before, after))
        return difference_interval(before.seconds(self._cluster) - after.seconds(self._cluster), changed)

    def _errors(self, *orders: PhysicalOrder) -> Iterator[tuple[Priced, Priced]]:
        joins = [join for order in orders for join in order.joins]
        sets = {relations for join in joins for relations in (join.left, join.right, join.relations)}
        return errors(sets, self._basis_of, self._expected, self._price_error)

    def _repriced(self, order: PhysicalOrder) -> Callable[[Priced], float]:
        """The seconds of an order at other sizes or prices, with its joins as they are. Most prices are of no stage of it."""
        planned = planned_order((join.plan for join in order.joins), self._graph)
        sized = self._cut.sized(planned, self._expected.sizes)
        expected = self._stage_seconds(planned, sized, self._expected)
        seconds = self._makespan(planned, sized, expected)

        def repriced(priced: Priced) -> float:
            if priced.sizes is not self._expected.sizes:
                other = self._cut.sized(planned, priced.sizes)
                return self._makespan(planned, other, self._stage_seconds(planned, other, priced))
            each = self._stage_seconds(planned, sized, priced)
            return seconds if each == expected else self._makespan(planned, sized, each)

        return repriced

    def _work(self, planned: PlannedOrder, priced: Priced) -> list[JoinWork]:
        return [join_work(join, priced.sizes, priced.costs, self._cluster.executors) for join in planned.joins]

    def _stage_seconds(self, planned: PlannedOrder, sized: Sequence[SizedStage], priced: Priced) -> list[StageSeconds]:
        return self._cut.seconds(planned, sized, self._work(planned, priced), priced.costs)

    def _makespan(self, planned: PlannedOrder, sized: Sequence[SizedStage], seconds: Sequence[StageSeconds]) -> float:
        stages = zip(planned.stages, sized, seconds, strict=True)
        return makespan(
            [(stage.inputs, its.tasks, takes.core / its.tasks, takes.driver) for stage, its, takes in stages],
            self._cores,
        )
