"""What projections, limits, samples and unions put out.

Source: `ProjectEstimation.scala`, `UnionEstimation.scala`, `SizeInBytesOnlyStatsPlanVisitor.scala`. A sort puts out what
it reads. Windows, expansions and generators have no estimate of rows: `relation.bytes_alone`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.cost.cardinality import Basis
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.relation import Statistics, bytes_alone, least_sure, output_bytes, unmeasured
from tuner.cost.statistics.rounding import share
from tuner.cost.statistics.types import Kind, default_bytes, read_value


@dataclass(frozen=True, slots=True)
class Output:
    """A column put out under an id: another one (`source`), the same or renamed; a `literal`; else it is computed."""

    id: int
    type: str
    source: int | None = None
    literal: str | None = None


def projected(child: Statistics, output: Sequence[Output]) -> Statistics:
    """The statistics of a Project."""
    columns = put_out(child, output, child.rows or 0)
    unique = frozenset(renamed(child.unique, output))
    if child.rows is None:
        return replace(bytes_alone(child, columns), unique=unique)
    return Statistics(
        child.rows, output_bytes(columns.values(), child.rows), columns, unique, basis=least_sure(child.basis)
    )


def limited(child: Statistics, limit: int) -> Statistics:
    """The statistics of a GlobalLimit over its LocalLimit: columns are forgotten, their average lengths too."""
    rows = limit if child.rows is None else min(child.rows, limit)
    return _forgotten(child, rows, child.unique)


def skipped(child: Statistics, offset: int) -> Statistics:
    """The statistics of an Offset; of unknown rows none are left, as in Spark."""
    rows = 0 if child.rows is None else max(0, child.rows - offset)
    size = output_bytes(child.columns.values(), rows)
    return replace(_forgotten(child, rows, child.unique), bytes=size)


def sampled(child: Statistics, fraction: float, *, replacement: bool = False) -> Statistics:
    """The statistics of a Sample of a fraction of the rows."""
    rows = None if child.rows is None else share(child.rows, fraction)
    size = share(child.bytes, fraction) or 1
    unique = frozenset[frozenset[int]]() if replacement else child.unique
    return Statistics(rows, size, unmeasured(child.columns), unique, basis=least_sure(child.basis))


def united(children: Sequence[Statistics], output: Sequence[Output]) -> Statistics:
    """The statistics of a Union, whose children put out their columns in the same order as `output`.

    Ranges cover all children's; distinct values are those of the child with most, so at least as many.
    """
    counted = [child.rows for child in children if child.rows is not None]
    rows = sum(counted) if len(counted) == len(children) else None
    by_place = zip(*(child.columns.values() for child in children), strict=True)
    columns = {out.id: _over_all(out.type, list(sources), rows) for out, sources in zip(output, by_place, strict=True)}
    basis = least_sure(*(child.basis for child in children), *([Basis.ASSUMED] if rows is None else []))
    return Statistics(rows, sum(child.bytes for child in children), columns, basis=basis)


def put_out(child: Statistics, output: Iterable[Output], rows: int) -> dict[int, ColumnStatistics]:
    """The columns of a projection or an aggregate of so many rows (EstimationUtils.getAliasStats)."""
    return {out.id: _column(child.columns, out, rows) for out in output}


def renamed(unique: Iterable[frozenset[int]], output: Iterable[Output]) -> Iterator[frozenset[int]]:
    """Unique sets of columns that are all put out, by their new ids."""
    by_source: dict[int, int] = {}
    for out in output:
        if out.source is not None:
            by_source.setdefault(out.source, out.id)
    for columns in unique:
        if columns <= by_source.keys():
            yield frozenset(by_source[column] for column in columns)


def _column(columns: Mapping[int, ColumnStatistics], out: Output, rows: int) -> ColumnStatistics:
    if out.source is not None:
        return columns.get(out.source) or ColumnStatistics(out.type)
    if out.literal is None:
        return ColumnStatistics(out.type)
    if out.literal == "null":
        return ColumnStatistics(out.type).all_null(rows)
    size, value = default_bytes(out.type), read_value(out.literal, out.type)
    return ColumnStatistics(out.type, 1, value, value, 0, size, size)


def _forgotten(child: Statistics, rows: int, unique: frozenset[frozenset[int]]) -> Statistics:
    columns = unmeasured(child.columns)
    return Statistics(rows, output_bytes(columns.values(), rows), columns, unique, basis=least_sure(child.basis))


def _over_all(type_name: str, sources: Sequence[ColumnStatistics], rows: int | None) -> ColumnStatistics:
    """A column of a union; what one child does not know is not known."""
    least = [source.min for source in sources if source.range is not None and source.min is not None]
    greatest = [source.max for source in sources if source.range is not None and source.max is not None]
    ranged = len(least) == len(sources) and sources[0].kind not in (Kind.STRING, Kind.BOOLEAN)
    nulls = [source.nulls for source in sources if source.nulls is not None]
    distinct = [source.distinct for source in sources if source.distinct is not None]
    most = max(distinct) if len(distinct) == len(sources) else None
    return ColumnStatistics(
        type_name,
        distinct=most if most is None or rows is None else min(most, rows),
        min=min(least, key=float) if ranged else None,
        max=max(greatest, key=float) if ranged else None,
        nulls=sum(nulls) if len(nulls) == len(sources) else None,
    )
