"""The plan that a query ran in the end, reduced to what a person looks at.

Left out are projections, sorts and what else passes each row on, filters that dropped nothing, and subqueries: a step
that uses some says how many. What ran once and was reused is drawn once, where it stands first in the plan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.query import Query, QueryStatus
from tuner.plan.column_names import ColumnNames
from tuner.plan.joins import Join, every_join, parse_join
from tuner.plan.node import PlanNode, is_cache, ran_as
from tuner.plan.relation import scans_of
from tuner.plan.sides import SHUFFLES, counted_by_tasks, output_rows
from tuner.plan.step_labels import described_step, kind_of, reused_step

MOST_STEPS = 300
_UNTIMED: Mapping[object, float] = {}
_PASSING = frozenset(
    {"Project", "Sort", "DeserializeToObject", "SerializeFromObject", "MapElements", "AppendColumns", "Coalesce"}
    | {"WriteFiles", "LogicalQueryStage", "ReusedExchange"}
)
# What comes out of these is as many rows as go in.
_KEEPING = SHUFFLES | {"BroadcastExchange", "Project", "Sort", "Window"}
_PLAN_ID = re.compile(r"\[(?:plan_id=|id=#)(\d{1,18})\]$")
_BYTES: Mapping[StepKind, str] = {
    StepKind.SCAN: "size of files read",
    StepKind.SHUFFLE: "data size",
    StepKind.BROADCAST: "data size",
}


def picture_of(query: Query, final: PlanNode, seconds: Mapping[object, float] = _UNTIMED) -> PlanPicture:
    """The picture of a query's plan as it ran; without steps where there would be more than 300.

    The joins are those of `query.joins` that are in no subquery, by signature and occurrence. Rows are those that an
    operator counted, or a neighbour of the same rows; bytes are those of a scan's files or an exchange's data. `seconds` are by
    operator (`ran_as`): those of what is left out count for the step that takes its rows.
    """
    try:
        steps = _Drawing(query, final, seconds).steps()
    except RecursionError:
        steps = ()
    return PlanPicture(query.fingerprint, query.description, steps)


@dataclass(slots=True)
class _Waiting:
    """An operator to draw: the position and the operator of the step above, and how many rows that took from here; and the
    seconds of what was left out between the two."""

    node: PlanNode
    above: int | None = None
    above_node: PlanNode | None = None
    rows: int | None = None
    seconds: float | None = None


class _Drawing:
    def __init__(self, query: Query, root: PlanNode, seconds: Mapping[object, float]) -> None:
        self._root = root
        self._seconds = dict(seconds)
        self._finished = query.status is QueryStatus.SUCCEEDED and any(map(counted_by_tasks, root.walk_all()))
        self._columns = ColumnNames(root)
        self._scans_below = scans_of(root)
        self._sites = {(site.signature, site.occurrence): site for site in query.joins}
        self._joins: dict[object, Join] = {}
        for join in every_join(root):
            self._joins.setdefault(ran_as(join.node), join)
        self._unfilled = {id(node) for node in root.walk_unfilled()}
        self._exchanges = {found[1]: node for node in root.walk() if (found := _exchange_id(node))}
        self._ran: set[object] = set()

    def steps(self) -> tuple[PlanStep, ...]:
        drawn: list[PlanStep] = []
        inputs: list[list[int]] = []
        took: list[float | None] = []
        stack = [_Waiting(self._root)]
        while stack:
            waiting = stack.pop()
            self._skip(waiting)
            if len(drawn) == MOST_STEPS:
                return ()
            if waiting.above is not None:
                inputs[waiting.above].append(len(drawn))
            took.append(self._taken(waiting.node))
            takes = len(took) - 1 if waiting.above is None else waiting.above
            took[takes] = _sum(took[takes], waiting.seconds)
            step, below = self._step(waiting)
            rows = step.rows if waiting.node.name in _KEEPING else None
            stack.extend(_Waiting(node, len(drawn), waiting.node, rows) for node in reversed(below))
            drawn.append(step)
            inputs.append([])
        return tuple(
            msgspec.structs.replace(step, inputs=tuple(i), seconds=None if s is None else round(s, 3))
            for step, i, s in zip(drawn, inputs, took, strict=True)
        )

    def _taken(self, node: PlanNode) -> float | None:
        """The seconds of an operator, once: what a plan shows twice ran once."""
        return self._seconds.pop(ran_as(node), None)

    def _skip(self, waiting: _Waiting) -> None:
        """Go down to the next operator to draw."""
        while len(waiting.node.children) == 1 and self._passes(waiting):
            if waiting.node.name not in _KEEPING | {"Filter", "ReusedExchange"}:
                waiting.rows = None
            waiting.seconds = _sum(waiting.seconds, self._taken(waiting.node))
            waiting.node = waiting.node.children[0]

    def _passes(self, waiting: _Waiting) -> bool:
        node = waiting.node
        if node.name in _PASSING:
            return True
        if waiting.above_node is not None and waiting.above_node.name == "EmptyRelation" and not node.metric_ids:
            return True  # what AQE did not plan, for it has no rows
        rows = self._rows(node) if node.name == "Filter" else None
        return rows is not None and rows == self._rows(node.children[0])

    def _step(self, waiting: _Waiting) -> tuple[PlanStep, tuple[PlanNode, ...]]:
        node, kind = waiting.node, kind_of(waiting.node)
        if node.name == "ReusedExchange":
            found = _PLAN_ID.search(node.text)  # shown without the exchange itself
            return self._reused(self._exchanges.get(found[1]) if found else None), ()
        if kind in (StepKind.SHUFFLE, StepKind.BROADCAST):
            if ran_as(node) in self._ran:
                return self._reused(node), ()
            self._ran.add(ran_as(node))
        shuffled = waiting.above_node is not None and waiting.above_node.name in SHUFFLES
        step = described_step(kind, node, self._columns, shuffled=shuffled)
        step = msgspec.structs.replace(step, rows=self._rows(node, waiting.rows), bytes=_bytes(kind, node))
        if kind is StepKind.JOIN and (join := self._joins.get(ran_as(node))):
            return self._joined(step, join), node.children[:: -1 if parse_join(node).flipped else 1]
        return step, self._inputs(node)

    def _joined(self, step: PlanStep, join: Join) -> PlanStep:
        site = self._sites.get((join.signature, join.occurrence))
        return msgspec.structs.replace(
            step,
            rows=site.output_rows if site else step.rows,
            signature=join.signature,
            occurrence=join.occurrence,
            strategy=join.strategy,
            build_side=join.build_side,
        )

    def _inputs(self, node: PlanNode) -> tuple[PlanNode, ...]:
        """What feeds a step; nothing for a cache that another query or a scan drawn before has filled."""
        if is_cache(node):
            below = [operator for child in node.children for operator in child.walk()]
            filled = frozenset(number for operator in below for number in operator.metric_ids.values())
            if filled in self._ran or any(id(operator) in self._unfilled for operator in below):
                return ()
            self._ran.add(filled)
        return node.children

    def _reused(self, exchange: PlanNode | None) -> PlanStep:
        if exchange is None:
            return PlanStep(StepKind.SHUFFLE, "ReusedExchange", "reused exchange")
        kind = kind_of(exchange)
        step = reused_step(kind, self._scans_below.relations(exchange))
        return msgspec.structs.replace(step, rows=self._rows(exchange), bytes=_bytes(kind, exchange))

    def _rows(self, node: PlanNode, taken: int | None = None) -> int | None:
        rows = output_rows(node, finished=self._finished)
        return taken if rows is None else rows


def _sum(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other


def _bytes(kind: StepKind, node: PlanNode) -> int | None:
    return node.metrics.get(_BYTES.get(kind, ""))


def _exchange_id(node: PlanNode) -> re.Match[str] | None:
    return _PLAN_ID.search(node.text) if kind_of(node) in (StepKind.SHUFFLE, StepKind.BROADCAST) else None
