"""Thirty aggregates over one join, of three days: `same_join_app.py TABLES`."""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
for table in ("orders", "items"):
    spark.read.parquet(f"{sys.argv[1]}/{table}").createOrReplaceTempView(table)
aggregates = [
    f"{function}(o.{column})"
    for function in ("sum", "min", "max", "avg", "count", "stddev")
    for column in ("qty", "price", "id", "store", "customer")
]
for number, aggregate in enumerate(aggregates):
    spark.sparkContext.setJobDescription(aggregate)
    spark.sql(f"SELECT {aggregate} FROM orders o JOIN items i ON o.item = i.id WHERE o.day > {number % 3}").collect()
spark.stop()
