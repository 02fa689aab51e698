"""Blocks of inner joins that may be reordered: their relations, predicates, and how many rows each set of them gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from operator import itemgetter

from tuner.model.join_graph import (
    Condition,
    GraphRelation,
    Joined,
    JoinGraph,
    MeasuredJoin,
    Order,
    Predicate,
    RelationKind,
    members,
)
from tuner.model.strategy import JoinType
from tuner.plan.aggregate import AGGREGATES
from tuner.plan.changed_table import above_changed_table
from tuner.plan.color_refinement import color_refinement
from tuner.plan.counting import NOTHING_LOST, Counting
from tuner.plan.counting_of import counting_of
from tuner.plan.digest import digest
from tuner.plan.equalities import equality
from tuner.plan.estimates import NO_ESTIMATES, Estimates
from tuner.plan.expression import attributes, bracketed, conjuncts, skeleton, split_top_level
from tuner.plan.fingerprint import fingerprint
from tuner.plan.joins import JOINS, ParsedJoin, every_join, parse_join
from tuner.plan.lineage import Lineage, lineage_of
from tuner.plan.node import PlanNode, each_once, prunes
from tuner.plan.physical_properties import physical_properties
from tuner.plan.relation import ScansBelow, is_scan, scanned_columns, scans_of
from tuner.plan.row_bytes import row_bytes
from tuner.plan.sides import EXCHANGED, measure_side
from tuner.plan.subplan_digest import subplan_digest

_REORDERABLE = frozenset({JoinType.INNER, JoinType.CROSS})
_EXCHANGED = EXCHANGED | {"ReusedExchange"}
_ROWS = "number of output rows"
_UNKNOWN: Mapping[int, int] = {}
_DEEPEST = 100  # aggregates of aggregates


@dataclass(frozen=True, slots=True)
class JoinBlock:
    """A block with the operators that make its relations."""

    graph: JoinGraph
    items: tuple[PlanNode, ...]


def join_graphs(
    root: PlanNode,
    *,
    finished: bool = False,
    outputs: Mapping[int, int] = _UNKNOWN,
    lost: Set[int] = NOTHING_LOST,
    estimates: Estimates = NO_ESTIMATES,
) -> tuple[JoinGraph, ...]:
    """The blocks of a plan, without its operators."""
    found = join_blocks(root, finished=finished, outputs=outputs, lost=lost, estimates=estimates)
    return tuple(block.graph for block in found)


def join_blocks(
    root: PlanNode,
    *,
    finished: bool = False,
    outputs: Mapping[int, int] = _UNKNOWN,
    lost: Set[int] = NOTHING_LOST,
    estimates: Estimates = NO_ESTIMATES,
) -> tuple[JoinBlock, ...]:
    """The blocks of a plan and of its subqueries, in plan order; those inside what is reused once.

    `finished` says that the plan ran to its end: what was not counted is then 0. `outputs` are `aggregate_outputs`, `lost` are
    `lost_counters`, `estimates` what the planner took each relation for.
    """
    lineage, scans_below = lineage_of(root), scans_of(root)
    elsewhere = {id(node) for node in root.walk_unfilled()}
    counting = counting_of(root, finished=finished, lost=lost)
    found: list[tuple[PlanNode, JoinBlock]] = []
    changed = above_changed_table(root)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if (parsed := _inner(node)) and id(node) not in changed:
            is_whole = finished and id(node) not in elsewhere
            block = _Block(lineage, scans_below, outputs, counting, estimates, finished=is_whole)
            written, _ = block.flatten(node, parsed)
            found.append((node, JoinBlock(block.graph(written), tuple(block.items))))
            waiting.extend(reversed(block.items))
        else:
            waiting.extend(reversed([n for n in (*node.children, *node.subqueries) if not prunes(n)]))
    return tuple(block for _, block in each_once(found, itemgetter(0)))


def _inner(node: PlanNode) -> ParsedJoin | None:
    if node.name not in JOINS or len(node.children) != 2:
        return None
    parsed = parse_join(node)
    return parsed if parsed.type in _REORDERABLE else None


def _below(node: PlanNode) -> PlanNode:
    """The first operator that changes rows. A projection that computes something, or a filter, ends the block, as in Catalyst
    (JoinReorderDP, ReorderJoin)."""
    while len(node.children) == 1 and (node.name in EXCHANGED or (node.name == "Project" and _only_columns(node))):
        node = node.children[0]
    return node


def _only_columns(project: PlanNode) -> bool:
    found = bracketed(project.text)
    return found is not None and " AS " not in found[0]


class _Block:
    """A block while its joins are taken apart."""

    def __init__(
        self,
        lineage: Lineage,
        scans_below: ScansBelow,
        outputs: Mapping[int, int],
        counting: Counting,
        estimates: Estimates,
        *,
        finished: bool,
    ) -> None:
        self._lineage = lineage
        self._scans_below = scans_below
        self._outputs = outputs
        self._counting = counting
        self._estimates = estimates
        self._finished = finished
        self.items: list[PlanNode] = []
        self._owner: dict[int, int] = {}
        self._predicates: list[Predicate] = []
        self._conditions: list[Condition] = []
        self._measured: dict[int, MeasuredJoin] = {}

    def flatten(self, join: PlanNode, parsed: ParsedJoin) -> tuple[Order, int]:
        """The order below a join, and its relations."""
        (left, left_set), (right, right_set) = (self._side(child) for child in join.children)
        both = left_set | right_set
        for keys in zip(parsed.left_keys, parsed.right_keys, strict=False):
            ends = self._owners(keys[0], left_set) or left_set, self._owners(keys[1], right_set) or right_set
            self._predicates.append(Predicate(*ends, *map(self._lineage.source, keys)))
        for part in split_top_level(parsed.rest):
            for conjunct in conjuncts(part) if attributes(part) else ():
                self._condition(conjunct, both)
        self._measure(join, both, parsed)
        return Joined(left, right), both

    def _condition(self, conjunct: str, both: int) -> None:
        """An equation over three relations or more is a key of some orders and none of others: a predicate in all."""
        if sides := equality(conjunct):
            left, right = (self._owners(side, both) for side in sides)
            if left and right and not left & right:
                self._predicates.append(Predicate(left, right, *map(self._lineage.source, sides)))
                return
        self._conditions.append(Condition(self._owners(conjunct, both) or both, skeleton(conjunct)))

    def _side(self, child: PlanNode) -> tuple[Order, int]:
        below = _below(child)
        if parsed := _inner(below):
            order, relations = self.flatten(below, parsed)
            if child is not below:
                self._measure(child, relations, parsed)
            return order, relations
        number = len(self.items)
        self.items.append(child)
        for node in _own(child):
            for _, id_ in attributes(node.text):
                self._owner.setdefault(id_, number)
        return number, 1 << number

    def _measure(self, node: PlanNode, relations: int, join: ParsedJoin) -> None:
        """Rows of a join, and bytes where an exchange above it counted them."""
        side = measure_side(node, (), finished=self._finished, counting=self._counting)
        if side.rows is not None:
            self._measured[relations] = MeasuredJoin(side.rows, side.shuffle_bytes, join.strategy, join.build_side)

    def _owners(self, expression: str, among: int) -> int:
        """The relations whose columns an expression names.

        What an aggregate computes has an id its text does not print: where the logical plan does not tell either, such a
        column belongs to the one item that could.
        """
        ids = [self._made_of(id_) for _, id_ in attributes(expression)]
        if unknown := [id_ for id_ in ids if id_ not in self._owner]:
            candidates = list(members(among))
            if len(candidates) > 1:
                candidates = [i for i in candidates if _kind(self.items[i]) is not RelationKind.SCAN]
            if len(candidates) != 1:
                return among
            self._owner.update(dict.fromkeys(unknown, candidates[0]))
        return sum(1 << number for number in {self._owner[id_] for id_ in ids}) & among

    def _made_of(self, id_: int) -> int:
        """A column that an item's text names, and that this one is made of; itself where none is known."""
        source = id_
        for _ in range(_DEEPEST):
            if source in self._owner:
                return source
            if source not in self._outputs:
                break
            source = self._outputs[source]
        return id_

    def graph(self, written: Order) -> JoinGraph:
        labels = color_refinement([_rows_of(item) for item in self.items], self._predicates)
        text = "\n".join(sorted(labels) + sorted(condition.text for condition in self._conditions))
        return JoinGraph(
            signature=digest(text),
            relations=tuple(map(self._relation, self.items, labels)),
            predicates=tuple(self._predicates),
            conditions=tuple(self._conditions),
            measured=self._measured,
            written=written,
        )

    def _relation(self, item: PlanNode, label: str) -> GraphRelation:
        taken_for = self._estimates.side(scanned_columns(self._scans_below.scans(item)))
        side = measure_side(item, (), taken_for, finished=self._finished, counting=self._counting)
        below = _before_exchange(item)
        rows = physical_properties(below)
        kind = _kind(item)
        scans = self._scans_below.scans(item) if kind is RelationKind.SCAN else []
        return GraphRelation(
            label=label,
            relations=self._scans_below.relations(item),
            kind=kind,
            rows=side.rows,
            row_bytes=side.shuffle_bytes / side.rows if side.shuffle_bytes and side.rows else row_bytes(item),
            scanned_rows=self._scanned_rows(scans[0]) if scans else None,
            file_bytes=side.file_bytes,
            runtime_filtered=any(prunes(s) for node in _own(item) for s in node.subqueries),
            identity=subplan_digest(below),
            partitioned=self._names(rows.partitioned),
            sorted=self._names(rows.sorted),
            leaf_bytes=side.leaf_bytes,
        )

    def _scanned_rows(self, scan: PlanNode) -> int | None:
        counted = scan.metrics.get(_ROWS)
        return None if counted is None else counted // self._counting.runs.get(id(scan), 1)

    def _names(self, several: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(map(self._lineage.source, expressions)) for expressions in several)


def _rows_of(item: PlanNode) -> str:
    """The fingerprint of an item's rows: what is computed of each, an order may leave to after its joins (PullUp.java)."""
    rows = _before_exchange(item)
    while rows.name == "Project" and len(rows.children) == 1:
        rows = rows.children[0]
    return fingerprint(rows, every_join(rows))


def _before_exchange(item: PlanNode) -> PlanNode:
    """An item without what its join put above it."""
    while item.name in _EXCHANGED and len(item.children) == 1 and "REPARTITION" not in item.text:
        item = item.children[0]
    return item


def _own(item: PlanNode) -> Iterator[PlanNode]:
    """The operators of an item, without those below what it reuses: their columns have other ids there."""
    stack = [item]
    while stack:
        node = stack.pop()
        yield node
        if node.name != "ReusedExchange":
            stack.extend(reversed(node.children))


def _kind(item: PlanNode) -> RelationKind:
    node = item
    while len(node.children) == 1 and not is_scan(node) and node.name not in AGGREGATES:
        node = node.children[0]
    if is_scan(node):
        return RelationKind.SCAN
    if node.name in AGGREGATES:
        return RelationKind.AGGREGATE
    return RelationKind.JOIN if node.name in JOINS else RelationKind.OTHER
