"""What a step of a plan does, in words: relations, columns and keys, never a literal."""

from __future__ import annotations

import re

from tuner.model.plan_picture import StepKind
from tuner.model.strategy import JoinType
from tuner.plan.aggregate import AGGREGATES, aggregate_parts, is_partial
from tuner.plan.column_names import ColumnNames, listed
from tuner.plan.expression import argument_list, bracketed, conjuncts, split_top_level
from tuner.plan.joins import JOINS, parse_join
from tuner.plan.node import PlanNode, prunes
from tuner.plan.relation import is_scan, relation_name, short_name
from tuner.plan.sides import SHUFFLES
from tuner.printable import identifier

LONGEST_LABEL = 200
_LONGEST_OPERATOR = 60
_CACHE = re.compile(r"(?:InMemoryTableScan|Scan In-memory table)\b ?([\w.]{0,100})")
_SCANS = re.compile(r"(?:Batch|File|Hive\w*)?Scan\b|Range|LocalTableScan|RDDScan")
_WORD = re.compile(r"\w+")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMMAND = re.compile(r"Execute (\w{1,100})")
# Filters Spark adds by itself say less than those of the query.
_DERIVED = ("isnotnull(", "dynamicpruning", "might_contain")
_PARTITIONING = re.compile(r"\b(hash|range|RoundRobin|key|KeyGrouped)[pP]artitioning\(|\b(SinglePartition)\b")
_WORDS = {
    "EmptyRelation": "no rows",
    "TakeOrderedAndProject": "first rows in order",
    "CollectLimit": "first rows",
    "LocalLimit": "first rows of each partition",
    "GlobalLimit": "first rows",
    "Generate": "rows out of nested values",
    "Expand": "a copy of each row for each grouping set or distinct aggregate",
}


def kind_of(node: PlanNode) -> StepKind:
    """What sort of step an operator is."""
    name = node.name
    if name in JOINS and len(node.children) == 2:
        return StepKind.JOIN
    if name in SHUFFLES:
        return StepKind.SHUFFLE
    if name in AGGREGATES:
        return StepKind.AGGREGATE
    if name in _KINDS:
        return _KINDS[name]
    return StepKind.SCAN if is_scan(node) and (_CACHE.match(node.full_name) or _SCANS.match(name)) else StepKind.OTHER


_KINDS = {
    "Filter": StepKind.FILTER,
    "BroadcastExchange": StepKind.BROADCAST,
    "Window": StepKind.WINDOW,
    "WindowGroupLimit": StepKind.WINDOW,
    "Union": StepKind.UNION,
}


def operator_of(node: PlanNode) -> str:
    """The operator's name, without anything else that its class may print there."""
    word = _WORD.search(node.name)
    return word[0][:_LONGEST_OPERATOR] if word else "unknown"


def label_of(kind: StepKind, node: PlanNode, columns: ColumnNames, *, shuffled: bool) -> str:
    """One printable line of at most 200 characters. `shuffled` says that a shuffle takes its rows."""
    asked = sum(not prunes(subquery) for subquery in node.subqueries)
    more = f" ({asked} subquer{'y' if asked == 1 else 'ies'})" if asked else ""
    return identifier(_label(kind, node, columns, shuffled=shuffled), LONGEST_LABEL - len(more)) + more


def reused_label(kind: StepKind, relations: tuple[str, ...]) -> str:
    """What stands for an exchange that is drawn elsewhere, by the relations read below it."""
    names = listed(list(dict.fromkeys(map(short_name, relations))))
    return identifier(f"reused {kind} of {names}" if names else f"reused {kind}", LONGEST_LABEL)


def _label(kind: StepKind, node: PlanNode, columns: ColumnNames, *, shuffled: bool) -> str:
    match kind:
        case StepKind.SCAN:
            cache = _CACHE.match(node.full_name)
            return f"cached {cache[1]}".strip() if cache else short_name(relation_name(node))
        case StepKind.FILTER:
            return _filter(node, columns)
        case StepKind.SHUFFLE:
            return _shuffle(node, columns)
        case StepKind.JOIN:
            return _join(node, columns)
        case StepKind.AGGREGATE:
            return _aggregate(node, columns, shuffled=shuffled)
        case StepKind.WINDOW:
            return _window(node, columns)
        case StepKind.UNION:
            return f"union of {len(node.children)}"
        case StepKind.BROADCAST:
            return "broadcast"
        case StepKind.OTHER:
            command = _COMMAND.match(node.full_name)
            words = _CAPITAL.sub(" ", command[1] if command else operator_of(node)).lower().removesuffix(" command")
            return _WORDS.get(node.name, words)


def _filter(node: PlanNode, columns: ColumnNames) -> str:
    parts = conjuncts(node.text.removeprefix("Filter "))
    asked = [part for part in parts if not any(derived in part for derived in _DERIVED)]
    names = columns.mentioned(*(asked or parts)).words()
    return f"filter on {names}" if names else "filter"


def _shuffle(node: PlanNode, columns: ColumnNames) -> str:
    found = _PARTITIONING.search(node.text)
    if found is None:
        return "shuffle"
    if found[2]:
        return "shuffle into one partition"
    if found[1] == "RoundRobin":
        return "shuffle evenly"
    names = columns.mentioned(argument_list(node.text, found.end() - 1) or "").words()
    return f"shuffle by {'ranges of ' if found[1] == 'range' else ''}{names}" if names else "shuffle"


def _join(node: PlanNode, columns: ColumnNames) -> str:
    parsed = parse_join(node)
    pairs = zip(parsed.left_keys, parsed.right_keys, strict=False)
    named = [(columns.key(left), columns.key(right)) for left, right in pairs]
    equations = (f"{right} = {left}" if parsed.flipped else f"{left} = {right}" for left, right in named)
    keys = listed(list(dict.fromkeys(equations)))
    if not keys:
        names = columns.mentioned(parsed.rest).words()
        keys = f"condition on {names}" if names else "no condition"
    if parsed.type in (JoinType.INNER, JoinType.UNKNOWN):
        return keys
    return f"{_CAPITAL.sub(' ', parsed.type).lower().removesuffix(' join')}: {keys}"


def _aggregate(node: PlanNode, columns: ColumnNames, *, shuffled: bool) -> str:
    parts = aggregate_parts(node)
    if parts is None:
        return "aggregate"
    half = "partial " if is_partial(parts[1], shuffled=shuffled) else ""
    if not split_top_level(parts[0]):
        return f"{half}total"
    return f"{half}group by {columns.mentioned(parts[0]).words() or 'computed columns'}"


def _window(node: PlanNode, columns: ColumnNames) -> str:
    """A window lists its functions, then the columns it is partitioned by; its limit only the latter."""
    found = bracketed(node.text)
    if found and node.name == "Window":
        found = bracketed(node.text, found[1]) if node.text.startswith(", [", found[1]) else None
    names = columns.mentioned(found[0]).words() if found else ""
    return f"window by {names}" if names else "window"
