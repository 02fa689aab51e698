"""A filter with its literals: what a row of the join has passes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tuner.bench.workloads.joins.template import Filter, Shape
from tuner.bench.workloads.sql_literal import sql_literal

_WORD = re.compile(r"[A-Za-z]+")
_FIRST_LETTERS = 3
_MOST_OTHERS = 5

# From a purpose to a number in [0, 1).
Draw = Callable[[str], float]


def predicate(of: Filter, value: Any, others: Sequence[Any], draw: Draw) -> str:
    """SQL that a row with this value passes. `others` are values that the column has elsewhere. A value that is NULL, or a text
    without a word, leaves only whether it is NULL to ask for."""
    column = f"{of.alias}.{of.column}"
    if value is None:
        return f"{column} IS NULL"
    return _SHAPES[of.shape](column, value, of, others, draw)


def _equal(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    return f"{column} = {sql_literal(value)}"


def _one_of(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    beside = [other for other in others if other is not None and other != value]
    chosen = {value, *beside[: 1 + int(draw("how many") * _MOST_OTHERS)]}
    return f"{column} IN ({', '.join(map(sql_literal, sorted(chosen)))})"


def _at_least(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    return f"{column} >= {sql_literal(_moved(value, -of.spread * draw('below')))}"


def _at_most(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    return f"{column} <= {sql_literal(_moved(value, of.spread * draw('above')))}"


def _around(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    low, high = _moved(value, -of.spread * draw("below")), _moved(value, of.spread * draw("above"))
    return f"{column} BETWEEN {sql_literal(low)} AND {sql_literal(high)}"


def _contains(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    words = _WORD.findall(value)
    if not words:
        return f"{column} IS NOT NULL"
    word = words[int(draw("which word") * len(words))]
    return f"{column} LIKE {sql_literal(f'%{word}%')}"


def _starts(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    return f"{column} LIKE {sql_literal(f'{value[:_FIRST_LETTERS]}%')}"


def _present(column: str, value: Any, of: Filter, others: Sequence[Any], draw: Draw) -> str:
    return f"{column} IS NOT NULL"


_SHAPES: Mapping[Shape, Callable[[str, Any, Filter, Sequence[Any], Draw], str]] = {
    Shape.EQUAL: _equal,
    Shape.ONE_OF: _one_of,
    Shape.AT_LEAST: _at_least,
    Shape.AT_MOST: _at_most,
    Shape.AROUND: _around,
    Shape.CONTAINS: _contains,
    Shape.STARTS: _starts,
    Shape.PRESENT: _present,
}


def _moved(value: Any, by: float) -> Any:
    """By whole numbers, days, or the last digit that a decimal has."""
    if isinstance(value, date):
        return value + timedelta(days=int(by))
    if isinstance(value, Decimal):
        return value + Decimal(str(by)).quantize(value)
    return value + int(by)
