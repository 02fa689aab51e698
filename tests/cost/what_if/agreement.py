"""The physical what-if beside what real plans have and what their stages took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.cost.what_if.block_operators import BlockJoin, block_joins
from tuner.cost.cardinality import Cardinality
from tuner.cost.learned.operator_times import shipped_model
from tuner.cost.what_if import Given, GivenJoin, PhysicalOrder, WhatIf
from tuner.cost.what_if.execution_conf import read_execution_conf
from tuner.eventlog.cluster import cluster_of
from tuner.model.application import Application, Execution, Stage
from tuner.model.strategy import BuildSide
from tuner.plan.join_blocks import JoinBlock, join_blocks
from tuner.plan.node import PlanNode, build_tree
from tuner.spark.join_selection.selection_conf import read_conf

# What may not differ.
PLANNED = ("joins", "exchanges", "sorts", "broadcasts")
# Operators that leave a stage with joins of one block its own.
_BESIDE_JOINS = frozenset({"Project", "Filter", "Sort", "Exchange"})


@dataclass
class Agreement:
    """Sides of joins that agree and that do not, by operator, with one line for each that does not."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, what: str, expected: object, derived: object, where: str) -> None:
        if expected == derived:
            self.right[what] += 1
        else:
            self.wrong[what] += 1
            self.differences.append(f"{what}: Spark {expected}, derived {derived}: {where}")


@dataclass(frozen=True)
class StageTime:
    """One stage as priced and as measured: its tasks' run time, and what of it they were on a processor."""

    predicted_seconds: float
    run_seconds: float
    cpu_seconds: float
    predicted_tasks: int
    measured_tasks: int


class Comparison:
    """Compares the blocks of one application."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._conf = dict(application.conf)
        self._costs = shipped_model().costs
        self.agreement = Agreement()
        self.stages: list[StageTime] = []
        self.blocks = 0

    def run(self) -> None:
        for execution in self._application.executions:
            if execution.initial_plan:
                initial = build_tree(execution.initial_plan, execution.accumulators)
                self._compare_planned(execution, initial)
                if execution.final_plan and not execution.error:
                    self._compare_final(execution, build_tree(execution.final_plan, execution.accumulators))

    def _what_if(self, execution: Execution, block: JoinBlock) -> WhatIf:
        conf = self._conf | dict(execution.modified_conf)
        version = self._application.spark_version
        return WhatIf(
            block.graph,
            Cardinality(block.graph).size,
            read_conf(conf, version),
            cluster_of(self._application),
            self._costs,
            execution=read_execution_conf(conf, version),
        )

    def _derived(self, execution: Execution, block: JoinBlock, joins: Sequence[BlockJoin]) -> PhysicalOrder:
        """The written order with the strategies that a plan has."""
        given = {j.left | j.right: GivenJoin(j.parsed.strategy, j.parsed.build_side) for j in joins}
        return self._what_if(execution, block).order(block.graph.written, Given(given))

    def _compare_planned(self, execution: Execution, initial: PlanNode) -> None:
        for block in join_blocks(initial):
            joins = list(block_joins(initial, block))
            self.blocks += 1
            derived = {(j.left, j.right): j for j in self._derived(execution, block, joins).joins}
            for join in joins:
                mine = derived.get((join.left, join.right))
                where = f"{execution.description} {join.node.text[:150]}"
                self.agreement.add("joins", True, mine is not None, where)
                for side, found in join.sides.items() if mine else ():
                    at = f"{side} of {where}"
                    self.agreement.add("exchanges", found.shuffled, side in mine.shuffled, at)
                    self.agreement.add("sorts", found.sorted, side in mine.sorted, at)
                    self.agreement.add("broadcasts", found.broadcast, side is mine.plan.broadcast, at)

    def _compare_final(self, execution: Execution, final: PlanNode) -> None:
        stages = {s.stage_id: s for s in self._application.stages if s.execution_id == execution.execution_id}
        for block in join_blocks(final, finished=True):
            joins = list(block_joins(final, block))
            derived = self._derived(execution, block, joins)
            self._compare_reuse(execution, joins, derived)
            chosen = self._what_if(execution, block).order(block.graph.written)
            ran = {j.left | j.right: j for j in joins}
            for join in chosen.joins:
                if as_ran := ran.get(join.relations):
                    where = f"{execution.description} {as_ran.node.text[:150]}"
                    self.agreement.add("strategies as ran", as_ran.parsed.strategy, join.strategy, where)
            self.stages.extend(_stage_times(final, ran, derived, stages.values()))

    def _compare_reuse(self, execution: Execution, joins: Sequence[BlockJoin], derived: PhysicalOrder) -> None:
        """Exchanges of one block that stand for several sides: how many sides had none of their own."""
        exchanges = [
            side.exchange
            for join in joins
            for which, side in join.sides.items()
            if side.exchange and _is_leaf(join, which)
        ]
        spared = len(exchanges) - len(set(exchanges))
        mine = sum(len(join.reused) for join in derived.joins)
        self.agreement.add(
            "reuse, by block", spared, mine, f"{execution.description} {[j.node.text[:60] for j in joins]}"
        )
        self.agreement.right["exchanges reused"] += spared


def _is_leaf(join: BlockJoin, side: BuildSide) -> bool:
    return (join.left if side is BuildSide.LEFT else join.right).bit_count() == 1


def _stage_times(
    final: PlanNode, ran: dict[int, BlockJoin], derived: PhysicalOrder, stages: Iterable[Stage]
) -> Iterator[StageTime]:
    """The stages of a block that hold nothing else."""
    ran_stages = list(stages)
    joins = {id(join.node) for join in ran.values()}
    foreign = {
        id_
        for node in final.walk_all()
        if node.name not in _BESIDE_JOINS and id(node) not in joins
        for id_ in node.metric_ids.values()
    }
    for stage in derived.stages:
        join = ran.get(stage.relations)
        if join is None or not stage.inputs:
            continue
        own = set(join.node.metric_ids.values())
        measured = [s for s in ran_stages if own & s.accumulator_ids]
        if len(measured) == 1 and not foreign & measured[0].accumulator_ids and measured[0].executor_run_time_ms:
            ran_stage = measured[0]
            run_seconds, cpu_seconds = ran_stage.executor_run_time_ms / 1e3, ran_stage.executor_cpu_time_ns / 1e9
            yield StageTime(stage.core_seconds, run_seconds, cpu_seconds, stage.tasks, ran_stage.tasks)
