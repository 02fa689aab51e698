"""What a query would learn from joins that other queries have measured: how many they share, and how well it knows them already.

    python -m tests.benchmarks.shared_joins LOG

LOG is an event log of many queries, each run once (tests/benchmarks/tpcds_log.py). Two sets of joined relations are the same
where their relations are, with the filters on them and their values, and what joins them, whatever columns a query reads of them.
Prints how many joined sets of a block another query measured and its own run did not, and how well that run tells them: the
q-error (Moerkotte et al., VLDB 2009); then the joins and blocks that changes are advised on which another query has.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from tuner.advice.advise import advise
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.cost.cardinality import Cardinality
from tuner.eventlog.cluster import cluster_of
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.action import ActionKind
from tuner.model.join_graph import JoinGraph, Predicate, RelationKind, members
from tuner.model.query import Query
from tuner.plan.aggregate_outputs import aggregate_outputs
from tuner.plan.color_refinement import color_refinement
from tuner.plan.digest import digest
from tuner.plan.expression import conjuncts
from tuner.plan.join_blocks import JoinBlock, join_blocks
from tuner.plan.node import PlanNode
from tuner.plan.queries import in_full, plans_of
from tuner.plan.relation import is_scan, relation_name

_IDS = re.compile(r"#\d+L?")
# What Spark adds by itself, depending on sizes.
_DERIVED = ("dynamicpruning", "might_contain", "isnotnull(")
# Sets of more relations grow without end, and are seldom what two queries share.
_MOST_RELATIONS = 12


@dataclass(frozen=True, slots=True)
class Block:
    """A block of joins of one query, with a name for each of its relations that says what rows it gives, not which columns."""

    query: str
    graph: JoinGraph
    relations: tuple[str, ...]

    def name(self, joined: int) -> str:
        """The same for the same set of joined relations in any block."""
        numbers = {relation: number for number, relation in enumerate(members(joined))}

        def among(relations: int) -> int:
            return sum(1 << numbers[relation] for relation in members(relations))

        predicates = [
            Predicate(among(p.left), among(p.right), p.left_key, p.right_key)
            for p in self.graph.predicates
            if (p.left | p.right) & joined == p.left | p.right
        ]
        conditions = [c.text for c in self.graph.conditions if c.relations & joined == c.relations]
        labels = color_refinement([self.relations[relation] for relation in members(joined)], predicates)
        return digest("\n".join(sorted(labels) + sorted(conditions)))

    def measured(self) -> Iterator[tuple[str, int]]:
        """Names of what it joined on the way, and rows; without what dynamic pruning or a bloom filter made fewer."""
        for joined, found in self.graph.measured.items():
            if joined.bit_count() > 1 and not self._is_filtered(joined):
                yield self.name(joined), found.rows

    def others(self) -> Iterator[int]:
        """The joined sets of other orders of it."""
        size = len(self.graph.relations)
        for count in range(2, size if size <= _MOST_RELATIONS else 0):
            for chosen in combinations(range(size), count):
                joined = sum(1 << relation for relation in chosen)
                ties = (p for p in self.graph.predicates if (p.left | p.right) & joined == p.left | p.right)
                if joined not in self.graph.measured and any(ties) and not self._is_filtered(joined):
                    yield joined

    def _is_filtered(self, joined: int) -> bool:
        return any(self.graph.relations[relation].runtime_filtered for relation in members(joined))


def _relation_name(item: PlanNode, kind: RelationKind, identity: str) -> str:
    if kind is not RelationKind.SCAN:
        return identity
    parts = []
    for node in item.walk_all():
        if is_scan(node):
            parts.append(relation_name(node))
        elif node.name == "Filter":
            held = conjuncts(node.text.removeprefix("Filter "))
            parts += [_IDS.sub("", c) for c in held if not any(derived in c for derived in _DERIVED)]
    return digest("\n".join(sorted(parts)))


def _block(query: str, found: JoinBlock) -> Block:
    pairs = zip(found.items, found.graph.relations, strict=True)
    return Block(query, found.graph, tuple(_relation_name(item, r.kind, r.identity) for item, r in pairs))


def show_estimates(blocks: Sequence[Block]) -> None:
    """How well a query's own run tells the joins that other queries measured."""
    rows: dict[str, dict[str, int]] = defaultdict(dict)
    for block in blocks:
        for name, found in block.measured():
            rows[name].setdefault(block.query, found)
    shared = [name for name, by_query in rows.items() if len(by_query) > 1]
    errors, asking = [], set()
    for block in blocks:
        cardinality = Cardinality(block.graph)
        for joined in block.others():
            elsewhere = [found for query, found in rows.get(block.name(joined), {}).items() if query != block.query]
            if elsewhere:
                estimate, found = max(1.0, cardinality.size(joined).rows), max(1.0, elsewhere[0])
                errors.append(max(estimate / found, found / estimate))
                asking.add(block.query)
    print(f"{len(rows)} joined sets were measured, {len(shared)} of them by several queries")
    if errors:
        print(
            f"{len(errors)} joined sets of {len(asking)} queries ran in another query only; from its own run each is known "
            f"with a q-error of {median(errors):.3f} in the median, {max(errors):.2f} at most"
        )


def show_advice(queries: Mapping[str, Query], blocks: Sequence[Block], facts: Facts) -> None:
    """Which of the joins and blocks that changes are advised on another query has, too."""
    names = {query.fingerprint: name for name, query in queries.items()}
    wholes: dict[str, set[str]] = defaultdict(set)
    joins: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for block in blocks:
        wholes[block.name(block.graph.everything)].add(block.query)
    for name, query in queries.items():
        for join in query.joins:
            for side in (join.left, join.right):
                joins[join.signature, tuple(sorted(side.relations))].add(name)
    orders, hints, found = 0, 0, []
    for change in advise(facts):
        for action in change.actions:
            name = names.get(action.query or "", "")
            others: set[str] = set()
            if action.kind is ActionKind.ORDER_JOINS:
                orders += 1
                mine = [b for b in blocks if b.query == name and b.graph.signature == action.target]
                others = {query for b in mine for query in wholes[b.name(b.graph.everything)]} - {name}
            elif action.kind is ActionKind.HINT_JOIN:
                hints += 1
                others = joins[action.target, tuple(sorted(action.relations))] - {name}
            if others:
                found.append(f"{name}: {action.kind}, as in {', '.join(sorted(others))}")
    print(
        f"{orders} orders and {hints} hints are advised, {len(found)} of a block or join that another query has as well,"
    )
    print("an order's with the same values, a hint's with any:")
    print("\n".join(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    (source,) = find_logs(parser.parse_args().log)
    application = read_application(source)
    queries, blocks = {}, []
    for execution, stages, plans in plans_of(application):
        query = in_full(plans, stages, execution.logical_plan)
        name = execution.description or f"query {query.id}"
        queries[name] = query
        found = join_blocks(plans[2], finished=True, outputs=aggregate_outputs(execution.logical_plan))
        blocks += [_block(name, block) for block in found if len(block.graph.relations) > 1]
    facts = Facts(
        tuple(queries.values()), cluster_of(application), application.conf, Reach.AGENT, application.spark_version
    )
    print(f"{len(queries)} queries")
    show_estimates(blocks)
    show_advice(queries, blocks, facts)


if __name__ == "__main__":
    main()
