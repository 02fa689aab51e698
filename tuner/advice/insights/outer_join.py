"""Insight: an outer join whose null-extended rows did not occur, or are dropped by a later filter.

Catalyst turns such a join into a smaller one by itself where it can prove it. EliminateOuterJoin knows five cases by
predicates that reject nulls: left to inner, right to inner, full to inner, full to left and full to right. It only looks
at a filter whose conditions are over columns of one side, and evaluates them with nulls. What is found here lies beyond
that: a UDF that it cannot evaluate, a filter over an aggregate of the columns, or rows that merely were not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.join_evidence import join_evidence
from tuner.advice.insights.operator_text import operator_text, relations_text
from tuner.model.change import Evidence
from tuner.model.insight import HiddenFilter, Insight, InsightKind
from tuner.model.strategy import JoinType
from tuner.plan.aggregate import AGGREGATES, aggregate_parts, without_phase
from tuner.plan.expression import alias, attributes, bracketed, conjuncts, split_top_level
from tuner.plan.joins import parse_join
from tuner.plan.node import PlanNode

_JOINS = ("SortMergeJoin", "ShuffledHashJoin", "BroadcastHashJoin", "BroadcastNestedLoopJoin")
_UDFS = ("BatchEvalPython", "ArrowEvalPython")
_PASSING = frozenset({"Exchange", "ShuffleExchange", "Sort", "Coalesce"})
# These pass over nulls: of nothing but nulls they are null (their initial values in Spark), and counts are 0.
_NULL_OF_NULLS = re.compile(r"(?:sum|avg|min|max)\((?!distinct)[^()]*\)")
_COUNT_OF_NULLS = re.compile(r"count\([^()]*#\d+L?\)")
_COMPARED = re.compile(r"^[^\s(]+#(\d+)L? (?:=|<|>|<=|>=) ([^\s()]+)$")
_NOT_NULL = re.compile(r"^isnotnull\([^\s(]+#(\d+)L?\)$")
_BARE = re.compile(r"^[^\s(]+#(\d+)L?$")


def outer_joins(facts: InsightFacts) -> Iterator[Insight]:
    """Outer joins that a smaller join would have replaced in this run: measured, which is no proof for the next."""
    for node in facts.plan.named(*_JOINS):
        join = parse_join(node) if len(node.children) == 2 else None
        if join is None or not facts.plan.rows(node):
            continue
        if join.type is JoinType.FULL_OUTER and (insight := _full(facts, node)):
            yield insight
        elif join.type is JoinType.LEFT_OUTER:
            null_side = node.children[0 if join.flipped else 1]
            if rejecting := _rejecting_filter(facts, node, null_side):
                yield _rejected(facts, node, null_side, *rejecting)


def _full(facts: InsightFacts, node: PlanNode) -> Insight | None:
    """A full outer join that put out as many rows as one side had: every row of the other found its partner.

    Rows out are the matches, the left rows without one and the right rows without one. Each left row with a match has at
    least one, so that as many rows out as left rows leave none for the right rows without a match.
    """
    left, right = (facts.plan.rows(child) for child in node.children)
    out = facts.plan.rows(node)
    if not left or not right or out not in (left, right):
        return None
    smaller = "Inner" if left == right else "LeftOuter" if out == left else "RightOuter"
    other = node.children[1] if out == left else node.children[0]
    return facts.insight(
        InsightKind.OUTER_JOIN,
        operator_text(facts.plan, node),
        facts.plan.seconds(node),
        *join_evidence(facts, node),
        smaller=smaller,
        matched="" if left == right else relations_text(facts.plan, other),
    )


@dataclass(slots=True)
class _Side:
    """What of the columns above a join stands for nothing but one of its sides.

    `columns` are the side's own, `of_udf` what UDFs make of them. Above an aggregate of nothing but them, `keys` are its
    grouping columns (every other column is a result), and `results` is what it makes of nothing but nulls.
    """

    columns: set[int]
    of_udf: set[int] = field(default_factory=set)
    keys: set[int] | None = None
    results: _Nothing | None = None


class _Nothing(Enum):
    """What an aggregate makes of nothing but nulls."""

    NULL = auto()
    ZERO = auto()


def _rejecting_filter(facts: InsightFacts, node: PlanNode, null_side: PlanNode) -> tuple[PlanNode, HiddenFilter] | None:
    """The first filter above a join that drops rows for a null that the join made, and what hid it from Catalyst."""
    side = _Side(facts.plan.columns_below(null_side))
    for above in facts.plan.above(node):
        if above.name == "Filter":
            if hidden := _hidden_rejection(above, side):
                return above, hidden
        elif above.name == "Project":
            _rename(above, side)
        elif above.name in _UDFS:
            _evaluate(above, side)
        elif above.name in AGGREGATES:
            if not _aggregate(above, side):
                return None
        elif above.name not in _PASSING:
            return None
    return None


def _bracketed_parts(text: str) -> list[str]:
    """The parts of the first list in square brackets of a plan's text."""
    found = bracketed(text)
    return split_top_level(found[0]) if found else []


def _rename(project: PlanNode, side: _Side) -> None:
    """New names of the side's columns; what is computed of them is not followed."""
    for renamed in filter(None, map(alias, _bracketed_parts(project.text))):
        for known in (side.columns, side.of_udf):
            if (bare := _BARE.match(renamed[0])) and int(bare[1]) in known:
                known.add(renamed[2])


def _evaluate(udf: PlanNode, side: _Side) -> None:
    """`BatchEvalPython [f(a#1)#2], [pythonUDF0#3]`: the results of calls on nothing but the side's columns."""
    calls = _bracketed_parts(udf.text)
    results = _bracketed_parts(udf.text[udf.text.find("], [") + 2 :]) if "], [" in udf.text else []
    for call, result in zip(calls, results, strict=False):
        used = {id_ for _, id_ in attributes(call)}
        if used and used <= side.columns:
            side.of_udf.update(id_ for _, id_ in attributes(result))


def _aggregate(node: PlanNode, side: _Side) -> bool:
    """Take in an aggregate; False where its results do not stand for the side alone, so that no filter can tell."""
    parts = aggregate_parts(node)
    if parts is None or side.keys is not None:
        return False
    if without_phase(parts[1]) != parts[1]:
        return True  # the aggregate that ends it comes later, with the same columns
    functions = split_top_level(parts[1])
    for nothing, pattern in ((_Nothing.NULL, _NULL_OF_NULLS), (_Nothing.ZERO, _COUNT_OF_NULLS)):
        if functions and all(pattern.fullmatch(f) and _is_of(f, side.columns) for f in functions):
            side.results = nothing
    side.keys = {id_ for _, id_ in attributes(parts[0])}
    return side.results is not None


def _is_of(expression: str, columns: set[int]) -> bool:
    used = {id_ for _, id_ in attributes(expression)}
    return bool(used) and used <= columns


def _hidden_rejection(node: PlanNode, side: _Side) -> HiddenFilter | None:
    """How a filter drops what is null for the side where Catalyst cannot see it; None where it does neither."""
    for part in conjuncts(node.text.removeprefix("Filter ")):
        compared = _COMPARED.match(part)
        tested = compared or _NOT_NULL.match(part) or _BARE.match(part)
        if not tested:
            continue
        id_ = int(tested[1])
        if id_ in side.of_udf:
            return HiddenFilter.UDF
        if side.keys is not None and id_ not in side.keys:
            zero = side.results is _Nothing.ZERO
            if not zero or (compared and _is_false_for_zero(part)):
                return HiddenFilter.AGGREGATE
    return None


def _is_false_for_zero(part: str) -> bool:
    """Whether a comparison of a count with a number drops 0."""
    operator, number = part.split()[-2:]
    return number.isdecimal() and (operator == ">" or (operator in ("=", ">=") and int(number) > 0))


def _rejected(
    facts: InsightFacts, node: PlanNode, null_side: PlanNode, rejecting: PlanNode, hidden: HiddenFilter
) -> Insight:
    return facts.insight(
        InsightKind.OUTER_JOIN,
        operator_text(facts.plan, node),
        facts.plan.seconds(node),
        *join_evidence(facts, node),
        Evidence("rows before the later filter", _rows_into(facts, rejecting), "rows"),
        Evidence("rows after it", facts.plan.rows(rejecting) or 0, "rows"),
        side=relations_text(facts.plan, null_side),
        hidden=hidden,
    )


def _rows_into(facts: InsightFacts, node: PlanNode) -> int:
    return facts.plan.rows(node.children[0]) or 0 if node.children else 0
