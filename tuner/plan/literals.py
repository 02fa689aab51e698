"""The values that a query's conditions hold, by the columns they are asked of: directives act on values that were measured.

A fingerprint drops values, so that a query is the same one every night; but a filter on a frequent value is another job
than one on a rare value. Literals.java tells the same of the plan that is about to run, from the same texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tuner.model.query_values import COMPUTED, UNKNOWN_VALUES, FilterCondition, QueryValues, is_computed
from tuner.plan.days_apart import days_apart
from tuner.plan.digest import digest
from tuner.plan.expression import ATTRIBUTE_OR_RUN, argument_list, bracketed, conjuncts, split_top_level
from tuner.plan.joins import JOINS, parse_join
from tuner.plan.lineage import Lineage, lineage_of
from tuner.plan.node import PlanNode
from tuner.plan.operator_lines import operator_lines
from tuner.plan.python_calls import with_calls
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
# Stands for the number sign of a value that looks like a column, such as `Brand#23`.
_LIKE_COLUMN = "\x02"
# What a number stands behind that is of a column with a name in brackets.
_CLOSING = (")", "]")
# The end of `max(day)#7`: where such a name begins, the text does not tell. A Python function, `f(day#3)#7`, has columns in it.
_OF_BRACKETED_NAME = re.compile(r"[)\]]#[0-9]{1,18}")
_INNERMOST = re.compile(r"[(\[]([^()\[\]]*)[)\]](#[0-9]{1,18})?")
_HAS_COLUMN = re.compile(r"#[0-9]")
_OF_CONDITIONS = frozenset({"Filter", "Join"})
_LIMITING = "GlobalLimit"
_ASKING = _OF_CONDITIONS | {_LIMITING}
_COMPUTING = frozenset({"Project", "Aggregate", "Window", "Sort"})
_NAMED = re.compile(r" AS (?:[^#\[\],()]{0,200} )?([^\s,()\[\]=<>#]+)#([0-9]{1,18})(?![0-9])")
# Their arguments look like columns, and no operator puts them out.
_OF_LAMBDA, _LAMBDA = "lambda", "lambdafunction("
# Stands for a column, or a condition between columns; what a condition without values comes down to.
_COLUMN = "\x03"
_OF_COLUMNS = re.compile(
    r"cast\(\x03 as [a-z]+(?:\([0-9, ]+\))?\)|\(\x03 (?:=|<=>|<=|>=|<|>|AND|OR) \x03\)|\x03 IN \(\x03\)|NOT \x03"
    r"|(?:isnull|isnotnull|knownfloatingpointnormalized|normalizenanandzero)?\(\x03\)"
)
# Most conditions of joins: they hold no value.
_TWO_COLUMNS = re.compile(
    r"([a-z_][a-z0-9_]*+)#([0-9]{1,18})L? (?:=|<=>|<=|>=|<|>) ([a-z_][a-z0-9_]*+)#([0-9]{1,18})L?",
    re.IGNORECASE | re.ASCII,
)
_DEEPEST = 50
# What begins as a list of INSET and is none, up to the bracket that ends it, is passed over at once: none begins in it.
_LIST = re.compile(r" (?:IN \(([^()]*)\)|INSET ([^()]*?)(?=\)| AND | OR |$)|INSET(?= )[^()]*?(?= IN \(|\())")

_LINE = re.compile(r"^([ :|+\-]*)([A-Z]\w*)(?: (.*))?$", re.DOTALL)
_STATISTICS = re.compile(r", Statistics\(sizeInBytes=.*$", re.DOTALL)
_JOIN = re.compile(r"^\w+(?:\([^)]*\))?, (.*?)(?:, (?:left|right)Hint=.*)?$", re.DOTALL)
_LIMIT = re.compile(r"^(?:GlobalLimit|CollectLimit) ([0-9]+)|^TakeOrderedAndProject\(limit=([0-9]+)")
_NO_CONDITION = re.compile(r"\w+(?:\(\w+\))?|\w+(?:\(\w+#[0-9]+\))?")


class _CutError(Exception):
    """The text of a plan does not hold all of a condition."""


def literals_id(entries: Iterable[str]) -> str:
    """16 hex digits over a query's conditions that hold values, in any order; days count by the calendar rule."""
    return digest("\n".join(sorted(set(map(with_sorted_lists, days_apart(entries))))))


def query_values(initial: PlanNode, logical_plan: str | None) -> QueryValues:
    """The conditions that hold values, sorted, and their id, for an execution that the agent did not look at: unknown where the
    texts of its plan do not tell all.

    They do most often with the optimised logical plan, which is there where `explainMode` was `cost`.
    """
    reader = _Reader(lineage_of(initial), logical_plan)
    found = with_calls(_conditions(initial, logical_plan), initial)
    try:
        told = {entry: columns for condition in found for columns, entry in reader.entries(condition)}
    except _CutError:
        return UNKNOWN_VALUES
    conditions = {FilterCondition(columns, digest(with_sorted_lists(entry))) for entry, columns in told.items()}
    return QueryValues(literals_id(told), tuple(sorted(conditions)))


def literal_class(conditions: Iterable[FilterCondition], neutral: Container[str] = ()) -> str:
    """16 hex digits of a query's conditions, the same whatever is asked of the `neutral` columns (`FilterCondition.columns`);
    but for several conditions on what is computed under one name, which may have nothing to do with one another."""
    asked = tuple(conditions)
    times = Counter(c.columns for c in asked)
    any_values = {name for name, n in times.items() if name in neutral and (n == 1 or not is_computed(name))}
    told = {c.columns if c.columns in any_values else f"{c.read_columns}={c.values}" for c in asked}
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
    for line in operator_lines(text):
        if (match := _LINE.match(line)) is None:
            continue
        depth, name = len(match[1]), match[2]
        if cached is not None and depth > cached:
            continue
        cached = depth if name == "InMemoryRelation" else None
        if name not in _ASKING:
            continue
        rest = _STATISTICS.sub("", match[3] or "")
        if name == "Filter":
            yield rest
        elif name == "Join" and (join := _JOIN.match(rest)):
            yield join[1]
        elif name == _LIMITING:
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


@dataclass(frozen=True, slots=True)
class _PutOut:
    """The columns that the operators of a plan put out, as their text has them; `is_all` where that is not cut."""

    columns: frozenset[str]
    is_all: bool


def _put_out(text: str) -> _PutOut:
    found: set[str] = set()
    is_all = True
    for line in operator_lines(text):
        operator = _LINE.match(line)
        if operator is None or operator[2] in _OF_CONDITIONS:
            continue
        is_all &= not _CUT.search(line)
        # What computes columns of others has those in its expressions; what it names is its own.
        words = (_NAMED if operator[2] in _COMPUTING else ATTRIBUTE_OR_RUN).findall(line)
        found.update([f"{name}#{id_}".lower() for name, id_ in words if id_])
    return _PutOut(frozenset(found), is_all)


@dataclass(frozen=True)
class _Reader:
    """Reads the conditions of one plan; the logical one tells values that look like columns from these."""

    lineage: Lineage
    logical_plan: str | None

    @cached_property
    def _put_out(self) -> _PutOut:
        """Looked up only for what no relation is known to have: few conditions need it."""
        return _put_out(self.logical_plan or "")

    def entries(self, condition: str) -> Iterator[tuple[str, str]]:
        """The conjuncts that hold values, with the sources of columns in place of these, each after the columns that it is on."""
        if _CUT.search(condition):
            raise _CutError
        for conjunct in conjuncts(condition):
            if _is_null_check(conjunct) or self._compares_columns(conjunct):
                continue
            if any(derived in conjunct for derived in _DERIVED):
                continue
            plain = _SUBQUERY.sub("subquery", conjunct)
            marked = self._with_values_marked(plain)
            if marked != plain or _holds_value(conjunct):
                yield "" if marked != plain else self._columns(plain), self._entry(marked)

    def _compares_columns(self, conjunct: str) -> bool:
        """Whether it is known at a glance that two columns are compared, as in most conditions of joins."""
        two = _TWO_COLUMNS.fullmatch(conjunct)
        if two is None or not self.logical_plan:
            return two is not None
        return self._is_column(two[1], two[2]) and self._is_column(two[3], two[4])

    def _with_values_marked(self, conjunct: str) -> str:
        """Another mark for the number sign of values that look like columns: names are no proof, `Brand#23` is a value unless an
        operator puts out a column of that name and number. Raises _CutError where the text does not tell."""
        if not self.logical_plan or _OF_LAMBDA in conjunct:
            return conjunct

        def marked(m: re.Match[str]) -> str:
            if not m[2]:
                # `#23` is a value, but the number of `count(1)#23`.
                is_value = _ID.match(m[0]) and conjunct[m.start() - 1 : m.start()] not in _CLOSING
                return m[0].replace("#", _LIKE_COLUMN) if is_value else m[0]
            if self._is_column(m[1], m[2]):
                return m[0]
            if not self._put_out.is_all:
                raise _CutError
            return m[0].replace("#", _LIKE_COLUMN)

        return ATTRIBUTE_OR_RUN.sub(marked, conjunct)

    def _is_column(self, name: str, id_: str) -> bool:
        # A query may spell a column otherwise than its relation does.
        read = self.lineage.owner.get(int(id_))
        return (
            read is not None and read[1].lower() == name.lower()
        ) or f"{name}#{id_}".lower() in self._put_out.columns

    def _columns(self, conjunct: str) -> str:
        """The columns by their sources; a digest of these where one is none that is read, for its name may be made of a value.
        "" where it is on none, or the text does not tell all."""
        if _LAMBDA in conjunct or _has_bracketed_name(conjunct):
            return ""
        lineage = self.lineage
        found = {m[0]: int(m[2]) for m in ATTRIBUTE_OR_RUN.finditer(conjunct) if m[2]}
        if not found:
            return ""
        sources = ",".join(sorted({lineage.source(text) for text in found}))
        are_read = all(lineage.original(id_) in lineage.owner for id_ in found.values())
        return sources if are_read else f"{COMPUTED}{digest(sources)}"

    def _entry(self, conjunct: str) -> str:
        return _ID.sub("", ATTRIBUTE_OR_RUN.sub(lambda m: self.lineage.source(m[0]) if m[2] else m[0], conjunct))


def _is_null_check(conjunct: str) -> bool:
    """Most of these Spark adds by itself; none holds a value."""
    if not conjunct.startswith("isnotnull("):
        return False
    start = len("isnotnull")
    inner = argument_list(conjunct, start)
    return inner is not None and start + len(inner) + 2 == len(conjunct)


def _has_bracketed_name(conjunct: str) -> bool:
    """Whether a number stands behind brackets that have no column in them, at any depth."""
    text = conjunct
    for _ in range(_DEEPEST):
        if not _OF_BRACKETED_NAME.search(text):
            return False
        shorter = _INNERMOST.sub(_without_brackets, text)
        if shorter == text:
            break
        text = shorter
    return True


def _without_brackets(found: re.Match[str]) -> str:
    if _HAS_COLUMN.search(found[1]):
        return f"{_COLUMN}#0"
    return found[0] if found[2] else ""


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


def with_sorted_lists(entry: str) -> str:
    """The same condition with the values of each list sorted, however Spark wrote it."""
    return _LIST.sub(_sorted, entry)


def _sorted(found: re.Match[str]) -> str:
    values = found[1] if found[1] is not None else found[2]
    if values is None:
        return found[0]
    return f" IN ({','.join(sorted({value.strip() for value in values.split(',')}))})"
