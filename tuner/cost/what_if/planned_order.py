"""An order as planned: its joins, and where its stages begin and end, as far as no size and no price matters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tuner.cost.what_if.ensure_requirements import LEFT
from tuner.cost.what_if.exchange_reuse import Exchange, exchange_of
from tuner.cost.what_if.physical_order import PlannedJoin
from tuner.model.join_graph import JoinGraph
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import BOTH


class JoinInput(NamedTuple):
    """One side of a join. Where it is exchanged, that ends a stage, unless another's exchange is reused; else it is part of the
    stage of the join."""

    relations: int
    is_left: bool
    is_exchanged: bool = False
    shuffles: bool = False
    ends_stage: bool = False


class JoinStep(NamedTuple):
    """A join with its inputs; `is_product` where each partition of one meets each of the other (UnsafeCartesianRDD)."""

    relations: int
    inputs: tuple[JoinInput, JoinInput]
    is_product: bool


class PlannedStage(NamedTuple):
    """A stage, and the numbers of those it waits for; `shuffles` where it ends with the writing of a shuffle."""

    relations: int
    inputs: tuple[int, ...]
    shuffles: bool = False


@dataclass(frozen=True, slots=True)
class PlannedOrder:
    """Joins, steps and stages, inputs before what they feed. Stages are numbered as the steps end them; the last ends with the
    last join."""

    joins: tuple[PlannedJoin, ...]
    steps: tuple[JoinStep, ...]
    stages: tuple[PlannedStage, ...]


def planned_order(joins: Iterable[PlannedJoin], graph: JoinGraph) -> PlannedOrder:
    """The order of these joins of a block, inputs before what they feed."""
    every = tuple(joins)
    planning = _Planning(graph)
    return PlannedOrder(every, tuple([planning.step(join) for join in every]), planning.stages())


class _Planning:
    """The stages of one order while they are planned."""

    def __init__(self, graph: JoinGraph) -> None:
        self._graph = graph
        self._ended: list[PlannedStage] = []
        # What the open stages wait for, by the sets of relations that they have joined.
        self._open: dict[int, list[int]] = {}
        self._exchanged: dict[Exchange, int] = {}

    def step(self, join: PlannedJoin) -> JoinStep:
        below = [self._open.pop(join.side(side), []) for side in BOTH]
        waits_for: list[int] = []
        left, right = (self._input(waits_for, join, side, its) for side, its in zip(BOTH, below, strict=True))
        self._open[join.relations] = waits_for
        return JoinStep(join.relations, (left, right), join.strategy is Strategy.CARTESIAN)

    def stages(self) -> tuple[PlannedStage, ...]:
        last = (PlannedStage(relations, _once(inputs)) for relations, inputs in self._open.items())
        return (*self._ended, *last)

    def _input(self, waits_for: list[int], join: PlannedJoin, side: BuildSide, below: list[int]) -> JoinInput:
        """One side. The join waits for the stage that ends with it, or for what that stage waits for which goes on."""
        relations, is_left, shuffles = join.side(side), side is LEFT, side in join.shuffled
        if not shuffles and side is not join.broadcast:
            waits_for += below
            return JoinInput(relations, is_left)
        exchange = exchange_of(join, side, self._graph)
        if exchange and side in join.reused:
            waits_for.append(self._exchanged[exchange])
            return JoinInput(relations, is_left, is_exchanged=True, shuffles=shuffles)
        waits_for.append(len(self._ended))
        if exchange:
            self._exchanged[exchange] = len(self._ended)
        self._ended.append(PlannedStage(relations, _once(below), shuffles))
        return JoinInput(relations, is_left, is_exchanged=True, shuffles=shuffles, ends_stage=True)


def _once(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))
