"""What a comparison with a value, a list or another column leaves of a column.

Source: the `evaluate…` functions of `FilterEstimation.scala`. Each gives the share of rows kept, None without an
estimate, and the column afterwards, None where it stays as it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.rounding import share
from tuner.cost.statistics.types import Value
from tuner.plan.condition import Operator

Kept = tuple[float | None, ColumnStatistics | None]

# Ranges of two columns that overlap in part ("Database Systems: The Complete Book", Garcia-Molina, Ullman, Widom).
PARTLY = 1 / 3
EQUALITY = frozenset({Operator.EQUAL, Operator.NULL_SAFE_EQUAL})
_LESS = frozenset({Operator.LESS, Operator.LESS_OR_EQUAL})


def _one_of(distinct: int) -> float:
    return 1.0 / distinct if distinct else math.inf


def equal_to(known: ColumnStatistics, value: Value | None) -> Kept:
    """One of the distinct values, which is then the only one."""
    if known.range is not None and value is not None and not known.range[0] <= float(value) <= known.range[1]:
        return 0.0, None
    if not known.distinct:
        return None, None
    changed = replace(known, distinct=1, nulls=0)
    return _one_of(known.distinct), changed if value is None else replace(changed, min=value, max=value)


def in_range(operator: Operator, known: ColumnStatistics, value: Value | None) -> Kept:
    """The part of the range that is kept; at a boundary the one value there counts as one of the distinct ones."""
    if known.range is None or known.distinct is None or value is None:
        return None, None
    (least, greatest), at = known.range, float(value)
    below = operator in _LESS
    # Seen from the end that is kept: where it begins, and where the other end is.
    begin, end = (least, greatest) if below else (-greatest, -least)
    at = at if below else -at
    inclusive = operator in (Operator.LESS_OR_EQUAL, Operator.GREATER_OR_EQUAL)
    if at < begin or (at == begin and not inclusive):
        return 0.0, None
    if at > end or (at == end and inclusive):
        return 1.0, None
    if at == begin:
        kept = _one_of(known.distinct)
    elif at == end:
        kept = 1.0 - _one_of(known.distinct)
    else:
        kept = (at - begin) / (end - begin)
    distinct = share(1, max(0.0, known.distinct * kept)) if math.isfinite(kept) else known.distinct
    changed = replace(known, distinct=distinct, nulls=0)
    return kept, replace(changed, max=value) if below else replace(changed, min=value)


def in_list(known: ColumnStatistics, values: int) -> Kept:
    """As many of the distinct strings as are listed."""
    if not known.distinct:
        return 0.0, None
    distinct = min(known.distinct, values)
    return distinct / known.distinct, replace(known, distinct=distinct, nulls=0)


def in_values(known: ColumnStatistics, values: Sequence[Value]) -> Kept:
    """As many of the distinct values as are listed inside the range."""
    if not known.distinct:
        return 0.0, None
    if known.range is None:
        return None, None
    least, greatest = known.range
    inside = [value for value in values if least <= float(value) <= greatest]
    if not inside:
        return 0.0, None
    kept, changed = in_list(known, len(inside))
    return kept, replace(changed or known, min=min(inside, key=float), max=max(inside, key=float))


_Range = tuple[float, float]
_Overlap = Callable[[ColumnStatistics, ColumnStatistics, _Range, _Range], tuple[bool, bool]]


def _no_nulls(a: ColumnStatistics, b: ColumnStatistics) -> bool:
    return a.nulls == 0 and b.nulls == 0


def _same(a: ColumnStatistics, b: ColumnStatistics) -> bool:
    """The same range, as many distinct values and no nulls: taken to be equal in every row."""
    return a.range == b.range and _no_nulls(a, b) and a.distinct == b.distinct


def _apart(a: _Range, b: _Range) -> bool:
    return a[1] < b[0] or b[1] < a[0]


# Of two columns, whether no row is kept, and whether every row is; nulls keep a row from being sure.
_OVERLAPS: Mapping[Operator, _Overlap] = {
    Operator.LESS: lambda a, b, x, y: (x[0] >= y[1], x[1] < y[0] and _no_nulls(a, b)),
    Operator.LESS_OR_EQUAL: lambda a, b, x, y: (x[0] > y[1], x[1] <= y[0] and _no_nulls(a, b)),
    Operator.GREATER: lambda a, b, x, y: (x[1] <= y[0], x[0] > y[1] and _no_nulls(a, b)),
    Operator.GREATER_OR_EQUAL: lambda a, b, x, y: (x[1] < y[0], x[0] >= y[1] and _no_nulls(a, b)),
    Operator.EQUAL: lambda a, b, x, y: (_apart(x, y), _same(a, b)),
    Operator.NULL_SAFE_EQUAL: lambda a, b, x, y: (_apart(x, y) and _no_nulls(a, b), _same(a, b)),
}


def against(operator: Operator, a: ColumnStatistics, b: ColumnStatistics) -> float | None:
    """The share of rows in which `a operator b`: none or all where the ranges tell, else a third; None: no estimate."""
    if not a.has_counts or not b.has_counts or a.range is None or b.range is None:
        return None
    none, every = _OVERLAPS[operator](a, b, a.range, b.range)
    return 0.0 if none else 1.0 if every else PARTLY


def narrowed(operator: Operator, a: ColumnStatistics, b: ColumnStatistics) -> tuple[ColumnStatistics, ColumnStatistics]:
    """Two columns after `a operator b`: a third of their values, in the ranges that can hold."""
    # Both have ranges here.
    least = max((a.min, b.min), key=_number)
    greatest = min((a.max, b.max), key=_number)
    a = replace(a, distinct=share(a.distinct or 0, PARTLY))
    b = replace(b, distinct=share(b.distinct or 0, PARTLY))
    if operator in _LESS:
        return replace(a, max=greatest), replace(b, min=least)
    if operator in EQUALITY:
        return replace(a, min=least, max=greatest), replace(b, min=least, max=greatest)
    return replace(a, min=least), replace(b, max=greatest)


def _number(value: Value | None) -> float:
    return math.nan if value is None else float(value)
