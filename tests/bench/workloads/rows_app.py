"""usage: rows_app.py ASKED.json ROWS.json: the rows that Spark gives for queries over folders of Parquet files.

ASKED has `tables` (a directory) and `queries` (texts by name) for each benchmark; ROWS has rows by benchmark and query.
"""

import json
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path


def main(asked, rows):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("rows").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    found = {name: answers(spark, **of) for name, of in json.loads(Path(asked).read_text()).items()}
    Path(rows).write_text(json.dumps(found))
    spark.stop()


def answers(spark, tables, queries):
    for folder in filter(Path.is_dir, Path(tables).iterdir()):
        spark.read.parquet(str(folder)).createOrReplaceTempView(folder.name)
    return {name: plain(spark.sql(text).collect()) for name, text in queries.items()}


def plain(rows):
    """Rows of either engine, in an order that depends neither on theirs nor on the last digits of numbers."""
    return sorted(([cell(value) for value in row] for row in rows), key=lambda row: [rough(value) for value in row])


def cell(value):
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def rough(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
