"""What the statements of a job filter by, as their text tells: the values, and the columns that they are asked of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile

from sqlglot import TokenType, exp
from sqlglot.dialects.spark import Spark
from sqlglot.optimizer.simplify import simplify

from tuner.model.query_values import FilterCondition
from tuner.plan.values import is_day, value_digest
from tuner.steering.sql_names import Name, key_name, measured_name, same_relation, written_name
from tuner.steering.sql_parse import UnreadableSqlError, parse_statement

_VARIABLES = (exp.Parameter, exp.Placeholder, exp.SessionParameter)
# What is longer is not computed: it would take seconds.
_MOST_NODES = 5000
# What may be added to a day, or taken from it, and be one still.
_MOVES = (exp.Add, exp.Sub, exp.TsOrDsAdd, exp.AddMonths)
_OF_DAYS = (*_MOVES, exp.Cast, exp.Paren, exp.TsOrDsToDate)
_ORDINALS = frozenset({"group", "order"})


@dataclass(frozen=True, slots=True)
class SqlFilters:
    """The filters of a statement, and of the views that its job makes for it.

    `readings` are digests of their values (`tuner.plan.values`), days aside: as they are written, and as they are computed; none
    where a variable stands for one. `columns` are the names in them, and of what these are named after; `relations` are the
    tables that the text names, as plans do.
    """

    readings: tuple[frozenset[str], ...]
    columns: frozenset[str]
    relations: frozenset[Name]

    def has_other_values(self, measured: Collection[str]) -> bool:
        return not any(reading.issubset(measured) for reading in self.readings)

    def lost_column(self, measured: Iterable[FilterCondition]) -> str:
        """A column that was filtered by when it was measured and is no more; "" for none. Those of relations that the text does
        not name are filtered in views that stay as they are."""
        for column in (column for condition in measured for column in condition.columns.split(",")):
            relation, name = key_name(column)
            if name not in self.columns and any(same_relation(relation, named) for named in self.relations):
                return name
        return ""


@dataclass(frozen=True)
class JobFilters:
    """The filters of each of a job's statements, which run in one session."""

    statements: Sequence[str]

    def of(self, number: int) -> SqlFilters | None:
        """Those of one statement; None for a text that cannot be read: nothing is written into that."""
        tree = _tree(self.statements[number])
        if tree is None:
            return None
        trees = list(_read_by(tree, {_name(v.find(exp.Table)): v for n, v in self._views.items() if n < number}))
        conditions = [condition for one in trees for condition in _conditions(one)]
        computed = [_computed(condition) for condition in conditions]
        columns = _filtering(trees, computed)
        varies = any(c.find(*_VARIABLES) for c in conditions) or not columns.isdisjoint(self._variables)
        readings = () if varies else tuple(frozenset(_values(those)) for those in (conditions, computed))
        tables = (table for one in trees for table in one.find_all(exp.Table))
        return SqlFilters(readings, columns, frozenset(measured_name(_known(table)) for table in tables))

    @cached_property
    def _views(self) -> Mapping[int, exp.Expr]:
        """The statements that make a view for those behind them."""
        trees = ((n, _tree(text)) for n, text in enumerate(self.statements) if "view" in text.lower())
        return {n: tree for n, tree in trees if isinstance(tree, exp.Create) and tree.kind == "VIEW"}

    @cached_property
    def _variables(self) -> frozenset[str]:
        """The words of statements that declare a variable, its name among them."""
        declaring = (_words(text) for text in self.statements if "declare" in text.lower())
        return frozenset(word for words in declaring if words[:1] == ["declare"] for word in words)


def _tree(statement: str) -> exp.Expr | None:
    try:
        return _without_unread(parse_statement(statement).tree)
    except UnreadableSqlError:
        return None


def _without_unread(tree: exp.Expr) -> exp.Expr:
    """The statement without the queries in its WITH that nothing reads: its plan has none of them."""
    while unread := _unread(tree):
        for query in unread:
            query.pop()
    return tree


def _unread(tree: exp.Expr) -> list[exp.CTE]:
    """None where a table's name is made of something else: it may be that of any of them."""
    if any(not isinstance(part, exp.Identifier) for table in tree.find_all(exp.Table) for part in table.parts):
        return []
    names = _identifiers(tree)
    queries = ((query, query.alias.lower()) for query in tree.find_all(exp.CTE))
    return [query for query, name in queries if _identifiers(query)[name] == names[name]]


def _identifiers(node: exp.Expr) -> Counter[str]:
    return Counter(identifier.name.lower() for identifier in node.find_all(exp.Identifier))


def _words(statement: str) -> list[str]:
    """What stands in a statement outside quotes: not each sqlglot that may be installed reads each statement."""
    try:
        tokens = Spark().tokenize(statement)
    except Exception:  # sqlglot raises more than its own errors on text it does not know
        return []
    return [token.text.lower() for token in tokens if token.token_type is not TokenType.STRING]


def _read_by(tree: exp.Expr, views: Mapping[Name, exp.Expr]) -> Iterator[exp.Expr]:
    """The statement, and the views that it reads, each once."""
    left, reading = dict(views), [tree]
    while reading:
        yield (one := reading.pop())
        tables = [_name(table) for table in one.find_all(exp.Table)]
        found = [name for name in left if any(same_relation(name, table) for table in tables)]
        reading += [left.pop(name) for name in found]


def _name(table: exp.Table | None) -> Name:
    return written_name(_known(table))


def _known(table: exp.Table | None) -> list[str]:
    """A table's name as far as the text has it: a variable may stand for its schema."""
    parts = reversed(table.parts if table else [])
    known = list(takewhile(lambda part: isinstance(part, exp.Identifier), parts))
    return [part.name for part in reversed(known)]


def _conditions(tree: exp.Expr) -> Iterator[exp.Expr]:
    for part in tree.find_all(exp.Where, exp.Having, exp.Join, exp.Merge):
        condition = part.args.get("on" if isinstance(part, (exp.Join, exp.Merge)) else "this")
        if isinstance(condition, exp.Expression):
            yield condition


def _computed(condition: exp.Expr) -> exp.Expr:
    """A condition as its text alone tells that it comes out, which plans have: 12 for 7 + 5, nothing of what is always true."""
    if sum(1 for _ in islice(condition.walk(), _MOST_NODES + 1)) > _MOST_NODES:
        return condition
    try:
        found = simplify(condition.copy(), dialect="spark")
    except Exception:  # sqlglot raises more than its own errors on text it does not know
        return condition
    return found if isinstance(found, exp.Expression) else condition


def _values(conditions: Iterable[exp.Expr]) -> Iterator[str]:
    for literal in (literal for condition in conditions for literal in condition.find_all(exp.Literal)):
        if not (is_day(value := str(literal.this)) or _moves_day(literal) or _filters_nothing(literal)):
            yield value_digest(value)


def _moves_day(literal: exp.Expr) -> bool:
    """Whether it is for how far from a day of the text another one is."""
    node, above = literal, literal.parent
    while above is not None and not isinstance(above, _MOVES):
        node, above = above, above.parent
    day = above and above.this
    while isinstance(day, _OF_DAYS):
        day = day.this
    return day is not None and node.arg_key == "expression" and isinstance(day, exp.Literal) and is_day(str(day.this))


def _filters_nothing(literal: exp.Expr) -> bool:
    """Whether it is the number of a column, or what an EXISTS selects."""
    node, block = literal, literal.parent
    while block is not None and not isinstance(block, exp.Select):
        node, block = block, block.parent
    is_tested = block is not None and isinstance(block.parent, exp.Exists)
    return block is not None and (node.arg_key in _ORDINALS or (node.arg_key == "expressions" and is_tested))


def _filtering(trees: Sequence[exp.Expr], conditions: Iterable[exp.Expr]) -> frozenset[str]:
    """The names of columns that may decide which rows are left: in conditions, in USING, exploded; and of what these are named
    after."""
    found = {name for condition in conditions for name in _column_names(condition)}
    for tree in trees:
        found.update(name for exploded in tree.find_all(exp.UDTF) for name in _column_names(exploded))
        found.update(name.name.lower() for join in tree.find_all(exp.Join) for name in join.args.get("using") or ())
    named = [(name.lower(), source) for tree in trees for name, source in _named(tree)]
    while more := {name for new, source in named if new in found for name in _column_names(source)} - found:
        found |= more
    return frozenset(found)


def _named(tree: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """The names that a statement gives to columns, each with what it stands for."""
    for alias in tree.find_all(exp.Alias):
        yield alias.alias, alias.this
    for names, query in _named_in_order(tree):
        if isinstance(query, exp.Query):
            yield from ((name.alias_or_name, column) for name, column in zip(names, query.selects, strict=False))


def _named_in_order(tree: exp.Expr) -> Iterator[tuple[Sequence[exp.Expr], exp.Expr | None]]:
    """Names of columns, with the query whose columns, in their order, are called so."""
    for names in tree.find_all(exp.TableAlias):
        yield names.columns, names.parent and names.parent.this
    for view in tree.find_all(exp.Create):
        yield view.this.expressions, view.expression
    for union in tree.find_all(exp.SetOperation):
        if isinstance(union.this, exp.Query):
            yield union.this.selects, union.expression


def _column_names(node: exp.Expr) -> Iterator[str]:
    return (part.name.lower() for column in node.find_all(exp.Column) for part in column.parts)
