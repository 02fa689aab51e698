"""What is known of a column's values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tuner.cost.statistics.rounding import scaled
from tuner.cost.statistics.types import Kind, Value, default_bytes, kind_of

# UTF8String: a base, an offset and a length beside the bytes (EstimationUtils.getSizePerRow).
_STRING_OVERHEAD_BYTES = 8 + 4


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """A column's distinct values, range, nulls, and average and greatest length in bytes; None is not known.

    `type` is its name in Spark's catalog. Strings have no range: Spark does not keep it.
    """

    type: str
    distinct: int | None = None
    min: Value | None = None
    max: Value | None = None
    nulls: int | None = None
    average_bytes: int | None = None
    longest_bytes: int | None = None

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

    @property
    def row_bytes(self) -> int:
        """What the column adds to the size of a row (EstimationUtils.getSizePerRow)."""
        if self.average_bytes is None:
            return default_bytes(self.type)
        # To Spark a binary value has no overhead.
        is_text = self.kind is Kind.STRING and self.type != "binary"
        return self.average_bytes + (_STRING_OVERHEAD_BYTES if is_text else 0)

    def unmeasured(self) -> ColumnStatistics:
        """The column with nothing known but its type."""
        return ColumnStatistics(self.type)

    def all_null(self, rows: int) -> ColumnStatistics:
        """The column filled with nulls (EstimationUtils.nullColumnStat)."""
        size = default_bytes(self.type)
        return ColumnStatistics(self.type, distinct=0, nulls=rows, average_bytes=size, longest_bytes=size)

    def resized(self, before: int, after: int, updated: ColumnStatistics | None = None) -> ColumnStatistics:
        """The column, or what became of it, when `before` rows become `after` (ColumnStat.updateCountStats)."""
        updated = updated or self
        return replace(
            updated,
            distinct=_resized(self.distinct, updated.distinct, before, after),
            nulls=_resized(self.nulls, updated.nulls, before, after),
        )


def _resized(original: int | None, updated: int | None, before: int, after: int) -> int | None:
    """A count goes down with the rows, unless it is down to one already (EstimationUtils.updateStat)."""
    if original is None or updated is None or updated <= 1 or after >= before:
        return updated
    return scaled(original, after, before)
