"""Insight: inner joins in an order that makes far more rows than another would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tuner.advice.insights.facts import InsightFacts
from tuner.advice.insights.model import Insight, InsightKind
from tuner.advice.insights.names import listed
from tuner.advice.model import Evidence
from tuner.cost.cardinality import Basis, Cardinality
from tuner.cost.join_order import best_order
from tuner.cost.join_tree import JoinTree, tree_cost, tree_of
from tuner.cost.selection.conf import read_conf
from tuner.cost.unit_costs import UnitCosts
from tuner.cost.what_if import WhatIf
from tuner.eventlog.cluster import Cluster
from tuner.plan.graph import GraphRelation, JoinGraph, Order, RelationKind, members
from tuner.plan.join_graph import join_graphs
from tuner.plan.relation import short_name
from tuner.printable import identifier

# Sizes that no join of this run bears out may be off by this much (90 % of TPC-DS's unseen joins are within 1.7).
_ASSUMED_ERROR = 3.0
# Rows between joins must fall at least to this share: less is within what sizes and prices are unsure of.
_MOST_ROWS_SHARE = 0.7
_LONGEST_NAME = 40
# The search takes 20 ms for 14 relations and up to a second for 100: larger blocks are generated, and left alone.
_MOST_RELATIONS = 40
_WHAT = {RelationKind.AGGREGATE: "aggregate", RelationKind.JOIN: "join", RelationKind.OTHER: "subquery"}


def join_orders(facts: InsightFacts) -> Iterator[Insight]:
    """Blocks of three relations and more that another order would run in clearly less time."""
    for graph in join_graphs(facts.final, finished=True):
        if 2 < len(graph.relations) <= _MOST_RELATIONS and graph.everything in graph.measured:
            yield from _better(facts, graph)


def _better(facts: InsightFacts, graph: JoinGraph) -> Iterator[Insight]:
    sizes = Cardinality(graph)
    written = tree_of(graph.written, sizes.size)
    edges = [(predicate.left, predicate.right) for predicate in graph.predicates]
    best = best_order(len(graph.relations), edges, sizes.size, written=written).tree
    rows, fewer = tree_cost(written).card, tree_cost(best).card * _error(sizes, best)
    if fewer > rows * _MOST_ROWS_SHARE:
        return
    names = _names(graph)
    largest = max(written.joins[:-1], key=lambda join: join.size.rows)
    yield facts.insight(
        InsightKind.JOIN_ORDER,
        f"{len(graph.relations) - 1} inner joins of {listed(names[r] for r in _by_rows(graph))}",
        _seconds_saved(facts, graph, sizes, best),
        Evidence("rows between the joins as they ran", rows, "rows"),
        Evidence("rows between them in the other order", tree_cost(best).card, "rows"),
        Evidence("most rows between two of them", largest.size.rows, "rows", _joined(names, largest)),
        reason=f"joining {_joined(names, largest)} early makes rows that later joins drop",
        change=f"join in this order: {_spelled(best.order, names)}",
    )


def _error(sizes: Cardinality, tree: JoinTree) -> float:
    """By how much the rows of an order may exceed what is estimated."""
    known = all(sizes.estimate(join.mask).basis is not Basis.ASSUMED for join in tree.joins[:-1])
    return 1.0 if known else _ASSUMED_ERROR


def _seconds_saved(facts: InsightFacts, graph: JoinGraph, sizes: Cardinality, best: JoinTree) -> float:
    """What the other order saves of the query's time: the share of its tasks' time that the prices say, at most all."""
    took = facts.query.executor_run_ms / 1e3
    at_once = max(1.0, took / facts.query_seconds) if facts.query_seconds else 1.0
    conf = read_conf(facts.conf, facts.spark_version)
    what_if = WhatIf(graph, sizes.size, conf, Cluster(round(at_once), executors=1), UnitCosts())
    before, after = what_if.order(graph.written), what_if.order(best.order)
    # Prices that add up to more than the tasks took are scaled down to it; what they leave unexplained stays.
    scale = min(1.0, took / before.core_seconds) if before.core_seconds else 1.0
    saved = (before.core_seconds - after.core_seconds) * scale / at_once
    return max(0.0, saved + before.serial_seconds - after.serial_seconds)


def _by_rows(graph: JoinGraph) -> list[int]:
    return sorted(range(len(graph.relations)), key=lambda r: -(graph.relations[r].rows or 0))


def _names(graph: JoinGraph) -> list[str]:
    """Relations by their last names; those of one name also by the column that the others join them on."""
    plain = [_name(relation) for relation in graph.relations]
    several = {name for name, count in Counter(plain).items() if count > 1}
    return [f"{name} ({_joined_on(graph, i)})" if name in several else name for i, name in enumerate(plain)]


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


def _joined(names: list[str], tree: JoinTree) -> str:
    """The relations of a join."""
    found = [names[relation] for relation in members(tree.mask)]
    return " and ".join(found) if len(found) == 2 else listed(found)


def _spelled(order: Order, names: list[str]) -> str:
    """`(a, b, (c, d))`: a with b, then with the join of c and d."""
    if isinstance(order, int):
        return names[order]
    left, right = order
    inner = f"({_spelled(right, names)})" if not isinstance(right, int) else names[right]
    return f"{_spelled(left, names)}, {inner}"
