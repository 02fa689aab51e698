"""A block of joins of a drawn plan in another order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.advice.picture.drawn_exchanges import (
    Columns,
    key_columns,
    relations_below,
    reshuffle_above,
    with_broadcast,
    with_shuffle,
    without_exchange,
)
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.plan_picture import PlanStep, StepKind
from tuner.model.strategy import SHUFFLED, BuildSide, Strategy
from tuner.plan.column_names import listed
from tuner.plan.drawn_tree import Drawn
from tuner.plan.ordered_joins import signature_of
from tuner.plan.relation import short_name
from tuner.plan.step_labels import keys_label


def reordered_block(root: Drawn, graph: JoinGraph, order: Order) -> Drawn | None:
    """The plan with the joins of the graph in another order; None where it draws no such block as the graph was written.

    An item that was broadcast is broadcast again, all else is sorted and merged: what the planner would make of sizes that
    nobody has measured is not known. Rows are those that the graph has measured for the same relations.
    """
    for path in list(root.paths()):
        if path[-1].step.kind is not StepKind.JOIN:
            continue
        items = _items(path[-1], graph.written)
        if items is None or any(not _draws(graph, number, item) for number, item in items.items()):
            continue
        new = _Block(graph, items).joined(order).drawn
        if len(path) == 1:
            return new
        above = path[-2]
        above.inputs[above.inputs.index(path[-1])] = new
        if path[-1].step.strategy in SHUFFLED:
            reshuffle_above((*path[:-1], new))
        return root
    return None


def _items(drawn: Drawn, order: Order) -> dict[int, Drawn] | None:
    """What is drawn of each item of a block, by its number; None where the joins are not those of the order."""
    if isinstance(order, int):
        return {order: drawn}
    join = without_exchange(drawn)
    if join.step.kind is not StepKind.JOIN or len(join.inputs) != 2:
        return None
    found = [_items(below, part) for below, part in zip(join.inputs, order, strict=True)]
    left, right = found
    return None if left is None or right is None else left | right


def _draws(graph: JoinGraph, number: int, item: Drawn) -> bool:
    return set(map(short_name, graph.relations[number].relations)) == relations_below(item)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the order with its items as a set (bit i is item i)."""

    drawn: Drawn
    items: int


@dataclass(frozen=True, slots=True)
class _Block:
    graph: JoinGraph
    items: Mapping[int, Drawn]

    def joined(self, order: Order) -> _Part:
        if isinstance(order, int):
            return _Part(self.items[order], 1 << order)
        left, right = self.joined(order.left), self.joined(order.right)
        return _Part(self._join(left, right), left.items | right.items)

    def _join(self, left: _Part, right: _Part) -> Drawn:
        pairs = [(_column(one), _column(other)) for (_, one), (_, other) in self.graph.keys(left.items, right.items)]
        strategy, build = _strategy(left.drawn, right.drawn, keyed=bool(pairs))
        measured = self.graph.measured.get(left.items | right.items)
        step = PlanStep(
            StepKind.JOIN,
            strategy.value,
            keys_label(pairs) or self._condition_label(left.items, right.items),
            measured.rows if measured else None,
            signature=signature_of(self.graph, left.items, right.items),
            strategy=strategy,
            build_side=build,
            keys=tuple((one[1], other[1]) for one, other in pairs),
        )
        inputs = [left.drawn, right.drawn]
        if build is None:
            return Drawn(
                step, [with_shuffle(_for(i, keys), keys) for i, keys in zip(inputs, key_columns(step), strict=True)]
            )
        side = 0 if build is BuildSide.LEFT else 1
        inputs[side], inputs[1 - side] = with_broadcast(inputs[side]), without_exchange(inputs[1 - side])
        return Drawn(step, inputs)

    def _condition_label(self, left: int, right: int) -> str:
        """What a join without keys asks of which relations."""
        between = {c.relations for c in self.graph.conditions if c.relations & left and c.relations & right}
        asked = (relations for relations in between if not relations & ~(left | right))
        names = sorted({short_name(table) for relations in asked for table in self.graph.tables(relations)})
        return f"condition on {listed(names)}" if names else "no condition"


def _strategy(left: Drawn, right: Drawn, *, keyed: bool) -> tuple[Strategy, BuildSide | None]:
    broadcasts = {BuildSide.RIGHT: right, BuildSide.LEFT: left}
    build = next((side for side, one in broadcasts.items() if one.step.kind is StepKind.BROADCAST), None)
    if not keyed:
        return Strategy.BROADCAST_NESTED_LOOP, build or BuildSide.RIGHT
    return (Strategy.BROADCAST_HASH, build) if build else (Strategy.SORT_MERGE, None)


def _for(item: Drawn, columns: Columns) -> Drawn:
    """An item as it was shuffled for these columns, else before it was shuffled for others."""
    shuffled = item.step.kind is StepKind.SHUFFLE and item.inputs and not item.step.by_query
    return item if shuffled and columns and item.step.columns == columns else without_exchange(item)


def _column(key: str) -> tuple[str, str]:
    """The relation of a key by its short name, and the column; of what a key computes no relation."""
    relation, dot, column = key.rpartition(".")
    return (short_name(relation), column) if dot and "(" not in key else ("", "computed column")
