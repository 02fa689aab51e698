"""The demo's nightly job: a plain PySpark application that knows nothing of the tuner.

usage: nightly.py TABLES QUERIES OUTPUT
Runs every QUERIES/*.sql over the Parquet tables under TABLES, in the order of the file names, and writes each result to OUTPUT.
"""

import json
import os
import re
import sys

from pyspark.sql import SparkSession

# Sums of doubles depend on the order in which rows arrive: digits behind these are not written.
DOUBLE_DIGITS = 9


def main(tables, queries, output):
    spark = SparkSession.builder.appName("nightly").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    os.makedirs(output, exist_ok=True)
    texts = {}
    for file in sorted(os.listdir(queries)):
        with open(os.path.join(queries, file), encoding="utf-8") as text:
            texts[os.path.splitext(file)[0]] = text.read()
    named = set(re.findall(r"\w+", " ".join(texts.values())))
    for table in sorted(named.intersection(os.listdir(tables))):
        spark.read.parquet(os.path.join(tables, table)).createOrReplaceTempView(table)
    for name, sql in texts.items():
        spark.sparkContext.setJobDescription(name)
        rows = [[cell(value) for value in row] for row in spark.sql(sql).collect()]
        part = os.path.join(output, name + ".part")
        with open(part, "w", encoding="utf-8") as result:
            json.dump(rows, result)
        os.replace(part, os.path.join(output, name + ".json"))
    spark.stop()


def cell(value):
    if isinstance(value, float):
        return "%.*g" % (DOUBLE_DIGITS, value)
    return None if value is None else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
