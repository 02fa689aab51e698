"""Orders of joins that were run and timed: what the weight of rows against bytes is fitted to."""

from __future__ import annotations

from contextlib import suppress

from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.candidates.executions import executions, renumbered_order
from tuner.advice.candidates.order_shape import order_shape
from tuner.advice.facts import Facts
from tuner.cost.card_weight import TimedOrder, fit_weight, shrunk_weight
from tuner.cost.cardinality import Cardinality
from tuner.cost.join_tree import tree_cost, tree_of
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query
from tuner.plan.order_text import OrderTextError


def timed_orders(facts: Facts) -> list[list[TimedOrder]]:
    """The orders that each block was run in, with the median of their times; of queries with one block alone, whose times are
    its own."""
    found = []
    for each in executions(facts).values():
        latest = each[-1].query
        if len(latest.graphs) != 1:
            continue
        then = [(e.seconds, graph) for e in each if (graph := e.graph(latest.graphs[0].signature))]
        if len({(graph.written, *(relation.label for relation in graph.relations)) for _, graph in then}) > 1:
            found.append(_timed(facts, latest, then))
    return found


def _timed(facts: Facts, query: Query, then: list[tuple[float, JoinGraph]]) -> list[TimedOrder]:
    (graph,) = facts.graphs_of(query)
    sizes = Cardinality(graph)
    by_order: dict[object, list[TimedOrder]] = {}
    for seconds, ran in then:
        with suppress(OrderTextError):
            order = renumbered_order(graph, ran)
            timed = TimedOrder(tree_cost(tree_of(order, sizes.size)), seconds)
            by_order.setdefault(order_shape(order), []).append(timed)
    return [sorted(times, key=lambda t: t.seconds)[len(times) // 2] for times in by_order.values()]


def search_weight(facts: Facts) -> float:
    """The weight that orders are searched with: fitted to those that were timed, and held to the one in force by how few."""
    in_force = CboConf.read(facts.conf).weight
    return shrunk_weight(fit_weight(facts.once(timed_orders), in_force), in_force)
