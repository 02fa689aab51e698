"""Each time that a query ran in the runs at hand: its seconds, orders of joins, and the optimizer's properties."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from tuner.advice.candidates.cbo_conf import CboConf
from tuner.advice.facts import Facts, PastRun, is_whole
from tuner.model.join_graph import JoinGraph, Order
from tuner.model.query import Query
from tuner.plan.order_text import order_text, parse_order

# Queries that read more or less by this factor are not compared.
_SAME_INPUT = 1.25


@dataclass(frozen=True, slots=True)
class Execution:
    """One time that a query came to its end. `latest` says that it was in the latest run."""

    query: Query
    conf: CboConf
    latest: bool

    @property
    def seconds(self) -> float:
        return self.query.seconds

    def graph(self, signature: str) -> JoinGraph | None:
        return next((graph for graph in self.query.graphs if graph.signature == signature), None)


def executions(facts: Facts) -> dict[str, list[Execution]]:
    """The executions of each query of the latest run, by fingerprint, oldest first; those that read as much as its last.

    Not those whose groups the agent made once: no time of theirs is that of an order.
    """
    found: dict[str, list[Execution]] = defaultdict(list)
    now = PastRun(facts.queries, facts.conf)
    for run in (*facts.earlier, now):
        conf = CboConf.read(run.conf)
        for query in (q for q in run.queries if is_whole(q) and not q.merged):
            found[query.fingerprint].append(Execution(query, conf, run is now))
    return {name: _of_same_input(each) for name, each in found.items() if each[-1].latest}


def median_seconds(each: list[Execution]) -> float:
    """Their median."""
    return median(execution.seconds for execution in each)


def renumbered_order(graph: JoinGraph, then: JoinGraph) -> Order:
    """The order that ran of a block then, by the numbers that its relations have in this graph."""
    return parse_order(order_text(then.written, then), graph)


def _of_same_input(each: list[Execution]) -> list[Execution]:
    size = each[-1].query.data_bytes + 1
    return [e for e in each if 1 / _SAME_INPUT <= (e.query.data_bytes + 1) / size <= _SAME_INPUT]
