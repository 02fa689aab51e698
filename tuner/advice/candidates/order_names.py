"""Relations and orders of a join block in a person's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tuner.cost.join_tree import JoinTree
from tuner.model.join_graph import GraphRelation, JoinGraph, Order, RelationKind, members
from tuner.plan.relation import short_name
from tuner.printable import identifier, listed

_LONGEST_NAME = 40
_WHAT = {RelationKind.AGGREGATE: "aggregate", RelationKind.JOIN: "join", RelationKind.OTHER: "subquery"}


def relation_names(graph: JoinGraph) -> list[str]:
    """Relations by their last names; those of one name also by the column that the others join them on."""
    plain = [_name(relation) for relation in graph.relations]
    several = {name for name, count in Counter(plain).items() if count > 1}
    return [f"{name} ({_joined_on(graph, i)})" if name in several else name for i, name in enumerate(plain)]


def joined_names(names: Sequence[str], tree: JoinTree) -> str:
    """The relations of a join."""
    found = [names[relation] for relation in members(tree.mask)]
    return " and ".join(found) if len(found) == 2 else listed(found)


def order_words(order: Order, names: Sequence[str]) -> str:
    """`a, b, (c, d)`: a with b, then with the join of c and d."""
    if isinstance(order, int):
        return names[order]
    left, right = order
    inner = f"({order_words(right, names)})" if not isinstance(right, int) else names[right]
    return f"{order_words(left, names)}, {inner}"


def _name(relation: GraphRelation) -> str:
    tables = listed(identifier(short_name(table), _LONGEST_NAME) for table in dict.fromkeys(relation.relations))
    return tables if relation.kind is RelationKind.SCAN else f"{_WHAT[relation.kind]}({tables})"


def _joined_on(graph: JoinGraph, relation: int) -> str:
    """The columns of other relations that are compared with this one's."""
    keys: list[str] = []
    for predicate in graph.predicates:
        if predicate.left == 1 << relation:
            keys.append(predicate.right_key)
        elif predicate.right == 1 << relation:
            keys.append(predicate.left_key)
    return "for " + listed(dict.fromkeys(identifier(key.rsplit(".", 1)[-1], _LONGEST_NAME) for key in keys))
