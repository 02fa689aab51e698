"""A query block as its text has it: base tables that inner joins put together, and conditions over sets of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from sqlglot import exp

from tuner.model.join_graph import members
from tuner.steering.sql_parse import parse_statement

# A column of a relation of the block, by the relation's number.
SqlColumn = tuple[int, str]
# A table's columns in lower case, by its name in lower case.
Columns = Mapping[str, Collection[str]]

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
# What is null where one of its columns is.
_COMPUTED = (exp.Column, exp.Identifier, exp.Literal, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Paren)
_QUERIES = (exp.Select, exp.Subquery, exp.Exists, exp.SetOperation)
# Two quotes within a text are one, since Spark 4.0; sqlglot reads them as two texts, as Spark did before.
_TEXT = re.compile(r"'(?:[^'\\]|\\.|'')*'", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SqlRelation:
    """A table under the alias that the block gives it."""

    table: str
    alias: str


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """A condition over a set of relations (bit i is relation i), as duckdb reads it; `keys` are the two columns that it says
    are equal, of two relations, where it says nothing else."""

    relations: int
    text: str
    keys: tuple[SqlColumn, SqlColumn] | None = None


@dataclass(frozen=True, slots=True)
class SqlBlock:
    """The relations in the order of FROM, and all that must hold of their rows.

    To the conditions that are written come those that Spark infers of them for single relations, which change no join's rows, but
    what a relation hands to its first join: keys are not null (InferFiltersFromConstraints), and what a condition over several
    relations leaves of one (PushPredicateThroughJoin, extractPredicatesWithinOutputSet).
    """

    relations: tuple[SqlRelation, ...]
    conditions: tuple[SqlCondition, ...]

    @property
    def everything(self) -> int:
        return (1 << len(self.relations)) - 1

    def within(self, relations: int) -> Iterator[SqlCondition]:
        """The conditions that a set of relations can be asked for."""
        return (condition for condition in self.conditions if condition.relations & ~relations == 0)


def sql_blocks(text: str, columns: Columns) -> list[SqlBlock]:
    """The blocks of one statement that join two base tables or more and nothing else; `columns` are those of all tables.

    Tables that left outer joins add, and conditions on them or with subqueries, are left out: whether they filter rows below the
    inner joins, what ran must tell. UnreadableSqlError where the text is no statement that can be read.
    """
    tree = parse_statement(_TEXT.sub(_with_escapes, text)).tree
    named = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    tables = {name: of for name, of in columns.items() if name not in named}
    found = (_block(select, tables) for select in tree.find_all(exp.Select))
    return [block for block in found if block is not None]


def _with_escapes(text: re.Match[str]) -> str:
    return "'" + text[0][1:-1].replace("''", "\\'") + "'"


def _block(select: exp.Select, columns: Columns) -> SqlBlock | None:
    joins = select.args.get("joins") or []
    read, beside = _relations(select, columns), list(filter(_is_left, joins))
    if read is None or len(read) - len(beside) < 2:
        return None
    where = select.args.get("where")
    written = [*(join.args.get("on") for join in joins if not _is_left(join)), where.this if where else None]
    # What is joined from the left comes after the others.
    names = _Names(read, columns)
    inner = (1 << len(read) - len(beside)) - 1
    conditions: list[SqlCondition] = []
    for conjunct in (part for one in written if one is not None for part in _conjuncts(one)):
        if conjunct.find(*_QUERIES) or conjunct.find(exp.Column) is None:
            continue
        qualified = names.qualified(conjunct)
        if qualified is None:
            return None
        if names.of(qualified) & ~inner == 0:
            conditions += [_condition(qualified, names), *_inferred(qualified, names)]
    return SqlBlock(tuple(read[: inner.bit_length()]), tuple(dict.fromkeys(conditions)))


def _relations(select: exp.Select, columns: Columns) -> list[SqlRelation] | None:
    """The tables that a block joins, those that left outer joins add behind the others; None where it joins anything else, or
    in another way."""
    source, joins = select.args.get("from_") or select.args.get("from"), select.args.get("joins") or []
    if source is None or select.args.get("laterals") or any(map(_is_other_join, joins)):
        return None
    sources = [source.this, *(join.this for join in sorted(joins, key=_is_left))]
    if not all(isinstance(one, exp.Table) and one.name.lower() in columns and not one.db for one in sources):
        return None
    if any(one.args.get("joins") or one.args.get("sample") for one in sources):
        return None
    found = [SqlRelation(one.name.lower(), one.alias_or_name.lower()) for one in sources]
    return found if len({relation.alias for relation in found}) == len(found) else None


def _is_left(join: exp.Join) -> bool:
    return str(join.args.get("side") or "").upper() == "LEFT"


def _is_other_join(join: exp.Join) -> bool:
    kind, side = (str(join.args.get(part) or "").upper() for part in ("kind", "side"))
    allowed = ("", "OUTER") if side == "LEFT" else ("", "INNER", "CROSS")
    return kind not in allowed or side not in ("", "LEFT") or any(join.args.get(part) for part in ("method", "using"))


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


class _Names:
    """Whose the columns of a block are."""

    def __init__(self, relations: Iterable[SqlRelation], columns: Columns) -> None:
        self._relations = list(relations)
        self._numbers = {relation.alias: number for number, relation in enumerate(self._relations)}
        self._columns = columns

    def qualified(self, condition: exp.Expr) -> exp.Expr | None:
        """A condition with the alias at each column; None where the block has no such column, or it may be several's."""
        found = condition.copy()
        for column in list(found.find_all(exp.Column)):
            owner = self._owner(column)
            if owner is None:
                return None
            column.set("table", exp.to_identifier(self._relations[owner].alias, quoted=True))
        return found

    def _owner(self, column: exp.Column) -> int | None:
        name = column.name.lower()
        owners = [n for n, relation in enumerate(self._relations) if name in self._columns[relation.table]]
        if column.table:
            owners = [n for n in owners if n == self._numbers.get(column.table.lower())]
        return owners[0] if len(owners) == 1 else None

    def of(self, condition: exp.Expr) -> int:
        """The relations that a qualified condition is over."""
        return reduce(or_, (1 << self._numbers[c.table] for c in condition.find_all(exp.Column)), 0)

    def column(self, column: exp.Expr) -> SqlColumn:
        return self._numbers[column.args["table"].name], column.name.lower()


def _condition(condition: exp.Expr, names: _Names) -> SqlCondition:
    found = SqlCondition(names.of(condition), condition.sql(dialect="duckdb", identify=True))
    if found.relations.bit_count() == 2 and isinstance(condition, exp.EQ):
        sides = condition.left.unnest(), condition.right.unnest()
        if all(isinstance(side, exp.Column) for side in sides):
            return replace(found, keys=(names.column(sides[0]), names.column(sides[1])))
    return found


def _inferred(condition: exp.Expr, names: _Names) -> Iterator[SqlCondition]:
    """What a condition over several relations says of each of them."""
    relations = names.of(condition)
    if relations.bit_count() < 2:
        return
    if isinstance(condition, _COMPARED) and all(isinstance(n, (*_COMPUTED, type(condition))) for n in condition.walk()):
        for column in condition.find_all(exp.Column):
            yield _condition(exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null())), names)
    for number in members(relations):
        if (implied := _implied(condition, 1 << number, names)) is not None:
            yield _condition(implied, names)


def _implied(condition: exp.Expr, relation: int, names: _Names) -> exp.Expr | None:
    """What is left of a condition if all but one relation's parts may hold; None where that is nothing."""
    condition = condition.unnest()
    if isinstance(condition, exp.And | exp.Or):
        found = [_implied(side, relation, names) for side in (condition.left, condition.right)]
        left = [side for side in found if side is not None]
        if len(left) == 2:
            return type(condition)(this=exp.paren(left[0]), expression=exp.paren(left[1]))
        return left[0] if left and isinstance(condition, exp.And) else None
    return condition.copy() if names.of(condition) == relation else None
