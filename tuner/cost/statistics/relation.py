"""What an operator puts out: its rows, bytes and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tuner.cost.cardinality import Basis
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.types import default_bytes

# A generic overhead of a row (EstimationUtils.getSizePerRow).
_ROW_BYTES = 8
_SURE_FIRST = (Basis.MEASURED, Basis.DERIVED, Basis.ASSUMED)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Rows, bytes, and all columns put out, by expression id; rows are None where Spark estimates bytes alone.

    `unique` holds sets of columns without duplicates (LogicalPlanDistinctKeys). `leaf` says that nothing stands between
    this and the table. `basis` is measured for the table's own statistics, derived where a formula had all it needs,
    assumed where a part of a condition counts for nothing or for a constant.
    """

    rows: int | None
    bytes: int
    columns: Mapping[int, ColumnStatistics] = field(default_factory=dict)
    unique: frozenset[frozenset[int]] = frozenset()
    leaf: bool = False
    basis: Basis = Basis.DERIVED


def row_bytes(columns: Iterable[ColumnStatistics]) -> int:
    """The bytes of a row, by average lengths where known, else by types (EstimationUtils.getSizePerRow)."""
    return _ROW_BYTES + sum(column.row_bytes for column in columns)


def type_bytes(columns: Iterable[ColumnStatistics]) -> int:
    """The bytes of a row by types alone."""
    return _ROW_BYTES + sum(default_bytes(column.type) for column in columns)


def output_bytes(columns: Iterable[ColumnStatistics], rows: int) -> int:
    """The bytes of so many rows; at least 1, for sizes are multiplied (EstimationUtils.getOutputSize)."""
    return rows * row_bytes(columns) if rows > 0 else 1


def unmeasured(columns: Mapping[int, ColumnStatistics]) -> dict[int, ColumnStatistics]:
    """Columns of which only the types are known."""
    return {id_: column.unmeasured() for id_, column in columns.items()}


def bytes_alone(child: Statistics, columns: Mapping[int, ColumnStatistics]) -> Statistics:
    """What Spark tells of an operator that it cannot estimate: the bytes follow the width of a row, rows are unknown.

    So it does for windows and expansions too (SizeInBytesOnlyStatsPlanVisitor.visitUnaryNode).
    """
    size = child.bytes * type_bytes(columns.values()) // type_bytes(child.columns.values())
    return Statistics(None, max(1, size), unmeasured(columns), basis=Basis.ASSUMED)


def least_sure(*bases: Basis) -> Basis:
    """What stands on several, stands on the least sure of them; at best it is derived."""
    return max((Basis.DERIVED, *bases), key=_SURE_FIRST.index)
