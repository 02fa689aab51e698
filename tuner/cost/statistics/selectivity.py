"""The share of rows that a condition keeps.

Source: `FilterEstimation.scala`. Values are taken to be spread evenly over distinct values and over the range.
Spark has no formula for LIKE, StartsWith, EndsWith, Contains, string ranges and anything computed: such a part keeps
all rows. So do nulls tested above anything but a table (their counts are exact only there), and a column without
statistics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from tuner.cost.cardinality import Basis
from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.comparisons import (
    EQUALITY,
    PARTLY,
    against,
    equal_to,
    in_list,
    in_range,
    in_values,
    narrowed,
)
from tuner.cost.statistics.relation_statistics import RelationStatistics
from tuner.cost.statistics.rounding import quotient
from tuner.cost.statistics.types import Kind, read_value
from tuner.plan.condition import (
    And,
    Column,
    Comparison,
    Condition,
    Constant,
    In,
    IsNotNull,
    IsNull,
    Literal,
    Not,
    Operator,
    Or,
)


@dataclass(frozen=True, slots=True)
class Selectivity:
    """The share of the rows that a condition keeps, and what it stands on."""

    value: float
    basis: Basis


def selectivity(child: RelationStatistics, condition: Condition, *, zone: tzinfo = UTC) -> Selectivity:
    """The share of a child's rows that a condition keeps; `zone` is spark.sql.session.timeZone, in which plans print
    timestamps."""
    found = _Filter(child, zone)
    value = found.selectivity(condition, update=True)
    return Selectivity(_bounded(1.0 if value is None else value), found.basis(value))


class _Filter:
    """A condition under estimation. Parts joined by AND see what the earlier ones left of a column (ColumnStatsMap)."""

    def __init__(self, child: RelationStatistics, zone: tzinfo) -> None:
        self._child = child
        self._zone = zone
        self._updated: dict[int, ColumnStatistics] = {}
        self._assumed = False

    def basis(self, value: float | None) -> Basis:
        return Basis.ASSUMED if self._assumed or value is None else Basis.DERIVED

    def selectivity(self, condition: Condition, *, update: bool) -> float | None:
        """The share of rows kept; None where Spark has no estimate."""
        match condition:
            case And(parts):
                return math.prod([self._or_all(part, update=update) for part in parts])
            case Or(parts):
                return _either([self._or_all(part, update=False) for part in parts])
            case Not(And(parts)):
                return _either([self._or_all(Not(part), update=False) for part in parts])
            case Not(Or(parts)):
                return math.prod([self._or_all(Not(part), update=False) for part in parts])
            case Not(Not(inner)):
                return self.selectivity(inner, update=False)
            case Not(Constant(None)):
                return 0.0
            case Not(inner):
                kept = self.selectivity(inner, update=False)
                return None if kept is None else 1.0 - kept
            case _:
                kept = self._single(condition, update=update)
                return None if kept is None else _bounded(kept)

    def _or_all(self, condition: Condition, *, update: bool) -> float:
        kept = self.selectivity(condition, update=update)
        self._assumed |= kept is None
        return 1.0 if kept is None else kept

    def _single(self, condition: Condition, *, update: bool) -> float | None:
        match condition:
            case Constant(value):
                return 1.0 if value else 0.0
            case Comparison(operator, Column() as column, Literal(text)):
                return self._compared(operator, column, text, update=update)
            case Comparison(operator, Literal(text), Column() as column):
                return self._compared(operator.turned, column, text, update=update)
            case Comparison(operator, Column() as left, Column() as right):
                return self._two_columns(operator, left, right, update=update)
            case In(column, values):
                return self._in(column, values, update=update)
            case IsNull(column):
                return self._nulls(column, is_null=True, update=update)
            case IsNotNull(column):
                return self._nulls(column, is_null=False, update=update)
            case _:
                return None

    def _known(self, column: Column) -> ColumnStatistics | None:
        """What is left of a column so far. Spark estimates columns as they are, not cast to other types."""
        return None if column.cast else self._updated.get(column.id) or self._child.columns.get(column.id)

    def _compared(self, operator: Operator, column: Column, text: str, *, update: bool) -> float | None:
        known = self._known(column)
        if known is None:
            return None
        value = read_value(text, known.type, self._zone)
        if value is None and known.kind is not Kind.STRING:
            return None
        kept, changed = equal_to(known, value) if operator in EQUALITY else in_range(operator, known, value)
        if update and changed is not None:
            self._updated[column.id] = changed
        return kept

    def _in(self, column: Column, texts: Sequence[str], *, update: bool) -> float | None:
        known = self._known(column)
        if known is None or known.distinct is None or known.kind is Kind.OTHER:
            return None
        values = {read_value(text, known.type, self._zone) for text in texts if text != "null"}
        if known.kind is not Kind.STRING and None in values:
            return None
        kept, changed = (
            in_list(known, len(set(texts)))
            if known.kind is Kind.STRING
            else in_values(known, [value for value in values if value is not None])
        )
        if update and changed is not None:
            self._updated[column.id] = changed
        return kept

    def _nulls(self, column: Column, *, is_null: bool, update: bool) -> float | None:
        known = self._known(column)
        if not self._child.leaf or known is None or known.nulls is None:
            return None
        rows = self._child.rows
        nulls = 0.0 if not rows else 1.0 if known.nulls > rows else quotient(known.nulls, rows)
        if update:
            empty = replace(known, distinct=0, min=None, max=None)
            self._updated[column.id] = empty if is_null else replace(known, nulls=0)
        return nulls if is_null else 1.0 - nulls

    def _two_columns(self, operator: Operator, left: Column, right: Column, *, update: bool) -> float | None:
        a, b = self._known(left), self._known(right)
        if a is None or b is None:
            return None
        kept = against(operator, a, b)
        if kept == PARTLY:
            self._assumed = True
            if update:
                self._updated[left.id], self._updated[right.id] = narrowed(operator, a, b)
        return kept


def _bounded(probability: float) -> float:
    return max(0.0, min(1.0, probability))


def _either(kept: Sequence[float]) -> float:
    """One or the other, as if they were independent."""
    found = kept[0]
    for other in kept[1:]:
        found = found + other - found * other
    return found
