"""Runs each statement of a corpus over empty tables, with the agent telling what it calls the parts of the plans.

    spark-submit names_app.py STATEMENTS.json TABLES

STATEMENTS.json maps names to SQL, of which the last statement counts. Its execution's description is the name.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

_TABLES = {
    "orders": "id BIGINT, customer BIGINT, item INT, store INT, qty INT, price DOUBLE, day INT, tags ARRAY<STRING>",
    "customers": "id BIGINT, region INT, name STRING",
    "items": "id INT, category INT, brand STRING, price DOUBLE",
    "stores": "id INT, region INT, city STRING",
    "regions": "id INT, name STRING",
    "returned": "order_id BIGINT, item INT, qty INT",
}


_SECOND_API = "spark.sql.sources.useV1SourceList"


def view_by_second_api(spark: SparkSession, name: str, columns: str, path: str) -> None:
    """Files as Spark reads them through its second API for data sources, as it does tables of other catalogs."""
    before = spark.conf.get(_SECOND_API, "")
    spark.conf.set(_SECOND_API, "")
    spark.read.schema(columns).parquet(path).createGlobalTempView(name)
    spark.conf.set(_SECOND_API, before)


def view_of_rdd(spark: SparkSession, view: str, name: str | None) -> None:
    """One of Scala's, as toDS() and createDataset() make them: `value BIGINT`."""
    jvm: Any = spark._jvm
    rdd = spark.sparkContext._jsc.parallelize(jvm.java.util.ArrayList(), 1).rdd()
    if name:
        rdd.setName(name)
    spark._jsparkSession.createDataset(rdd, jvm.org.apache.spark.sql.Encoders.LONG()).createGlobalTempView(view)


def view_of_checkpoint(spark: SparkSession, view: str, *columns: str) -> None:
    spark.range(0).selectExpr(*columns).localCheckpoint().createGlobalTempView(view)


def run(spark: SparkSession, name: str, text: str) -> None:
    session = spark.newSession()
    *before, last = [statement for statement in text.split(";") if statement.strip()]
    session.sparkContext.setJobDescription(f"before {name}")
    for statement in before:
        session.sql(statement)
    session.sparkContext.setJobDescription(name)
    session.sql(last).collect()


def main(statements_file: str, tables: str) -> None:
    spark = SparkSession.builder.appName("names").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for name, columns in _TABLES.items():
        spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
        spark.table(name).write.parquet(f"{tables}/{name}")
        view_by_second_api(spark, name, columns, f"{tables}/{name}")
    Path(tables, "clicks", "date=2026-11-22").mkdir(parents=True)
    view_by_second_api(spark, "clicks", "customer BIGINT, url STRING, date DATE", f"{tables}/clicks")
    view_of_rdd(spark, "numbers", None)
    view_of_rdd(spark, "named_numbers", "Rows of numbers")
    view_of_checkpoint(spark, "kept_orders", "id", "id AS customer", "id AS qty")
    view_of_checkpoint(spark, "kept_customers", "id AS customer", "id AS region")
    view_of_checkpoint(spark, "kept_wide", *(f"id AS column_of_many_{number}" for number in range(25)))
    statements = json.loads(Path(statements_file).read_text(encoding="utf-8"))
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, spark, name, text.replace("{tables}", tables)) for name, text in statements.items()]
        for job in jobs:
            job.result()
    run(spark, "unnameable", "SELECT v FROM rows.unnameable")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
