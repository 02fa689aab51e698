"""What is known of a column's values."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.cost.statistics.types import Kind, Value, kind_of


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """A column's distinct values, range and nulls; None is not known.

    `type` is its name in Spark's catalog. Strings have no range: Spark does not keep it.
    """

    type: str
    distinct: int | None = None
    min: Value | None = None
    max: Value | None = None
    nulls: int | None = None

    @property
    def kind(self) -> Kind:
        return kind_of(self.type)

    @property
    def has_counts(self) -> bool:
        """Whether distinct values and nulls were counted (ColumnStat.hasCountStats)."""
        return self.distinct is not None and self.nulls is not None

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and the greatest value as numbers, where both are known."""
        if self.min is None or self.max is None or self.kind is Kind.STRING:
            return None
        return float(self.min), float(self.max)
