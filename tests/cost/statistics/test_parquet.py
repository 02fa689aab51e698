"""Statistics from Parquet footers."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.parquet import from_parquet
from tuner.errors import RequirementError


def test_footers_of_several_files(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    schema = pa.schema(
        {
            "I": pa.int32(),
            "f": pa.float64(),
            "s": pa.string(),
            "d": pa.date32(),
            "t": pa.timestamp("us", tz="UTC"),
            "n": pa.int64(),
            "dec": pa.decimal128(10, 2),
            "flag": pa.bool_(),
            "list": pa.list_(pa.int32()),
            "late": pa.int16(),
        }
    )
    moment = datetime(1970, 1, 1, 1, tzinfo=UTC)
    rows = [
        [5, 1.5, "x", date(1970, 1, 3), moment, None, Decimal("1.25"), True, [1], None],
        [None, 2.5, "y", date(1970, 1, 2), moment, None, Decimal("-3.50"), False, [], None],
        [-2, None, None, date(1970, 1, 9), None, None, None, True, None, 8],
    ]
    by_name = [dict(zip(schema.names, row, strict=True)) for row in rows]
    parquet.write_table(pa.Table.from_pylist(by_name[:2], schema), tmp_path / "a.parquet", row_group_size=1)
    parquet.write_table(pa.Table.from_pylist(by_name[2:], schema), tmp_path / "b.parquet")
    parquet.write_table(pa.Table.from_pylist([], schema), tmp_path / "c.parquet")
    found = from_parquet(sorted(tmp_path.iterdir()))
    assert found.rows == 3
    assert found.columns == {
        "i": ColumnStatistics("int", None, -2, 5, 1),
        "f": ColumnStatistics("double", None, 1.5, 2.5, 1),
        "s": ColumnStatistics("string", None, None, None, 1),
        "d": ColumnStatistics("date", None, 1, 8, 0),
        "t": ColumnStatistics("timestamp", None, 3_600_000_000, 3_600_000_000, 1),
        "n": ColumnStatistics("bigint", 0, None, None, 3),
        "dec": ColumnStatistics("decimal(10,2)", None, -3.5, 1.25, 1),
        "flag": ColumnStatistics("boolean", None, False, True, 0),
        "late": ColumnStatistics("smallint", None, 8, 8, 2),
    }


def test_without_statistics_only_rows_are_known(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"i": [1, 2]}), tmp_path / "a.parquet", write_statistics=False)
    found = from_parquet([tmp_path / "a.parquet"])
    assert (found.rows, found.columns) == (2, {"i": ColumnStatistics("bigint")})


def test_without_pyarrow_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(RequirementError, match="pyarrow; pip install"):
        from_parquet([])
