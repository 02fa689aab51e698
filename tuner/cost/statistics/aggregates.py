"""What an aggregate puts out.

Source: `AggregateEstimation.scala`. As many rows as there are combinations of the grouping columns' values, null counted
as one, but no more than there are rows; grouped by nothing, one row. A computed grouping value has no estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.cost.cardinality import Basis
from tuner.cost.statistics.projections import Output, put_out, renamed
from tuner.cost.statistics.relation import Statistics, bytes_alone, least_sure, output_bytes


def aggregated(child: Statistics, grouping: Sequence[int | None], output: Sequence[Output]) -> Statistics:
    """The statistics of an Aggregate over columns of its child (None: computed), with what it puts out."""
    if not grouping:
        columns = put_out(child, output, 1)
        basis = least_sure(child.basis)
        return Statistics(1, output_bytes(columns.values(), 1), columns, basis=basis)
    # Columns that were unique are so still, and so are those grouped by together (DistinctKeyVisitor.visitAggregate).
    groups = {column for column in grouping if column is not None}
    unique = child.unique | (frozenset({frozenset(groups)}) if None not in grouping else frozenset())
    unique = frozenset(renamed(unique, output))
    rows = _groups(child, grouping)
    if rows is None:
        return replace(bytes_alone(child, put_out(child, output, 0)), unique=unique)
    columns = put_out(child, output, rows)
    basis = least_sure(child.basis, Basis.DERIVED if len(groups) == 1 else Basis.ASSUMED)
    return Statistics(rows, output_bytes(columns.values(), rows), columns, unique, basis=basis)


def _groups(child: Statistics, grouping: Sequence[int | None]) -> int | None:
    """The combinations of values, at most as many as rows; None where a column's are not known."""
    if child.rows is None:
        return None
    combinations = 1
    for id_ in grouping:
        column = child.columns.get(id_) if id_ is not None else None
        if column is None or column.distinct is None or column.nulls is None:
            return None
        combinations *= column.distinct + (1 if column.nulls > 0 else 0)
    return min(combinations, child.rows)
