"""Runs SQL queries and a DataFrame program twice in one application: as Spark would by itself, and with steering conf.

    spark-submit tpcds_app.py TABLES QUERIES.json ONCE.json FAILURES.json

QUERIES.json maps names to statements; those of ONCE.json run by default only. Each execution's description is
"<default|steered> <name>".
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

STEERED = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "5",
    # Plans then come without WholeStageCodegen around their operators.
    "spark.sql.codegen.wholeStage": "false",
}


def reporting_lines(spark: SparkSession) -> DataFrame:
    """Each brand's sales against the same item's sales in another store: aliases, renamed columns and a self-join."""
    sales = spark.table("store_sales").select("ss_item_sk", "ss_store_sk", f.col("ss_quantity").alias("quantity"))
    here, there = sales.alias("here"), sales.withColumnRenamed("quantity", "others").alias("there")
    item = spark.table("item").select(f.col("i_item_sk").alias("item"), "i_brand")
    return (
        here.join(there, f.col("here.ss_item_sk") == f.col("there.ss_item_sk"))
        .where("here.ss_store_sk < there.ss_store_sk")
        .join(item, f.col("item") == f.col("here.ss_item_sk"), "left")
        .groupBy("i_brand")
        .agg(f.sum("quantity").alias("quantity"), f.max("others").alias("others"))
        .orderBy("i_brand")
    )


def run_all(spark: SparkSession, label: str, queries: dict[str, str], failures: dict[str, str]) -> None:
    """Two at a time: planning keeps one core busy and leaves the other idle."""
    programs: dict[str, Callable[[], DataFrame]] = {name: partial(spark.sql, text) for name, text in queries.items()}
    programs["dataframe"] = partial(reporting_lines, spark)

    def run(name: str) -> None:
        spark.sparkContext.setJobDescription(f"{label} {name}")
        try:
            programs[name]().collect()
        except Exception as error:
            failures[f"{label} {name}"] = str(error)[:500]

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, programs))


def main(tables: str, queries_file: str, once_file: str, failures_file: str) -> None:
    spark = SparkSession.builder.appName("identity").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for table in Path(tables).iterdir():
        spark.read.parquet(str(table)).createOrReplaceTempView(table.name)
    queries = json.loads(Path(queries_file).read_text())
    failures: dict[str, str] = {}
    run_all(spark, "default", queries | json.loads(Path(once_file).read_text()), failures)
    for key, value in STEERED.items():
        spark.conf.set(key, value)
    run_all(spark, "steered", queries, failures)
    Path(failures_file).write_text(json.dumps(failures))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
