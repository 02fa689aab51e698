"""usage: measured_app.py TABLES FOUND.json: what the bench's job makes of statements over folders of Parquet files, by name.

FOUND has what it writes down of each over temporary views (`views`), then over tables of a catalog (`catalog`).
"""

import json
import sys
from pathlib import Path

STATEMENTS = {
    "rows by partition": "SELECT p, count(*) FROM parted GROUP BY p",
    "a query": "WITH one AS (SELECT a FROM plain) SELECT * FROM one WHERE a IN (SELECT a FROM parted) ORDER BY a",
    "a temporary view": "CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT a FROM plain",
    "a view that is read": "SELECT * FROM seen",
    "no SQL": "SELEKT 1",
    "insert": "INSERT INTO plain VALUES (9)",
    "insert below a with": "WITH one AS (SELECT 1 AS a) INSERT INTO plain SELECT a FROM one",
    "two inserts": "WITH one AS (SELECT 1 AS a) FROM one INSERT INTO plain SELECT a INSERT INTO plain SELECT a + 1",
    "overwrite": "INSERT OVERWRITE plain SELECT 1",
    "a directory": "INSERT OVERWRITE DIRECTORY '{tables}/plain' USING parquet SELECT 1 AS a",
    "a table": "CREATE TABLE made AS SELECT 1 AS a",
    "a setting": "SET spark.sql.shuffle.partitions=1",
}


def main(tables, found):
    from pyspark.sql import SparkSession

    from tuner.bench import application

    spark = SparkSession.builder.appName("measured").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    names, told = sorted(folder.name for folder in Path(tables).iterdir()), {}
    for name in names:
        spark.read.parquet(str(Path(tables) / name)).createOrReplaceTempView(name)
    told["views"] = written_down(application, spark, tables)
    for name in names:
        spark.catalog.dropTempView(name)
    list(application.analyze(spark, tables, names))
    told["catalog"] = written_down(application, spark, tables)
    Path(found).write_text(json.dumps(told))
    spark.stop()


def written_down(application, spark, tables):
    texts = {name: text.replace("{tables}", tables) for name, text in STATEMENTS.items()}
    return {name: application.run(spark, {"name": name, "sql": text, "conf": {}}, 60) for name, text in texts.items()}


if __name__ == "__main__":
    main(*sys.argv[1:])
