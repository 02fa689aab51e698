"""What an earlier run tells of a query whose groups were made once: its blocks of joins, as the agent will meet them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tuner.model.join_graph import Joined, JoinGraph, Order
from tuner.model.query import Query
from tuner.model.run import Outcome


def with_blocks_as_written(outcome: Outcome, earlier: Sequence[Outcome]) -> Outcome:
    """The outcome with the blocks that its merged queries have before their groups are made once, in the order that they ran in.

    `earlier` outcomes are the cohort's, oldest first. The agent knows a block by what filters it, and of a merged query the plan
    that ran has one filter for several: so its blocks are those of the latest execution that tells them, of the same values
    where there is one. A block that did not run is left out.
    """
    if not any(query.merged for query in outcome.queries):
        return outcome
    return replace(outcome, queries=tuple(_as_written(q, earlier) if q.merged else q for q in outcome.queries))


def _as_written(query: Query, earlier: Sequence[Outcome]) -> Query:
    known = [q for o in earlier for q in o.queries if q.fingerprint == query.fingerprint and q.graphs]
    latest = max(reversed(known), key=lambda q: q.literals == query.literals, default=None)
    written = latest.graphs if latest else ()
    found = (_in_order_of(graph, query.merged_graphs) for graph in written)
    return replace(query, graphs=tuple(graph for graph in found if graph), merged_graphs=())


def _in_order_of(graph: JoinGraph, merged: Iterable[JoinGraph]) -> JoinGraph | None:
    """A block in the order of those that read the same tables; None where there is none, or where they tell no one order."""
    mine = _by_tables(graph)
    alike = (ran for ran in merged if (of := _by_tables(ran)) and of.keys() == mine.keys())
    orders = {_renumbered(ran, mine) for ran in alike}
    if len(orders) != 1:
        return None
    return replace(graph, written=orders.pop())


def _by_tables(graph: JoinGraph) -> dict[tuple[str, ...], int]:
    """Its relations' numbers; none where two read the same tables."""
    found = {tuple(sorted(relation.relations)): number for number, relation in enumerate(graph.relations)}
    return found if len(found) == len(graph.relations) else {}


def _renumbered(ran: JoinGraph, numbers: dict[tuple[str, ...], int]) -> Order:
    tables = {number: tables for tables, number in _by_tables(ran).items()}

    def of(order: Order) -> Order:
        return numbers[tables[order]] if isinstance(order, int) else Joined(of(order.left), of(order.right))

    return of(ran.written)
