"""Whether a block of joins ran in the order it was directed to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tuner.model.directive_result import DirectiveStatus
from tuner.model.join_graph import JoinGraph, Order
from tuner.plan.relation import short_name

# An item by its relations.
_Item = tuple[str, ...]
# The items of a join's left side and of its right side.
_Sides = tuple[tuple[_Item, ...], tuple[_Item, ...]]


def order_result(
    block: Iterable[Sequence[str]], order: Order, graphs: Iterable[JoinGraph]
) -> tuple[DirectiveStatus, str]:
    """applied where a block with these items joined the sets directed, whichever side of a join was left; why, if not.

    `block` holds the relations of each item. Items are told apart by them; those that read the same count as one another.
    """
    items = [tuple(sorted(item)) for item in block]
    alike = [(g, found) for g in graphs if sorted(found := _items(g)) == sorted(items)]
    if not alike:
        return DirectiveStatus.APPLIED, "by the agent's word: the plan that ran does not show the block whole"
    directed = Counter(_joins(order, items))
    for graph, found in alike:
        ran = Counter(_joins(graph.written, found))
        if _sets(ran) == _sets(directed):
            turned = (directed - ran).total()
            return DirectiveStatus.APPLIED, f"with the sides of {turned} joins turned round" if turned else ""
    graph, found = alike[0]
    told, spelled = _spelled(order, items), _spelled(graph.written, found)
    return DirectiveStatus.IGNORED, f"told to join {told}; Spark joined {spelled}"


def _items(graph: JoinGraph) -> list[_Item]:
    return [tuple(sorted(relation.relations)) for relation in graph.relations]


def _joins(order: Order, items: Sequence[_Item]) -> Iterator[_Sides]:
    """Every join of an order."""
    waiting: list[Order] = [order]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, int):
            yield _below(part[0], items), _below(part[1], items)
            waiting.extend(part)


def _below(order: Order, items: Sequence[_Item]) -> tuple[_Item, ...]:
    found: list[_Item] = []
    waiting: list[Order] = [order]
    while waiting:
        part = waiting.pop()
        if isinstance(part, int):
            found.append(items[part])
        else:
            waiting.extend(part)
    return tuple(sorted(found))


def _sets(joins: Counter[_Sides]) -> Counter[tuple[tuple[_Item, ...], ...]]:
    """The joins, whichever side is left."""
    found: Counter[tuple[tuple[_Item, ...], ...]] = Counter()
    for sides, count in joins.items():
        found[tuple(sorted(sides))] += count
    return found


def _spelled(order: Order, items: Sequence[_Item]) -> str:
    """`((a b) c)`."""
    if isinstance(order, int):
        return "+".join(map(short_name, items[order]))
    return f"({_spelled(order[0], items)} {_spelled(order[1], items)})"
