"""Statistics of tables as Spark's catalog stores and describes them."""

from __future__ import annotations

from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.relation_statistics import RelationStatistics
from tuner.cost.statistics.table_statistics import TableStatistics, from_described, from_properties

PROPERTIES = {
    "spark.sql.statistics.numRows": "1000",
    "spark.sql.statistics.totalSize": "39944",
    "spark.sql.statistics.colStats.Id.distinctCount": "100",
    "spark.sql.statistics.colStats.Id.min": "-5",
    "spark.sql.statistics.colStats.Id.max": "99",
    "spark.sql.statistics.colStats.Id.nullCount": "3",
    "spark.sql.statistics.colStats.Id.avgLen": "8",
    "spark.sql.statistics.colStats.Id.maxLen": "8",
    "spark.sql.statistics.colStats.Id.version": "2",
    "spark.sql.statistics.colStats.a.b.max": "2001-01-01",
    "spark.sql.statistics.colStats.t.min": "2001-01-01 00:00:00.000000",
    "spark.sql.statistics.colStats.s.max": "zzz",
    "spark.sql.statistics.colStats.s.avgLen": "7",
    "spark.sql.statistics.colStats.unheard.max": "1",
    "transient_lastDdlTime": "1",
}
TYPES = {"id": "bigint", "A.B": "date", "t": "timestamp", "s": "string", "other": "int"}


def test_table_properties() -> None:
    assert from_properties(PROPERTIES, TYPES) == TableStatistics(
        rows=1000,
        columns={
            "id": ColumnStatistics("bigint", 100, -5, 99, 3),
            "a.b": ColumnStatistics("date", max=11323),
            "t": ColumnStatistics("timestamp", min=978307200000000),
            "s": ColumnStatistics("string"),
        },
    )


def test_values_that_json_made_numbers() -> None:
    properties = {
        "spark.sql.statistics.numRows": 1000,
        "spark.sql.statistics.colStats.flag.distinctCount": 2,
        "spark.sql.statistics.colStats.flag.min": False,
        "spark.sql.statistics.colStats.flag.max": True,
    }
    found = from_properties(properties, {"flag": "boolean"})
    assert found == TableStatistics(1000, {"flag": ColumnStatistics("boolean", 2, False, True)})


def test_what_is_no_number_is_not_known() -> None:
    properties = {
        "spark.sql.statistics.numRows": "many",
        "spark.sql.statistics.totalSize": "9" * 50,
        "spark.sql.statistics.colStats.i.distinctCount": "-1",
        "spark.sql.statistics.colStats.i.max": "x",
    }
    assert from_properties(properties, {"i": "int"}) == TableStatistics(None, {"i": ColumnStatistics("int")})
    assert from_properties({}, TYPES) == TableStatistics(None)


def test_a_described_column() -> None:
    described = {
        "col_name": "i",
        "data_type": "int",
        "comment": "NULL",
        "min": "-5",
        "max": "NULL",
        "num_nulls": "3",
        "distinct_count": "100",
        "avg_col_len": "4",
        "max_col_len": "4",
        "histogram": "NULL",
    }
    assert from_described(described) == ColumnStatistics("int", 100, -5, None, 3)
    assert from_described({"data_type": "string", "min": "NULL"}) == ColumnStatistics("string")


def test_a_scan_puts_out_the_columns_it_reads() -> None:
    scan = from_properties(PROPERTIES, TYPES).scanned([("ID", 7, "bigint"), ("other", 8, "int")])
    columns = {7: ColumnStatistics("bigint", 100, -5, 99, 3), 8: ColumnStatistics("int")}
    assert scan == RelationStatistics(1000, columns, leaf=True)


def test_without_rows_nothing_is_known_of_a_scan() -> None:
    assert TableStatistics(None, {"id": ColumnStatistics("bigint", 100)}).scanned([("id", 7, "bigint")]) is None
