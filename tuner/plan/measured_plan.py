"""The plan that ran, by operator: what is above it, which stages ran it, and how long they took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from tuner.model.application import Stage
from tuner.plan.expression import attributes
from tuner.plan.lineage import Lineage, lineage_of
from tuner.plan.node import PlanNode, counters_below, is_cache
from tuner.plan.relation import is_scan, scans_of
from tuner.plan.sides import BOUNDARIES, SHUFFLE_WRITE_METRICS, SHUFFLES, output_rows

# What looks around each operator, above and below, at all that the plan says there: operators times characters. The
# largest plan of TPC-DS has 7 million of them; a plan of this many takes a second.
MAX_WORK = 200_000_000
_REUSED = frozenset({"ReusedExchange", "ReusedSubquery"})


class MeasuredPlan:
    """The operators that ran, each once and in plan order, with the stages that ran them."""

    def __init__(self, root: PlanNode, stages: Sequence[Stage]) -> None:
        self.root = root
        self._parents: dict[int, PlanNode] = {}
        self._columns: dict[int, frozenset[int]] = {}
        self._stages_of: dict[int, list[Stage]] = {}
        for stage in stages:
            for accumulator in stage.accumulator_ids:
                self._stages_of.setdefault(accumulator, []).append(stage)
        self.operators = tuple(self._walk(root))
        self.scans_below = scans_of(root)

    @cached_property
    def lineage(self) -> Lineage:
        return lineage_of(self.root)

    def _walk(self, root: PlanNode) -> Iterator[PlanNode]:
        elsewhere = {id(node) for node in root.walk_unfilled()}
        filling: set[int] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if id(node) in elsewhere:
                continue
            yield node
            if node.name in _REUSED:
                continue
            if is_cache(node):
                # What fills a cache is below each operator that reads it, and ran once.
                counters = counters_below(node)
                if counters and counters <= filling:
                    continue
                filling |= counters
            below = node.children + node.subqueries
            self._parents.update((id(child), node) for child in below)
            stack.extend(reversed(below))

    @property
    def work(self) -> int:
        """What looking at all of the plan from each of its operators comes to, in characters."""
        return len(self.operators) * sum(len(node.text) for node in self.operators)

    def columns_below(self, side: PlanNode) -> set[int]:
        """The expression ids that an operator and those below it mention."""
        return set().union(*(self.columns_of(node) for node in side.walk()))

    def columns_of(self, node: PlanNode) -> frozenset[int]:
        """The expression ids that an operator mentions."""
        found = self._columns.get(id(node))
        if found is None:
            found = self._columns[id(node)] = frozenset(id_ for _, id_ in attributes(node.text))
        return found

    def named(self, *names: str) -> Iterator[PlanNode]:
        """The operators of these names."""
        return (node for node in self.operators if node.name in names)

    def scans(self) -> Iterator[PlanNode]:
        return (node for node in self.operators if is_scan(node))

    def parent(self, node: PlanNode) -> PlanNode | None:
        """The operator that takes this one's rows; None for the top of the plan."""
        return self._parents.get(id(node))

    def above(self, node: PlanNode) -> Iterator[PlanNode]:
        """The operators that its rows pass, from the next one up to the top."""
        up = self.parent(node)
        while up is not None:
            yield up
            up = self.parent(up)

    def rows(self, node: PlanNode) -> int | None:
        """Rows an operator put out; None where the log does not tell."""
        return output_rows(node, finished=True)

    def stages(self, node: PlanNode) -> tuple[Stage, ...]:
        """The stages whose tasks ran an operator: by its own metrics, else by those of what runs with it."""
        if found := self._own_stages(node):
            return found
        for below in self._with_it(node):
            if found := self._own_stages(below):
                return found
        return ()

    def reading_stages(self, shuffle: PlanNode) -> tuple[Stage, ...]:
        """The stages whose tasks read what a shuffle wrote."""
        return self._counting(shuffle, shuffle.metric_ids.keys() - SHUFFLE_WRITE_METRICS)

    def _own_stages(self, node: PlanNode) -> tuple[Stage, ...]:
        return self._counting(node, SHUFFLE_WRITE_METRICS if node.name in SHUFFLES else node.metric_ids)

    def _counting(self, node: PlanNode, names: Iterable[str]) -> tuple[Stage, ...]:
        """The stages whose tasks updated these metrics of an operator."""
        ids = (node.metric_ids[name] for name in names if name in node.metric_ids)
        found = {(s.stage_id, s.attempt): s for id_ in ids for s in self._stages_of.get(id_, ())}
        return tuple(found.values())

    def _with_it(self, node: PlanNode) -> Iterator[PlanNode]:
        """The operators below one that run in its stage."""
        stack = [] if node.name in BOUNDARIES else list(node.children)
        while stack:
            below = stack.pop()
            if below.name not in BOUNDARIES:
                yield below
                stack.extend(below.children)

    def operators_below(self, node: PlanNode) -> list[PlanNode]:
        """The operators below one whose rows reach it without a shuffle."""
        return list(self._with_it(node))

    def operators_of(self, stage: Stage) -> list[PlanNode]:
        """The operators that count rows or time in a stage, the topmost first."""
        ids = stage.accumulator_ids
        return [n for n in self.operators if n.name not in SHUFFLES and not ids.isdisjoint(n.metric_ids.values())]

    def tasks(self, node: PlanNode) -> int:
        return sum(stage.completed_tasks for stage in self.stages(node))

    def seconds(self, node: PlanNode) -> float:
        """Wall seconds of the stages that ran an operator."""
        return sum(map(wall_seconds, self.stages(node)))

    def seconds_of(self, nodes: Iterable[PlanNode]) -> float:
        """Wall seconds of the stages that ran any of these operators, each stage once."""
        stages = {(s.stage_id, s.attempt): s for node in nodes for s in self.stages(node)}
        return sum(map(wall_seconds, stages.values()))

    def seconds_of_share(self, node: PlanNode, task_ms: float) -> float:
        """Wall seconds of `task_ms` that an operator took in its tasks, all summed up: its share of their stage's."""
        stages = self.stages(node)
        run_ms = sum(stage.executor_run_time_ms for stage in stages)
        return sum(map(wall_seconds, stages)) * min(1.0, task_ms / run_ms) if run_ms else 0.0


def wall_seconds(stage: Stage) -> float:
    """From a stage's submission to its end; 0 where the log does not tell.

    No more than its tasks ran, all summed up: beyond that it waited for cores that other stages had.
    """
    if stage.submitted_ms is None or stage.completed_ms is None:
        return 0.0
    return max(0, min(stage.completed_ms - stage.submitted_ms, stage.executor_run_time_ms)) / 1e3
