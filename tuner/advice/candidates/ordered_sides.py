"""The side of a join that an order will make, before any run has had that join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tuner.advice.candidates.block_sizes import block_sizes
from tuner.advice.candidates.future_joins import future_joins
from tuner.advice.facts import Facts
from tuner.cost.cardinality import Cardinality
from tuner.cost.what_if.interval import SIZE_ERRORS
from tuner.model.action import Action, ActionKind
from tuner.model.join_graph import GraphRelation, JoinGraph, members
from tuner.model.join_site import JoinSide
from tuner.model.query import Query


def ordered_side(query: Query, graph: JoinGraph, sizes: Cardinality, relations: int) -> JoinSide:
    """The join of a set of relations as a side, as large as its estimate may be wrong.

    `leaf_bytes` is None where the run does not tell what the planner took one of the relations for.
    """
    estimate = sizes.estimate(relations)
    error = SIZE_ERRORS[estimate.basis]
    rows, data = (int(value * error) for value in (estimate.size.rows, estimate.size.bytes))
    leaf_bytes = leaf_bytes_of(query, graph, relations)
    return JoinSide(graph.tables(relations), rows=rows, bytes=data, shuffle_bytes=data, leaf_bytes=leaf_bytes)


def future_sides(facts: Facts, hint: Action, beside: Iterable[Action]) -> Iterator[JoinSide]:
    """The sides that a hint names in joins that the orders beside it will make, one for each time the query ran."""
    orders = [a for a in beside if a.kind is ActionKind.ORDER_JOINS]
    for query in (query for query in facts.succeeded if query.fingerprint == hint.query):
        for latest, join in future_joins(query, hint.target, orders):
            graph = facts.with_history(query, latest)
            for side in (join.left, join.right):
                if graph.tables(side) == hint.relations:
                    yield ordered_side(query, graph, block_sizes(facts, graph), side)


def leaf_bytes_of(query: Query, graph: JoinGraph, relations: int) -> int | None:
    """What the planner took a set of relations for, each by itself; None where the run does not tell that of one."""
    known = [_leaf_bytes(query, graph.relations[number]) for number in members(relations)]
    told = [size for size in known if size is not None]
    return sum(told) if len(told) == len(known) else None


def _leaf_bytes(query: Query, relation: GraphRelation) -> int | None:
    """That of this reading of its tables; of the smallest in the query where only its joins tell."""
    if relation.leaf_bytes:
        return relation.leaf_bytes
    tables = sorted(relation.relations)
    sides = (side for join in query.joins for side in join.sides if sorted(side.relations) == tables)
    return min((side.leaf_bytes for side in sides if side.leaf_bytes), default=None)
