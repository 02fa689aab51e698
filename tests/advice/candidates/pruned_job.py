"""A table whose partitions another one prunes, joined in two orders: `pruned_job.py DIRECTORY`."""

import sys

from pyspark.sql import SparkSession

OF_SOME_DAYS = "(SELECT * FROM days WHERE week IN (3, 4))"
WITH_OFFERS = f"(SELECT * FROM {OF_SOME_DAYS} JOIN offers ON week = offered)"
ORDERS = {
    "as written": f"SELECT count(*) FROM sales JOIN {OF_SOME_DAYS} ON sold = day JOIN offers ON week = offered",
    "another order": f"SELECT count(*) FROM sales JOIN {WITH_OFFERS} ON sold = day",
}


def _main(directory: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    tables = {
        "sales": spark.range(20_000).selectExpr("id % 20 AS sold", "id AS amount").write.partitionBy("sold"),
        "days": spark.range(20).selectExpr("id AS day", "id div 2 AS week").coalesce(1).write,
        "offers": spark.range(5_000).selectExpr("id % 50 + 3 AS offered", "id AS item").coalesce(1).write,
    }
    for name, writer in tables.items():
        writer.parquet(f"{directory}/{name}")
        spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
    for name, statement in ORDERS.items():
        spark.sparkContext.setJobDescription(name)
        spark.sql(statement).collect()


if __name__ == "__main__":
    _main(*sys.argv[1:])
