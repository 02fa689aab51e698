"""The star among joined relations: a fact table and dimensions joined to it on their keys, as Spark finds it.

Source: `StarSchemaDetection.scala` and `JoinReorderDPFilters` in `CostBasedJoinReorder.scala` (SPARK-17791, SPARK-20233).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

DEFAULT_FACT_RATIO = 0.9  # spark.sql.cbo.starJoinFTRatio
DEFAULT_NDV_ERROR = 0.05  # spark.sql.statistics.ndv.maxError


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A column as the statistics of its base table have it, before filters."""

    distinct: float
    nulls: float
    table_rows: float

    def is_unique(self, ndv_error: float = DEFAULT_NDV_ERROR) -> bool:
        """No nulls, and as many values as rows up to twice the error of the estimate."""
        if self.nulls or not self.table_rows:
            return False
        return abs(self.distinct / self.table_rows - 1) <= 2 * ndv_error


@dataclass(frozen=True, slots=True)
class ColumnComparison:
    """A condition that compares a column of one relation with one of another; None for a column without statistics."""

    left: int
    right: int
    left_column: KeyColumn | None
    right_column: KeyColumn | None
    equal: bool = True

    def column_of(self, relation: int) -> KeyColumn | None:
        return self.left_column if relation == self.left else self.right_column


@dataclass(frozen=True, slots=True)
class Star:
    """A fact table and its dimensions, by their numbers; `rest` are the other relations of the block as a bitmask."""

    fact: int
    dimensions: tuple[int, ...]
    rest: int

    @property
    def mask(self) -> int:
        return sum(1 << relation for relation in (self.fact, *self.dimensions))

    def allows(self, joined: int) -> bool:
        """Whether a set may be joined before the whole: part of the star, all of it and more, or nothing of it.

        For `best_order(allowed=...)`: what `spark.sql.cbo.joinReorder.dp.star.filter` leaves of the search.
        """
        star = self.mask
        return not self.rest or not joined & ~star or not star & ~joined or not joined & ~self.rest


def find_star(
    rows: Sequence[float | None],
    comparisons: Sequence[ColumnComparison],
    *,
    fact_ratio: float = DEFAULT_FACT_RATIO,
    ndv_error: float = DEFAULT_NDV_ERROR,
) -> Star | None:
    """The star of the largest relation; None where Spark sees none.

    `rows` are those after filters, None for a relation that is no base table or has no statistics (then there is no
    star). The fact table has the most rows, more than the next by `fact_ratio`; every column it is compared with has
    statistics; dimensions are joined to it by an equation on a unique key, and there are two or more.
    """
    known = [count for count in rows if count is not None]
    if len(known) < 2 or len(known) < len(rows):
        return None
    fact, second = sorted(range(len(rows)), key=lambda relation: (-known[relation], relation))[:2]
    if known[second] > fact_ratio * known[fact]:
        return None
    joined = _comparisons_with(fact, comparisons)
    if not all(any(_has_statistics(one) for one in ones) for ones in joined.values()):
        return None
    unique = _unique_in(ndv_error)
    dimensions = tuple(other for other, ones in sorted(joined.items()) if any(unique(one, other) for one in ones))
    if len(dimensions) < 2:
        return None
    star = sum(1 << relation for relation in (fact, *dimensions))
    return Star(fact, dimensions, ((1 << len(rows)) - 1) & ~star)


def _comparisons_with(fact: int, comparisons: Sequence[ColumnComparison]) -> dict[int, list[ColumnComparison]]:
    found: dict[int, list[ColumnComparison]] = {}
    for comparison in comparisons:
        if fact in (comparison.left, comparison.right):
            other = comparison.right if comparison.left == fact else comparison.left
            found.setdefault(other, []).append(comparison)
    return found


def _has_statistics(comparison: ColumnComparison) -> bool:
    return comparison.left_column is not None and comparison.right_column is not None


def _unique_in(ndv_error: float) -> Callable[[ColumnComparison, int], bool]:
    def unique(comparison: ColumnComparison, dimension: int) -> bool:
        column = comparison.column_of(dimension)
        return comparison.equal and column is not None and column.is_unique(ndv_error)

    return unique
