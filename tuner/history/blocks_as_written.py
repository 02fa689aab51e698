"""What an earlier run tells of a query whose groups were made once: its blocks of joins, as the agent will meet them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Outcome
from tuner.plan.agent_block import AgentBlock, agent_block


def with_blocks_as_written(outcome: Outcome, earlier: Callable[[], Sequence[Outcome]]) -> Outcome:
    """The outcome with the blocks that its merged queries have before their groups are made once, in the order that they ran in.

    `earlier` gives the cohort's outcomes, oldest first; it is asked only where a query is merged. The agent knows a block by what
    filters it, and of a merged query the plan that ran has one filter for several: so each block is that of the latest execution
    that had it, of the same values where there is one; as many times as it ran now. One that did not run, or in several orders,
    is left out.
    """
    if not any(query.merged for query in outcome.queries):
        return outcome
    known = earlier()
    return replace(outcome, queries=tuple(_as_written(q, known) if q.merged else q for q in outcome.queries))


def _as_written(query: Query, earlier: Sequence[Outcome]) -> Query:
    executions = [q for o in reversed(earlier) for q in reversed(o.queries) if q.fingerprint == query.fingerprint]
    executions.sort(key=lambda q: q.literals != query.literals)
    known: dict[str, list[JoinGraph]] = {}
    for execution in executions:
        if execution.status is QueryStatus.SUCCEEDED:
            here: dict[str, list[JoinGraph]] = {}
            for graph in execution.graphs:
                here.setdefault(graph.signature, []).append(graph)
            known = {**here, **known}
    found = (graph for graphs in known.values() for graph in _as_ran(graphs, query.merged_graphs))
    return replace(query, graphs=tuple(found), merged_graphs=())


def _as_ran(graphs: Sequence[JoinGraph], ran: Sequence[JoinGraph]) -> Iterator[JoinGraph]:
    """Copies of a block in the order, and as many, as it ran now."""
    for named in (_by_keys, _by_tables):
        mine = named(graphs[0])
        alike = [block for one in ran if (block := named(one)).key == mine.key]
        if mine.lookalikes() is None and alike:
            break
    else:
        return
    orders = {block.order_in(mine, block.graph.written) for block in alike}
    if len(orders) == 1:
        (order,) = orders
        yield from (replace(g, written=mine.order_in(named(g), order)) for g in graphs[: len(alike)])


def _by_keys(graph: JoinGraph) -> AgentBlock:
    return agent_block(graph)


def _by_tables(graph: JoinGraph) -> AgentBlock:
    """In another order other keys may tie the same items, where several are equal."""
    return AgentBlock(graph, tuple("+".join(sorted(relation.relations)) for relation in graph.relations))
