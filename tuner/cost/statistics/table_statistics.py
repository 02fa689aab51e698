"""The statistics of tables, as Spark's catalog and DESCRIBE EXTENDED tell them.

Source: `CatalogColumnStat`, `HiveExternalCatalog.statsToProperties`, `DescribeColumnExec`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.relation_statistics import RelationStatistics
from tuner.cost.statistics.types import Kind, kind_of, read_value

_PREFIX = "spark.sql.statistics."
_COLUMN_PREFIX = _PREFIX + "colStats."
_DESCRIBED = {
    "distinct_count": "distinctCount",
    "min": "min",
    "max": "max",
    "num_nulls": "nullCount",
}


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """A table's rows, and its columns by name in lower case; what is not known is None or left out."""

    rows: int | None
    columns: Mapping[str, ColumnStatistics] = field(default_factory=dict)

    def scanned(self, columns: Iterable[tuple[str, int, str]]) -> RelationStatistics | None:
        """What a scan puts out that reads columns (name, expression id, type), as CatalogStatistics.toPlanStats has it.

        None without rows: Spark then knows no column either.
        """
        if self.rows is None:
            return None
        read = {id_: self.columns.get(name.lower()) or ColumnStatistics(type_) for name, id_, type_ in columns}
        return RelationStatistics(self.rows, read, leaf=True)


def from_properties(properties: Mapping[str, object], types: Mapping[str, str]) -> TableStatistics:
    """Statistics from a table's properties (`spark.sql.statistics.colStats.<column>.<statistic>`), and its types.

    Values are texts, as in the metastore, or numbers, as in JSON. Columns whose type is not told are left out.
    """
    found: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for key, value in properties.items():
        if key.startswith(_COLUMN_PREFIX):
            column, _, statistic = key.removeprefix(_COLUMN_PREFIX).rpartition(".")
            found[column.lower()][statistic] = value
    by_name = {name.lower(): type_ for name, type_ in types.items()}
    return TableStatistics(
        rows=_count(properties.get(_PREFIX + "numRows")),
        columns={name: _column(values, by_name[name]) for name, values in found.items() if name in by_name},
    )


def from_described(described: Mapping[str, object]) -> ColumnStatistics:
    """A column's statistics from DESCRIBE EXTENDED <table> <column>: its rows (info_name, info_value) as a mapping."""
    values = {statistic: described.get(name) for name, statistic in _DESCRIBED.items()}
    return _column(values, str(described.get("data_type", "")))


def _column(values: Mapping[str, object], type_name: str) -> ColumnStatistics:
    least, greatest = (_text(values.get(end)) for end in ("min", "max"))
    ranged = kind_of(type_name) is not Kind.STRING
    return ColumnStatistics(
        type_name,
        distinct=_count(values.get("distinctCount")),
        min=read_value(least, type_name) if ranged and least is not None else None,
        max=read_value(greatest, type_name) if ranged and greatest is not None else None,
        nulls=_count(values.get("nullCount")),
    )


def _text(value: object) -> str | None:
    """A value's text; DESCRIBE prints NULL for none."""
    if value is None or value == "NULL":
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _count(value: object) -> int | None:
    text = str(value).strip() if value is not None else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 38 else None
