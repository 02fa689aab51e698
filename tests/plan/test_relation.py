"""Names of relations that stay the same every night."""

from __future__ import annotations

import pytest

from tuner.plan.node import PlanNode
from tuner.plan.relation import (
    catalog_table,
    files_bytes,
    is_scan,
    normalise_path,
    relation_name,
    scan_columns,
    short_name,
    tells_source,
    without_run,
)

from .trees import plan


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("Scan parquet spark_catalog.default.Orders | [a#1]", "default.orders"),
        (
            "Scan parquet default.orders | [a#1] | | InMemoryFileIndex(1 paths)[file:/warehouse/orders]",
            "default.orders",
        ),
        ("Scan hive sales.`orders` | [a#1]", "sales.orders"),
        # A table for each night, as IDENTIFIER and templates name it.
        ("Scan parquet spark_catalog.stage.orders_20240131 | [a#1]", "stage.orders_*"),
        ("Scan hive stage_2024_01_31.`orders` | [a#1]", "stage_*.orders"),
        ("BatchScan lake.sales.orders_2024_01_31_07 | [a#1]", "lake.sales.orders_*"),
        ("BatchScan | [a#1] lake.sales.orders_20240131 (branch=null) [filters=]", "lake.sales.orders_*"),
        ("Scan JDBCRelation(sales.orders_20240131) [numPartitions=4] | [a#1]", "jdbc:sales.orders_*"),
        # One for each run: ts_nodash, a UUID, a run id as far as a table may be called by one, an epoch.
        ("Scan parquet spark_catalog.stage.orders_20240131T070005 | [a#1]", "stage.orders_*"),
        ("Scan parquet stage.orders_20240131t070005_part | [a#1]", "stage.orders_*_part"),
        ("Scan parquet stage.orders_3f2504e0_4f89_11d3_9a0c_0305e82c3301 | [a#1]", "stage.orders_*"),
        ("Scan parquet stage.`tmp_3f2504e0-4f89-11d3-9a0c-0305e82c3301` | [a#1]", "stage.tmp_*"),
        ("BatchScan lake.stage.tmp_3F2504E04F8911D39A0C0305E82C3301 | [a#1]", "lake.stage.tmp_*"),
        ("Scan parquet stage.manual__2025_11_24t09_41_12_345678_00_00 | [a#1]", "stage.*"),
        ("Scan parquet stage.orders_manual__20251124T094112_Ab3dE5gH | [a#1]", "stage.orders_*"),
        ("Scan parquet stage.orders_1706659200 | [a#1]", "stage.orders_*"),
        ("Scan JDBCRelation(stage.orders_1706659200123) [numPartitions=4] | [a#1]", "jdbc:stage.orders_*"),
        ("Scan parquet stage.tmp_application_1706659200123_0012 | [a#1]", "stage.tmp_*"),
        ("Scan parquet stage.app_20240131101530_0007_part | [a#1]", "stage.*_part"),
        # With fractions of a second; a date and a number are none.
        ("Scan parquet stage.orders_20261130101530123456 | [a#1]", "stage.orders_*"),
        ("Scan parquet stage.orders_20261130_101530_123456 | [a#1]", "stage.orders_*"),
        ("Scan parquet stage.orders_2026_11_30_10_15_30_123 | [a#1]", "stage.orders_*_123"),
        ("Scan parquet stage.orders_20261130t101530123_part | [a#1]", "stage.orders_*_part"),
        ("Scan parquet stage.orders_20240131_12345 | [a#1]", "stage.orders_*_12345"),
        ("Scan parquet stage.orders_20240131_101530_4711 | [a#1]", "stage.orders_*_4711"),
        ("Scan parquet stage.orders_20240131_471108150 | [a#1]", "stage.orders_*_471108150"),
        # One for each month.
        ("Scan parquet default.sales_202401 | [a#1]", "default.sales_*"),
        ("Scan hive sales_2024_12.`orders` | [a#1]", "sales_*.orders"),
        ("Scan parquet default.sales_202413 | [a#1]", "default.sales_202413"),
        ("Scan parquet default.sales_202401_v2 | [a#1]", "default.sales_202401_v2"),
        ("Scan parquet default.sales202401 | [a#1]", "default.sales202401"),
        ("Scan parquet sf1000.orders_12345678 | [a#1]", "sf1000.orders_12345678"),
        ("Scan parquet default.customer_1998 | [a#1]", "default.customer_1998"),
        ("Scan parquet default.orders_4711123456 | [a#1]", "default.orders_4711123456"),
        ("Scan parquet default.manual__orders_deadbeef | [a#1]", "default.manual__orders_deadbeef"),
        ("Scan parquet default.orders_v2 | [a#1]", "default.orders_v2"),
        ("Scan ExistingRDD | [v#2,a#1L]", "existingrdd:a-v"),
        ("Scan ExistingRDD orders_20240131 | [a#1]", "existingrdd"),
        # The same to the agent, which does not read texts.
        ("Scan ExistingRDD | [a#1,my name#2]", "existingrdd"),
        ("Scan ExistingRDD | [a#1,b,c#2]", "existingrdd"),
        ("Scan ExistingRDD | [a#1,b#2, ... 24 more fields]", "existingrdd"),
        ("Scan ExistingRDD | []", "existingrdd"),
        (
            f"Scan ExistingRDD | [{','.join(f'column_{n}#{n}' for n in range(10, 20))}]",
            "existingrdd:column_10-column_11-column_12-colum~82ca27661c58",
        ),
        ("BatchScan lake.sales.orders | [a#1]", "lake.sales.orders"),
        ("BatchScan parquet file:/lake/orders/day=2024-01-01 | [a#1]", "file:/lake/orders/day=*"),
        (
            "BatchScan parquet file:/lake/orders_of_all_customers | [a#1] ParquetScan Location: "
            "InMemoryFileIndex(1 paths)[file:/lake/ord..., ReadSchema: struct<a:int>",
            "file:/lake/orders_of_all_customers",
        ),
        (
            "BatchScan | [a#1] ParquetScan Format: parquet, Location: InMemoryFileIndex(1 paths)[file:/lake/orders], x",
            "file:/lake/orders",
        ),
        (
            "Scan parquet | [a#1] | | InMemoryFileIndex(2 paths)[hdfs://nn:8020/lake/orders/2024/01/02, hdfs://nn:8020/x]",
            "hdfs://nn:8020/lake/orders",
        ),
        ("Scan csv | [a#1] | | InMemoryFileIndex [file:/in/orders.csv]", "file:/in/orders.csv"),
        ("Scan JDBCRelation(Sales.Orders) [numPartitions=4] | [a#1]", "jdbc:sales.orders"),
        ('Scan JDBCRelation("Sales"."Orders") [numPartitions=1] | [a#1]', "jdbc:sales.orders"),
        (
            "Scan org.apache.spark.sql.cassandra.CassandraSourceRelation@7b1d3a05 | [a#1]",
            "org.apache.spark.sql.cassandra.cassandrasourcerelation",
        ),
        ("Scan com.acme.Relation@1b9a3a5e sales.orders | [a#1]", "sales.orders"),
        # Before Spark 3.4 only the text of such a scan has its table, as the source describes it: here Iceberg.
        ("BatchScan | [a#1, b#2] Lake.sales.orders [filters=a IS NOT NULL] RuntimeFilters: []", "lake.sales.orders"),
        ("BatchScan | [a#1] spark_catalog.sales.orders (branch=null) [filters=, groupedBy=]", "sales.orders"),
        ("BatchScan | [a#1, ... 30 more fields] lake.sales.orders [filters=]", "lake.sales.orders"),
        ("BatchScan | [a#1] class com.acme.Scan", "batchscan"),
        # What other engines call the scans that they run in Spark's place.
        ("PhotonScan parquet main.sales.orders | [a#1]", "main.sales.orders"),
        ("CometScan parquet spark_catalog.default.orders | [a#1]", "default.orders"),
        ("CometScan [native_iceberg_compat] parquet spark_catalog.default.orders | [a#1]", "default.orders"),
        ("GpuScan parquet default.orders | [a#1]", "default.orders"),
        ("NativeScan hive sales.orders | [a#1]", "sales.orders"),
        ("ScanTransformer parquet default.orders | [a#1]", "default.orders"),
        ("BatchScanTransformer lake.sales.orders | [a#1]", "lake.sales.orders"),
        ("PhotonScan parquet | [a#1] | | PreparedDeltaFileIndex(1 paths)[dbfs:/lake/orders]", "dbfs:/lake/orders"),
        ("MicroBatchScan | [key#1, value#2] class org.apache.spark.sql.kafka010.KafkaScan", "microbatchscan"),
        ("LocalTableScan | [a#1]", "localtablescan"),
        ("Range (0, 100, step=1, splits=2)", "range"),
        ("InMemoryTableScan | [a#1]", "cached"),
    ],
)
def test_names(operator: str, name: str) -> None:
    scan = plan(operator)
    assert is_scan(scan)
    assert relation_name(scan) == name


@pytest.mark.parametrize(
    "relation", ["default.orders", "lake.sales.orders", "file:/lake/orders", "jdbc:orders", "localtablescan", "range"]
)
def test_rows_that_other_jobs_have_too(relation: str) -> None:
    assert tells_source(relation)


@pytest.mark.parametrize(
    "relation", ["batchscan", "cached", "in-memory", "scan", "kafkatable", "existingrdd", "existingrdd:a.b-id"]
)
def test_rows_that_may_be_others_in_another_job(relation: str) -> None:
    assert not tells_source(relation)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("load 2024-01-31", "load *"),
        ("load_20240131T0700", "load_*"),
        ("load manual__2025-11-24T09:41:12.345678+00:00_aB3dE5gH", "load *"),
        ("load v2 of 7", "load v2 of 7"),
    ],
)
def test_what_is_called_by_its_run_is_the_same_in_the_next(name: str, found: str) -> None:
    assert without_run(name) == found


def test_statistics_are_of_the_table_as_it_is_called() -> None:
    assert catalog_table(plan("Scan parquet spark_catalog.stage.orders_20240131 | [a#1]")) == "stage.orders_20240131"


def test_a_jdbc_query_is_named_by_its_words_and_not_by_its_literals() -> None:
    def named(query: str) -> str:
        return relation_name(plan(f"Scan JDBCRelation({query}) [numPartitions=1]"))

    one = named("(select id, sum(x) from orders where day = '2024-01-01' and n > 5) SPARK_GEN_SUBQ_0")
    assert one == named("(select id, sum(x) from orders where day = '2024-01-02' and n > 7) SPARK_GEN_SUBQ_12")
    assert one != named("(select id, sum(x) from returns where day = '2024-01-01' and n > 5) SPARK_GEN_SUBQ_0")
    assert "2024" not in one
    assert "orders" in one


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/lake/orders/", "/lake/orders"),
        ("/lake/orders/2024-01-31", "/lake/orders"),
        ("/lake/orders/20240131", "/lake/orders"),
        ("/lake/orders/2024/01/31", "/lake/orders"),
        ("/lake/orders/2024/1/31/07", "/lake/orders"),
        ("/lake/orders/2024-01-31T07", "/lake/orders"),
        ("/lake/orders_2024-01-31/part", "/lake/orders_*/part"),
        ("/lake/2024_01_31/orders", "/lake/*/orders"),
        ("/lake/20240131_101530_123456/orders", "/lake/*/orders"),
        ("/lake/orders_2024-01-31T101530.123/part", "/lake/orders_*/part"),
        ("/landing/orders/2024-01/", "/landing/orders"),
        ("/landing/orders/2024_12/part", "/landing/orders/*/part"),
        ("/lake/202401/orders", "/lake/*/orders"),
        ("/in/orders_202401.csv", "/in/orders_*.csv"),
        ("/lake/202413/orders", "/lake/202413/orders"),
        ("/lake/1202401/orders", "/lake/1202401/orders"),
        ("/lake/orders/country=de/day=2024-01-31", "/lake/orders/country=*/day=*"),
        ("/tmp/run-3f2504e0-4f89-11d3-9a0c-0305e82c3301/orders", "/tmp/run-*/orders"),
        ("/tmp/run_3f2504e04f8911d39a0c0305e82c3301.parquet", "/tmp/run_*.parquet"),
        ("/tmp/3f2504e04f8911d39a0c0305e82c33010", "/tmp/3f2504e04f8911d39a0c0305e82c33010"),
        ("/in/orders/part-00007-3f2504e0-4f89-11d3-9a0c-0305e82c3301-c000.snappy.parquet", "/in/orders"),
        ("/in/orders/part-00007", "/in/orders/part-00007"),
        ("/in/batch_1706659200/orders", "/in/batch_*/orders"),
        ("s3a://bucket/lake/orders/dt=20240131", "s3a://bucket/lake/orders/dt=*"),
        ("s3a://AKIAKEY:secret@bucket/lake", "s3a://bucket/lake"),
        (
            "abfss://container@account.dfs.core.windows.net/orders",
            "abfss://container@account.dfs.core.windows.net/orders",
        ),
        ("hdfs://nn:8020/lake/orders", "hdfs://nn:8020/lake/orders"),
        ("/lake/sf1000/orders_v2", "/lake/sf1000/orders_v2"),
        ("/lake/2024/orders", "/lake/2024/orders"),
        # Airflow's run_id, as it is and as it is escaped.
        ("s3://lake/stage/scheduled__2025-11-24T00:00:00+00:00/orders", "s3://lake/stage/*/orders"),
        ("s3://lake/stage/manual__2025-11-24T09:41:12.345678+00:00/orders", "s3://lake/stage/*/orders"),
        (
            "s3://lake/stage/asset_triggered__2025-11-24T09:41:12.345678+00:00_aB3dE5gH/orders",
            "s3://lake/stage/*/orders",
        ),
        ("/stage/dataset_triggered__2025-11-24T09:41:12+00:00/orders", "/stage/*/orders"),
        ("/stage/asset_materialization__2025-11-24T09:41:12.345678+00:00_3B3dE5gH", "/stage"),
        ("/stage/backfill__2025-11-24T00%3A00%3A00%2B00%3A00/orders", "/stage/*/orders"),
        ("/stage/manual__2025-11-24T09_41_12.345678_00_00/orders", "/stage/*/orders"),
        ("/stage/manual__20251124T094112/orders", "/stage/*/orders"),
        ("/stage/orders/run_id=manual__2025-11-24T09%3A41%3A12.345678+00%3A00", "/stage/orders/run_id=*"),
        ("/stage/orders_manual__2025-11-24T09:41:12.345678+00:00_aB3dE5gH.parquet", "/stage/orders_*.parquet"),
        ("/stage/manual__2025-11-24T09:41:12.345678+00:00_products", "/stage/*_products"),
        ("/stage/manual__orders/daily", "/stage/manual__orders/daily"),
        # The application that wrote it, of YARN or of a standalone cluster.
        ("hdfs://nn/stage/application_1706659200123_0012/orders", "hdfs://nn/stage/*/orders"),
        ("hdfs://nn/stage/application_1706659200123_10234/orders", "hdfs://nn/stage/*/orders"),
        ("/stage/app-20240131101530-0007/orders", "/stage/*/orders"),
        ("/stage/orders_app-20240131101530-0007.parquet", "/stage/orders_*.parquet"),
        ("/stage/application_17/orders", "/stage/application_17/orders"),
        ("/stage/myapp-20240131101530-0007/orders", "/stage/myapp-*-0007/orders"),
        ("/lake/orders/1234567", "/lake/orders/1234567"),
    ],
)
def test_paths_lose_what_changes_from_run_to_run(path: str, name: str) -> None:
    assert normalise_path(path) == name


def test_what_a_scan_puts_out() -> None:
    scan = plan("Scan parquet db.t[odd] | [a#1,b#2L,c d#3] Batched: true, PushedFilters: [IsNotNull(a)]")
    assert scan_columns(scan) == [("a", 1), ("b", 2), ("d", 3)]
    assert scan_columns(plan("Range (0, 5, step=1)")) == []


@pytest.mark.parametrize("text", ["FileScan parquet db.t[odd][a#1,b#2]", "GpuFileScan parquet db.t[odd][a#1,b#2] x"])
def test_what_a_scan_puts_out_stands_behind_its_name(text: str) -> None:
    assert scan_columns(PlanNode("Scan", "Scan parquet db.t[odd]", text, {}, {})) == [("a", 1), ("b", 2)]


@pytest.mark.parametrize(
    ("name", "short"),
    [("file:/lake/orders", "orders"), ("default.orders", "orders"), ("orders", "orders"), ("/a/b/", "b")],
)
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


@pytest.mark.parametrize(
    ("metrics", "size"),
    [
        ("size of files read=70", 70),
        ("size of files read=7; static size of files read=70", 70),
        ("number of output rows=3; total data file size (bytes)=70", 70),
        ("total file size=70", 70),
        ("number of output rows=3", None),
    ],
)
def test_scans_of_files_and_of_iceberg_say_how_large_their_files_are(metrics: str, size: int | None) -> None:
    assert files_bytes(plan(f"BatchScan lake.sales.orders | [a#1] | {metrics}")) == size
