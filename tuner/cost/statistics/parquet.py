"""The statistics that Parquet files hold in their footers: rows, ranges and nulls, but no distinct values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.table_statistics import TableStatistics
from tuner.cost.statistics.types import Kind, Value, days_since_epoch, kind_of, microseconds_since_epoch
from tuner.errors import RequirementError

# Arrow's names of types, in Spark's.
_TYPES = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "int",
    "uint32": "bigint",
    "uint64": "decimal(20,0)",
    "halffloat": "float",
    "bool": "boolean",
    "date32[day]": "date",
    "large_string": "string",
    "large_binary": "binary",
}


def from_parquet(files: Iterable[str | Path]) -> TableStatistics:
    """The statistics of a table of Parquet files, from their footers. Nested columns are left out.

    Raises RequirementError without pyarrow.
    """
    try:
        from pyarrow import parquet
    except ImportError:
        raise RequirementError(
            "reading Parquet footers needs pyarrow; pip install 'airflow-spark-tuner[pipeline]'"
        ) from None
    rows = 0
    found: dict[str, list[ColumnStatistics]] = {}
    groups = 0
    for file in files:
        metadata = parquet.read_metadata(file)
        rows += metadata.num_rows
        types = {field.name: _spark_type(field.type) for field in metadata.schema.to_arrow_schema()}
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            if not group.num_rows:
                continue
            groups += 1
            for place in range(group.num_columns):
                chunk = group.column(place)
                if chunk.path_in_schema in types:
                    column = _column(chunk, types[chunk.path_in_schema])
                    found.setdefault(chunk.path_in_schema.lower(), []).append(column)
    # A column that some files lack is null there.
    columns = {name: _over_all(chunks) for name, chunks in found.items() if len(chunks) == groups}
    return TableStatistics(rows, columns)


def _spark_type(arrow_type: Any) -> str:
    """Spark's name of an Arrow type, by Arrow's."""
    text = str(arrow_type)
    if text.startswith("timestamp"):
        return "timestamp" if "tz=" in text else "timestamp_ntz"
    if text.startswith("decimal"):
        return f"decimal({arrow_type.precision},{arrow_type.scale})"
    return _TYPES.get(text, text)


def _column(chunk: Any, type_name: str) -> ColumnStatistics:
    statistics = chunk.statistics
    if statistics is None:
        return ColumnStatistics(type_name)
    nulls = statistics.null_count if statistics.has_null_count else None
    if nulls == chunk.num_values:
        return ColumnStatistics(type_name, distinct=0, nulls=nulls)
    if not statistics.has_min_max or kind_of(type_name) in (Kind.STRING, Kind.OTHER):
        return ColumnStatistics(type_name, nulls=nulls)
    return ColumnStatistics(type_name, min=_value(statistics.min), max=_value(statistics.max), nulls=nulls)


def _value(value: object) -> Value | None:
    match value:
        case datetime():
            return microseconds_since_epoch(value)
        case date():
            return days_since_epoch(value)
        case bool() | int():
            return value
        case float() | Decimal():
            return float(value) if math.isfinite(value) else None
        case _:
            return None


def _over_all(chunks: list[ColumnStatistics]) -> ColumnStatistics:
    """A column of several row groups: those of nulls alone do not count for its range, any other without one opens it."""
    nulls = [chunk.nulls for chunk in chunks if chunk.nulls is not None]
    valued = [chunk for chunk in chunks if chunk.distinct != 0]
    least = [chunk.min for chunk in valued if chunk.min is not None]
    greatest = [chunk.max for chunk in valued if chunk.max is not None]
    known = bool(valued) and len(least) == len(greatest) == len(valued)
    return ColumnStatistics(
        chunks[0].type,
        distinct=None if valued else 0,
        min=min(least, key=float) if known else None,
        max=max(greatest, key=float) if known else None,
        nulls=sum(nulls) if len(nulls) == len(chunks) else None,
    )
