"""Insight: a join hint that the join it was for did not follow.

A plan's text keeps no hint. The optimised logical plan does, and it is in the log where `spark.sql.ui.explainMode` was
`cost` (as the tuner submits jobs); else a job's description may be its SQL (the Thrift server, spark-sql). Where neither
is there, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.join_evidence import join_evidence
from tuner.advice.insights.operator_text import operator_text, relations_text
from tuner.model.insight import HintIgnored, Insight, InsightKind
from tuner.plan.expression import attributes
from tuner.plan.joins import parse_join
from tuner.plan.node import PlanNode
from tuner.plan.operator_lines import operator_lines
from tuner.plan.relation import short_name

_JOIN = re.compile(r"\bJoin (\w+), ")
_HINT = re.compile(r"\b(left|right)Hint=\(strategy=(\w+)\)")
_IN_SQL = re.compile(r"/\*\+[^*]*?\b(?:BROADCAST|BROADCASTJOIN|MAPJOIN)\s*\(\s*([\w.`]+)\s*\)", re.IGNORECASE)
_OPERATOR = {
    "broadcast": ("BroadcastHashJoin", "BroadcastNestedLoopJoin"),
    "merge": ("SortMergeJoin",),
    "shuffle_hash": ("ShuffledHashJoin",),
    "shuffle_replicate_nl": ("CartesianProduct",),
}
# JoinSelection's canBuildBroadcastLeft and canBuildBroadcastRight, and the same for shuffled hash joins.
_CANNOT_BUILD = {
    "left": ("LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin", "FullOuter"),
    "right": ("RightOuter", "FullOuter"),
}
_JOINS = tuple(dict.fromkeys(name for names in _OPERATOR.values() for name in names))


def ignored_hints(facts: InsightFacts) -> Iterator[Insight]:
    """Joins that ran otherwise than a hint in the logical plan says, or without the broadcast that the SQL asks for."""
    if facts.logical_plan:
        yield from _of_logical_plan(facts, facts.logical_plan)
    else:
        yield from _of_sql(facts, facts.query.description)


def _of_logical_plan(facts: InsightFacts, text: str) -> Iterator[Insight]:
    for line in operator_lines(text):
        before, hinted, _ = line.partition("Hint=(strategy=")
        join = _JOIN.search(before) if hinted else None
        if join is None:
            continue
        condition = {id_ for _, id_ in attributes(before[join.end() :])}
        nodes = [node for node in facts.plan.named(*_JOINS) if condition and _keys(node) == condition]
        for side, strategy in _HINT.findall(line):
            if len(nodes) == 1 and strategy in _OPERATOR and not _follows(nodes[0], side, strategy):
                yield _insight(facts, nodes[0], strategy, _why(join[1], side, strategy), side, join[1])


def _keys(node: PlanNode) -> set[int]:
    """The columns of a join's keys, and of its condition."""
    return {id_ for _, id_ in attributes(node.text)}


def _follows(node: PlanNode, side: str, strategy: str) -> bool:
    if node.name not in _OPERATOR[strategy]:
        return False
    return strategy not in ("broadcast", "shuffle_hash") or parse_join(node).build_side == side


def _why(join_type: str, side: str, strategy: str) -> HintIgnored:
    cannot = strategy in ("broadcast", "shuffle_hash") and join_type in _CANNOT_BUILD[side]
    return HintIgnored.NOT_BUILDABLE if cannot else HintIgnored.NOT_FOLLOWED


def _of_sql(facts: InsightFacts, sql: str) -> Iterator[Insight]:
    """A broadcast hint of a relation, under its own name, that no join of the plan broadcasts."""
    for name in _IN_SQL.findall(sql):
        wanted = name.replace("`", "").rsplit(".", 1)[-1].lower()
        reading = [
            node
            for node in facts.plan.named(*_JOINS)
            if len(node.children) == 2
            and any(
                [short_name(r).lower() for r in facts.plan.scans_below.relations(c)] == [wanted] for c in node.children
            )
        ]
        if len(reading) == 1 and reading[0].name not in _OPERATOR["broadcast"]:
            yield _insight(facts, reading[0], "broadcast", HintIgnored.NOT_TOLD)


def _insight(
    facts: InsightFacts, node: PlanNode, strategy: str, why: HintIgnored, side: str = "", join_type: str = ""
) -> Insight:
    plan = facts.plan
    return facts.insight(
        InsightKind.IGNORED_HINT,
        operator_text(plan, node),
        plan.seconds(node),
        *join_evidence(facts, node, *(relations_text(plan, side) for side in node.children)),
        hint=strategy.upper(),
        why=why,
        side=side,
        join_type=join_type,
    )
