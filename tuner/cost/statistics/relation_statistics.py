"""What is known of a relation that a filter reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.cost.statistics.column_statistics import ColumnStatistics


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """Rows, and columns by expression id. `leaf` says that nothing stands between this and the table."""

    rows: int
    columns: Mapping[int, ColumnStatistics]
    leaf: bool = False
