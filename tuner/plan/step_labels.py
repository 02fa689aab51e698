"""What a step of a plan does, as data and in words: relations, columns and keys, never a literal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from tuner.model.plan_picture import PlanStep, StepKind
from tuner.model.strategy import JoinType
from tuner.plan.aggregate import AGGREGATES, aggregate_parts, is_partial
from tuner.plan.column_names import COMPUTED_COLUMNS, ColumnNames, listed
from tuner.plan.expression import argument_list, bracketed, conjuncts, split_top_level
from tuner.plan.joins import JOINS, parse_join
from tuner.plan.node import PlanNode, prunes
from tuner.plan.relation import is_scan, relation_name, short_name
from tuner.plan.sides import SHUFFLES
from tuner.printable import identifier

LONGEST_LABEL = 200
_LONGEST_OPERATOR = 60
_CACHE = re.compile(r"(?:InMemoryTableScan|Scan In-memory table)\b ?([\w.]{0,100})")
_SCANS = re.compile(r"\w*Scan(?:Transformer)?\b|Range")
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


def described_step(kind: StepKind, node: PlanNode, columns: ColumnNames, *, shuffled: bool) -> PlanStep:
    """What an operator does, without rows and bytes. The label is one printable line of at most 200 characters.

    `shuffled` says that a shuffle takes its rows.
    """
    step = _described(kind, node, columns, shuffled=shuffled)
    asked = sum(not prunes(subquery) for subquery in node.subqueries)
    more = f" ({asked} subquer{'y' if asked == 1 else 'ies'})" if asked else ""
    label = identifier(step.label, LONGEST_LABEL - len(more)) + more
    return msgspec.structs.replace(step, label=label)


def reused_step(kind: StepKind, relations: Iterable[str]) -> PlanStep:
    """What stands for an exchange that is drawn elsewhere, by the relations read below it."""
    names = tuple(dict.fromkeys(identifier(short_name(relation), LONGEST_LABEL) for relation in relations))
    return PlanStep(kind, "ReusedExchange", exchange_label(f"reused {kind}", names), relations=names)


def exchange_label(what: str, relations: Sequence[str]) -> str:
    """An exchange by the relations below it: `reused shuffle of orders`."""
    return identifier(f"{what} of {listed(relations)}" if relations else what, LONGEST_LABEL)


def shuffle_label(columns: Sequence[str]) -> str:
    """A shuffle by the columns that it hashes."""
    return f"shuffle by {listed(columns)}" if columns else "shuffle"


def keys_label(keys: Sequence[tuple[tuple[str, str], tuple[str, str]]]) -> str:
    """The equations of a join's keys, each a relation ("" for none) and a column."""
    return listed([f"{'.'.join(filter(None, left))} = {'.'.join(filter(None, right))}" for left, right in keys])


def _described(kind: StepKind, node: PlanNode, columns: ColumnNames, *, shuffled: bool) -> PlanStep:
    match kind:
        case StepKind.SCAN:
            return _scan(node)
        case StepKind.FILTER:
            return PlanStep(kind, operator_of(node), _filter(node, columns))
        case StepKind.SHUFFLE:
            return _shuffle(node, columns)
        case StepKind.JOIN:
            return _join(node, columns)
        case StepKind.AGGREGATE:
            return _aggregate(node, columns, shuffled=shuffled)
        case StepKind.WINDOW:
            return _window(node, columns)
        case StepKind.UNION:
            return PlanStep(kind, operator_of(node), f"union of {len(node.children)}")
        case StepKind.BROADCAST:
            return PlanStep(kind, operator_of(node), "broadcast")
        case StepKind.OTHER:
            command = _COMMAND.match(node.full_name)
            words = _CAPITAL.sub(" ", command[1] if command else operator_of(node)).lower().removesuffix(" command")
            return PlanStep(kind, operator_of(node), _WORDS.get(node.name, words))


def _scan(node: PlanNode) -> PlanStep:
    cache = _CACHE.match(node.full_name)
    name = identifier(cache[1] if cache else short_name(relation_name(node)), LONGEST_LABEL)
    label = f"cached {name}".strip() if cache else name
    return PlanStep(StepKind.SCAN, operator_of(node), label, relations=(name,) if name else ())


def _filter(node: PlanNode, columns: ColumnNames) -> str:
    parts = conjuncts(node.text.removeprefix("Filter "))
    asked = [part for part in parts if not any(derived in part for derived in _DERIVED)]
    names = columns.mentioned(*(asked or parts)).words()
    return f"filter on {names}" if names else "filter"


def _shuffle(node: PlanNode, columns: ColumnNames) -> PlanStep:
    found = _PARTITIONING.search(node.text)
    if found is None:
        return PlanStep(StepKind.SHUFFLE, operator_of(node), "shuffle")
    if found[2]:
        return PlanStep(StepKind.SHUFFLE, operator_of(node), "shuffle into one partition")
    if found[1] == "RoundRobin":
        return PlanStep(StepKind.SHUFFLE, operator_of(node), "shuffle evenly", by_query=True)
    names = columns.mentioned(argument_list(node.text, found.end() - 1) or "").columns
    if found[1] == "range" and names:
        return PlanStep(
            StepKind.SHUFFLE, operator_of(node), f"shuffle by ranges of {listed(names)}", columns=names, by_query=True
        )
    return PlanStep(StepKind.SHUFFLE, operator_of(node), shuffle_label(names), columns=names)


def _join(node: PlanNode, columns: ColumnNames) -> PlanStep:
    parsed = parse_join(node)
    sides = (parsed.right_keys, parsed.left_keys) if parsed.flipped else (parsed.left_keys, parsed.right_keys)
    pairs = list(dict.fromkeys((columns.key(one), columns.key(other)) for one, other in zip(*sides, strict=False)))
    label = keys_label(pairs)
    if not label:
        names = columns.mentioned(parsed.rest).words()
        label = f"condition on {names}" if names else "no condition"
    if parsed.type not in (JoinType.INNER, JoinType.UNKNOWN):
        label = f"{_CAPITAL.sub(' ', parsed.type).lower().removesuffix(' join')}: {label}"
    return PlanStep(StepKind.JOIN, operator_of(node), label, keys=tuple((one[1], other[1]) for one, other in pairs))


def _aggregate(node: PlanNode, columns: ColumnNames, *, shuffled: bool) -> PlanStep:
    parts = aggregate_parts(node)
    if parts is None:
        return PlanStep(StepKind.AGGREGATE, operator_of(node), "aggregate")
    partial = is_partial(parts[1], shuffled=shuffled)
    names = columns.mentioned(parts[0]).columns if split_top_level(parts[0]) else ()
    grouped = f"group by {listed(names) or COMPUTED_COLUMNS}" if split_top_level(parts[0]) else "total"
    label = f"partial {grouped}" if partial else grouped
    return PlanStep(StepKind.AGGREGATE, operator_of(node), label, columns=names, is_partial=partial)


def _window(node: PlanNode, columns: ColumnNames) -> PlanStep:
    """A window lists its functions, then the columns it is partitioned by; its limit only the latter."""
    found = bracketed(node.text)
    if found and node.name == "Window":
        found = bracketed(node.text, found[1]) if node.text.startswith(", [", found[1]) else None
    names = columns.mentioned(found[0]).columns if found else ()
    return PlanStep(
        StepKind.WINDOW, operator_of(node), f"window by {listed(names)}" if names else "window", columns=names
    )
