"""The values that a query's conditions hold, by the columns they are asked of: directives act on values that were measured.

A fingerprint drops values, so that a query is the same one every night; but a filter on a frequent value is another job
than one on a rare value. Literals.java tells the same of the plan that is about to run, from the same texts.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from tuner.model.query_values import UNKNOWN_VALUES, FilterCondition, QueryValues
from tuner.plan.days_apart import days_apart
from tuner.plan.digest import digest
from tuner.plan.expression import ATTRIBUTE_OR_RUN, argument_list, bracketed, conjuncts, split_top_level
from tuner.plan.joins import JOINS, parse_join
from tuner.plan.lineage import Lineage, lineage_of
from tuner.plan.node import PlanNode
from tuner.plan.relation import is_scan
from tuner.plan.values import values_in

# What Spark adds by itself, depending on sizes.
_DERIVED = ("dynamicpruning", "might_contain", "bloom_filter")
_CUT = re.compile(r"\.\.\. [0-9]+ more (?:fields|characters)")
_SUBQUERY = re.compile(
    r"(?:ReusedSubquery )?(?:Subquery )?(?:scalar-subquery|subquery|exists|list)#[0-9]{1,18}"
    r"(?:,? \[[^\]]{0,500}\])?(?:\.\w{1,100})?"
)
_ID = re.compile(r"#[0-9]{1,18}L?")
# Stands for a column, or a condition between columns; what a condition without values comes down to.
_COLUMN = "\x03"
_OF_COLUMNS = re.compile(
    r"cast\(\x03 as [a-z]+(?:\([0-9, ]+\))?\)|\(\x03 (?:=|<=>|<=|>=|<|>|AND|OR) \x03\)|\x03 IN \(\x03\)|NOT \x03"
    r"|(?:isnull|isnotnull|knownfloatingpointnormalized|normalizenanandzero)?\(\x03\)"
)
_DEEPEST = 50
_LIST = re.compile(r" (?:IN \(([^()]*)\)|INSET ([^()]*?)(?=\)| AND | OR |$))")

_LINE = re.compile(r"^([ :|+\-]*)([A-Z]\w*)(?: (.*))?$")
_STATISTICS = re.compile(r", Statistics\(sizeInBytes=.*$")
_JOIN = re.compile(r"^\w+(?:\([^)]*\))?, (.*?)(?:, (?:left|right)Hint=.*)?$")
_LIMIT = re.compile(r"^(?:GlobalLimit|CollectLimit) ([0-9]+)|^TakeOrderedAndProject\(limit=([0-9]+)")
_NO_CONDITION = re.compile(r"\w+(?:\(\w+\))?|\w+(?:\(\w+#[0-9]+\))?")


class _CutError(Exception):
    """The text of a plan does not hold all of a condition."""


def literals_id(entries: Iterable[str]) -> str:
    """16 hex digits over a query's conditions that hold values, in any order; days count by the calendar rule."""
    return digest("\n".join(sorted({_LIST.sub(_sorted, entry) for entry in days_apart(entries)})))


def literals_of_plan(initial: PlanNode, logical_plan: str | None) -> str:
    """The id for an execution that the agent did not look at; "" where the texts of its plan do not tell all.

    They do most often with the optimised logical plan, which is there where `explainMode` was `cost`.
    """
    return query_values(initial, logical_plan).literals


def query_values(initial: PlanNode, logical_plan: str | None) -> QueryValues:
    """The conditions that hold values, sorted, and their id: unknown where the texts do not tell all, as for
    `literals_of_plan`."""
    lineage = lineage_of(initial)
    found = _conditions(initial, logical_plan)
    try:
        told = {entry: _columns(text, lineage) for condition in found for text, entry in _texts(condition, lineage)}
    except _CutError:
        return UNKNOWN_VALUES
    conditions = {FilterCondition(columns, digest(_LIST.sub(_sorted, entry))) for entry, columns in told.items()}
    return QueryValues(literals_id(told), tuple(sorted(conditions)))


def literal_class(conditions: Iterable[FilterCondition], neutral: Container[str] = ()) -> str:
    """16 hex digits of a query's conditions, the same whatever is asked of the `neutral` columns (`FilterCondition.columns`)."""
    told = {c.columns if c.columns in neutral else f"{c.columns}={c.values}" for c in conditions}
    return digest("\n".join(sorted(told)))


def values_of_plan(initial: PlanNode, logical_plan: str | None) -> tuple[str, ...]:
    """Digests of the values by themselves, for who has only a statement's text to hold them against."""
    return values_in(ATTRIBUTE_OR_RUN.sub(_value_alone, text) for text in _conditions(initial, logical_plan))


def _value_alone(found: re.Match[str]) -> str:
    return "" if found[2] else found[0]


def _conditions(initial: PlanNode, logical_plan: str | None) -> Iterator[str]:
    return _of_logical(logical_plan) if logical_plan else _of_physical(initial)


def _of_logical(text: str) -> Iterator[str]:
    """The conditions and limits of a logical plan; what made cached data is no part of it."""
    cached: int | None = None
    for line in text.split("\n"):
        if (match := _LINE.match(line)) is None:
            continue
        depth, name, rest = len(match[1]), match[2], _STATISTICS.sub("", match[3] or "")
        if cached is not None and depth > cached:
            continue
        cached = depth if name == "InMemoryRelation" else None
        if name == "Filter":
            yield rest
        elif name == "Join" and (join := _JOIN.match(rest)):
            yield join[1]
        elif name == "GlobalLimit":
            yield f"limit {rest}"


def _of_physical(initial: PlanNode) -> Iterator[str]:
    for node in initial.walk_query():
        if node.name == "Filter":
            yield node.text.removeprefix("Filter ")
        elif is_scan(node):
            filters = bracketed(node.metadata.get("PartitionFilters", ""))
            yield from split_top_level(filters[0]) if filters else ()
        elif node.name in JOINS:
            parts = split_top_level(parse_join(node).rest.removeprefix(node.name).strip(", "))
            yield from (part for part in parts if not _NO_CONDITION.fullmatch(part))
        elif limit := _LIMIT.match(node.text):
            yield f"limit {limit[1] or limit[2]}"


def _columns(conjunct: str, lineage: Lineage) -> str:
    """The columns of a conjunct by their sources; "" where one is none that is read, for its name may be made of a value."""
    found = {m[0]: int(m[2]) for m in ATTRIBUTE_OR_RUN.finditer(conjunct) if m[2]}
    if not all(lineage.original(id_) in lineage.owner for id_ in found.values()):
        return ""
    return ",".join(sorted({lineage.source(text) for text in found}))


def _texts(condition: str, lineage: Lineage) -> Iterator[tuple[str, str]]:
    """The conjuncts that hold values, with the ids of columns, and with their sources in place of these."""
    if _CUT.search(condition):
        raise _CutError
    for conjunct in conjuncts(condition):
        if any(derived in conjunct for derived in _DERIVED) or _is_null_check(conjunct):
            continue
        if _holds_value(conjunct):
            plain = _SUBQUERY.sub("subquery", conjunct)
            yield (
                plain,
                _ID.sub("", ATTRIBUTE_OR_RUN.sub(lambda m: lineage.source(m[0]) if m[2] else m[0], plain)),
            )


def _is_null_check(conjunct: str) -> bool:
    """Most of these Spark adds by itself; none holds a value."""
    start = len("isnotnull")
    inner = argument_list(conjunct, start) if conjunct.startswith("isnotnull(") else None
    return inner is not None and start + len(inner) + 2 == len(conjunct)


def _holds_value(conjunct: str) -> bool:
    """Whether anything but columns is compared."""
    text = ATTRIBUTE_OR_RUN.sub(lambda m: _COLUMN if m[2] else m[0], _SUBQUERY.sub(_COLUMN, conjunct))
    text = f"({_ID.sub(_COLUMN, text)})"
    for _ in range(_DEEPEST):
        shorter = _OF_COLUMNS.sub(_COLUMN, text)
        if shorter == text:
            break
        text = shorter
    return text != _COLUMN


def _sorted(found: re.Match[str]) -> str:
    values = (found[1] if found[1] is not None else found[2]).split(",")
    return f" IN ({','.join(sorted({value.strip() for value in values}))})"
