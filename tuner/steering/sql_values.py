"""The values in the filters of a statement's text."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import exp

from tuner.plan.values import is_day, value_digest
from tuner.steering.sql_parse import UnreadableSqlError, parse_statement


def has_other_values(statement: str, measured: Collection[str]) -> bool:
    """Whether a filter has a value that is none of these (`tuner.plan.values`), days aside.

    False for a text that cannot be read: nothing is written into that.
    """
    try:
        tree = parse_statement(statement).tree
    except UnreadableSqlError:
        return False
    return any(value_digest(value) not in measured for value in _values(tree) if not is_day(value))


def _values(tree: exp.Expr) -> Iterator[str]:
    for part in tree.find_all(exp.Where, exp.Having, exp.Join):
        condition = part.args.get("on" if isinstance(part, exp.Join) else "this")
        if isinstance(condition, exp.Expression):
            yield from (str(literal.this) for literal in condition.find_all(exp.Literal))
