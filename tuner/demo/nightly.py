"""The demo's nightly job: a plain PySpark application that knows nothing of the tuner.

usage: nightly.py TABLES QUERIES OUTPUT
Runs every QUERIES/*.sql over the Parquet tables under TABLES, in the order of the file names, and writes each result to OUTPUT.
"""

import json
import os
import sys

from pyspark.sql import SparkSession


def main(tables, queries, output):
    spark = SparkSession.builder.appName("nightly").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    os.makedirs(output, exist_ok=True)
    for table in sorted(os.listdir(tables)):
        path = os.path.join(tables, table)
        if os.path.isdir(path):
            spark.read.parquet(path).createOrReplaceTempView(table)
    for file in sorted(os.listdir(queries)):
        name = os.path.splitext(file)[0]
        with open(os.path.join(queries, file), encoding="utf-8") as text:
            sql = text.read()
        spark.sparkContext.setJobDescription(name)
        rows = [[None if value is None else str(value) for value in row] for row in spark.sql(sql).collect()]
        part = os.path.join(output, name + ".part")
        with open(part, "w", encoding="utf-8") as result:
            json.dump(rows, result)
        os.replace(part, os.path.join(output, name + ".json"))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
